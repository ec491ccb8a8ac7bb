// Hosts whose cards meet on a bus: what is said of a step where nobody says how the bus is built.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "engine/testing/shipped_core.h"

namespace loadfactor {
namespace {

TrainAnswer trained_on(const std::string& chip, const std::string& layout) {
  const TrainInputs asked{.scenario = config::testing::sound(
                              "loadfactor: 1\nname: cards\ntrain:\n  model: llama-3.2-3b\n"
                              "  precision: bf16\n  sequence: 4096\n  global_batch: 64\n"
                              "  stack: {framework: megatron-core}\n  layout: " +
                              layout + "\nhardware: [" + chip + "]\n")};
  Diagnostics diagnostics;
  const auto answer = engine::testing::shipped().train(asked, diagnostics);
  EXPECT_TRUE(answer) << render(diagnostics);
  return answer.value_or(TrainAnswer{});
}

bool says(const TrainAnswer& answer, const std::string& id) {
  return std::any_of(answer.notices.begin(), answer.notices.end(),
                     [&id](const Notice& notice) { return notice.id == id; });
}

// How far the interval reaches to the slower side.
double slower(const TrainAnswer& answer) {
  return answer.step_time.high() / answer.step_time.value();
}

constexpr const char* kEight = "{gpus: 8, tp: 8, pp: 1, micro_batch: 1}";
constexpr const char* kPair = "{gpus: 2, tp: 2, pp: 1, micro_batch: 1, recompute: full}";

TEST(BusDoubtTest, EightCardsOnABusThatNobodyDescribesMayTakeMuchLonger) {
  const auto cards = trained_on("l40s", kEight);
  EXPECT_TRUE(says(cards, "bus-not-known"));
  const auto switched = trained_on("h100-sxm", kEight);
  EXPECT_FALSE(says(switched, "bus-not-known"));
  EXPECT_FALSE(says(switched, "bridge-not-known"));
  // The slowest box that was measured leaves eight 0.07 of what neighbours have.
  EXPECT_GT(slower(cards), 3 * slower(switched));
}

TEST(BusDoubtTest, NeighboursAreNeighboursOnEveryBox) {
  EXPECT_FALSE(says(trained_on("l40s", kPair), "bus-not-known"));
}

// Cards that may have a bridge meet on the bus, and the answer says what a bridge would save.
TEST(BusDoubtTest, APairMeetsOnTheBusUnlessItIsSoldWithItsLinks) {
  const auto bridged = trained_on("a100-80gb-pcie", kPair);
  EXPECT_TRUE(says(bridged, "bridge-not-known"));
  EXPECT_FALSE(says(trained_on("h100-nvl", kPair), "bridge-not-known"));
}

}  // namespace
}  // namespace loadfactor
