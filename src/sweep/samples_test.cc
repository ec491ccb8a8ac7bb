// Digests, filters and samples against what is known of them.
#include "sweep/samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sweep/digest.h"
#include "sweep/filter.h"

namespace loadfactor::sweep {
namespace {

TEST(Digest, IsThatOfTheStandard) {
  EXPECT_EQ(digest_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Every dimension has one point in each of 2^k equal intervals, for any shift.
TEST(Sobol, EveryDimensionIsStratified) {
  constexpr std::size_t kCount = 256;
  const auto points = sample_points(Sampling::kSobol, kCount, kMostDimensions, 7);
  for (std::size_t d = 0; d < kMostDimensions; ++d) {
    std::set<int> strips;
    for (const auto& point : points) strips.insert(static_cast<int>(point[d] * kCount));
    EXPECT_EQ(strips.size(), kCount) << "dimension " << d;
  }
}

// The first two dimensions are a (0, 2)-sequence: one point in each of 16 × 16 squares.
TEST(Sobol, TheFirstTwoDimensionsFillEverySquare) {
  std::set<std::pair<int, int>> squares;
  for (const auto& point : sample_points(Sampling::kSobol, 256, 2, 3))
    squares.emplace(static_cast<int>(point[0] * 16), static_cast<int>(point[1] * 16));
  EXPECT_EQ(squares.size(), 256U);
}

TEST(LatinHypercube, HasOnePointInEveryStripAndFollowsItsSeed) {
  const auto points = sample_points(Sampling::kLatinHypercube, 100, 3, 1);
  for (std::size_t d = 0; d < 3; ++d) {
    std::set<int> strips;
    for (const auto& point : points) strips.insert(static_cast<int>(point[d] * 100));
    EXPECT_EQ(strips.size(), 100U);
  }
  EXPECT_EQ(points, sample_points(Sampling::kLatinHypercube, 100, 3, 1));
  EXPECT_NE(points, sample_points(Sampling::kLatinHypercube, 100, 3, 2));
}

// Ishigami's function, whose indices are known in closed form.
SobolIndices indices_of_ishigami(std::size_t rows, std::uint64_t seed) {
  constexpr double kPi = 3.14159265358979323846;
  std::vector<double> values;
  for (const auto& unit : sample_points(Sampling::kSaltelli, rows, 3, seed)) {
    std::array<double, 3> x{};
    for (std::size_t d = 0; d < 3; ++d) x.at(d) = kPi * (2 * unit[d] - 1);
    values.push_back(std::sin(x[0]) + 7 * std::pow(std::sin(x[1]), 2) +
                     0.1 * std::pow(x[2], 4) * std::sin(x[0]));
  }
  return sobol_indices(values, 3);
}

TEST(SobolIndices, AreWithinTheirErrorsOfTheTruth) {
  constexpr std::array<double, 3> kTotals{0.5576, 0.4424, 0.2437};
  for (const std::size_t rows : {32U, 128U, 1024U})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto indices = indices_of_ishigami(rows, seed);
      for (std::size_t d = 0; d < kTotals.size(); ++d) {
        EXPECT_NEAR(indices.of[d].total, kTotals.at(d), 4 * indices.of[d].total_error) << rows;
        EXPECT_LT(indices.of[d].total_error, 2 / std::sqrt(static_cast<double>(rows)));
      }
    }
}

TEST(SobolIndices, AreThoseOfIshigamisFunction) {
  const auto indices = indices_of_ishigami(8192, 1);
  EXPECT_EQ(indices.rows, 8192U);
  EXPECT_NEAR(indices.of[0].first, 0.3139, 0.01);
  EXPECT_NEAR(indices.of[1].first, 0.4424, 0.01);
  EXPECT_NEAR(indices.of[2].first, 0.0, 0.01);
  EXPECT_NEAR(indices.of[0].total, 0.5576, 0.01);
  EXPECT_NEAR(indices.of[1].total, 0.4424, 0.01);
  EXPECT_NEAR(indices.of[2].total, 0.2437, 0.01);
}

}  // namespace
}  // namespace loadfactor::sweep
