#include "report/page/page_words.h"

#include <gtest/gtest.h>

namespace loadfactor::report {
namespace {

Dollars usd(double amount) {
  return Dollars::from_base(amount);
}

TEST(PageWords, WritesMoneyAsWholeDollarsCentsOrMillions) {
  EXPECT_EQ(page_money(usd(4127.6)), "$4,128");
  EXPECT_EQ(page_money(usd(0.184)), "$0.18");
  EXPECT_EQ(page_money(usd(10'540'000)), "$10.54\u00a0M");
  EXPECT_EQ(page_money(usd(-25.2)), "−$25");
  EXPECT_EQ(page_range(usd(2392), usd(5947)), "$2,392–5,947");
}

TEST(PageWords, WritesSharesAmountsAndRatios) {
  EXPECT_EQ(page_percent(0.123), "12\u00a0%");
  EXPECT_EQ(page_percent(0.9888, 1), "98.9\u00a0%");
  EXPECT_EQ(page_amount(9.6e6), "9.6\u00a0M");
  EXPECT_EQ(page_amount(167e9), "167\u00a0B");  // Tokens are billions, as prices say them.
  EXPECT_EQ(page_amount(1200), "1,200");
  EXPECT_EQ(page_times(2.1), "2.1\u00a0×");
  EXPECT_EQ(page_times(39.7), "40\u00a0×");
}

TEST(PageWords, WritesDatesChipsAndCounts) {
  EXPECT_EQ(page_date("2026-08-08"), "8 Aug 2026");
  EXPECT_EQ(page_date("2025-09"), "Sep 2025");
  EXPECT_EQ(page_date("2024"), "2024");
  EXPECT_EQ(chip_word("h100-sxm"), "H100");
  EXPECT_EQ(count_word(2), "two");
  EXPECT_EQ(count_word(12000), "12,000");
}

}  // namespace
}  // namespace loadfactor::report
