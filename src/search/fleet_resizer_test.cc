// What a fleet that was settled for one traffic is for another.
#include "search/fleet_resizer.h"

#include <memory>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/spec/accelerator_spec.h"
#include "search/serving_weeks.h"

namespace loadfactor::search {
namespace {

// Ten requests a second each, at most thirty come: three replicas.
class Resizing : public ::testing::Test {
 protected:
  std::vector<int> gpus_at(int settled, std::vector<double> scales, int most_gpus = 0,
                           int deployed = 0) {
    chip_.name = "chip";
    SizingProblem problem;
    problem.outages.deployed = deployed;
    problem.spares = 0;
    problem.most_gpus = most_gpus;
    problem.trials =
        std::make_shared<const Weeks>(std::vector<std::vector<double>>{{10.0, 30.0, 20.0}});
    SizedDeployment deployment;
    deployment.plan.choice.chip = &chip_;
    deployment.rate = 10;
    deployment.replicas = settled;
    const FleetResizer resizer(problem, {deployment});
    std::vector<int> gpus;
    for (const double scale : scales) {
      const auto fleets = resizer.at(scale);
      gpus.push_back(fleets.empty() ? 0 : fleets.front().gpus);
    }
    return gpus;
  }

  catalog::AcceleratorSpec chip_;
};

TEST_F(Resizing, FleetsGrowWithTheTraffic) {
  EXPECT_EQ(gpus_at(3, {0.3, 0.5, 1, 2, 10}), (std::vector<int>{1, 2, 3, 6, 30}));
}

TEST_F(Resizing, FleetsOfOtherTrafficHaveReplicasForDeploysToo) {
  EXPECT_EQ(gpus_at(3, {0.3, 1, 10}, 0, 2), (std::vector<int>{3, 5, 32}));
}

TEST_F(Resizing, WhatTheSimulationAddedIsNotAddedTwiceOver) {
  EXPECT_EQ(gpus_at(4, {0.5, 1, 2}), (std::vector<int>{2, 4, 7}));
  EXPECT_EQ(gpus_at(2, {0.5, 1, 2}), (std::vector<int>{1, 2, 4}));
}

TEST_F(Resizing, PoolsApartGrowEachByItsOwnRate) {
  chip_.name = "chip";
  SizingProblem problem;
  problem.spares = 0;
  problem.trials =
      std::make_shared<const Weeks>(std::vector<std::vector<double>>{{10.0, 30.0, 20.0}});
  SizedDeployment deployment;
  deployment.plan.choice.chip = &chip_;
  deployment.rate = 10;
  deployment.replicas = 3;
  PromptPool prompts;
  prompts.plan.choice.chip = &chip_;
  prompts.plan.choice.layout.tp = 2;
  prompts.rate = 30;
  prompts.replicas = 2;  // One more than the weeks ask for, as a simulation may.
  deployment.prompts = prompts;
  const FleetResizer resizer(problem, {deployment});
  for (const auto& [scale, answers, of_prompts] :
       {std::tuple(0.5, 2, 1), std::tuple(1.0, 3, 2), std::tuple(4.0, 12, 5)}) {
    const auto fleets = resizer.at(scale);
    ASSERT_EQ(fleets.size(), 1U) << scale;
    EXPECT_EQ(fleets.front().replicas, answers) << scale;
    EXPECT_EQ(fleets.front().prompt_replicas, of_prompts) << scale;
    EXPECT_EQ(fleets.front().gpus, answers + 2 * of_prompts) << scale;
  }
}

TEST_F(Resizing, NoFleetIsBeyondTheLimit) {
  EXPECT_EQ(gpus_at(3, {1, 2}, 4), (std::vector<int>{3, 0}));
}

}  // namespace
}  // namespace loadfactor::search
