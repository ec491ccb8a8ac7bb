#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/environment.h"
#include "cli/init_questions.h"
#include "config/document.h"
#include "config/scenario.h"

namespace loadfactor::cli {
namespace {

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

Outcome loadfactor(std::vector<const char*> arguments, const std::string& typed = {}) {
  std::istringstream in(typed);
  std::ostringstream out;
  std::ostringstream err;
  Environment environment;
  environment.in = &in;
  environment.in_is_terminal = !typed.empty();
  environment.out = &out;
  environment.err = &err;
  environment.today = "2026-11-15";
  arguments.insert(arguments.begin(), "loadfactor");
  const int status = run(static_cast<int>(arguments.size()), arguments.data(), environment);
  return {status, out.str(), err.str()};
}

std::optional<config::Scenario> scenario_in(const std::string& text) {
  Diagnostics diagnostics;
  const auto document = config::parse_yaml("s.yaml", text);
  return document ? config::read_scenario(*document, diagnostics) : std::nullopt;
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
  EXPECT_NE(train_scenario({"500 B", "1 T", "30 days", "64", "h100-sxm"}).find("{params: 500 B}"),
            std::string::npos);
  EXPECT_NE(serve_scenario({"./config.json", "week.csv", "1 1", "1 s, 1 ms", "l4"})
                .find("{config: ./config.json}"),
            std::string::npos);
}

TEST(InitTest, AnAnswerThatMeansNothingIsRefused) {
  EXPECT_EQ(loadfactor({"init", "train", "--tokens", "many"}).status, 2);
  EXPECT_EQ(loadfactor({"init", "train", "--deadline", "30"}).status, 2);
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

TEST(WriteTest, OnlyAPlanHasAPage) {
  const std::string path = ::testing::TempDir() + "fit.html";
  const auto refused = loadfactor({"fit", "llama-3.1-8b", "--gpu", "l40s", "-o", path.c_str()});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("loadfactor plan"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::ifstream(path).good());
}

}  // namespace
}  // namespace loadfactor::cli
