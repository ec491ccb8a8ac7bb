#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/quantity_text.h"

namespace loadfactor {
namespace {

using namespace loadfactor::literals;  // NOLINT(google-build-using-namespace): literals only.

// Every dimension that has a name in quantity.h, and some that have none.
std::vector<Dimension> dimensions() {
  return {kNone,
          any(Seconds()).dimension,
          any(Hertz()).dimension,
          any(Bytes()).dimension,
          any(Flops()).dimension,
          any(Joules()).dimension,
          any(Dollars()).dimension,
          any(Tokens()).dimension,
          any(Gpus()).dimension,
          any(BytesPerSecond()).dimension,
          any(BytesPerToken()).dimension,
          any(FlopsPerSecond()).dimension,
          any(Watts()).dimension,
          any(TokensPerSecond()).dimension,
          any(DollarsPerToken()).dimension,
          any(DollarsPerSecond()).dimension,
          any(DollarsPerGpuSecond()).dimension,
          any(DollarsPerJoule()).dimension,
          {.time = -1, .token = 1, .gpu = -1},
          {.time = 1, .gpu = 1},
          {.energy = 1, .token = -1},
          {.work = 1, .token = -1},
          {.token = -1},
          {.time = -2, .data = 3, .gpu = -1},
          {.time = 2, .energy = -2, .money = 2}};
}

// A double of random sign, mantissa and magnitude between 1e-30 and 1e30.
double random_value(std::mt19937_64& engine) {
  const double exponent = -30.0 + 60.0 * static_cast<double>(engine() >> 11U) * 0x1p-53;
  const double mantissa = 1.0 + static_cast<double>(engine() >> 12U) * 0x1p-52;
  const double value = mantissa * std::pow(10.0, exponent);
  return engine() % 2 == 0 ? value : -value;
}

void expect_round_trip(AnyQuantity quantity) {
  const std::string text = format_exact(quantity);
  const auto parsed = parse_quantity(text, quantity.dimension);
  ASSERT_TRUE(parsed.has_value()) << text << "\n" << render(parsed.error());
  ASSERT_EQ(std::bit_cast<std::uint64_t>(parsed->value),
            std::bit_cast<std::uint64_t>(quantity.value))
      << text;
}

TEST(FormatExactTest, ChoosesTheShortestTextThatIsExact) {
  EXPECT_EQ(format_exact(any(80_GB)), "80 GB");
  EXPECT_EQ(format_exact(any(80_GiB)), "80 GiB");
  EXPECT_EQ(format_exact(any(100_MB)), "100 MB");
  EXPECT_EQ(format_exact(any(3.35_TBps)), "3.35 TB/s");
  EXPECT_EQ(format_exact(any(400_Gbps)), "50 GB/s");
  EXPECT_EQ(format_exact(any(989_TFLOPps)), "989 TFLOP/s");
  EXPECT_EQ(format_exact(any(30_days)), "30 days");
  EXPECT_EQ(format_exact(any(1_days)), "1 day");
  EXPECT_EQ(format_exact(any(40_ms)), "40 ms");
  EXPECT_EQ(format_exact(any(1_kWh)), "1 kWh");
  EXPECT_EQ(format_exact(any(20e6 * 1_USD)), "20 M USD");
  EXPECT_EQ(format_exact(any(0.09_USD / 1_kWh)), "0.09 USD/kWh");
  EXPECT_EQ(format_exact(any(Tokens::from_base(10e12))), "10 T tokens");
  EXPECT_EQ(format_exact(any(Tokens::from_base(1))), "1 token");
  EXPECT_EQ(format_exact(any(2.95_USD / (Gpus::from_base(1) * 1_hours))), "2.95 USD/GPU-hour");
  EXPECT_EQ(format_exact(any(0.88_USD / Tokens::from_base(1e6))), "0.88 USD/M tokens");
  EXPECT_EQ(format_exact(any(0.41)), "0.41");
  EXPECT_EQ(format_exact(any(0_GB)), "0 B");
}

TEST(FormatExactTest, ReadsBackToTheLastBit) {
  std::mt19937_64 engine(1);
  for (const Dimension dimension : dimensions()) {
    for (int i = 0; i < 1000; ++i) {
      expect_round_trip({random_value(engine), dimension});
      if (HasFatalFailure()) return;
    }
  }
}

TEST(FormatExactTest, ReadsBackAtTheEdges) {
  for (const Dimension dimension : dimensions()) {
    for (const double value :
         {0.0, -0.0, 1e-30, 1e30, 1.0, 1.0 / 3.0, 5e-324, 2.2250738585072014e-308,
          1.7976931348623157e308, 9007199254740993.0, 1e23}) {
      expect_round_trip({value, dimension});
      if (HasFatalFailure()) return;
    }
  }
}

TEST(FormatDisplayTest, LeavesOneToThreeDigitsBeforeThePoint) {
  EXPECT_EQ(format_display(any(3.35_TBps)), "3.35 TB/s");
  EXPECT_EQ(format_display(any(Bytes::from_base(71.23e9))), "71.2 GB");
  EXPECT_EQ(format_display(any(80_GB)), "80 GB");
  EXPECT_EQ(format_display(any(Bytes::from_base(999'499))), "999 kB");
  EXPECT_EQ(format_display(any(Bytes::from_base(999'960))), "1 MB");
  EXPECT_EQ(format_display(any(Bytes::from_base(0.5))), "0.5 B");
  EXPECT_EQ(format_display(any(15_us)), "15 µs");
  EXPECT_EQ(format_display(any(119_s)), "119 s");
  EXPECT_EQ(format_display(any(150_s)), "2.5 min");
  EXPECT_EQ(format_display(any(27_days)), "27 days");
  EXPECT_EQ(format_display(any(1e6 * 1_USD / 1_hours)), "1 M USD/h");
  EXPECT_EQ(format_display(any(17228_USD)), "17.2 k USD");
  EXPECT_EQ(format_display(any(TokensPerSecond::from_base(455'752))), "456 K tokens/s");
  EXPECT_EQ(format_display(any(2.954_USD / (Gpus::from_base(1) * 1_hours))), "2.95 USD/GPU-hour");
  EXPECT_EQ(format_display(any(0.40976)), "0.41");
  EXPECT_EQ(format_display(any(80_GB), 5), "80 GB");
  EXPECT_EQ(format_display(any(Bytes::from_base(-1536))), "-1.54 kB");
}

TEST(FormatDisplayTest, ShowsUnknownAsADash) {
  EXPECT_EQ(format_display(any(std::nan(""))), "–");
  EXPECT_EQ(format_display({HUGE_VAL, Dimension{.data = 1}}), "∞");
}

TEST(FormatDisplayTest, ReadsBackToItsPrintedDigits) {
  std::mt19937_64 engine(2);
  for (const Dimension dimension : dimensions()) {
    for (int i = 0; i < 300; ++i) {
      const double value = random_value(engine);
      const std::string text = format_display({value, dimension}, 4);
      const auto parsed = parse_quantity(text, dimension);
      ASSERT_TRUE(parsed.has_value()) << text;
      // Half a unit in the fourth digit of the worst case, 1.000.
      ASSERT_LE(std::abs(parsed->value / value - 1.0), 0.0005 * (1 + 1e-9)) << text;
    }
  }
}

TEST(FormatInTest, PrintsAColumnInOneUnit) {
  EXPECT_EQ(format_in(any(80_GiB), "GiB", 1), "80.0");
  EXPECT_EQ(format_in(any(80_GiB), "GB", 2), "85.90");
  EXPECT_EQ(format_in(any(50_GBps), "Gb/s", 0), "400");
  EXPECT_EQ(format_in(any(0.41), "%", 1), "41.0");
  EXPECT_EQ(format_in(any(Bytes::from_base(-1)), "GB", 1), "0.0");
  EXPECT_EQ(format_in(any(1_kWh), "J", 0), "3600000");
}

TEST(FormatInDeathTest, AUnitOfAnotherDimensionIsOurBug) {
  EXPECT_DEATH(format_in(any(1_GB), "s", 1), "our bug");
}

TEST(BaseUnitTest, NamesTheUnitOfJson) {
  EXPECT_EQ(base_unit({.data = 1}), "B");
  EXPECT_EQ(base_unit({.time = -1, .data = 1}), "B/s");
  EXPECT_EQ(base_unit({.time = 1, .gpu = 1}), "GPU-s");
  EXPECT_EQ(base_unit({.token = -1}), "1/token");
  EXPECT_EQ(base_unit({.time = -2, .data = 2}), "B-B/s/s");
  EXPECT_EQ(base_unit(kNone), "1");
}

TEST(BaseUnitTest, IsWorthOneOfItsDimension) {
  for (const Dimension dimension : dimensions()) {
    if (dimension == kNone) continue;
    const auto parsed = parse_quantity("1 " + base_unit(dimension), dimension);
    ASSERT_TRUE(parsed.has_value()) << base_unit(dimension);
    EXPECT_EQ(parsed->value, 1.0);
  }
}

TEST(FormatCountTest, SeparatesThousands) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1'353'283), "1,353,283");
  EXPECT_EQ(format_count(-100'000), "-100,000");
}

TEST(FormatCountTest, ShortensInWordsThatCountsReadBack) {
  EXPECT_EQ(format_short_count(70.55e9), "70.6 B");
  EXPECT_EQ(format_short_count(70.55e9, 4), "70.55 B");
  EXPECT_EQ(format_short_count(8), "8");
  EXPECT_EQ(format_short_count(999'999), "1 M");
  EXPECT_EQ(format_short_count(15.6e12), "15.6 T");
  const auto parsed = parse_quantity(format_short_count(70.55e9, 4), kNone, Expect::kCount);
  EXPECT_EQ(parsed->value, 70.55e9);
}

}  // namespace
}  // namespace loadfactor
