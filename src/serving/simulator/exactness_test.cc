// Both engines against the reference: every first token, end, outcome, step and preemption.
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "serving/simulator/simulation.h"
#include "serving/testing/random_scenario.h"
#include "serving/testing/reference_world.h"
#include "sim/recorded_arrivals.h"

namespace loadfactor::serving {
namespace {

using testing::RandomScenario;
using testing::ReferenceWorld;
using testing::Rng;

SimulationResult run(const RandomScenario& scenario, SimulatorKind kind) {
  sim::RecordedArrivals arrivals(scenario.arrivals);
  return simulate(scenario.rules, arrivals, {.keeps_log = true, .engine = kind});
}

std::string difference(const ReferenceWorld& right, const SimulationResult& result) {
  if (result.outcomes.size() != right.requests.size()) return "not every request has an outcome";
  for (std::size_t i = 0; i < right.requests.size(); ++i) {
    const auto& a = right.requests[i];
    const RequestOutcome& b = result.outcomes[i];
    if (a.first == b.first && a.end == b.end && a.outcome == static_cast<int>(b.outcome)) continue;
    return "request " + std::to_string(i) + ": first " + std::to_string(a.first) + " / " +
           std::to_string(b.first) + ", end " + std::to_string(a.end) + " / " +
           std::to_string(b.end) + ", outcome " + std::to_string(a.outcome) + " / " +
           std::to_string(static_cast<int>(b.outcome));
  }
  if (right.steps != result.work.steps)
    return "steps " + std::to_string(right.steps) + " / " + std::to_string(result.work.steps);
  if (right.preemptions != result.work.preemptions) return "preemptions differ";
  return {};
}

// What the random scenarios have reached, so that a policy that never acts is noticed.
struct Coverage {
  std::int64_t preemptions = 0, served = 0, turned_away = 0, cancelled = 0;
  std::int64_t hits = 0, swaps = 0, skipped = 0;
};

void compare(std::uint64_t seed, bool keeps_lockstep, Coverage& coverage) {
  RandomScenario scenario = testing::random_scenario(seed, keeps_lockstep);
  ASSERT_EQ(find_fault(scenario.rules), "") << "seed " << seed;
  Rng rng(~seed);
  for (int round = 0; round < 4; ++round) {
    ReferenceWorld right(scenario.rules, scenario.arrivals);
    right.run();
    const SimulationResult plain = run(scenario, SimulatorKind::kPlain);
    ASSERT_EQ(difference(right, plain), "") << "plain, seed " << seed << " round " << round;
    if (keeps_lockstep) {
      ASSERT_TRUE(serving::keeps_lockstep(scenario.rules));
      const SimulationResult skip = run(scenario, SimulatorKind::kSkipAhead);
      ASSERT_EQ(difference(right, skip), "") << "skip, seed " << seed << " round " << round;
      EXPECT_EQ(skip.itl, plain.itl) << "seed " << seed;
      EXPECT_EQ(skip.work.context_tokens, plain.work.context_tokens) << "seed " << seed;
      EXPECT_EQ(skip.work.cache_hit_tokens, plain.work.cache_hit_tokens) << "seed " << seed;
      EXPECT_EQ(skip.work.busy, plain.work.busy) << "seed " << seed;
      coverage.skipped += skip.work.steps - skip.work.events;
    }
    coverage.preemptions += plain.work.preemptions;
    coverage.served += plain.total.requests;
    coverage.turned_away += plain.turned_away;
    coverage.cancelled += plain.cancelled;
    coverage.hits += plain.work.cache_hit_tokens;
    coverage.swaps += plain.work.swapped_blocks;
    testing::snap_one_arrival(rng, right.boundaries, scenario.arrivals);
  }
}

TEST(ExactnessTest, SkipAheadEqualsTheReferenceToThePicosecond) {
  Coverage coverage;
  for (std::uint64_t seed = 1; seed <= 2600 && !HasFatalFailure(); ++seed)
    compare(seed, true, coverage);
  EXPECT_GT(coverage.preemptions, 10'000);
  EXPECT_GT(coverage.turned_away, 10'000);
  EXPECT_GT(coverage.hits, 100'000);
  EXPECT_GT(coverage.skipped, 100'000);
}

TEST(ExactnessTest, ThePlainEngineEqualsTheReferenceUnderEveryPolicy) {
  Coverage coverage;
  for (std::uint64_t seed = 1; seed <= 2600 && !HasFatalFailure(); ++seed)
    compare(seed + 1'000'000, false, coverage);
  EXPECT_GT(coverage.preemptions, 10'000);
  EXPECT_GT(coverage.cancelled, 10'000);
  EXPECT_GT(coverage.swaps, 10'000);
  EXPECT_GT(coverage.hits, 100'000);
}

}  // namespace
}  // namespace loadfactor::serving
