#include "loadfactor/quantity.h"

#include <type_traits>

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

using namespace loadfactor::literals;  // NOLINT(google-build-using-namespace): literals only.

static_assert(400_Gbps == 50_GBps);
static_assert(1_GiB > 1_GB);
static_assert(std::is_same_v<decltype(8_GB / 2_GBps), Seconds>);
static_assert(std::is_same_v<decltype(8_GB / 2_GB), double>);
static_assert(std::is_same_v<decltype(1_kW * 1_s), Joules>);
static_assert(std::is_same_v<decltype(1.0 / 1_s), Hertz>);
static_assert(std::is_same_v<decltype((1.0 / 1_s) * 1_s), double>);

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};
static_assert(Addable<Bytes, Bytes>);
static_assert(!Addable<Bytes, Flops>);
static_assert(!Addable<Bytes, double>);

TEST(QuantityTest, DividingDataByBandwidthGivesTime) {
  EXPECT_DOUBLE_EQ((8_GB / 2_GBps) / 1_s, 4.0);
}

TEST(QuantityTest, SumsAndMultiplesKeepTheDimension) {
  Bytes total = 1_GB;
  total += 500_MB;
  total -= 250_MB;
  EXPECT_EQ(total, 1250_MB);
  EXPECT_EQ(-total + 2_GB, 750_MB);
  EXPECT_EQ(3 * total, total * 3);
  EXPECT_EQ(total / 2, 625_MB);
}

TEST(QuantityTest, AnEnergyIsPowerTimesTime) {
  EXPECT_EQ(1_kW * 1_hours, 1_kWh);
}

TEST(QuantityTest, RemembersItsDimensionAtRunTime) {
  EXPECT_EQ(any(2_GBps), (AnyQuantity{2e9, Dimension{.time = -1, .data = 1}}));
  EXPECT_EQ(any(0.5).dimension, kNone);
}

}  // namespace
}  // namespace loadfactor
