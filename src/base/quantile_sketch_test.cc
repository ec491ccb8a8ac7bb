#include "base/quantile_sketch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "base/distributions.h"
#include "base/statistics.h"

namespace loadfactor {
namespace {

std::vector<double> heavy_tailed_sample(int size) {
  RandomStream stream(6, "latency");
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) values.push_back(lognormal(stream, -3, 2));
  return values;
}

QuantileSketch sketch_of(const std::vector<double>& values, QuantileSketch sketch) {
  for (const double value : values) sketch.add(value);
  return sketch;
}

TEST(QuantileSketchTest, EveryQuantileIsWithinTheStatedError) {
  const std::vector<double> values = heavy_tailed_sample(5000);
  for (const double error : {0.001, 0.01, 0.05}) {
    const QuantileSketch sketch = sketch_of(values, QuantileSketch(error, 20'000));
    for (int permille = 0; permille <= 1000; ++permille) {
      const double exact = quantile_nearest_rank(values, permille / 1000.0);
      ASSERT_LE(std::fabs(sketch.quantile(permille / 1000.0) / exact - 1), error * (1 + 1e-9));
    }
    EXPECT_FALSE(sketch.has_collapsed());
  }
}

TEST(QuantileSketchTest, EndsAreExact) {
  QuantileSketch sketch;
  for (const double value : {0.0, 3.0, 7.0}) sketch.add(value);
  EXPECT_EQ(sketch.quantile(0), 0.0);
  EXPECT_EQ(sketch.quantile(0.3), 0.0);
  EXPECT_NEAR(sketch.quantile(0.5), 3.0, 0.03);
  EXPECT_EQ(sketch.maximum(), 7.0);
}

TEST(QuantileSketchTest, AddingManyTimesEqualsRepeating) {
  QuantileSketch once;
  QuantileSketch repeated;
  once.add(2.5, 3);
  for (int i = 0; i < 3; ++i) repeated.add(2.5);
  EXPECT_EQ(once, repeated);
}

TEST(QuantileSketchTest, NeitherOrderNorTreeOfMergingMatters) {
  // 64 buckets force collapsing, the case in which order could matter.
  const std::vector<double> values = heavy_tailed_sample(3000);
  for (const int buckets : {64, 2048}) {
    const QuantileSketch whole = sketch_of(values, QuantileSketch(0.01, buckets));
    std::vector<QuantileSketch> parts(7, QuantileSketch(0.01, buckets));
    for (std::size_t i = 0; i < values.size(); ++i) parts[i % 7].add(values[values.size() - 1 - i]);
    QuantileSketch forward(0.01, buckets);
    QuantileSketch backward(0.01, buckets);
    for (std::size_t i = 0; i < 7; ++i) {
      forward.merge(parts[i]);
      backward.merge(parts[6 - i]);
    }
    for (const double q : {0.0, 0.01, 0.5, 0.9, 0.99, 1.0}) {
      EXPECT_EQ(forward.quantile(q), whole.quantile(q));
      EXPECT_EQ(backward.quantile(q), whole.quantile(q));
    }
    EXPECT_EQ(forward, backward);
    EXPECT_EQ(forward, whole);
  }
}

TEST(QuantileSketchTest, CollapsingKeepsTheUpperQuantiles) {
  const std::vector<double> values = heavy_tailed_sample(5000);
  const QuantileSketch sketch = sketch_of(values, QuantileSketch(0.01, 200));
  EXPECT_TRUE(sketch.has_collapsed());
  const double exact = quantile_nearest_rank(values, 0.99);
  EXPECT_NEAR(sketch.quantile(0.99) / exact, 1.0, 0.01);
}

}  // namespace
}  // namespace loadfactor
