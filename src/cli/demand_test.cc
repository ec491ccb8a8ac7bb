#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/testing/program.h"

namespace loadfactor::cli {
namespace {

using testing::loadfactor;

TEST(DemandVerbTest, TrafficOfNoRateOrNoTimeIsRefused) {
  for (const char* bad : {"0 Hz", "-1 Hz"}) {
    const auto said = loadfactor({"demand", "--generate", "global-chat", "--rate", bad});
    EXPECT_EQ(said.status, 2) << bad;
    EXPECT_NE(said.err.find("LF207"), std::string::npos) << said.err;
  }
  const auto said = loadfactor({"demand", "--generate", "global-chat", "--duration", "0 s"});
  EXPECT_EQ(said.status, 2);
  EXPECT_NE(said.err.find("LF207"), std::string::npos) << said.err;
}

TEST(DemandVerbTest, MoreRequestsThanMemoryHoldsAreRefusedBeforeAnyIsMade) {
  const std::vector<std::vector<std::string>> bad{{"--rate", "1 MHz", "--duration", "7 days"},
                                                  {"--rate", "1e-9 Hz", "--duration", "1e9 days"},
                                                  {"--duration", "1e9 days"}};
  for (const auto& flags : bad) {
    std::vector<std::string> words{"demand", "--generate", "agent-sessions"};
    words.insert(words.end(), flags.begin(), flags.end());
    const auto said = loadfactor(words);
    EXPECT_EQ(said.status, 2) << flags.back();
    EXPECT_NE(said.err.find("would be made"), std::string::npos) << said.err;
  }
}

TEST(DemandVerbTest, AFitAndAConversionAreTwoFiles) {
  const auto said = loadfactor({"demand", "requests.csv", "--fit", "--convert"});
  EXPECT_EQ(said.status, 2);
  EXPECT_NE(said.err.find("LF603"), std::string::npos) << said.err;
}

TEST(DemandVerbTest, SessionsKeepTheRateThatWasAskedFor) {
  const auto made = loadfactor(
      {"demand", "--generate", "agent-sessions", "--rate", "2 Hz", "--duration", "2 days"});
  ASSERT_EQ(made.status, 0) << made.err;
  const auto rows = static_cast<double>(std::count(made.out.begin(), made.out.end(), '\n'));
  EXPECT_NEAR(rows / (2 * 86400), 2, 0.6);
}

}  // namespace
}  // namespace loadfactor::cli
