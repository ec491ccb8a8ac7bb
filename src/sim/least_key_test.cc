#include "sim/least_key.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace loadfactor::sim {
namespace {

TEST(LeastKeyTest, AmongEqualKeysTheLowestIndexWins) {
  for (const std::size_t count : {3U, 100U}) {  // Scanned, and by tournament.
    LeastKey keys(count);
    keys.update(2, 5);
    keys.update(1, 5);
    EXPECT_EQ(keys.top(), 1U);
    keys.update(1, 6);
    EXPECT_EQ(keys.top(), 2U);
  }
}

TEST(LeastKeyTest, TheTournamentFindsWhatAScanFinds) {
  std::mt19937_64 rng(1);
  for (const std::size_t count : {1U, 2U, 3U, 7U, 8U, 24U, 64U, 65U, 300U}) {
    LeastKey keys(count);
    std::vector<std::int64_t> plain(count, LeastKey::kWorst);
    for (int i = 0; i < 2'000; ++i) {
      const std::size_t at = rng() % count;
      plain[at] = static_cast<std::int64_t>(rng() % 50);
      keys.update(at, plain[at]);
      const auto least = std::min_element(plain.begin(), plain.end()) - plain.begin();
      ASSERT_EQ(keys.top(), static_cast<std::size_t>(least));
    }
  }
}

}  // namespace
}  // namespace loadfactor::sim
