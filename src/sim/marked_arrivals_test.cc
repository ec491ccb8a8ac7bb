#include "sim/marked_arrivals.h"

#include <memory>

#include <gtest/gtest.h>

#include "sim/poisson_arrivals.h"

namespace loadfactor::sim {
namespace {

ArrivalBatch marked(const ArrivalMarks& marks) {
  PoissonDemand demand{.lengths = {{100, 10}}, .per_second = 1, .count = 10'000, .seed = 3};
  MarkedArrivals stream(std::make_unique<PoissonArrivals>(demand), marks);
  ArrivalBatch batch;
  stream.pull(batch, 10'000);
  return batch;
}

TEST(MarkedArrivalsTest, TheAskedShareIsUrgent) {
  const ArrivalBatch batch = marked({.urgent = 0.2});
  ASSERT_EQ(batch.priority.size(), 10'000U);
  int urgent = 0;
  for (const auto priority : batch.priority) urgent += priority == 0 ? 1 : 0;
  EXPECT_NEAR(urgent, 2000, 160);  // Four standard deviations.
}

TEST(MarkedArrivalsTest, EveryPromptBeginsWithTheSameWholeBlocks) {
  const ArrivalBatch batch = marked({.shared = 0.5, .block_tokens = 16});
  EXPECT_EQ(batch.prefix(0).size(), 3U);  // 50 of 100 tokens hold three blocks of 16.
  EXPECT_EQ(batch.prefix(0)[2], batch.prefix(9999)[2]);
}

TEST(MarkedArrivalsTest, WithoutMarksNothingIsAdded) {
  const ArrivalBatch batch = marked({});
  EXPECT_TRUE(batch.priority.empty());
  EXPECT_TRUE(batch.prefix_end.empty());
}

}  // namespace
}  // namespace loadfactor::sim
