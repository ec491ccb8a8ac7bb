// What `observe` asks a batch system for, which window it means, and what it never repeats.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "base/text/json_text.h"
#include "cli/testing/folder.h"
#include "cli/testing/program.h"
#include "facade/forms/read_question.h"
#include "loadfactor/engine.h"

namespace loadfactor::facade {
namespace {

constexpr double kClock = 1794268800;  // 2026-11-10T00:00:00Z.

constexpr const char* kNodes =
    "PARTITION|NODELIST|STATE|GRES\ngpu|n1|idle|gpu:h100:8\ngpu|n2|idle|gpu:h100:8\n";
constexpr const char* kQueue =
    "JOBID|USER|ACCOUNT|STATE|START_TIME|END_TIME|TRES_PER_NODE|NODELIST|NAME\n"
    "7|u|lab|RUNNING|2026-11-09T12:00:00|N/A|gres/gpu:8|n1|train\n";
constexpr const char* kJobs =
    "JobID|User|Account|State|Start|End|AllocTRES|NodeList|JobName\n"
    "1|u|lab|COMPLETED|2026-11-08T00:00:00|2026-11-09T00:00:00|gres/gpu=16|n[1-2]|train\n";

// A Slurm that prints what it is given; without jobs it keeps no accounts.
class PrintedSlurm final : public MetricFeed {
 public:
  explicit PrintedSlurm(std::optional<std::string> jobs) : jobs_(std::move(jobs)) {}
  std::string name() const override { return "slurm:"; }
  Result<std::string> get(const std::string& path, const Parameters& parameters) override {
    asked[path] = parameters;
    if (path == "sinfo") return std::string(kNodes);
    if (path == "squeue") return std::string(kQueue);
    if (jobs_) return *jobs_;
    return Error{.code = lf::kNothingUsable, .message = "this Slurm keeps no accounts"};
  }
  std::map<std::string, Parameters> asked;

 private:
  std::optional<std::string> jobs_;
};

// A machine with a clock, a Slurm and no files.
class Machine final : public FileSource {
 public:
  explicit Machine(std::shared_ptr<MetricFeed> slurm) : slurm_(std::move(slurm)) {}
  Result<InputFile> open(const std::string& path) override {
    return Error{.code = lf::kCannotRead, .message = fmt::format("'{}' cannot be read", path)};
  }
  Result<std::vector<InputFile>> open_model(const std::string& path) override {
    return Error{.code = lf::kCannotRead, .message = fmt::format("'{}' cannot be read", path)};
  }
  Result<InputFile> open_beside(const std::string& /*scenario*/, const std::string& path) override {
    return open(path);
  }
  Result<std::vector<InputFile>> open_model_beside(const std::string& /*scenario*/,
                                                   const std::string& path) override {
    return open_model(path);
  }
  bool has(const std::string& /*path*/) const override { return false; }
  std::string date_of(const std::string& /*path*/) const override { return {}; }
  std::optional<config::Scenario> parse(const std::string& /*name*/, const std::string& /*text*/,
                                        std::span<const std::string> /*assignments*/,
                                        Diagnostics& /*diagnostics*/) override {
    return std::nullopt;
  }
  Result<std::shared_ptr<MetricFeed>> connect(const std::string& /*address*/,
                                              const ServerAccess& /*access*/) override {
    return slurm_;
  }
  std::optional<double> now() const override { return kClock; }

 private:
  std::shared_ptr<MetricFeed> slurm_;
};

struct Reply {
  std::optional<Question> question;
  Diagnostics problems;
};

Reply read(const std::string& options, FileSource* outside, std::vector<InputFile> files = {}) {
  GivenQuestion given;
  given.verb = "observe";
  given.json = "{\"options\": {" + options + "}}";
  given.files = std::move(files);
  given.outside = outside;
  Reply reply;
  if (auto asked = read_question(given, reply.problems))
    reply.question = std::move(asked->asked.question);
  return reply;
}

std::string answer_to(const Question& question) {
  Diagnostics problems;
  static const auto engine = Engine::create({}, problems);
  const auto answer = engine->ask(question, problems);
  return answer ? to_json(*answer, {.reproducible = true}) : render(problems);
}

// One day of sixteen GPUs, in seven days that are asked for or in the day that files tell of.
TEST(ObserveFormTest, AWindowThatIsWrittenIsTheWindowHoweverLongTheUsualOneIs) {
  const std::vector<InputFile> files{InputFile::of("jobs.txt", kJobs),
                                     InputFile::of("nodes.txt", kNodes)};
  const std::string sources =
      R"("sources": ["jobs.txt", "nodes.txt"], "now": "2026-11-09T00:00:00Z")";
  const Reply written = read(sources + R"(, "since": "7d")", nullptr, files);
  const Reply usual = read(sources, nullptr, files);
  ASSERT_TRUE(written.question && usual.question) << render(written.problems);
  EXPECT_NE(answer_to(*written.question).find("empty-before-first-job"), std::string::npos);
  EXPECT_NE(answer_to(*usual.question).find("window-from-first-job"), std::string::npos);
}

// Stamps that count from 1970 cannot tell the ends of a shorter window apart.
TEST(ObserveFormTest, AWindowBelowAMillisecondIsRefusedAndOneOfAMillisecondIsTold) {
  const std::vector<InputFile> files{InputFile::of("jobs.txt", kJobs),
                                     InputFile::of("nodes.txt", kNodes)};
  const std::string sources = R"("sources": ["jobs.txt", "nodes.txt"], )";
  for (const char* window :
       {R"("since": "1e-9 ms")", R"("since": "0.9 ms")", R"("interval": "1e-9 ms")"}) {
    const Reply reply = read(sources + window, nullptr, files);
    ASSERT_TRUE(reply.question) << render(reply.problems);
    EXPECT_NE(answer_to(*reply.question).find("at least a millisecond"), std::string::npos)
        << window;
  }
  const Reply least = read(sources + R"("since": "1 ms")", nullptr, files);
  ASSERT_TRUE(least.question) << render(least.problems);
  EXPECT_EQ(answer_to(*least.question).find("at least a millisecond"), std::string::npos);
}

TEST(ObserveFormTest, SlurmIsAskedForTheWindowThatEndsAtNow) {
  const auto slurm = std::make_shared<PrintedSlurm>(kJobs);
  Machine machine(slurm);
  const Reply reply =
      read(R"("sources": ["slurm:"], "since": "2d", "now": "2026-11-09T00:00:00Z")", &machine);
  ASSERT_TRUE(reply.question) << render(reply.problems);
  const MetricFeed::Parameters window{{"since", "172800"}, {"end", "1794182400"}};
  EXPECT_EQ(slurm->asked["sacct"], window);
  EXPECT_FALSE(slurm->asked.contains("squeue"));
}

TEST(ObserveFormTest, AQueueTellsNothingOfThePast) {
  const auto slurm = std::make_shared<PrintedSlurm>(std::nullopt);
  Machine machine(slurm);
  const Reply past = read(R"("sources": ["slurm:"], "now": "2026-11-09T00:00:00Z")", &machine);
  EXPECT_FALSE(past.question);
  EXPECT_NE(render(past.problems).find("2026-11-09"), std::string::npos) << render(past.problems);
  EXPECT_NE(render(past.problems).find("leave --now out"), std::string::npos);
  EXPECT_FALSE(slurm->asked.contains("squeue"));
  EXPECT_TRUE(read(R"("sources": ["slurm:"])", &machine).question);
  EXPECT_TRUE(read(R"("sources": ["slurm:"], "now": "2026-11-10T00:00:30Z")", &machine).question);
}

// Options that nothing would come of, and times that cannot be.
TEST(ObserveFormTest, WhatGoesForNothingIsRefusedByName) {
  const cli::testing::Folder folder("observe_idle_options");
  const std::string jobs = folder.write("jobs.txt", kJobs);
  const std::string token = folder.write("token", "t");
  const std::string out = folder.path() + "/out";
  using Words = std::vector<std::string>;
  for (const auto& [words, named] : {std::pair{Words{"--token-file", token}, "--token-file"},
                                     {Words{"--user-file", "/nonexistent"}, "--user-file"},
                                     {Words{"--every", "5 s"}, "--every"},
                                     {Words{"--serve", "127.0.0.1:0", "--to", out}, "--to"},
                                     {Words{"--checkpoint", "0 s"}, "--checkpoint"},
                                     {Words{"--checkpoint=-1h"}, "--checkpoint"}}) {
    Words all{"observe", jobs, "--price", "2 USD/h"};
    all.insert(all.end(), words.begin(), words.end());
    const auto printed = cli::testing::loadfactor(all);
    EXPECT_EQ(printed.status, 2) << named;
    EXPECT_NE(printed.err.find(named), std::string::npos) << printed.err;
    EXPECT_TRUE(printed.out.empty()) << named;
  }
}

TEST(ObserveFormTest, NoFileIsWrittenThatIsReadOrWrittenByAnotherOption) {
  const cli::testing::Folder folder("observe_lost_files");
  const std::string jobs = folder.write("jobs.txt", kJobs);
  const std::string nodes = folder.write("nodes.txt", kNodes);
  const std::string out = folder.path() + "/out.yaml";
  const std::string again = folder.path() + "/./out.yaml";
  using Words = std::vector<std::string>;
  for (const Words& words :
       {Words{"--to", jobs}, Words{"--demand", folder.path() + "/./nodes.txt"}, Words{"-o", nodes},
        Words{"--to", out, "--metrics", again}, Words{"--demand", out, "-o", again}}) {
    Words all{"observe", jobs, nodes, "--price", "2 USD/h"};
    all.insert(all.end(), words.begin(), words.end());
    const auto printed = cli::testing::loadfactor(all);
    EXPECT_NE(printed.status, 0) << words[1];
    EXPECT_NE(printed.err.find("LF602"), std::string::npos) << printed.err;
    EXPECT_FALSE(std::filesystem::exists(out));
  }
  EXPECT_EQ(folder.read("jobs.txt"), kJobs);
  EXPECT_EQ(folder.read("nodes.txt"), kNodes);
  EXPECT_EQ(cli::testing::loadfactor({"observe", jobs, "--now", "2026-11-09T00:00:00Z", "--price",
                                      "2 USD/h", "--to", out})
                .status,
            0);
}

// However the address is misspelt, and whether or not there is a network.
TEST(ObserveFormTest, ASecretInAnAddressIsNeverRepeated) {
  for (const char* address : {"bob:QSECRET@127.0.0.1:19250",
                              "http:/bob:QSECRET@127.0.0.1:19250",
                              "http//bob:QSECRET@127.0.0.1:19250",
                              "https:\\\\bob:QSECRET@127.0.0.1",
                              "http://bob:QSECRET@127.0.0.1:19250",
                              "https://bob:QSECRET@127.0.0.1/x?y=1",
                              "http://bob%3AQSECRET%40127.0.0.1:19250",
                              "http://bob:QSECRET%40127.0.0.1:19250",
                              "HTTP://bob:QSECRET@127.0.0.1:19250",
                              "htp://bob:QSECRET@127.0.0.1:19250",
                              "http:bob:QSECRET@127.0.0.1:19250",
                              "://bob:QSECRET@127.0.0.1:19250",
                              "http://bob:QSECRET\\@127.0.0.1:19250",
                              "http://bob:QSECRET@",
                              "slurm:bob:QSECRET@host",
                              " http://bob:QSECRET@127.0.0.1:19250",
                              "http://127.0.0.1:19250/?token=QSECRET",
                              "http://127.0.0.1:19250/#QSECRET",
                              "http:/127.0.0.1:19250/?token=QSECRET",
                              "http:/127.0.0.1:19250/?QSECRET",
                              "http:127.0.0.1:19250/QSECRET",
                              "https:/127.0.0.1/#token:QSECRET",
                              "HTTPS//127.0.0.1/QSECRET",
                              "127.0.0.1/;token:QSECRET",
                              "127.0.0.1:19250/?QSECRET",
                              "hxxp:/127.0.0.1/api&key:QSECRET",
                              "prometheus:9090/apiTOKEN/QSECRET"}) {
    const auto printed =
        cli::testing::loadfactor({"observe", address, "--since", "1h", "--format", "json"});
    EXPECT_NE(printed.status, 0) << address;
    EXPECT_EQ((printed.out + printed.err).find("QSECRET"), std::string::npos) << address << "\n"
                                                                              << printed.err;
    const Reply reply = read("\"sources\": [" + json_string(address) + "]", nullptr);
    EXPECT_FALSE(reply.question) << address;
    EXPECT_EQ(render(reply.problems).find("QSECRET"), std::string::npos) << address;
  }
}

TEST(ObserveFormTest, ASecretInAnAddressThatStandsForAFileIsNotRepeated) {
  const cli::testing::Folder folder("observe_secret_files");
  const std::string jobs = folder.write("jobs.txt", kJobs);
  for (const char* option : {"--scenario", "--token-file", "--user-file", "--ca-file"}) {
    const auto printed = cli::testing::loadfactor(
        {"observe", jobs, "http://127.0.0.1:1", option, "http:/127.0.0.1/?token=QSECRET"});
    EXPECT_NE(printed.status, 0) << option;
    EXPECT_EQ((printed.out + printed.err).find("QSECRET"), std::string::npos) << printed.err;
  }
}

// An hour of a service: five hundred tokens in and two hundred out, each of a hundred requests.
std::string hour_of_service() {
  std::string text;
  for (int i = 0; i <= 36; ++i)
    for (const auto& [name, each] : {std::pair{"prompt_tokens_total", 50000},
                                     {"generation_tokens_total", 20000},
                                     {"request_success_total", 100}})
      text += fmt::format(
          "vllm:{}{{model_name=\"llama-3.1-8b\",namespace=\"web\",pod=\"chat-0\"}} {} {:.0f}\n",
          name, each * i, 1e3 * (kClock + 600 * i));
  return text;
}

TEST(ObserveFormTest, TheTrafficThatIsWrittenIsPlannedAsItIs) {
  const cli::testing::Folder folder("observe_demand");
  const std::string metrics = folder.write("m.prom", hour_of_service());
  const std::string traffic = folder.path() + "/traffic.csv";
  const auto seen = cli::testing::loadfactor({"observe", metrics, "--demand", traffic});
  ASSERT_EQ(seen.status, 0) << seen.err;
  const std::string scenario = folder.write(
      "chat.yaml",
      "loadfactor: 1\nname: chat\nhardware: [h100-sxm]\nserve:\n  model: llama-3.1-8b\n"
      "  demand: {trace: traffic.csv}\n  deployment: {gpu: h100-sxm, tp: 1, replicas: 1}\n");
  const auto planned = cli::testing::loadfactor({"plan", scenario, "--format", "json"});
  EXPECT_EQ(planned.status, 0) << planned.err;
  const auto converted = cli::testing::loadfactor({"demand", traffic, "--format", "json"});
  EXPECT_EQ(converted.status, 0) << converted.err;
  // Lengths of their own beside those of the file would be dropped without a sound.
  const std::string both = folder.write(
      "both.yaml",
      "loadfactor: 1\nname: chat\nhardware: [h100-sxm]\nserve:\n  model: llama-3.1-8b\n"
      "  demand: {trace: traffic.csv, tokens_in: 2000}\n");
  const auto refused = cli::testing::loadfactor({"plan", both});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("leave out tokens_in"), std::string::npos) << refused.err;
}

// What is said to users of AMD names what they have.
TEST(ObserveFormTest, UsersOfOneMakerAreToldNothingOfAnother) {
  const cli::testing::Folder folder("observe_makers");
  std::string text;
  for (int minute = 0; minute <= 120; ++minute)
    text += fmt::format(
        "GPU_GFX_ACTIVITY{{GPU_UUID=\"u1\",hostname=\"m1\",card_series=\"AMD Instinct MI300X\"}} "
        "90 "
        "{:.0f}\n",
        1e3 * (kClock + 60 * minute));
  const auto amd =
      cli::testing::loadfactor({"observe", folder.write("amd.prom", text), "--price", "2 USD/h"});
  ASSERT_EQ(amd.status, 0) << amd.err;
  for (const char* other : {"DCGM", "dcgm", "NVIDIA", "nvidia", "GPU_UTIL"})
    EXPECT_EQ(amd.out.find(other), std::string::npos) << other << "\n" << amd.out;
  EXPECT_NE(amd.out.find("GPU_GFX_ACTIVITY"), std::string::npos) << amd.out;
  EXPECT_NE(amd.out.find("GPU_UMC_ACTIVITY"), std::string::npos) << amd.out;
}

}  // namespace
}  // namespace loadfactor::facade
