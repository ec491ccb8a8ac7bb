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

bool holds(const std::string& text, const FilterValue& a, const FilterValue& b = {}) {
  const std::vector<std::string> columns{"a", "b"};
  const auto filter = Filter::parse(text, columns);
  EXPECT_TRUE(filter.has_value()) << text << ": " << (filter ? "" : filter.error().message);
  return filter && filter->holds([&](std::size_t column) { return column == 0 ? a : b; });
}

TEST(Filter, ComparesCalculatesAndJoins) {
  EXPECT_TRUE(holds("a * b <= 16", 4.0, 4.0));
  EXPECT_FALSE(holds("a * b <= 16", 4.0, 5.0));
  EXPECT_TRUE(holds("a + 2 * b == 10", 4.0, 3.0));
  EXPECT_TRUE(holds("a >= 1 M and a < 2M", 1.5e6));
  EXPECT_TRUE(holds("not a == 'l40s' or b > 1", std::string("h100"), 0.0));
  EXPECT_TRUE(holds("-a < 0 and (a % 2 == 1 or b == 0)", 3.0, 5.0));
  EXPECT_FALSE(holds("a == 'x'", 3.0));
  EXPECT_FALSE(holds("a < 5", {}));
}

TEST(Filter, WhatIsNotEqualDiffersAndABlankEqualsNullAlone) {
  for (const FilterValue& a : {FilterValue(), FilterValue(8.0), FilterValue(std::string("x"))}) {
    EXPECT_NE(holds("a == 8", a), holds("a != 8", a));
    EXPECT_NE(holds("a == 'x'", a), holds("a != 'x'", a));
    EXPECT_NE(holds("a == null", a), holds("a != null", a));
    EXPECT_EQ(holds("a == null", a), a == FilterValue());
  }
  EXPECT_TRUE(holds("a != 8", {})) << "a key that is taken out is not 8";
  EXPECT_TRUE(holds("a * 2 != 16 and -a == null", {})) << "nor is twice of it 16";
  EXPECT_TRUE(holds("a == b", {}, {}));
  EXPECT_FALSE(holds("a >= b", {}, {}));
}

TEST(Filter, WhatCannotBeCalculatedComparesWithNothing) {
  for (const char* text : {"a / b == 1", "a / b != 1", "a / b == null", "a / b != null", "a / b",
                           "a % b != 1", "-a != 1"})
    EXPECT_FALSE(holds(text, std::string("word"), 0.0)) << text;
  EXPECT_FALSE(holds("a / b != 1", 3.0, 0.0));
}

TEST(Filter, AListOfOneWordIsThatWord) {
  EXPECT_TRUE(holds("a == 'h100-sxm'", std::string("[h100-sxm]")));
  EXPECT_TRUE(holds("a == '[h100-sxm]'", std::string("h100-sxm")));
  EXPECT_FALSE(holds("a == 'h100-sxm'", std::string("[h100-sxm, l40s]")));
}

TEST(Filter, ANumberWithAUnitIsRefusedWithTheWayToWriteIt) {
  const std::vector<std::string> columns{"a"};
  const std::vector<std::pair<std::string, std::string>> texts{
      {"a < 0.1 USD/kWh", "without a unit"},
      {"(a < 0.1 USD/kWh) or a > 2", "without a unit"},
      {"a <= 50 %", "0.5 for 50 %"},
      {"a <= 50 % and a > 1", "0.5 for 50 %"},
      {"a < 'x'", "== or !="},
      {"null >= a", "== null"}};
  for (const auto& [text, hint] : texts) {
    const auto filter = Filter::parse(text, columns);
    ASSERT_FALSE(filter.has_value()) << text;
    EXPECT_NE(filter.error().hint.find(hint), std::string::npos)
        << text << ": " << filter.error().hint;
  }
}

TEST(Filter, TellsWhatItComparesWithWhichColumn) {
  const std::vector<std::string> columns{"a", "b"};
  const auto filter = Filter::parse("a * 2 > 3 or not (b == 'x' and -4 <= a) or a < b", columns);
  ASSERT_TRUE(filter.has_value());
  const auto found = filter->comparisons();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].column, 1U);
  EXPECT_EQ(found[0].with, FilterValue(std::string("x")));
  EXPECT_EQ(found[1].column, 0U);
  EXPECT_EQ(found[1].with, FilterValue(-4.0));
}

TEST(Filter, DeepNestingIsRefusedAndNotFollowed) {
  const std::vector<std::string> columns{"a"};
  EXPECT_FALSE(Filter::parse(std::string(2000, '(') + "a" + std::string(2000, ')'), columns));
  EXPECT_FALSE(Filter::parse(std::string(3000, '-') + "a", columns));
  EXPECT_FALSE(Filter::parse("", columns));
}

}  // namespace
}  // namespace loadfactor::sweep
