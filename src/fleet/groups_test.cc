#include "fleet/groups.h"

#include <numeric>

#include <gtest/gtest.h>

#include "fleet/testing/fleet_cases.h"

namespace loadfactor::fleet {
namespace {

constexpr double kCents = 0.01;

std::string place_name(const Problem& problem, int place) {
  return place >= 0 ? problem.pools[static_cast<std::size_t>(place)].name : "elsewhere";
}

TEST(GroupsTest, WorkedFleetsHaveTheirKnownCostsAndPlaces) {
  const auto known = golden_fleets();
  ASSERT_EQ(known.size(), 10U);
  for (const FleetCase& each : known) {
    Groups groups(each.problem);
    const GroupAnswer& best = groups.cheapest(groups.everyone());
    EXPECT_NEAR(best.cost, each.cost, kCents) << each.name;
    EXPECT_NEAR(best.bound, each.cost, kCents) << each.name << ": these are small, and exact";
    for (std::size_t i = 0; i < each.places.size(); ++i)
      EXPECT_EQ(place_name(each.problem, best.schedule.place[i]), each.places[i]) << each.name;
  }
}

TEST(GroupsTest, WorkedFleetsArePaidForAsKnown) {
  for (const FleetCase& each : golden_fleets()) {
    Groups groups(each.problem);
    const Shares shares = share_out(groups, each.problem.workloads.size(), 1);
    for (std::size_t i = 0; i < shares.fair.size(); ++i) {
      EXPECT_NEAR(shares.alone[i], each.alone[i], kCents) << each.name << " " << i;
      EXPECT_NEAR(shares.marginal[i], each.marginal[i], kCents) << each.name << " " << i;
      EXPECT_NEAR(shares.fair[i], each.shares[i], kCents) << each.name << " " << i;
    }
  }
}

TEST(GroupsTest, SmallFleetsCostWhatTryingEverythingFinds) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    const Problem problem = random_fleet(seed);
    Groups groups(problem);
    const GroupAnswer& best = groups.cheapest(groups.everyone());
    const auto [unmet, cost] = TryEverything(problem).best();
    EXPECT_DOUBLE_EQ(best.unmet, unmet) << "seed " << seed;
    EXPECT_NEAR(best.cost, cost, kCents) << "seed " << seed;
  }
}

// Pools without limit, so that fleets may stand side by side.
Problem unlimited(std::uint32_t seed) {
  Problem problem = random_fleet(seed, 4);
  for (Pool& pool : problem.pools) {
    pool.most.reset();
    if (pool.hourly.empty())
      pool.hourly.push_back({.kind = OptionKind::kOnDemand, .price = cases::per_gpu(25, 8)});
  }
  return problem;
}

TEST(GroupsTest, SharesSumToTheBillAndNobodyPaysMoreThanAlone) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    const Problem problem = unlimited(seed);
    Groups groups(problem);
    const Shares shares = share_out(groups, problem.workloads.size(), 1);
    const double cost = groups.cheapest(groups.everyone()).cost;
    EXPECT_NEAR(std::accumulate(shares.fair.begin(), shares.fair.end(), 0.0), cost, kCents);
    for (std::size_t i = 0; i < shares.fair.size(); ++i) {
      EXPECT_LE(shares.fair[i], shares.alone[i] + kCents) << "seed " << seed;
      EXPECT_LE(shares.marginal[i], shares.alone[i] + kCents) << "seed " << seed;
      EXPECT_GE(shares.marginal[i], -kCents) << "seed " << seed << ": removing one raises the bill";
    }
  }
}

TEST(GroupsTest, SharingNeverCostsMoreThanSeparatePools) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    Problem problem = unlimited(seed);
    Groups shared(problem);
    share_out(shared, problem.workloads.size(), 1);
    Problem apart = problem;
    for (Pool& pool : apart.pools) pool.is_shared = false;
    Groups separate(apart);
    EXPECT_LE(shared.cheapest(shared.everyone()).cost,
              separate.cheapest(separate.everyone()).cost + kCents)
        << "seed " << seed;
  }
}

TEST(GroupsTest, NobodyIsAboveThePoolsLimit) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    Problem problem = random_fleet(seed, 4);
    for (Pool& pool : problem.pools) pool.most = 16;
    Groups groups(problem);
    share_out(groups, problem.workloads.size(), 1);
    const Schedule& schedule = groups.cheapest(groups.everyone()).schedule;
    for (std::size_t pool = 0; pool < problem.pools.size(); ++pool)
      for (const int gpus : groups.load(schedule, pool)) EXPECT_LE(gpus, 16) << "seed " << seed;
  }
}

TEST(GroupsTest, WhoHasNoRoomPaysNothing) {
  int without_room = 0;
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    Problem problem = random_fleet(seed, 4);
    for (Pool& pool : problem.pools) pool.most = 8;
    for (Workload& workload : problem.workloads) workload.elsewhere.reset();
    Groups groups(problem);
    const Shares shares = share_out(groups, problem.workloads.size(), 1);
    const GroupAnswer& best = groups.cheapest(groups.everyone());
    EXPECT_NEAR(std::accumulate(shares.fair.begin(), shares.fair.end(), 0.0), best.cost, kCents);
    for (std::size_t i = 0; i < shares.fair.size(); ++i) {
      if (best.schedule.place[i] != kNoRoom) continue;
      ++without_room;
      EXPECT_EQ(shares.fair[i], 0) << "seed " << seed;
      EXPECT_EQ(shares.marginal[i], 0) << "seed " << seed;
    }
  }
  EXPECT_GT(without_room, 0);
}

// One service on every GPU of a machine, at all hours.
TEST(GroupsTest, TheBoundCountsPower) {
  Problem problem;
  problem.hours.assign(24, 1.0);
  Pool pool{.name = "main"};
  pool.committed.push_back({.fixed = cases::per_gpu(2, 1), .working = cases::per_gpu(0.5, 1)});
  pool.committed.push_back({.kind = OptionKind::kReserved1y, .fixed = cases::per_gpu(3, 1)});
  pool.hourly.push_back({.price = cases::per_gpu(4, 1)});
  problem.pools.push_back(pool);
  problem.workloads.push_back({.name = "w", .on = {Task{.need = std::vector<int>(24, 8)}}});
  Groups groups(problem);
  const GroupAnswer& best = groups.cheapest(groups.everyone());
  EXPECT_NEAR(best.cost, 24 * 8 * 2.5, kCents);
  EXPECT_NEAR(best.bound, best.cost, kCents);
}

// A gang of eight machines that runs for a short while is rented, and no cheaper way is left open.
TEST(GroupsTest, TheBoundKnowsThatAWideGangFitsNoValley) {
  Problem problem;
  problem.hours.assign(96, 1.0);
  Pool pool{.name = "main"};
  pool.committed.push_back({.fixed = cases::per_gpu(1, 1)});
  pool.hourly.push_back({.price = cases::per_gpu(4, 1)});
  problem.pools.push_back(pool);
  Task task;
  task.jobs.push_back({.gang = 64, .work = 10, .to = 96, .is_preemptible = false});
  problem.workloads.push_back({.name = "w", .on = {task}});
  Groups groups(problem);
  const GroupAnswer& best = groups.cheapest(groups.everyone());
  EXPECT_NEAR(best.cost, 64 * 10 * 4.0, kCents);
  EXPECT_NEAR(best.bound, best.cost, kCents);
}

TEST(GroupsTest, EveryJobEndsInItsWindow) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    const Problem problem = random_fleet(seed, 4);
    Groups groups(problem);
    const Schedule& schedule = groups.cheapest(groups.everyone()).schedule;
    for (std::size_t i = 0; i < problem.workloads.size(); ++i) {
      if (schedule.place[i] < 0) continue;
      const Task& task = *problem.workloads[i].on[static_cast<std::size_t>(schedule.place[i])];
      for (std::size_t j = 0; j < task.jobs.size(); ++j)
        EXPECT_GE(figures_of(task.jobs[j], schedule.plans[i][j], problem.hours).work,
                  task.jobs[j].work - 1e-6)
            << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace loadfactor::fleet
