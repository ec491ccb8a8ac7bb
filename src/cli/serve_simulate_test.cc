#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/testing/program.h"

namespace loadfactor::cli {
namespace {

using testing::loadfactor;

std::string write(const std::string& name, const std::string& text) {
  std::string path = ::testing::TempDir() + name;
  std::ofstream(path) << text;
  return path;
}

std::string read(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string scenario(const std::string& more) {
  return write("lf_simulate.yaml",
               "loadfactor: 1\nname: chat\nserve:\n  model: llama-3.1-8b\n" + more);
}

const char* const kDemand =
    "  demand: {requests_per_second: 4, tokens_in: 500, tokens_out: 50}\n"
    "  deployment: {gpu: h100-sxm, replicas: 1}\n";

TEST(ServeSimulateTest, AnswersInEveryForm) {
  const std::string file = scenario(kDemand);
  const auto text = loadfactor({"serve", file, "--simulate", "--requests", "500"});
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* part : {"factor", "first token (TTFT)", "rounding", "skip-ahead", "≤"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
  const auto json =
      loadfactor({"serve", file, "--simulate", "--requests", "500", "--format", "json"});
  for (const char* part : {"\"verb\": \"serve\"", "\"engine\": \"skip_ahead\"", "\"requests\": 500",
                           "\"engine_seconds\"", "\"load_factor\"", "\"ttft\"", "\"tpot\""})
    EXPECT_NE(json.out.find(part), std::string::npos) << part;
  const auto csv =
      loadfactor({"serve", file, "--simulate", "--requests", "500", "--format", "csv"});
  EXPECT_TRUE(csv.out.starts_with("field,value,low,high,unit")) << csv.out;
  EXPECT_NE(csv.out.find("\nttft.p50,"), std::string::npos) << csv.out;
}

TEST(ServeSimulateTest, TwoReproducibleRunsAreEqualToTheByte) {
  const std::string file = scenario(kDemand);
  const std::vector<std::string> words{"serve", file,       "--simulate", "--requests",
                                       "500",   "--format", "json",       "--reproducible"};
  const auto once = loadfactor(words);
  EXPECT_EQ(once.out, loadfactor(words).out);
  EXPECT_EQ(once.out.find("engine_seconds"), std::string::npos);
}

TEST(ServeSimulateTest, WritesATraceAndASeries) {
  const std::string trace = ::testing::TempDir() + "lf_simulate_trace.json";
  const std::string series = ::testing::TempDir() + "lf_simulate_series.csv";
  const auto outcome = loadfactor({"serve", scenario(kDemand), "--simulate", "--requests", "200",
                                   "--trace", trace, "--series", series});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(read(trace).find("\"name\":\"decode\""), std::string::npos);
  EXPECT_TRUE(read(series).starts_with("time,"));
  std::remove(trace.c_str());
  std::remove(series.c_str());
}

TEST(ServeSimulateTest, ATraceIsReplayedAndItsBadRowsAreCounted) {
  write("lf_simulate_requests.csv",
        "time_s,tokens_in,tokens_out\n0,100,10\n1,100,10\n2,0,10\n3,100,10\n");
  const auto outcome = loadfactor({"serve",
                                   scenario("  demand: {trace: lf_simulate_requests.csv}\n"
                                            "  deployment: {gpu: h100-sxm, replicas: 1}\n"),
                                   "--simulate", "--format", "json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\"served\": 3"), std::string::npos) << outcome.out;
}

TEST(ServeSimulateTest, SaysWhatIsWrong) {
  const auto router = loadfactor({"serve", scenario(kDemand), "--simulate", "--router", "best"});
  EXPECT_EQ(router.status, 2);
  EXPECT_NE(router.err.find("LF131"), std::string::npos) << router.err;
  const auto none = loadfactor({"serve", scenario("  precision: bf16\n"), "--simulate"});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("demand"), std::string::npos) << none.err;
  const auto large =
      loadfactor({"serve",
                  scenario("  demand: {requests_per_second: 1, tokens_in: 900000, tokens_out: 9}\n"
                           "  deployment: {gpu: h100-sxm, replicas: 1}\n"),
                  "--simulate", "--requests", "5"});
  EXPECT_EQ(large.status, 2);  // As `serve`, `fill` and `plan` say it.
  EXPECT_NE(large.err.find("LF104"), std::string::npos) << large.err;
}

TEST(ServeSimulateTest, TimeOutsNeedThePlainEngineAndItSaysSo) {
  const auto outcome = loadfactor({"serve", scenario(kDemand), "--simulate", "--requests", "200",
                                   "--timeout", "20 s", "--format", "json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\"engine\": \"plain\""), std::string::npos);
  EXPECT_NE(outcome.out.find("requests time out"), std::string::npos);
}

TEST(ServeSimulateTest, ADeploymentSaysHowItIsRun) {
  const std::string demand = "  demand: {requests_per_second: 4, tokens_in: 500, tokens_out: 50}\n";
  const auto run = [&](const std::string& deployment) {
    return loadfactor({"serve", scenario(demand + "  deployment: " + deployment + "\n"),
                       "--simulate", "--requests", "400", "--format", "json"});
  };
  const auto routed =
      run("{gpu: h100-sxm, replicas: 2, router: round-robin, timeout: 60 s,\n"
          "    failures: [{at: 10 s, repair: 20 s, replica: 2}]}");
  EXPECT_EQ(routed.status, 0) << routed.err;
  EXPECT_NE(routed.out.find("round-robin"), std::string::npos);
  const auto urgent = run("{gpu: h100-sxm, replicas: 1, urgent: 20 %, prefix_hits: 50 %}");
  EXPECT_EQ(urgent.status, 0) << urgent.err;
  const auto scaled =
      run("{gpu: h100-sxm, replicas: 1, scaling: {most: 4, target: 2, start: 5 s}}");
  EXPECT_EQ(scaled.status, 0) << scaled.err;
  const auto wrong = run("{gpu: h100-sxm, router: nearest}");
  EXPECT_NE(wrong.status, 0);
  EXPECT_NE(wrong.err.find("least-loaded"), std::string::npos) << wrong.err;
}

TEST(ServeSimulateTest, ModelsOnOnePoolAreReportedEachAndTogether) {
  const std::string two = std::string(kDemand) +
                          "  others:\n"
                          "    - model: qwen2.5-32b\n"
                          "      demand: {requests_per_second: 1, tokens_in: 400, tokens_out: 40}\n"
                          "      slo: {e2e_p95: 60 s}\n"
                          "      deployment: {gpu: h100-sxm, tp: 2, replicas: 1}\n";
  const auto text = loadfactor({"serve", scenario(two + "limits: {gpus: 4}\n"), "--simulate",
                                "--requests", "300", "--trace", "/dev/null"});
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* part :
       {"on one pool", "llama-3.1-8b", "qwen2.5-32b", "e2e_p95", "2 replicas on 3"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
  const auto json = loadfactor({"serve", scenario(two + "limits: {gpus: 4}\n"), "--simulate",
                                "--requests", "300", "--format", "json"});
  EXPECT_NE(json.out.find("\"models\": ["), std::string::npos);
  EXPECT_NE(json.out.find("\"requests\": 300"), std::string::npos);  // Both models together.
  EXPECT_NE(json.out.find("\"requests\": 60,"), std::string::npos);  // One of them, by its rate.
  const auto tight = loadfactor({"serve", scenario(two + "limits: {gpus: 2}\n"), "--simulate"});
  EXPECT_EQ(tight.status, 3) << tight.err;
}

TEST(ServeSimulateTest, ModelsOnOnePoolHaveOneKindOfGpu) {
  const auto outcome = loadfactor(
      {"serve",
       scenario(std::string(kDemand) +
                "  others:\n"
                "    - {model: llama-3.1-8b, deployment: {gpu: l4},\n"
                "       demand: {requests_per_second: 1, tokens_in: 400, tokens_out: 40}}\n"),
       "--simulate"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("one kind of"), std::string::npos) << outcome.err;
}

TEST(ServeSimulateTest, PrefillAndDecodeApartNameTheirReplicasInTheTrace) {
  const std::string trace = ::testing::TempDir() + "lf_simulate_split.json";
  const auto outcome = loadfactor(
      {"serve",
       scenario("  demand: {requests_per_second: 4, tokens_in: 500, tokens_out: 50}\n"
                "  deployment: {gpu: h100-sxm, prefill: {replicas: 1}, decode: {replicas: 2},\n"
                "    transfer: {link: 1 GB/s, shared: 1 GB/s, latency: 5 ms}}\n"),
       "--simulate", "--requests", "200", "--trace", trace});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"prefill 1", "decode 1", "decode 2"})
    EXPECT_NE(read(trace).find(part), std::string::npos) << part;
  std::remove(trace.c_str());
}

TEST(ServeSimulateTest, EveryCellOfASeriesIsAPlainNumber) {
  const std::string series = ::testing::TempDir() + "lf_simulate_numbers.csv";
  loadfactor({"serve", scenario(kDemand), "--simulate", "--requests", "50", "--series", series});
  std::stringstream text(read(series));
  std::string line;
  std::getline(text, line);
  int rows = 0;
  for (; std::getline(text, line); ++rows) {
    if (line.ends_with('\r')) line.pop_back();
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) {
      char* end = nullptr;
      std::strtod(cell.c_str(), &end);
      EXPECT_TRUE(!cell.empty() && *end == '\0') << line;
    }
  }
  EXPECT_GT(rows, 10);
  std::remove(series.c_str());
}

TEST(ServeSimulateTest, TimesStandInTheUnitThatSuitsThem) {
  const auto crowd = loadfactor({"serve", scenario(kDemand), "--concurrency", "1000000"});
  EXPECT_EQ(crowd.status, 0) << crowd.err;
  EXPECT_NE(crowd.out.find(" h ["), std::string::npos) << crowd.out;
  EXPECT_NE(crowd.out.find("the others wait"), std::string::npos) << crowd.out;
}

TEST(ServeSimulateTest, CountsBelowOneAreRefused) {
  const std::string file = scenario(kDemand);
  for (const char* flag : {"--requests", "--kv-tokens"})
    for (const char* count : {"0", "-5"})
      EXPECT_NE(loadfactor({"serve", file, "--simulate", flag, count}).status, 0) << flag << count;
}

TEST(ServeSimulateTest, FlagsThatWouldDoNothingAreRefusedByName) {
  const std::string file = scenario(kDemand);
  const std::vector<std::vector<std::string>> cases{
      {"--series", "x.csv"}, {"--trace", "x.json"},  {"--router", "session"},
      {"--timeout", "5 s"},  {"--max-waiting", "5"}, {"--requests", "5"},
      {"--plain"},           {"--target-load", "5"}, {"--spares", "1"}};
  for (std::vector<std::string> words : cases) {
    const std::string flag = words.front();
    words.insert(words.begin(), {"serve", file});
    const auto outcome = loadfactor(words);
    EXPECT_EQ(outcome.status, 2) << flag;
    EXPECT_NE(outcome.err.find(flag + " does nothing"), std::string::npos) << outcome.err;
  }
  for (std::vector<std::string> words : std::vector<std::vector<std::string>>{
           {"--concurrency", "4"}, {"--batches", "1,8"}, {"--target-load", "4"}}) {
    const std::string flag = words.front();
    words.insert(words.begin(), {"serve", file, "--simulate"});
    const auto outcome = loadfactor(words);
    EXPECT_EQ(outcome.status, 2) << flag;
    EXPECT_NE(outcome.err.find(flag + " does nothing"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(loadfactor({"serve", file, "--simulate", "--search"}).status, 2);
}

TEST(ServeSimulateTest, TimesAreAboveZeroAndCountsFromOneUp) {
  const std::string file = scenario(kDemand);
  for (const char* flag : {"--timeout", "--first-token-timeout"})
    for (const char* time : {"0s", "-1s"}) {
      const auto outcome =
          loadfactor({"serve", file, "--simulate", std::string(flag) + "=" + time});
      EXPECT_EQ(outcome.status, 2) << flag << time;
    }
  for (const char* flag : {"--max-waiting", "--max-replicas"})
    EXPECT_NE(loadfactor({"serve", file, "--simulate", flag, "0"}).status, 0) << flag;
}

TEST(ServeSimulateTest, AMeasuredRunScalesTheSimulationToo) {
  const std::string file = scenario(kDemand);
  const auto outcome = loadfactor({"serve", file, "--simulate", "--requests", "50", "--format",
                                   "json", "--anchor", "tpot_ms=25,concurrency=4"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("from one measured run"), std::string::npos) << outcome.out;
}

TEST(ServeSimulateTest, EightyColumnsKeepTheIntervalThatTheVerdictIsJudgedBy) {
  const auto outcome =
      loadfactor({"serve", scenario(std::string(kDemand) + "  slo: {ttft_p95: 40 ms}\n"),
                  "--simulate", "--requests", "200"});
  EXPECT_NE(outcome.out.find("p95 high"), std::string::npos) << outcome.out;
}

TEST(ServeSimulateTest, BothPoolsStandInTheHeading) {
  const auto outcome = loadfactor(
      {"serve",
       scenario("  demand: {requests_per_second: 4, tokens_in: 500, tokens_out: 50}\n"
                "  deployment: {gpu: h100-sxm, prefill: {replicas: 1}, decode: {replicas: 2}}\n"),
       "--simulate", "--requests", "100"});
  EXPECT_NE(outcome.out.find("prefill 1 ×"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("decode 2 ×"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace loadfactor::cli
