#include "base/quantity_text.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor {
namespace {

using namespace loadfactor::literals;  // NOLINT(google-build-using-namespace): literals only.

constexpr Dimension kTime{.time = 1};
constexpr Dimension kData{.data = 1};
constexpr Dimension kToken{.token = 1};
constexpr Dimension kMoney{.money = 1};
constexpr Dimension kBandwidth{.time = -1, .data = 1};
constexpr Dimension kArithmetic{.time = -1, .work = 1};

template <typename Q>
struct DimensionOf;
template <Dimension D>
struct DimensionOf<Quantity<D>> {
  static constexpr Dimension kValue = D;
};

double read_any(std::string_view text, Dimension dimension, Expect expect = Expect::kQuantity) {
  const auto parsed = parse_quantity(text, dimension, expect);
  if (!parsed) ADD_FAILURE() << text << ": " << render(parsed.error());
  return parsed ? parsed->value : std::nan("");
}

template <typename Q>
double read(std::string_view text) {
  return read_any(text, DimensionOf<Q>::kValue);
}

double count(std::string_view text, Dimension dimension = kNone) {
  return read_any(text, dimension, Expect::kCount);
}

Error error_of(std::string_view text, Dimension dimension, Expect expect = Expect::kQuantity) {
  const auto parsed = parse_quantity(text, dimension, expect);
  EXPECT_FALSE(parsed.has_value()) << text;
  return parsed ? Error{} : parsed.error();
}

TEST(ParseQuantityTest, ReadsData) {
  EXPECT_EQ(read<Bytes>("80 GB"), 80e9);
  EXPECT_EQ(read<Bytes>("80GB"), 80e9);
  EXPECT_EQ(read<Bytes>("1 GiB"), 1073741824.0);
  EXPECT_EQ(read<Bytes>("2 PiB"), 2.0 * 0x1p50);
  EXPECT_EQ(read<Bytes>("1.5 KB"), 1500.0);
  EXPECT_EQ(read<Bytes>("1.5 kB"), 1500.0);
  EXPECT_EQ(read<Bytes>("8 b"), 1.0);
  EXPECT_EQ(read<Bytes>("8 bits"), 1.0);
  EXPECT_EQ(read<Bytes>("8 Gb"), 1e9);
  EXPECT_EQ(read<Bytes>("10 B"), 10.0);
  EXPECT_EQ(read<BytesPerToken>("163840 B/token"), 163840.0);
  EXPECT_EQ(read<Bytes>("2 B/param"), 2.0);
}

TEST(ParseQuantityTest, ReadsBandwidthInBitsAndBytes) {
  EXPECT_EQ(read<BytesPerSecond>("3.35 TB/s"), 3.35e12);
  EXPECT_EQ(read<BytesPerSecond>("400 Gb/s"), 50e9);
  EXPECT_EQ(read<BytesPerSecond>("400 Gbit/s"), 50e9);
  EXPECT_EQ(read<BytesPerSecond>("400 Gbps"), 50e9);
  EXPECT_EQ(read<BytesPerSecond>("50 GBps"), 50e9);
  EXPECT_EQ(read<BytesPerSecond>("400 Gb per second"), 50e9);
}

TEST(ParseQuantityTest, ReadsWorkAndItsRates) {
  EXPECT_EQ(read<FlopsPerSecond>("989 TFLOP/s"), 989e12);
  EXPECT_EQ(read<FlopsPerSecond>("989 TFLOPS"), 989e12);
  EXPECT_EQ(read<FlopsPerSecond>("1979 TOP/s"), 1979e12);
  EXPECT_EQ(read<FlopsPerSecond>("1979 TOPS"), 1979e12);
  EXPECT_EQ(read<FlopsPerSecond>("1.1 EFLOP/s"), 1.1e18);
  EXPECT_EQ(read<Flops>("3.8e25 FLOPs"), 3.8e25);
  EXPECT_EQ(read<Flops>("2 PFLOP"), 2e15);
}

TEST(ParseQuantityTest, ReadsTime) {
  EXPECT_EQ(read<Seconds>("15 us"), 15e-6);
  EXPECT_EQ(read<Seconds>("15 µs"), 15e-6);
  EXPECT_EQ(read<Seconds>("15 \u03BCs"), 15e-6);  // The Greek letter.
  EXPECT_EQ(read<Seconds>("40 ms"), 0.04);
  EXPECT_EQ(read<Seconds>("2 min"), 120.0);
  EXPECT_EQ(read<Seconds>("1 h"), 3600.0);
  EXPECT_EQ(read<Seconds>("30 days"), 30 * 86400.0);
  EXPECT_EQ(read<Seconds>("1 week"), 7 * 86400.0);
  EXPECT_EQ(read<Seconds>("1 month"), 730 * 3600.0);
  EXPECT_EQ(read<Seconds>("4 years"), 4 * 8760 * 3600.0);
  EXPECT_EQ(read<Hertz>("1.98 GHz"), 1.98e9);
  EXPECT_EQ(read<Hertz>("8.3 requests/s"), 8.3);
  EXPECT_EQ(read<Hertz>("3 /min"), 0.05);
  EXPECT_EQ(read<Hertz>("3/min"), 0.05);
}

TEST(ParseQuantityTest, ReadsPowerAndEnergy) {
  EXPECT_EQ(read<Watts>("700 W"), 700.0);
  EXPECT_EQ(read<Watts>("5 MW"), 5e6);
  EXPECT_EQ(read<Joules>("1 kWh"), 3.6e6);
  EXPECT_EQ(read<Joules>("1 kW-h"), 3.6e6);
  EXPECT_EQ(read<Joules>("1 kW·h"), 3.6e6);
  EXPECT_EQ(read<Joules>("2 MJ"), 2e6);
}

TEST(ParseQuantityTest, ReadsMoneyAndPrices) {
  EXPECT_EQ(read<Dollars>("20 M USD"), 20e6);
  EXPECT_EQ(read<Dollars>("20M USD"), 20e6);
  EXPECT_EQ(read<Dollars>("1.5 k USD"), 1500.0);
  EXPECT_EQ(read<Dollars>("10 B USD"), 10e9);
  EXPECT_EQ(read<Dollars>("$3.55"), 3.55);
  EXPECT_EQ(read<Dollars>("$20 M"), 20e6);
  EXPECT_EQ(read<Dollars>("$20M"), 20e6);
  EXPECT_EQ(read<DollarsPerSecond>("$3600/h"), 1.0);
  EXPECT_EQ(read<DollarsPerSecond>("3600 $/h"), 1.0);
  EXPECT_EQ(read<DollarsPerSecond>("$31.536 M/year"), 1.0);
  EXPECT_EQ(read<DollarsPerGpuSecond>("3.6 USD/GPU-hour"), 0.001);
  EXPECT_EQ(read<DollarsPerGpuSecond>("3.6 USD/GPU/h"), 0.001);
  EXPECT_EQ(read<DollarsPerGpuSecond>("$3.6/GPU-h"), 0.001);
  EXPECT_EQ(read<DollarsPerJoule>("3.6 USD/kWh"), 1e-6);
  EXPECT_EQ(read<DollarsPerToken>("0.88 USD/M tokens"), 0.88e-6);
  EXPECT_EQ(read<DollarsPerToken>("$0.88/Mtok"), 0.88e-6);
  EXPECT_EQ(read<DollarsPerToken>("0.88 USD/1M tokens"), 0.88e-6);
  EXPECT_EQ(read<DollarsPerToken>("0.88 USD per M tokens"), 0.88e-6);
}

TEST(ParseQuantityTest, RoundsOnceWhateverThePrefix) {
  // 3.35 × 1e12 in floating point could round twice; the text is the same number either way.
  EXPECT_EQ(read<Bytes>("0.1 GB"), 1e8);
  EXPECT_EQ(read<Bytes>("4.35 GB"), 4.35e9);
  EXPECT_EQ(read<Bytes>("1.005 kB"), 1005.0);
  EXPECT_EQ(read_any("10 %", kNone), 0.1);
  EXPECT_EQ(read_any("0.7 %", kNone), 0.007);
}

TEST(ParseQuantityTest, ToleratesSpacesAroundAndTypesetSpacesWithin) {
  EXPECT_EQ(read<Bytes>("  80 GB\t"), 80e9);
  EXPECT_EQ(read<Bytes>("80\u00A0GB"), 80e9);
  EXPECT_EQ(read<Bytes>("80\u202FGB"), 80e9);
  EXPECT_EQ(read<BytesPerSecond>("400 Gb / s"), 50e9);
}

TEST(ParseQuantityTest, ReadsNumbersInTheUsualForms) {
  EXPECT_EQ(read_any("1e6", kNone), 1e6);
  EXPECT_EQ(read_any("1E-3", kNone), 1e-3);
  EXPECT_EQ(read_any("-2.5", kNone), -2.5);
  EXPECT_EQ(read_any("+2.5", kNone), 2.5);
  EXPECT_EQ(read_any(".5", kNone), 0.5);
  EXPECT_EQ(read_any("007", kNone), 7.0);
  EXPECT_EQ(read<Bytes>("5EB"), 5e18);  // A prefix, not an exponent.
  EXPECT_EQ(read<Bytes>("0 B"), 0.0);
  EXPECT_EQ(read_any("0.000000000000000000000000000000000000001", kNone), 1e-39);
}

TEST(ParseCountTest, ReadsKMBTAsPowersOfTen) {
  EXPECT_EQ(count("10 T"), 10e12);
  EXPECT_EQ(count("70B"), 70e9);
  EXPECT_EQ(count("9.6 M"), 9.6e6);
  EXPECT_EQ(count("128 K"), 128e3);
  EXPECT_EQ(count("9.6e6"), 9.6e6);
  EXPECT_EQ(count("10 T tokens"), 10e12);
  EXPECT_EQ(count("10 T tokens", kToken), 10e12);
  EXPECT_EQ(count("10 T", kToken), 10e12);
  EXPECT_EQ(count("500 B params"), 500e9);
  EXPECT_EQ(count("8 GPUs"), 8.0);
}

TEST(ParseCountTest, RefusesUnitsThatDoNotCount) {
  for (const char* text : {"10 GB", "10 %", "10 m", "10 B/s", "10 tokens/s", "10 USD"}) {
    EXPECT_EQ(error_of(text, kNone, Expect::kCount).code, lf::kWrongUnit) << text;
  }
  EXPECT_EQ(error_of("10 T GPUs", kToken, Expect::kCount).code, lf::kWrongUnit);
  EXPECT_EQ(error_of("$10", kNone, Expect::kCount).code, lf::kWrongUnit);
}

TEST(ParseRatioTest, ReadsSharesAndPercentagesOnly) {
  EXPECT_EQ(read_any("0.1", kNone, Expect::kRatio), 0.1);
  EXPECT_EQ(read_any("10 %", kNone, Expect::kRatio), 0.1);
  EXPECT_EQ(read_any("10%", kNone, Expect::kRatio), 0.1);
  EXPECT_EQ(error_of("10 K", kNone, Expect::kRatio).code, lf::kWrongUnit);
  EXPECT_EQ(error_of("$1", kNone, Expect::kRatio).code, lf::kWrongUnit);
}

TEST(ParseErrorTest, AMissingUnitIsAskedForInTheWordsOfTheDimension) {
  const Error error = error_of("400", kBandwidth);
  EXPECT_EQ(error.code, lf::kMissingUnit);
  EXPECT_EQ(error.message, "a bandwidth needs a unit");
  EXPECT_EQ(error.hint, "write '400 Gb/s' (bits, as fabrics are sold) or '400 GB/s' (bytes)");
  EXPECT_EQ(error_of("80", kData).hint, "write '80 GB' (10^9 bytes) or '80 GiB' (2^30 bytes)");
  EXPECT_EQ(error_of("20 M", kMoney).hint, "write '20 M USD' (US dollars of the stated date)");
  EXPECT_EQ(error_of("3 MUSD", kMoney).hint, "write '3 M USD'");
  constexpr Dimension kTokenPrice{.money = 1, .token = -1};
  EXPECT_EQ(error_of("0.2 USD/Mtoken", kTokenPrice).hint, "write '0.2 USD/M token'");
  EXPECT_TRUE(parse_quantity("0.2 USD/M token", kTokenPrice));
  EXPECT_EQ(error_of("10 T", kToken).hint, "write '10 T tokens'");
  EXPECT_EQ(error_of("10 B", kToken).code, lf::kMissingUnit);
}

TEST(ParseErrorTest, AnotherDimensionNamesBoth) {
  const Error error = error_of("3.35 TB", kBandwidth);
  EXPECT_EQ(error.code, lf::kWrongUnit);
  EXPECT_EQ(error.message, "'3.35 TB' is an amount of data, not a bandwidth");
  EXPECT_EQ(error_of("989 TFLOPs", kArithmetic).message,
            "'989 TFLOPs' is a number of operations, not a rate of arithmetic");
  EXPECT_EQ(error_of("$3", kTime).message, "'$3' is an amount of money, not a time");
  EXPECT_EQ(error_of("5 USD/B", kTime).message, "'5 USD/B' is a value in USD/B, not a time");
  EXPECT_EQ(error_of("10 %", kTime).code, lf::kWrongUnit);
}

TEST(ParseErrorTest, CaseMattersAndTheHelpSaysSo) {
  const Error error = error_of("80 gb", kData);
  EXPECT_EQ(error.code, lf::kWrongUnit);
  EXPECT_EQ(error.message, "'gb' is not a known unit");
  EXPECT_EQ(error.hint,
            "did you mean 'GB' or 'Gb'? case matters: B is a byte, b a bit, M a million");
  EXPECT_EQ(error_of("5 mw", {.time = -1, .energy = 1}).hint,
            "did you mean 'MW'? case matters: B is a byte, b a bit, M a million");
}

TEST(ParseErrorTest, AHintKeepsTheSizeOfTheValue) {
  const Dimension per_energy{.energy = -1, .money = 1};
  EXPECT_EQ(error_of("11 cents/kWh", per_energy).hint, "write '0.11 USD/kWh'");
  EXPECT_EQ(error_of("11.5 ct/kWh", per_energy).hint, "write '0.115 USD/kWh'");
  EXPECT_EQ(error_of("250 cents", kMoney).hint, "write '2.5 USD'");
  const std::string other = error_of("0.11 EUR/kWh", per_energy).hint;
  EXPECT_EQ(other.find("0.11"), std::string::npos) << other;
  EXPECT_NE(other.find("USD/kWh"), std::string::npos) << other;
}

TEST(ParseErrorTest, AnUnknownUnitIsPointedAt) {
  const Error error = error_of("µ 80", kData);
  EXPECT_EQ(error.code, lf::kNotANumber);
  const Error wrong = error_of(" 3 GB/fortnight", kBandwidth);
  EXPECT_EQ(wrong.message, "'fortnight' is not a known unit");
  EXPECT_EQ(wrong.where.column, 7U);
  EXPECT_EQ(wrong.where.length, 9U);
  EXPECT_EQ(error_of("3 GB/", kBandwidth).message, "a unit is missing here");
  EXPECT_EQ(error_of("2 h 30 min", kTime).message, "'30' is one word too many");
  EXPECT_EQ(error_of("3 $", kTime).code, lf::kWrongUnit);
  EXPECT_EQ(error_of("$3/fortnight", kMoney).where.column, 4U);
}

TEST(ParseErrorTest, ADateIsNoDuration) {
  for (const char* date : {"2020-01-01", "2026/11/30", "2026-11-30T12:00"}) {
    const Error error = error_of(date, kTime);
    EXPECT_EQ(error.code, lf::kNotANumber) << date;
    EXPECT_EQ(error.message, "'" + std::string(date) + "' is a date");
    EXPECT_EQ(error.hint, "write how long it may take, such as '30 days' or '12 h'");
  }
  EXPECT_EQ(error_of("2020", kTime).code, lf::kMissingUnit);
}

TEST(ParseErrorTest, ColumnsCountCharactersNotBytes) {
  const Error error = error_of("\u00A0\u00A05 xyz", kData);
  EXPECT_EQ(error.where.column, 5U);
  EXPECT_EQ(error.where.length, 3U);
}

TEST(ParseErrorTest, SeparatorsAreRefusedWithThePlainNumber) {
  EXPECT_EQ(error_of("1,353,283", kNone).code, lf::kNotANumber);
  EXPECT_EQ(error_of("1,353,283", kNone).hint, "write '1353283'");
  EXPECT_EQ(error_of("1_000 GB", kData).hint, "write '1000'");
  EXPECT_EQ(error_of("1'000", kNone).hint, "write '1000'");
  EXPECT_EQ(error_of("1 000 000", kNone).hint, "write '1000000'");
  EXPECT_EQ(error_of("1,5 GB", kData).hint, "write '15', or '1.5' if the comma is a decimal point");
}

TEST(ParseErrorTest, WhatIsNoNumberIsRefused) {
  for (const char* text :
       {"", "   ", "GB", "eighty GB", "-", ".", "e5", "~80 GB", "--5", "GB 80"}) {
    EXPECT_EQ(error_of(text, kData).code, lf::kNotANumber) << text;
  }
  EXPECT_EQ(error_of("0x10", kNone).message, "hexadecimal numbers are not read");
  EXPECT_EQ(error_of("0x1p3 GB", kData).code, lf::kNotANumber);
  EXPECT_EQ(error_of(std::string(5000, '1'), kNone).code, lf::kNotANumber);
}

TEST(ParseErrorTest, WhatIsNotFiniteIsRefused) {
  for (const char* text : {"nan", "NaN", ".nan", "inf", "-inf", ".inf", "Infinity", "-.INF",
                           "1e999", "-1e999", "1e-999", "1e99999999999999999999"}) {
    EXPECT_EQ(error_of(text, kNone).code, lf::kNotFinite) << text;
  }
  EXPECT_EQ(error_of("1e300 EB", kData).code, lf::kNotFinite);
  EXPECT_EQ(error_of("nan GB", kData).code, lf::kNotFinite);
}

TEST(ParseErrorTest, ALongTextIsNotRepeatedInFull) {
  EXPECT_LT(error_of(std::string(900, 'x'), kData).message.size(), 100U);
  EXPECT_LT(error_of("5 " + std::string(900, 'x'), kData).message.size(), 100U);
}

TEST(ParseErrorTest, AnAbsurdlyLongUnitIsRefused) {
  std::string text = "1 s";
  for (int i = 0; i < 200; ++i) text += "-s";
  EXPECT_EQ(error_of(text, kTime).code, lf::kWrongUnit);
}

}  // namespace
}  // namespace loadfactor
