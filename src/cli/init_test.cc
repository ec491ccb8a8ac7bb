#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/init_questions.h"
#include "cli/session/environment.h"
#include "config/document.h"
#include "config/reading/scenario_reader.h"

namespace loadfactor::cli {
namespace {

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

Outcome loadfactor(std::vector<const char*> arguments, const std::string& typed = {},
                   bool is_terminal = true) {
  std::istringstream in(typed);
  std::ostringstream out;
  std::ostringstream err;
  Environment environment;
  environment.in = &in;
  environment.in_is_terminal = is_terminal && !typed.empty();
  environment.out = &out;
  environment.err = &err;
  environment.today = "2026-11-15";
  arguments.insert(arguments.begin(), "loadfactor");
  const int status = run(static_cast<int>(arguments.size()), arguments.data(), environment);
  return {status, out.str(), err.str()};
}

std::optional<config::Scenario> scenario_in(const std::string& text) {
  Diagnostics diagnostics;
  return config::parse_scenario("s.yaml", text, {}, diagnostics);
}

TEST(InitTest, DefaultsMakeAScenarioThatReads) {
  for (const char* kind : {"serve", "train"}) {
    const auto outcome = loadfactor({"init", kind});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(scenario_in(outcome.out)) << outcome.out;
  }
}

TEST(InitTest, FlagsAndTypedAnswersReachTheScenario) {
  const auto outcome =
      loadfactor({"init", "serve", "--model", "llama-3.1-8b"}, "3 M\n500 100\n\nl40s\n");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto scenario = scenario_in(outcome.out);
  ASSERT_TRUE(scenario) << outcome.out;
  EXPECT_NE(outcome.out.find("model: llama-3.1-8b"), std::string::npos);
  EXPECT_NE(outcome.out.find("requests_per_month: 3 M"), std::string::npos);
  EXPECT_NE(outcome.out.find("tokens_out: 100"), std::string::npos);
  EXPECT_NE(outcome.out.find("ttft_p95: 1.5 s"), std::string::npos);
  EXPECT_EQ(scenario->hardware.front().value, "l40s");
}

TEST(InitTest, ASizeATraceAndAConfigAreToldApart) {
  EXPECT_NE(
      train_scenario({"500 B", "1 T", "30 days", "64", "h100-sxm", "own"}).find("{params: 500 B}"),
      std::string::npos);
  EXPECT_NE(serve_scenario({"./config.json", "week.csv", "1 1", "1 s, 1 ms", "l4", "own, api"})
                .find("{config: ./config.json}"),
            std::string::npos);
}

TEST(InitTest, AnAnswerThatMeansNothingIsRefused) {
  EXPECT_EQ(loadfactor({"init", "train", "--tokens", "many"}).status, 2);
  EXPECT_EQ(loadfactor({"init", "train", "--deadline", "30"}).status, 2);
}

TEST(InitTest, AnAnswerThatMeansNothingIsAskedAgainAndTheOthersAreKept) {
  const auto outcome = loadfactor({"init", "serve"},
                                  "llama-3.1-8b\nlots\n3 M\n500\n500 100\n\nh1000\nl40s\nrent\n"
                                  "spot, api\n");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto scenario = scenario_in(outcome.out);
  ASSERT_TRUE(scenario) << outcome.out;
  EXPECT_NE(outcome.out.find("model: llama-3.1-8b"), std::string::npos);
  EXPECT_NE(outcome.out.find("requests_per_month: 3 M"), std::string::npos);
  EXPECT_NE(outcome.out.find("tokens_out: 100"), std::string::npos);
  EXPECT_NE(outcome.out.find("options: [spot, api]"), std::string::npos);
  EXPECT_EQ(scenario->hardware.front().value, "l40s");
  for (const char* wrong : {"lots", "h1000", "rent"})
    EXPECT_NE(outcome.err.find(wrong), std::string::npos) << outcome.err;
}

TEST(InitTest, EveryWayToPayIsOffered) {
  EXPECT_NE(loadfactor({"init", "serve"})
                .out.find("options: [on-demand, reserved-1y, reserved-3y, spot, own, api]"),
            std::string::npos);
  EXPECT_NE(loadfactor({"init", "train"})
                .out.find("options: [on-demand, reserved-1y, reserved-3y, spot, own]"),
            std::string::npos);
}

TEST(InitTest, AnswersThatArePipedInAreRead) {
  const auto outcome = loadfactor({"init", "serve"}, "llama-3.1-8b\n3 M\n500 100\n", false);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("model: llama-3.1-8b"), std::string::npos);
  EXPECT_NE(outcome.out.find("tokens_out: 100"), std::string::npos);
  EXPECT_NE(outcome.err.find("--slo, --gpu, --pay"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("--tokens"), std::string::npos) << outcome.err;
}

TEST(InitTest, DefaultsThatNobodySawAreSaid) {
  EXPECT_NE(loadfactor({"init", "serve"}).err.find("--model, --requests"), std::string::npos);
}

std::string trace_in(const std::string& folder) {
  std::filesystem::create_directories(folder + "/sub");
  std::ofstream(folder + "/reqs.csv")
      << "timestamp,input_tokens,output_tokens\n0,100,10\n60,200,20\n3600,100,10\n";
  return folder + "/reqs.csv";
}

TEST(InitTest, ATraceIsNamedFromWhereTheScenarioStands) {
  const std::string folder = ::testing::TempDir() + "init-trace";
  const std::string trace = trace_in(folder);
  const std::string near = std::filesystem::proximate(trace).string();
  const std::string path = folder + "/sub/s.yaml";
  const auto outcome = loadfactor(
      {"init", "serve", "--requests", near.c_str(), "-o", path.c_str(), "--force", "--quiet"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_NE(text.str().find("{trace: ../reqs.csv}"), std::string::npos) << text.str();
}

TEST(InitTest, ATraceThatIsNotThereOrHasItsOwnLengthsIsSaidAtOnce) {
  const std::string trace = trace_in(::testing::TempDir() + "init-lengths");
  EXPECT_EQ(loadfactor({"init", "serve", "--requests", "nosuch.csv"}).status, 4);
  const auto twice = loadfactor({"init", "serve", "--requests", trace.c_str(), "--tokens", "9 9"});
  EXPECT_EQ(twice.status, 2);
  EXPECT_NE(twice.err.find("says how long requests are"), std::string::npos) << twice.err;
}

TEST(InitTest, HalfAnAnswerAndAnotherFormAreRefused) {
  EXPECT_EQ(loadfactor({"init", "serve", "--slo", "1 s"}).status, 2);
  EXPECT_EQ(loadfactor({"init", "serve", "--tokens", "5"}).status, 2);
  EXPECT_EQ(loadfactor({"init", "serve", "--format", "json"}).status, 2);
  EXPECT_EQ(loadfactor({"init", "serve", "-o", "x.html"}).status, 2);
}

TEST(InitTest, TheShapesItSpeaksOfAreListedWhereItSays) {
  EXPECT_NE(loadfactor({"demand", "--help"}).out.find("global-chat"), std::string::npos);
}

TEST(WriteTest, ASuffixThatMeansNothingIsSaid) {
  const std::string path = ::testing::TempDir() + "fit.xyz";
  const auto outcome = loadfactor({"fit", "llama-3.1-8b", "--gpu", "l40s", "-o", path.c_str()});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("'.xyz' names no format"), std::string::npos) << outcome.err;
}

TEST(AuditGate, AClaimThatIsInconsistentFailsTheBuild) {
  const std::string path =
      std::string(LF_SOURCE_DIR) + "/data/scenarios/audits/500b-1200-h100.yaml";
  EXPECT_EQ(loadfactor({"audit", path.c_str(), "--gate", "consistent"}).status, 1);
  EXPECT_EQ(loadfactor({"audit", path.c_str(), "--gate", "not inconsistent"}).status, 1);
  EXPECT_EQ(loadfactor({"audit", path.c_str()}).status, 0);
  EXPECT_EQ(loadfactor({"audit", path.c_str(), "--gate", "fine"}).status, 2);
}

TEST(InitTest, AFileIsNotReplacedUnasked) {
  const std::string path = testing::TempDir() + "init-scenario.yaml";
  std::ofstream(path) << "mine";
  EXPECT_EQ(loadfactor({"init", "serve", "-o", path.c_str()}).status, 2);
  EXPECT_EQ(loadfactor({"init", "serve", "-o", path.c_str(), "--force"}).status, 0);
}

TEST(CompletionTest, EveryVerbIsCompletedAndInTheManual) {
  const auto help = loadfactor({"--help"}).out;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto outcome = loadfactor({"completion", shell});
    EXPECT_EQ(outcome.status, 0);
    for (const char* verb : {"fit", "train", "audit", "init", "validate"})
      EXPECT_NE(outcome.out.find(verb), std::string::npos) << shell << verb;
  }
  EXPECT_EQ(loadfactor({"completion", "tcsh"}).status, 2);
  const auto page = loadfactor({"man"});
  EXPECT_TRUE(page.out.starts_with(".TH LOADFACTOR 1"));
  EXPECT_NE(page.out.find(".SS audit"), std::string::npos);
}

TEST(InitTest, NamesThatTheCatalogueDoesNotHaveAreRefusedWithTheNearest) {
  const auto model = loadfactor({"init", "serve", "--model", "lama-3.3-70b"});
  EXPECT_EQ(model.status, 2);
  EXPECT_NE(model.err.find("LF402"), std::string::npos) << model.err;
  const auto chip = loadfactor({"init", "train", "--gpu", "h100-sxm, h1000"});
  EXPECT_EQ(chip.status, 2);
  EXPECT_NE(chip.err.find("LF401"), std::string::npos) << chip.err;
}

TEST(WriteTest, AFitHasNoPage) {
  const std::string path = ::testing::TempDir() + "fit.html";
  const auto refused = loadfactor({"fit", "llama-3.1-8b", "--gpu", "l40s", "-o", path.c_str()});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("loadfactor plan"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::ifstream(path).good());
}

}  // namespace
}  // namespace loadfactor::cli
