#include "base/interpolation.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "base/random.h"

namespace loadfactor {
namespace {

TEST(PiecewiseLinearTest, PassesThroughItsPointsAndBetweenThem) {
  const auto curve = PiecewiseLinear::make({0, 10, 20}, {0, 100, 50});
  ASSERT_TRUE(curve);
  EXPECT_EQ((*curve)(10, Outside::kClamp), 100.0);
  EXPECT_EQ((*curve)(20, Outside::kClamp), 50.0);
  EXPECT_EQ((*curve)(5, Outside::kClamp), 50.0);
  EXPECT_EQ((*curve)(15, Outside::kClamp), 75.0);
}

TEST(PiecewiseLinearTest, DoesOutsideWhatTheCallerSays) {
  const auto curve = PiecewiseLinear::make({0, 10, 20}, {0, 100, 50});
  ASSERT_TRUE(curve);
  EXPECT_EQ((*curve)(-1, Outside::kClamp), 0.0);
  EXPECT_EQ((*curve)(-1, Outside::kExtrapolate), -10.0);
  EXPECT_EQ((*curve)(30, Outside::kClamp), 50.0);
  EXPECT_EQ((*curve)(30, Outside::kExtrapolate), 0.0);
}

TEST(PiecewiseLinearTest, OnePointIsAConstant) {
  const auto curve = PiecewiseLinear::make({5}, {7});
  ASSERT_TRUE(curve);
  EXPECT_EQ((*curve)(-100, Outside::kExtrapolate), 7.0);
}

TEST(PiecewiseLinearTest, RefusesPointsThatMakeNoCurve) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& result :
       {PiecewiseLinear::make({}, {}), PiecewiseLinear::make({1, 1}, {1, 2}),
        PiecewiseLinear::make({2, 1}, {1, 2}), PiecewiseLinear::make({1, 2}, {1}),
        PiecewiseLinear::make({1, 2}, {1, infinity}),
        PiecewiseLinear::make({1, infinity}, {1, 2})}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, lf::kInconsistentFigures);
  }
}

TEST(MonotoneLogLogTest, KeepsAPowerLaw) {
  // y = 3·x², also between and beyond the points.
  const auto curve = MonotoneLogLog::make({1, 10, 100}, {3, 300, 30'000});
  ASSERT_TRUE(curve);
  EXPECT_NEAR((*curve)(5, Outside::kClamp), 75, 1e-9);
  EXPECT_NEAR((*curve)(1000, Outside::kExtrapolate), 3e6, 1e-3);
  EXPECT_NEAR((*curve)(0.1, Outside::kExtrapolate), 0.03, 1e-12);
  EXPECT_NEAR((*curve)(1000, Outside::kClamp), 3e4, 1e-6);
}

struct Points {
  std::vector<double> x;
  std::vector<double> y;
};

// Rising points with level stretches.
Points random_points(RandomStream& stream) {
  Points points{{1.0}, {1.0}};
  for (int i = 0; i < 7; ++i) {
    points.x.push_back(points.x.back() * (1.1 + 5 * stream.uniform()));
    points.y.push_back(points.y.back() * (stream.uniform() < 0.3 ? 1.0 : 1.5));
  }
  return points;
}

TEST(MonotoneLogLogTest, NeverOvershootsItsPoints) {
  RandomStream stream(1, "points");
  for (int trial = 0; trial < 200; ++trial) {
    const Points points = random_points(stream);
    const auto curve = MonotoneLogLog::make(points.x, points.y);
    ASSERT_TRUE(curve);
    double last = 0;
    for (double at = 0.9; at < points.x.back() * 1.1; at *= 1.01) {
      const double value = (*curve)(at, Outside::kClamp);
      ASSERT_GE(value, last * (1 - 1e-12));
      last = value;
    }
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      ASSERT_NEAR((*curve)(points.x[i], Outside::kClamp) / points.y[i], 1.0, 1e-12);
    }
  }
}

TEST(MonotoneLogLogTest, RefusesWhatHasNoLogarithm) {
  EXPECT_FALSE(MonotoneLogLog::make({0, 1}, {1, 1}));
  EXPECT_FALSE(MonotoneLogLog::make({1, 2}, {1, -1}));
  EXPECT_FALSE(MonotoneLogLog::make({1, 1}, {1, 1}));
}

TEST(BilinearGridTest, IsExactForAPlane) {
  // z = x + 10·y.
  const auto grid = BilinearGrid::make({0, 1, 3}, {0, 2}, {0, 20, 1, 21, 3, 23});
  ASSERT_TRUE(grid);
  EXPECT_DOUBLE_EQ((*grid)(2, 1, Outside::kClamp), 12.0);
  EXPECT_DOUBLE_EQ((*grid)(3, 2, Outside::kClamp), 23.0);
  EXPECT_DOUBLE_EQ((*grid)(5, 3, Outside::kExtrapolate), 35.0);
  EXPECT_DOUBLE_EQ((*grid)(5, 3, Outside::kClamp), 23.0);
  EXPECT_DOUBLE_EQ((*grid)(-1, 1, Outside::kClamp), 10.0);
}

TEST(BilinearGridTest, AnAxisOfOnePointIsConstantAlongIt) {
  const auto line = BilinearGrid::make({4}, {0, 1}, {7, 9});
  ASSERT_TRUE(line);
  EXPECT_DOUBLE_EQ((*line)(100, 0.5, Outside::kExtrapolate), 8.0);
  const auto point = BilinearGrid::make({4}, {0}, {7});
  ASSERT_TRUE(point);
  EXPECT_DOUBLE_EQ((*point)(1, 2, Outside::kExtrapolate), 7.0);
}

TEST(BilinearGridTest, RefusesAGridWithHoles) {
  EXPECT_FALSE(BilinearGrid::make({0, 1}, {0, 1}, {1, 2, 3}));
  EXPECT_FALSE(BilinearGrid::make({0, 0}, {0, 1}, {1, 2, 3, 4}));
  EXPECT_FALSE(BilinearGrid::make({0, 1}, {1, 0}, {1, 2, 3, 4}));
}

}  // namespace
}  // namespace loadfactor
