// What a fleet rents by the hour comes in sizes that hold what must work together.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "engine/fleet/fleet.h"
#include "loadfactor/engine.h"

namespace loadfactor {
namespace {

using engine::FleetAnswer;

const Engine& shipped_engine() {
  static const auto made = [] {
    Diagnostics diagnostics;
    return Engine::create({}, diagnostics);
  }();
  return *made;
}

// Two small services of replicas of so many GPUs each, rented by the hour from one provider.
FleetAnswer rented(int tp, const std::string& provider) {
  const std::string replica = "{tp: " + std::to_string(tp) + "}";
  const std::string text =
      "loadfactor: 1\nname: two-models\nserve:\n  model: llama-3.1-8b\n"
      "  demand: {requests_per_hour: 500, tokens_in: 500, tokens_out: 100}\n"
      "  slo: {ttft_p95: 5 s, tpot_p95: 100 ms}\n  deployment: " +
      replica +
      "\n  others:\n  - model: qwen2.5-7b\n"
      "    demand: {requests_per_hour: 300, tokens_in: 400, tokens_out: 50}\n"
      "    slo: {ttft_p95: 5 s}\n    deployment: " +
      replica +
      "\nhardware: [h100-sxm]\n"
      "money: {options: [on-demand], rent: {provider: " +
      provider + "}}\n";
  const auto answer = shipped_engine().ask(
      PlanQuestion{.about = {config::testing::sound(text, {}, "two.yaml"), {}}});
  if (!answer) ADD_FAILURE() << render(answer.error());
  const auto* fleet = answer ? answer->as<FleetAnswer>() : nullptr;
  return fleet != nullptr ? *fleet : FleetAnswer{};
}

bool says_whole(const FleetAnswer& fleet) {
  for (const Notice& notice : fleet.notices)
    if (notice.id == "fleet-rented-whole") return true;
  return false;
}

// GPUs that are paid for in the mean of the month.
double paid(const FleetAnswer& fleet) {
  double hours = 0;
  for (const auto& way : fleet.pools.at(0).ways) hours += way.gpu_hours;
  return hours / 730;
}

TEST(FleetInstancesTest, GangsWithoutASizeOfTheirOwnAreRentedInTheNextLargerOne) {
  // AWS sells one H100 or eight: two replicas of two GPUs lie in one machine of eight, not in four
  // of one.
  const FleetAnswer wide = rented(2, "aws");
  EXPECT_NEAR(std::fmod(paid(wide), 8), 0, 1e-6);
  EXPECT_GE(paid(wide), 8 - 1e-6);
  EXPECT_TRUE(says_whole(wide));
}

TEST(FleetInstancesTest, GangsThatFitWhatIsSoldPayForNoMore) {
  const FleetAnswer narrow = rented(1, "aws");
  EXPECT_GT(paid(narrow), 0);
  EXPECT_LT(paid(narrow), 8);
  EXPECT_FALSE(says_whole(narrow));
}

}  // namespace
}  // namespace loadfactor
