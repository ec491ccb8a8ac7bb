#include "base/discrete_distributions.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

constexpr int kDraws = 200'000;

TEST(ZipfTest, FrequenciesFollowThePowerLaw) {
  for (const double exponent : {0.0, 0.7, 1.0, 1.5, 3.0}) {
    SCOPED_TRACE(exponent);
    const ZipfDistribution zipf(6, exponent);
    RandomStream stream(5, "zipf");
    std::vector<int> counts(7);
    for (int i = 0; i < kDraws; ++i) ++counts[static_cast<std::size_t>(zipf(stream))];
    double total = 0;
    for (int k = 1; k <= 6; ++k) total += std::pow(k, -exponent);
    for (int k = 1; k <= 6; ++k) {
      const double p = std::pow(k, -exponent) / total;
      EXPECT_NEAR(counts[static_cast<std::size_t>(k)] / static_cast<double>(kDraws), p,
                  4 * std::sqrt(p / kDraws))
          << "rank " << k;
    }
  }
}

TEST(ZipfTest, OneRankIsCertain) {
  const ZipfDistribution zipf(1, 1.1);
  RandomStream stream(5, "zipf");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(zipf(stream), 1);
}

TEST(ZipfTest, StaysInRangeAndCheapOverManyRanks) {
  const ZipfDistribution zipf(1'000'000'000, 1.0);
  RandomStream stream(5, "zipf");
  for (int i = 0; i < 10'000; ++i) {
    const auto rank = zipf(stream);
    ASSERT_TRUE(rank >= 1 && rank <= 1'000'000'000);
  }
  EXPECT_LT(stream.position(), 20'000U);
}

TEST(AliasTableTest, FrequenciesFollowTheWeights) {
  const std::vector<double> weights{1, 0, 4, 2, 3};
  const AliasTable table(weights);
  RandomStream stream(5, "alias");
  std::vector<int> counts(weights.size());
  for (int i = 0; i < kDraws; ++i) ++counts[table(stream)];
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double p = weights[i] / 10;
    EXPECT_NEAR(counts[i] / static_cast<double>(kDraws), p, 4 * std::sqrt(p / kDraws));
  }
  EXPECT_EQ(counts[1], 0);
  EXPECT_EQ(stream.position(), static_cast<std::uint64_t>(kDraws));
}

TEST(AliasTableTest, ScalingAllWeightsChangesNothing) {
  const AliasTable a(std::vector<double>{0.25, 0.5, 0.25});
  const AliasTable b(std::vector<double>{1, 2, 1});
  RandomStream first(5, "alias");
  RandomStream second(5, "alias");
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(a(first), b(second));
}

}  // namespace
}  // namespace loadfactor
