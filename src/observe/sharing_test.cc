// Two workloads share GPUs only where no hour needs more than the larger of them holds.
#include "observe/sharing.h"

#include <gtest/gtest.h>

namespace loadfactor::observe {
namespace {

WorkloadUse use_of(int workload, double gpus, const std::vector<double>& working) {
  WorkloadUse use;
  use.workload = workload;
  use.accelerator = "H100";
  use.held.assign(working.size(), gpus);
  use.working = working;
  for (const double each : working) use.active_seconds += 3600 * each;
  use.use[Cause::kLoad] = use.active_seconds;
  use.use[Cause::kIdle] = 3600 * gpus * static_cast<double>(working.size()) - use.active_seconds;
  return use;
}

Account account_of(std::vector<WorkloadUse> uses) {
  Account account;
  account.uses = std::move(uses);
  return account;
}

TEST(SharingTest, WorkOfTheDayAndWorkOfTheNightShareGpus) {
  const auto pairs = find_sharers(
      account_of({use_of(0, 8, {8, 7, 0, 0}), use_of(1, 4, {0, 0, 4, 4})}), {.room = 1});
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].host, 0U);
  EXPECT_EQ(pairs[0].guest, 1U);
  EXPECT_DOUBLE_EQ(pairs[0].gpus, 4);
  EXPECT_DOUBLE_EQ(pairs[0].most_used, 8);
  EXPECT_DOUBLE_EQ(pairs[0].share, 1);
}

TEST(SharingTest, WorkOfTheSameHoursDoesNot) {
  EXPECT_TRUE(find_sharers(account_of({use_of(0, 8, {8, 8, 0, 0}), use_of(1, 8, {8, 8, 0, 0})}),
                           {.room = 1})
                  .empty());
}

TEST(SharingTest, NeitherFullOnesNorServicesNorOtherGpusAreMoved) {
  EXPECT_TRUE(find_sharers(account_of({use_of(0, 8, {1, 1, 1, 1}), use_of(1, 2, {2, 2, 2, 2})}), {})
                  .empty());
  auto service = use_of(1, 2, {1, 0, 0, 0});
  service.is_service = true;
  EXPECT_TRUE(find_sharers(account_of({use_of(0, 8, {1, 1, 1, 1}), service}), {}).empty());
  auto other = use_of(1, 2, {1, 0, 0, 0});
  other.accelerator = "A100";
  EXPECT_TRUE(find_sharers(account_of({use_of(0, 8, {1, 1, 1, 1}), other}), {}).empty());
}

TEST(SharingTest, NoWorkloadIsMovedTwice) {
  const auto pairs =
      find_sharers(account_of({use_of(0, 8, {1, 1, 1, 1}), use_of(1, 4, {1, 0, 0, 0}),
                               use_of(2, 2, {0, 1, 0, 0})}),
                   {});
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].guest, 1U);
}

}  // namespace
}  // namespace loadfactor::observe
