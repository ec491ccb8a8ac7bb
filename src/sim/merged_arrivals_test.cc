#include "sim/merged_arrivals.h"

#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sim/poisson_arrivals.h"
#include "sim/recorded_arrivals.h"

namespace loadfactor::sim {
namespace {

TEST(MergedArrivalsTest, RequestsComeInTheOrderOfTimeAndKnowTheirModel) {
  ArrivalBatch a;
  a.time = {1, 5, 5};
  a.tokens_in = {10, 11, 12};
  a.tokens_out = {1, 1, 1};
  a.prefix_blocks = {7, 8};
  a.prefix_end = {2, 2, 2};
  ArrivalBatch b;
  b.time = {0, 5};
  b.tokens_in = {20, 21};
  b.tokens_out = {2, 2};
  b.priority = {3, 4};
  std::vector<std::unique_ptr<ArrivalStream>> streams;
  streams.push_back(std::make_unique<RecordedArrivals>(a));
  streams.push_back(std::make_unique<RecordedArrivals>(b));
  MergedArrivals merged(std::move(streams));
  ArrivalBatch batch;
  merged.pull(batch, 100);
  EXPECT_EQ(batch.tokens_in, (std::vector<std::int32_t>{20, 10, 11, 12, 21}));
  EXPECT_EQ(batch.model, (std::vector<std::int32_t>{1, 0, 0, 0, 1}));
  EXPECT_EQ(batch.priority, (std::vector<std::int32_t>{3, 0, 0, 0, 4}));
  EXPECT_EQ(batch.prefix(1).size(), 2u);
  EXPECT_TRUE(batch.prefix(2).empty());
  merged.pull(batch, 100);
  EXPECT_EQ(batch.size(), 0u);
}

TEST(MergedArrivalsTest, NothingIsLostHoweverItIsPulled) {
  for (const std::size_t most : {1u, 7u, 5000u}) {
    std::vector<std::unique_ptr<ArrivalStream>> streams;
    for (const std::int64_t count : {9000, 1, 4096})
      streams.push_back(std::make_unique<PoissonArrivals>(
          PoissonDemand{.lengths = {{5, 2}}, .per_second = 3, .count = count, .seed = 1}));
    MergedArrivals merged(std::move(streams));
    ArrivalBatch batch;
    std::vector<std::int64_t> counts(3, 0);
    Ticks last = 0;
    for (merged.pull(batch, most); batch.size() > 0; merged.pull(batch, most)) {
      for (std::size_t i = 0; i < batch.size(); ++i) {
        EXPECT_LE(last, batch.time[i]);
        last = batch.time[i];
        ++counts[static_cast<std::size_t>(batch.model[i])];
      }
    }
    EXPECT_EQ(counts, (std::vector<std::int64_t>{9000, 1, 4096}));
  }
}

}  // namespace
}  // namespace loadfactor::sim
