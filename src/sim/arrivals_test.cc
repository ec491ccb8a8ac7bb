#include <gtest/gtest.h>

#include "sim/poisson_arrivals.h"
#include "sim/recorded_arrivals.h"
#include "sim/ring_queue.h"

namespace loadfactor::sim {
namespace {

TEST(PoissonArrivalsTest, HaveTheMeanRateAndTakeLengthsInTurn) {
  PoissonArrivals arrivals({{{10, 1}, {20, 2}}, 4.0, 20'000, 7});
  ArrivalBatch all;
  arrivals.pull(all, 20'000);
  ASSERT_EQ(all.size(), 20'000U);
  EXPECT_NEAR(seconds_of(all.time.back()).base(), 5'000, 150);  // 20,000 at 4 per second.
  EXPECT_EQ(all.tokens_in[1], 20);
  EXPECT_EQ(all.tokens_in[2], 10);
}

TEST(PoissonArrivalsTest, DoNotDependOnTheSizeOfBatches) {
  PoissonArrivals whole({{{5, 5}}, 1.0, 1'000, 3});
  PoissonArrivals parts({{{5, 5}}, 1.0, 1'000, 3});
  ArrivalBatch all, some;
  whole.pull(all, 1'000);
  std::size_t at = 0;
  for (parts.pull(some, 7); some.size() > 0; parts.pull(some, 7))
    for (const Ticks time : some.time) ASSERT_EQ(time, all.time[at++]);
  EXPECT_EQ(at, 1'000U);
}

TEST(RecordedArrivalsTest, KeepEveryColumnAcrossBatches) {
  ArrivalBatch requests;
  requests.time = {0, 1, 2};
  requests.tokens_in = {1, 2, 3};
  requests.tokens_out = {4, 5, 6};
  requests.session = {7, 8, 9};
  requests.prefix_end = {1, 1, 3};
  requests.prefix_blocks = {11, 12, 13};
  RecordedArrivals arrivals(requests);
  ArrivalBatch batch;
  arrivals.pull(batch, 2);
  EXPECT_EQ(batch.session, (std::vector<std::int64_t>{7, 8}));
  arrivals.pull(batch, 2);
  ASSERT_EQ(batch.size(), 1U);
  EXPECT_EQ(batch.tokens_out.front(), 6);
  ASSERT_EQ(batch.prefix(0).size(), 2U);
  EXPECT_EQ(batch.prefix(0)[1], 13U);
  arrivals.pull(batch, 2);
  EXPECT_EQ(batch.size(), 0U);
}

TEST(PoissonArrivalsTest, ATimeThatTheClockDoesNotReachIsNever) {
  PoissonArrivals arrivals({{{1, 1}}, 1e-6, 100, 1});
  ArrivalBatch batch;
  arrivals.pull(batch, 100);
  EXPECT_TRUE(std::is_sorted(batch.time.begin(), batch.time.end()));
  EXPECT_GT(batch.time.front(), 0);
  EXPECT_EQ(batch.time.back(), kNever);
}

TEST(TicksTest, WhatTheClockDoesNotReachIsNever) {
  EXPECT_EQ(ticks_of(Seconds::from_base(1e9)), kNever);
  EXPECT_EQ(ticks_of_nanoseconds(kNever / 10), kNever);
  EXPECT_EQ(ticks_of_nanoseconds(7), 7'000);
  EXPECT_EQ(later(kHorizon, 20 * 24 * kHour), kNever);
  EXPECT_EQ(later(kHour, kNever), kNever);
  EXPECT_EQ(later(kHour, kHour), 2 * kHour);
}

TEST(RingQueueTest, KeepsOrderWhileItGrowsAndTurns) {
  RingQueue<int> queue;
  int in = 0;
  int out = 0;
  for (int i = 0; i < 1'000; ++i) {
    queue.push(in++);
    queue.push(in++);
    ASSERT_EQ(queue.front(), out++);
    queue.pop();
  }
  EXPECT_EQ(queue.size(), 1'000U);
  EXPECT_EQ(queue[5], out + 5);
}

}  // namespace
}  // namespace loadfactor::sim
