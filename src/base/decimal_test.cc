#include "base/decimal.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

std::string shortest(double value) {
  return to_text(shortest_decimal(value));
}
std::string rounded(double value, int digits) {
  return to_text(rounded_decimal(value, digits));
}

TEST(DecimalTest, WritesPlainNumbersWhereTheyAreShort) {
  EXPECT_EQ(shortest(0.0), "0");
  EXPECT_EQ(shortest(-1234.5), "-1234.5");
  EXPECT_EQ(shortest(80e9), "80000000000");
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(0.00001), "0.00001");
  EXPECT_EQ(shortest(1.5e-7), "1.5e-7");
  EXPECT_EQ(shortest(1e21), "1e21");
}

TEST(DecimalTest, RoundsToSignificantDigits) {
  EXPECT_EQ(rounded(3.14159, 3), "3.14");
  EXPECT_EQ(rounded(999.6, 3), "1000");
  EXPECT_EQ(rounded(123456, 2), "120000");
  EXPECT_EQ(rounded(2.5, 0), "2");  // Digits are kept within 1 to 17; a tie goes to even.
  EXPECT_EQ(rounded(0.5, 40), "0.5");
}

TEST(DecimalTest, ShiftsByPowersOfTenWithOneRounding) {
  EXPECT_EQ(to_double(Decimal{false, "335", 0}, 12), 3.35e12);
  EXPECT_EQ(to_double(Decimal{true, "7", -1}, -2), -0.007);
  EXPECT_EQ(to_double(Decimal{}, 400), 0.0);
}

TEST(DecimalTest, SaysWhenADoubleCannotHoldIt) {
  EXPECT_FALSE(to_double(Decimal{false, "1", 400}));
  EXPECT_FALSE(to_double(Decimal{false, "1", -400}));
  EXPECT_FALSE(to_double(Decimal{false, "1", 0}, 309));
  EXPECT_EQ(to_double(Decimal{false, "5", -324}), 5e-324);
}

TEST(ScanNumberTest, StopsWhereTheNumberEnds) {
  EXPECT_EQ(scan_number("80GB")->size, 2U);
  EXPECT_EQ(scan_number("1.5e3 s")->size, 5U);
  EXPECT_EQ(scan_number("5EB")->size, 1U);
  EXPECT_EQ(scan_number("5e")->size, 1U);
  EXPECT_EQ(scan_number("5e+")->size, 1U);
  EXPECT_EQ(scan_number("1.2.3")->size, 3U);
  EXPECT_EQ(scan_number("-0")->decimal.negative, true);
  for (const char* text : {"", "-", "+", ".", "-.", "e5", "GB"}) EXPECT_FALSE(scan_number(text));
}

TEST(ScanNumberTest, DropsZerosAtBothEnds) {
  const auto number = scan_number("00120.3400");
  EXPECT_EQ(number->decimal.digits, "12034");
  EXPECT_EQ(number->decimal.exponent, 2);
  EXPECT_EQ(scan_number("0.00")->decimal.digits, "0");
  EXPECT_EQ(scan_number("0.0012")->decimal.exponent, -3);
}

TEST(DecimalTest, TextReadsBackToTheSameBits) {
  std::mt19937_64 engine(3);
  for (int i = 0; i < 20000; ++i) {
    const auto value = std::bit_cast<double>(engine());
    if (!std::isfinite(value)) continue;
    const std::string text = to_text(shortest_decimal(value));
    const auto scanned = scan_number(text);
    ASSERT_TRUE(scanned.has_value()) << text;
    ASSERT_EQ(scanned->size, text.size());
    const auto read = to_double(scanned->decimal);
    ASSERT_TRUE(read.has_value()) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(*read), std::bit_cast<std::uint64_t>(value)) << text;
  }
}

}  // namespace
}  // namespace loadfactor
