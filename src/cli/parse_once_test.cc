// A scenario is read once for a question, whatever is planned and weighed behind it.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/testing/program.h"

namespace loadfactor::cli {
namespace {

using testing::loadfactor;

std::string shipped(const std::string& name) {
  return std::string(LF_SOURCE_DIR) + "/data/scenarios/" + name + ".yaml";
}

TEST(ParseOnceTest, EveryVerbParsesItsScenarioOnce) {
  const std::string chat = shipped("support-chat");
  const std::string run = shipped("finetune-8b");
  const std::vector<std::vector<std::string>> commands{
      {"plan", run},
      {"plan", chat, "--draws", "64"},
      {"fill", chat},
      {"serve", chat},
      {"serve", chat, "--anchor", "tpot_ms=20,concurrency=8", "--simulate", "--requests", "200"},
      {"train", run},
      {"train", run, "--search"},
      {"explain", "duration", run},
      {"cost", shipped("cost/chat-70b")}};
  for (const auto& command : commands) {
    const auto outcome = loadfactor(command);
    EXPECT_EQ(outcome.status, 0) << command[0] << outcome.err;
    EXPECT_EQ(outcome.parses, 1) << command[0];
  }
}

TEST(ParseOnceTest, ADifferenceParsesBothFiles) {
  const auto outcome = loadfactor({"diff", shipped("finetune-8b"), shipped("finetune-8b")});
  EXPECT_EQ(outcome.parses, 2) << outcome.err;
}

}  // namespace
}  // namespace loadfactor::cli
