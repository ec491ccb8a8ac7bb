#include "base/text/json_text.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

TEST(JsonStringTest, EscapesWhatJsonReserves) {
  EXPECT_EQ(json_string("plain"), R"("plain")");
  EXPECT_EQ(json_string("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(json_string("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(json_string(std::string_view("\0\x1b\x7f", 3)), R"("\u0000\u001b\u007f")");
  EXPECT_EQ(json_string("漢 µs"), "\"漢 µs\"");
  EXPECT_EQ(json_string("\u2028"), R"("\u2028")");
  EXPECT_EQ(json_string("</script>"), R"("</script>")");
}

TEST(JsonStringTest, IsUtf8WhateverTheInput) {
  EXPECT_EQ(json_string("a\xff"
                        "b"),
            "\"a\uFFFDb\"");
  EXPECT_EQ(json_string("\xE2\x82"), "\"\uFFFD\uFFFD\"");
}

TEST(JsonNumberTest, WritesTheShortestTextThatIsExact) {
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(json_number(8), "8");
  EXPECT_EQ(json_number(-2.5), "-2.5");
  EXPECT_EQ(json_number(3.35e12), "3.35e+12");
  EXPECT_EQ(json_number(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(json_number(std::nan("")), "null");
}

TEST(JsonNumberTest, ReadsBackToTheLastBit) {
  std::mt19937_64 engine(4);
  for (int i = 0; i < 10000; ++i) {
    const auto value = std::bit_cast<double>(engine());
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(std::strtod(json_number(value).c_str(), nullptr), value);
  }
}

}  // namespace
}  // namespace loadfactor
