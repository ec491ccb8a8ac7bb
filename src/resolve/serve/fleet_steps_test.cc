#include "resolve/serve/fleet_steps.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "resolve/serve/fleet_limit.h"
#include "resolve/serve/served_layout.h"
#include "resolve/serve/testing/served.h"

namespace loadfactor::engine {
namespace {

serving::ReplicaCapacity replica(double saturated, double at_slo) {
  return {.saturated = Hertz::from_base(saturated), .at_slo = Hertz::from_base(at_slo)};
}

const std::vector<double> kDay{10, 20, 60, 30};

TEST(FleetStepsTest, EachStepHoldsItsRateInWholeReplicas) {
  const FleetSteps steps = count_replicas(kDay, 30, replica(8, 5), 1);
  EXPECT_EQ(steps.mean, 4);  // 30 over 8.
  EXPECT_EQ(steps.peak, 8);  // 60 over 8.
  EXPECT_EQ(steps.slo, 12);  // 60 over 5.
  EXPECT_EQ(fleet_for(kDay, replica(8, 5), 1), 12);
  const FleetSteps exact = count_replicas(kDay, 30, replica(10, 10), 1);
  EXPECT_EQ(exact.mean, 3);
  EXPECT_EQ(exact.peak, 6);
  EXPECT_EQ(exact.slo, 6);
}

TEST(FleetStepsTest, AMeanAboveEveryWindowIsThePeak) {
  const FleetSteps steps = count_replicas(std::vector<double>{1, 2}, 30, replica(8, 8), 1);
  EXPECT_EQ(steps.peak, 4);
  EXPECT_EQ(steps.mean, 4);
}

TEST(FleetStepsTest, AReplicaThatKeepsNoPromiseIsCountedByItsWork) {
  const FleetSteps steps = count_replicas(kDay, 30, replica(8, 0), 1);
  EXPECT_EQ(steps.slo, 8);
  const FleetSteps nothing = count_replicas(kDay, 30, replica(0, 0), 1);
  EXPECT_EQ(nothing.mean, 1);
  EXPECT_EQ(nothing.peak, 1);
  EXPECT_EQ(nothing.slo, 1);
  EXPECT_EQ(count_replicas(std::vector<double>{0}, 0, replica(8, 8), 1).slo, 1);
  EXPECT_EQ(count_replicas(std::vector<double>{1e12}, 0, replica(1, 1), 1).peak,
            serving::kMostReplicas + 1);
}

// A quarter of the requests of this day may miss: 10, 20, 30 and half of 60 are of 120.
TEST(FleetStepsTest, MissesThatAreAllowedMayBeAtThePeak) {
  const int strict = fleet_for(kDay, replica(8, 5), 1);
  const int lenient = fleet_for(kDay, replica(8, 5), 0.75);
  EXPECT_LE(lenient, strict);
  EXPECT_GE(lenient, 8);  // A queue that grows for hours is no service.
}

std::string argument(const Notice& notice, const std::string& name) {
  for (const auto& each : notice.arguments)
    if (each.name == name) return each.text.empty() ? "said" : each.text;
  return "";
}

TEST(FleetStepsTest, AFleetIsToldAsTheSumOfItsSteps) {
  const FleetSteps steps{.mean = 3, .peak = 7, .slo = 9};
  const Notice plain = note_fleet({.steps = steps, .replicas = 9});
  EXPECT_EQ(argument(plain, "replicas"), "9");
  EXPECT_EQ(argument(plain, "for_mean"), "3");
  EXPECT_EQ(argument(plain, "for_peak"), "4");
  EXPECT_EQ(argument(plain, "for_slo"), "2");
  EXPECT_EQ(argument(plain, "no_spare"), "said");
  EXPECT_EQ(argument(plain, "fewer"), "");
  EXPECT_EQ(argument(plain, "for_weeks"), "");
  const Notice fewer = note_fleet({.steps = steps, .replicas = 8, .spares = 1});
  EXPECT_EQ(argument(fewer, "replicas"), "9");
  EXPECT_EQ(argument(fewer, "fewer"), "1");
  EXPECT_EQ(argument(fewer, "spares"), "1");
  EXPECT_EQ(argument(fewer, "no_spare"), "");
  EXPECT_EQ(argument(note_fleet({.steps = steps, .replicas = 11}), "for_weeks"), "2");
  EXPECT_EQ(argument(note_fleet({.steps = steps, .replicas = 11, .is_simulated = true}),
                     "for_weeks_simulated"),
            "2");
  EXPECT_EQ(
      argument(note_fleet({.steps = steps, .replicas = 11, .is_replayed = true}), "more_simulated"),
      "2");
  const Notice chosen = note_chosen_replicas(steps);
  EXPECT_EQ(argument(chosen, "replicas"), "9 replicas");
  EXPECT_EQ(argument(chosen, "for_peak"), "4");
  EXPECT_EQ(argument(chosen, "for_slo"), "2");
}

TEST(FleetStepsTest, TheStrictestBoundNamesTheQuantile) {
  serving::ServicePromise ask;
  ask.ttft_quantile = 0.9;
  ask.tpot_quantile = 0.99;
  EXPECT_EQ(slo_quantile(ask), 1);  // Nothing is promised.
  ask.ttft = Seconds::from_base(1);
  EXPECT_EQ(slo_quantile(ask), 0.9);
  ask.tpot = Seconds::from_base(0.04);
  EXPECT_EQ(slo_quantile(ask), 0.99);
  ask.ttft = Seconds();
  EXPECT_EQ(slo_quantile(ask), 0.99);
}

TEST(FleetStepsTest, AFleetBeyondItsLimitIsAFault) {
  testing::Scene scene;
  const auto fault = [&](double replicas, double gpus) {
    const auto found = find_fleet_fault(scene.scenario(), {.replicas = replicas, .gpus = gpus});
    return found ? found->code : 0;
  };
  EXPECT_EQ(fault(serving::kMostReplicas, 1e9), 0);
  EXPECT_EQ(fault(serving::kMostReplicas + 1, 8), lf::kOverloaded);
  scene.more = "limits: {gpus: 16}\n";
  EXPECT_EQ(fault(2, 16), 0);
  EXPECT_EQ(fault(2, 17), lf::kOverloaded);
}

TEST(FleetStepsTest, ALayoutCountsItsGpusAndThoseBeside) {
  const ServeLayout layout = served_layout({.tp = 4, .pp = 2}, 3, 8);
  EXPECT_EQ(layout.gpus, 4 * 2 * 3 + 8);
  EXPECT_EQ(layout.replicas, 3);
  EXPECT_EQ(layout.tp, 4);
  EXPECT_EQ(layout.pp, 2);
  EXPECT_EQ(served_layout({}, 1).gpus, 1);
}

}  // namespace
}  // namespace loadfactor::engine
