#include "base/quantity_text.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor {
namespace {

using namespace loadfactor::literals;  // NOLINT(google-build-using-namespace): literals only.

constexpr Dimension kData{.data = 1};
constexpr Dimension kBandwidth{.time = -1, .data = 1};

template <typename Q>
struct DimensionOf;
template <Dimension D>
struct DimensionOf<Quantity<D>> {
  static constexpr Dimension kValue = D;
};

// Parses and returns the base value; NaN, which equals nothing, on an error.
template <typename Q>
double read(std::string_view text, Expect expect = Expect::kQuantity) {
  const auto parsed = parse_quantity(text, DimensionOf<Q>::kValue, expect);
  if (!parsed) ADD_FAILURE() << text << ": " << render(parsed.error());
  return parsed ? parsed->value : std::nan("");
}

Error error_of(std::string_view text, Dimension dimension, Expect expect = Expect::kQuantity) {
  const auto parsed = parse_quantity(text, dimension, expect);
  EXPECT_FALSE(parsed.has_value()) << text;
  return parsed ? Error{} : parsed.error();
}

TEST(QuantityTextTest, ReadsTheUnitsOfDataSheets) {
  EXPECT_EQ(read<Bytes>("80 GB"), 80e9);
  EXPECT_EQ(read<Bytes>("80GB"), 80e9);
  EXPECT_EQ(read<Bytes>("1 GiB"), 1073741824.0);
  EXPECT_EQ(read<Bytes>("8 b"), 1.0);
  EXPECT_EQ(read<Bytes>("1.5 KB"), 1500.0);
  EXPECT_EQ(read<BytesPerSecond>("3.35 TB/s"), 3.35e12);
  EXPECT_EQ(read<BytesPerSecond>("400 Gb/s"), 50e9);
  EXPECT_EQ(read<BytesPerSecond>("400 Gbps"), 50e9);
  EXPECT_EQ(read<BytesPerSecond>("400 Gbit/s"), 50e9);
  EXPECT_EQ(read<FlopsPerSecond>("989 TFLOP/s"), 989e12);
  EXPECT_EQ(read<FlopsPerSecond>("989 TFLOPS"), 989e12);
  EXPECT_EQ(read<FlopsPerSecond>("1979 TOP/s"), 1979e12);
  EXPECT_EQ(read<FlopsPerSecond>("1979 TOPS"), 1979e12);
  EXPECT_EQ(read<Flops>("3.8e25 FLOPs"), 3.8e25);
  EXPECT_EQ(read<Watts>("700 W"), 700.0);
  EXPECT_EQ(read<Watts>("5 MW"), 5e6);
  EXPECT_EQ(read<Hertz>("1.98 GHz"), 1.98e9);
}

TEST(QuantityTextTest, PrintsAndReadsBackExactly) {
  EXPECT_EQ(format_exact(any(80_GB)), "80 GB");
  EXPECT_EQ(format_exact(any(80_GiB)), "80 GiB");
  EXPECT_EQ(format_exact(any(3.35_TBps)), "3.35 TB/s");
  EXPECT_EQ(format_display(any(3.35_TBps)), "3.35 TB/s");
  EXPECT_EQ(format_exact(any(100_MB)), "100 MB");
}

TEST(QuantityTextTest, AsksForAMissingUnit) {
  const Error error = error_of("400", kBandwidth);
  EXPECT_EQ(error.code, lf::kMissingUnit);
  EXPECT_EQ(error.message, "a bandwidth needs a unit");
  EXPECT_EQ(error.hint, "write '400 Gb/s' (bits, as fabrics are sold) or '400 GB/s' (bytes)");
  EXPECT_EQ(error_of("80", kData).code, lf::kMissingUnit);
}

}  // namespace
}  // namespace loadfactor
