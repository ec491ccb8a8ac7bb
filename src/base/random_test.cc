#include "base/random.h"

#include <algorithm>
#include <array>
#include <set>
#include <thread>
#include <vector>

#include <Random123/philox.h>
#include <gtest/gtest.h>

namespace loadfactor {
namespace {

std::vector<std::uint64_t> draws(RandomStream stream, int count) {
  std::vector<std::uint64_t> result;
  result.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) result.push_back(stream.next());
  return result;
}

TEST(RandomStreamTest, GeneratorIsTheOneOfThePaper) {
  // The known answers that the authors publish for philox4x64 with 10 rounds.
  const r123::Philox4x64 philox;
  const auto zeros = philox({{0, 0, 0, 0}}, {{0, 0}});
  EXPECT_EQ(zeros[0], 0x16554D9ECA36314CU);
  EXPECT_EQ(zeros[1], 0xDB20FE9D672D0FDCU);
  EXPECT_EQ(zeros[2], 0xD7E772CEE186176BU);
  EXPECT_EQ(zeros[3], 0x7E68B68AEC7BA23BU);
}

TEST(RandomStreamTest, DrawsTheSameNumbersInEveryRelease) {
  // FNV-1a of "" is its offset basis, so the first block is philox({0,…}, {7, basis}).
  const r123::Philox4x64 philox;
  const auto expected = philox({{0, 0, 0, 0}}, {{7, 0xCBF29CE484222325U}});
  const auto drawn = draws(RandomStream(7, ""), 4);
  EXPECT_TRUE(std::equal(drawn.begin(), drawn.end(), expected.begin()));
  // A fixed vector: a change here moves every simulated number of every user.
  EXPECT_EQ(RandomStream(42, "arrivals").next(), 9783467089318917778U);
}

TEST(RandomStreamTest, DependsOnSeedAndOwnerOnly) {
  EXPECT_EQ(draws(RandomStream(42, "arrivals"), 9), draws(RandomStream(42, "arrivals"), 9));
  EXPECT_NE(draws(RandomStream(42, "arrivals"), 9), draws(RandomStream(43, "arrivals"), 9));
  EXPECT_NE(draws(RandomStream(42, "arrivals"), 9), draws(RandomStream(42, "failures"), 9));
}

TEST(RandomStreamTest, OwnersAreUncorrelated) {
  RandomStream a(1, "arrivals");
  RandomStream b(1, "arrivalt");
  constexpr int kUniforms = 100'000;
  double product = 0;
  for (int i = 0; i < kUniforms; ++i) product += (a.uniform() - 0.5) * (b.uniform() - 0.5);
  // The covariance of independent uniforms is 0 with standard error 1/12/√n = 2.6e-4.
  EXPECT_NEAR(product / kUniforms, 0.0, 4 * 2.64e-4);
}

TEST(RandomStreamTest, SubstreamsDifferAndIgnoreThePosition) {
  RandomStream parent(5, "trial");
  const auto before = draws(parent.substream(3), 5);
  parent.next();
  EXPECT_EQ(draws(parent.substream(3), 5), before);
  std::set<std::uint64_t> firsts;
  for (std::uint64_t i = 0; i < 1000; ++i) firsts.insert(parent.substream(i).next());
  EXPECT_EQ(firsts.size(), 1000U);
  EXPECT_EQ(firsts.count(RandomStream(5, "trial").next()), 0U);
}

TEST(RandomStreamTest, SkippingEqualsDrawing) {
  for (const std::uint64_t n : {0U, 1U, 2U, 3U, 4U, 5U, 7U, 8U, 1001U}) {
    for (int before : {0, 1, 6}) {
      RandomStream drawn(9, "skip");
      for (int i = 0; i < before; ++i) drawn.next();
      RandomStream skipped = drawn;
      for (std::uint64_t i = 0; i < n; ++i) drawn.next();
      skipped.skip(n);
      EXPECT_EQ(drawn.position(), skipped.position());
      EXPECT_EQ(draws(drawn, 6), draws(skipped, 6)) << n << " after " << before;
    }
  }
}

TEST(RandomStreamTest, ThreadsInAnyOrderDrawTheSame) {
  constexpr std::size_t kParts = 8;
  const RandomStream parent(11, "replica");
  std::array<std::vector<std::uint64_t>, kParts> parallel;
  std::vector<std::thread> threads;
  for (std::size_t i = kParts; i-- > 0;) {
    threads.emplace_back([&, i] { parallel[i] = draws(parent.substream(i), 100); });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < kParts; ++i) EXPECT_EQ(parallel[i], draws(parent.substream(i), 100));
}

TEST(RandomStreamTest, UniformsStayInsideTheirInterval) {
  RandomStream stream(3, "uniform");
  double sum = 0;
  constexpr int kUniforms = 100'000;
  for (int i = 0; i < kUniforms; ++i) {
    const double half_open = stream.uniform();
    const double open = stream.uniform_open();
    ASSERT_TRUE(half_open >= 0 && half_open < 1 && open > 0 && open < 1);
    sum += half_open + open;
  }
  EXPECT_NEAR(sum / (2 * kUniforms), 0.5, 4 * 0.2887 / 447);  // 1/√12 / √200,000.
}

TEST(RandomStreamTest, BelowReachesEveryValueEquallyOften) {
  RandomStream stream(3, "below");
  std::array<int, 5> counts{};
  for (int i = 0; i < 50'000; ++i) ++counts[stream.below(5)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 4 * 89.4);  // √(n·p·(1-p)).
}

TEST(MultiplyWideTest, HoldsBothHalves) {
  const auto square = multiply_wide(0xFFFFFFFFFFFFFFFFU, 0xFFFFFFFFFFFFFFFFU);
  EXPECT_EQ(square.high, 0xFFFFFFFFFFFFFFFEU);  // (2^64 - 1)² = 2^128 - 2^65 + 1.
  EXPECT_EQ(square.low, 1U);
  EXPECT_EQ(multiply_wide(1ULL << 63U, 6).high, 3U);
}

TEST(RandomStreamTest, ManyDrawsAreThoseThatComeOneByOne) {
  for (const std::size_t skipped : {0U, 1U, 3U, 4U}) {
    RandomStream one(9, "many");
    RandomStream many(9, "many");
    for (std::size_t i = 0; i < skipped; ++i) EXPECT_EQ(one.next(), many.next());
    for (const std::size_t count : {0U, 1U, 6U, 64U, 3U}) {
      std::vector<std::uint64_t> draws(count);
      many.fill(draws);
      for (const std::uint64_t draw : draws) ASSERT_EQ(draw, one.next()) << skipped << " " << count;
    }
    EXPECT_EQ(one.position(), many.position());
    EXPECT_EQ(one.uniform(), many.uniform());
  }
}

}  // namespace
}  // namespace loadfactor
