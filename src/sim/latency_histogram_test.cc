#include "sim/latency_histogram.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace loadfactor::sim {
namespace {

TEST(LatencyHistogramTest, SmallValuesAreExact) {
  LatencyHistogram h;
  for (Ticks v = 1; v <= 100; ++v) h.add(v);
  EXPECT_EQ(h.quantile(0.5), 50);
  EXPECT_EQ(h.quantile(0.99), 99);
  EXPECT_EQ(h.count_up_to(10), 10);
  EXPECT_DOUBLE_EQ(h.mean(), 50.5);
}

TEST(LatencyHistogramTest, QuantilesLieWithinTheStatedError) {
  std::mt19937_64 rng(1);
  std::vector<Ticks> values;
  LatencyHistogram h;
  for (int i = 0; i < 5'000; ++i) {
    values.push_back(static_cast<Ticks>(std::exp(static_cast<double>(rng() % 40'000) / 1'000)));
    h.add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double q : {0.01, 0.5, 0.9, 0.99}) {
    const auto rank = static_cast<std::size_t>(std::ceil(q * 5'000)) - 1;
    const auto right = static_cast<double>(values[rank]);
    EXPECT_NEAR(h.quantile(q), right, right * LatencyHistogram::kRelativeError + 1);
  }
}

TEST(LatencyHistogramTest, ARampIsItsValuesOneByOne) {
  std::mt19937_64 rng(1);
  for (int i = 0; i < 500; ++i) {
    const auto first = static_cast<Ticks>(rng() % 1'000'000);
    const auto growth = static_cast<Ticks>(rng() % 3 == 0 ? 0 : rng() % 50'000);
    const auto steps = static_cast<std::int64_t>(1 + rng() % 300);
    LatencyHistogram ramp;
    LatencyHistogram single;
    ramp.add_ramp(first, growth, steps, 3);
    for (std::int64_t k = 0; k < steps; ++k) single.add(first + growth * k, 3);
    ASSERT_EQ(ramp, single);
    ASSERT_EQ(ramp.count(), single.count());
    ASSERT_NEAR(ramp.mean(), single.mean(), 1e-9 * single.mean());
  }
}

TEST(LatencyHistogramTest, AQuantileIsKeptWhenEnoughValuesAreUpToTheLastKept) {
  std::mt19937_64 rng(1);
  int kept = 0;
  for (int round = 0; round < 300; ++round) {
    const double bound = std::exp(static_cast<double>(rng() % 30'000) / 1'000);
    const Ticks last =
        LatencyHistogram::last_kept([bound](double middle) { return middle + 0.25 <= bound; });
    LatencyHistogram h;
    std::int64_t missed = 0;
    for (int i = 0; i < 40; ++i) {
      const double spread = std::exp(static_cast<double>(rng() % 4'000) / 1'000 - 3.5);
      const auto value = static_cast<Ticks>(bound * spread);
      h.add(value);
      missed += value > last ? 1 : 0;
    }
    // The nearest rank of 0.9 among 40 values is the 36th: four may be beyond.
    const bool is_kept = h.quantile(0.9) + 0.25 <= bound;
    EXPECT_EQ(is_kept, missed <= 4) << bound;
    kept += is_kept ? 1 : 0;
  }
  EXPECT_GT(kept, 50);
  EXPECT_LT(kept, 250);
  EXPECT_EQ(LatencyHistogram::last_kept([](double) { return false; }), -1);
}

TEST(LatencyHistogramTest, MergingIsAddingAll) {
  LatencyHistogram a, b, both;
  for (Ticks v = 1; v < 100'000; v *= 3) (v % 2 == 0 ? a : b).add(v), both.add(v);
  a.merge(b);
  EXPECT_EQ(a, both);
}

TEST(LatencyHistogramTest, NoQuantileLiesOutsideOfWhatWasAdded) {
  LatencyHistogram one;
  one.add(1'000'003);  // In the middle of no bucket.
  for (const double q : {0.01, 0.5, 0.95, 1.0}) EXPECT_EQ(one.quantile(q), 1'000'003.0) << q;
  EXPECT_EQ(one.mean(), 1'000'003.0);
  LatencyHistogram ramp;
  ramp.add_ramp(500'001, 1'001, 100, 1);
  EXPECT_GE(ramp.quantile(0), 500'001.0);
  EXPECT_LE(ramp.quantile(1), 500'001.0 + 99 * 1'001);
  one.merge(ramp);
  EXPECT_EQ(one.quantile(1), 1'000'003.0);
}

}  // namespace
}  // namespace loadfactor::sim
