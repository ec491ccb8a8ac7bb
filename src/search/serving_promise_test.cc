// "18 of 20 weeks" is a promise about weeks that nobody has seen: sized fleets are served weeks of
// fresh seeds, and what they keep is held to the promise by a binomial test.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "demand/generate.h"
#include "search/serving_weeks.h"
#include "serving/testing/serving_fixture.h"

namespace loadfactor::search {
namespace {

// Long requests, so that a week of a fleet is some tens of thousands of them.
struct PromisedService {
  const char* name;
  const char* model;
  const char* chip;
  const char* precision;
  int input, output;
  double ttft, tpot;  // Seconds.
  double rate;        // Requests per second, mean.
  double wave;        // That of a day,
  double noise;       // and of hours.
};

constexpr PromisedService kServices[] = {
    {"chat", "llama-3.1-8b", "l4", "fp8", 8000, 2400, 20, 0.25, 0.04, 0.6, 0.15},
    {"busy chat", "llama-3.1-8b", "l4", "fp8", 8000, 2400, 20, 0.25, 0.08, 0.6, 0.15},
    {"flat", "llama-3.1-8b", "l4", "fp8", 12000, 1600, 16, 0.30, 0.05, 0.1, 0.05},
    {"stormy", "qwen2.5-32b", "h100-sxm", "fp8", 12000, 3000, 12, 0.12, 0.05, 0.9, 0.30},
    {"documents", "qwen2.5-32b", "h100-sxm", "fp8", 24000, 1200, 20, 0.20, 0.04, 0.6, 0.30},
    {"answers", "llama-3.1-8b", "l40s", "bf16", 2000, 6000, 6, 0.08, 0.06, 0.5, 0.20},
};

demand::TrafficModel traffic_of(const PromisedService& service) {
  demand::TrafficModel traffic;
  traffic.base = Hertz::from_base(1);
  traffic.day = {service.wave, 14};
  traffic.weekend = 0.6;
  traffic.slow = {service.noise, Seconds::from_base(7200)};
  traffic.input = demand::lengths_of_mean(service.input, 0.5, 3 * service.input);
  traffic.output = demand::lengths_of_mean(service.output, 0.5, 4 * service.output);
  return demand::scaled_to(traffic, Hertz::from_base(service.rate));
}

SizingProblem problem_of(const PromisedService& service) {
  auto& shipped = serving::shipped();
  const auto* model = *shipped.catalog.find_model(service.model);
  const auto* chip = *shipped.catalog.find_accelerator(service.chip);
  serving::ReplicaChoice choice{.model = model,
                                .chip = chip,
                                .engine = *shipped.catalog.find_engine("vllm"),
                                .traits = &shipped.traits("vllm-v1"),
                                .precision = service.precision};
  choice.formats = serving::choose_precision(service.precision, *model, *chip);
  SizingProblem problem;
  problem.constants = &shipped.constants;
  problem.hardware = &shipped.hardware;
  problem.ask = {.input = static_cast<double>(service.input),
                 .output = static_cast<double>(service.output),
                 .ttft = Seconds::from_base(service.ttft),
                 .tpot = Seconds::from_base(service.tpot)};
  problem.model = traffic_of(service);
  problem.space.choices = {choice};
  problem.space.own_settings = true;
  problem.confirm = 1;
  problem.weeks =
      12;  // Fewer than `--search` looks at: the promise is as hard to keep, the test quicker.
  return problem;
}

// Chance of so many successes or fewer in `trials`, each with chance `p`.
double at_most(int successes, int trials, double p) {
  double chance = 0;
  for (int k = 0; k <= successes; ++k)
    chance +=
        std::exp(std::lgamma(trials + 1.0) - std::lgamma(k + 1.0) - std::lgamma(trials - k + 1.0) +
                 k * std::log(p) + (trials - k) * std::log1p(-p));
  return chance;
}

constexpr double kPromised = static_cast<double>(kWeeksToKeep) / kTrialWeeks;
constexpr double kDoubt = 0.05;
constexpr std::uint64_t kFreshSeed = 880'000;  // Far from those that sizing looks at.

TEST(ServingPromiseTest, TheTestOfThePromiseRefusesFleetsThatKeepTooFewWeeks) {
  EXPECT_GT(at_most(18, 20, kPromised), kDoubt);
  EXPECT_GT(at_most(16, 20, kPromised), kDoubt);
  EXPECT_LT(at_most(15, 20, kPromised), kDoubt);
  EXPECT_NEAR(at_most(20, 20, kPromised), 1, 1e-12);
}

TEST(ServingPromiseTest, SizedFleetsKeepEighteenOfTwentyWeeksThatNobodyHasSeen) {
  WeekCount all, fewer;
  for (const PromisedService& service : kServices) {
    const SizingProblem problem = problem_of(service);
    const SizingAnswer answer = size_deployment(problem);
    ASSERT_FALSE(answer.best.empty()) << service.name;
    SizedDeployment fleet = answer.best.front();
    ASSERT_TRUE(fleet.is_confirmed) << service.name;
    const WeekCount kept = count_weeks(problem, fleet, kFreshSeed, kTrialWeeks);
    // One of the fleets may be unlucky once in twenty such tests of them all.
    EXPECT_GT(at_most(kept.kept, kept.weeks, kPromised), kDoubt / std::size(kServices))
        << service.name << ": " << kept.kept << " of " << kept.weeks << " weeks with "
        << fleet.replicas;
    all.weeks += kept.weeks;
    all.kept += kept.kept;
    if (fleet.replicas == 1) continue;
    --fleet.replicas;
    const WeekCount less = count_weeks(problem, fleet, kFreshSeed, kTrialWeeks);
    fewer.weeks += less.weeks;
    fewer.kept += less.kept;
  }
  EXPECT_GT(at_most(all.kept, all.weeks, kPromised), kDoubt)
      << all.kept << " of " << all.weeks << " weeks";
  // And it is no promise that any fleet would keep.
  EXPECT_LT(at_most(fewer.kept, fewer.weeks, kPromised), kDoubt)
      << fewer.kept << " of " << fewer.weeks << " weeks";
}

}  // namespace
}  // namespace loadfactor::search
