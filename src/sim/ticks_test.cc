#include "sim/ticks.h"

#include <random>

#include <gtest/gtest.h>

namespace loadfactor::sim {
namespace {

TEST(TicksTest, AQuotientIsTheWholePartForEveryLengthOfTime) {
  std::mt19937_64 rng(1);
  for (int i = 0; i < 200'000; ++i) {
    const Ticks span = static_cast<Ticks>(rng() >> (1 + rng() % 63));
    const auto parts = 1 + static_cast<std::int32_t>(rng() >> (33 + rng() % 31));
    ASSERT_EQ(quotient(span, parts), span / parts) << span << " / " << parts;
    // Just below and at a multiple, where rounding would go wrong.
    const Ticks whole = span / parts * parts;
    ASSERT_EQ(quotient(whole, parts), span / parts);
    if (whole > 0) {
      ASSERT_EQ(quotient(whole - 1, parts), (whole - 1) / parts);
    }
  }
  EXPECT_EQ(quotient(kNever, 3), kNever / 3);
  EXPECT_EQ(quotient(0, 7), 0);
}

}  // namespace
}  // namespace loadfactor::sim
