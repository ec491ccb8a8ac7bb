// Values replaced from the command line, and gates: alike for every verb that reads a scenario.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/testing/program.h"

namespace loadfactor::cli {
namespace {

using testing::loadfactor;
using testing::Outcome;

std::string shipped(const std::string& name) {
  return std::string(LF_SOURCE_DIR) + "/data/scenarios/" + name + ".yaml";
}

TEST(SetTest, EveryVerbOfAScenarioTakesAValueFromTheCommandLine) {
  const std::string chat = shipped("support-chat");
  const std::string run = shipped("finetune-8b");
  const std::vector<std::vector<std::string>> commands{
      {"serve", chat, "--set", "serve.model=no-such-model"},
      {"serve", chat, "--simulate", "--set", "serve.model=no-such-model"},
      {"serve", chat, "--search", "--set", "serve.model=no-such-model"},
      {"fill", chat, "--set", "serve.model=no-such-model"},
      {"plan", chat, "--set", "serve.model=no-such-model"},
      {"explain", "cost", chat, "--set", "serve.model=no-such-model"},
      {"train", run, "--set", "train.model=no-such-model"},
      {"train", run, "--search", "--set", "train.model=no-such-model"},
      {"cost", shipped("cost/chat-70b"), "--set", "hardware=[no-such-model]"}};
  for (const auto& command : commands) {
    const Outcome outcome = loadfactor(command);
    EXPECT_EQ(outcome.status, 2) << command[0];
    EXPECT_NE(outcome.err.find("--set:1:"), std::string::npos) << command[0] << outcome.err;
    EXPECT_NE(outcome.err.find("no-such-model"), std::string::npos) << command[0] << outcome.err;
  }
}

TEST(SetTest, AnAnswerIsThatOfAFileWithTheValue) {
  const std::string file = shipped("finetune-8b");
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  std::string changed = text.str();
  changed.replace(changed.find("500 M"), 5, "250 M");
  const std::string copy = ::testing::TempDir() + "/half.yaml";
  std::ofstream(copy) << changed;
  const auto set =
      loadfactor({"train", file, "--search", "--format", "csv", "--set", "train.tokens=250 M"});
  EXPECT_EQ(set.status, 0) << set.err;
  EXPECT_EQ(set.out, loadfactor({"train", copy, "--search", "--format", "csv"}).out);
}

TEST(SetTest, ATreeNamesTheCommandLineAsTheSourceOfWhatWasSet) {
  const auto outcome =
      loadfactor({"explain", "duration", shipped("finetune-8b"), "--set", "train.tokens=250 M"});
  EXPECT_NE(outcome.out.find("--set train.tokens=250 M"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("finetune-8b.yaml:9"), std::string::npos) << outcome.out;
}

TEST(SetTest, OneChangeOfAScenarioIsADiff) {
  const std::string file = shipped("finetune-8b");
  const auto outcome = loadfactor({"diff", file, "--set", "train.tokens=250 M"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("train.tokens"), std::string::npos) << outcome.out;
}

TEST(SetTest, AScenarioAloneIsComparedWithTheAdviceWhereItSaysHowItRuns) {
  EXPECT_EQ(loadfactor({"diff", shipped("finetune-8b")}).status, 0);
  const auto refused = loadfactor({"diff", shipped("chatbot-spiky")});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("compares two plans"), std::string::npos) << refused.err;
}

TEST(GateTest, ASlipOfThePenIsToldBeforeAnythingIsComputed) {
  const auto outcome =
      loadfactor({"plan", "no-such-file.yaml", "--gate", "lod_factor >= break_even"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("--gate:1:1: error[LF603]"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("did you mean 'load_factor'"), std::string::npos) << outcome.err;
}

TEST(GateTest, EveryGateHasToHold) {
  const std::string file = shipped("finetune-8b");
  const auto kept = loadfactor({"plan", file, "--gate", "days <= 1 day", "--gate", "cost <= $100"});
  EXPECT_EQ(kept.status, 0) << kept.err;
  const auto broken = loadfactor({"plan", file, "--gate", "days <= 1", "--gate", "gpus > 8"});
  EXPECT_EQ(broken.status, 1) << broken.err;
  EXPECT_NE(broken.err.find("FAILS: gpus 8 > 8"), std::string::npos) << broken.err;
}

}  // namespace
}  // namespace loadfactor::cli
