#include "resolve/model/node_power.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/load/data_file.h"

namespace loadfactor::engine {
namespace {

const catalog::Catalog& shipped() {
  static const catalog::Catalog catalog = [] {
    Diagnostics diagnostics;
    return catalog::Catalog::open(catalog::builtin_files(), diagnostics);
  }();
  return catalog;
}

catalog::AcceleratorSpec lone_chip(double rated) {
  catalog::AcceleratorSpec chip;
  chip.name = "lone";
  chip.power.rated = Watts::from_base(rated);
  return chip;
}

config::Given<Watts> limit(double watts) {
  return config::Placed<Watts>{Watts::from_base(watts), {}};
}

TEST(NodePowerTest, AGpuDrawsItsShareOfItsNode) {
  int seen = 0;
  for (const auto& chip : shipped().accelerators()) {
    if (chip.node.empty()) continue;
    const auto node = shipped().find_node(chip.node);
    if (!node || !(*node)->power) continue;
    const auto& power = *(*node)->power;
    const GpuPower drawn = gpu_power(shipped(), chip);
    EXPECT_DOUBLE_EQ(drawn.most.base() * (*node)->gpus, power.max.base()) << chip.name;
    EXPECT_DOUBLE_EQ(drawn.typical.base() * (*node)->gpus, power.typical.value_or(power.max).base())
        << chip.name;
    ++seen;
  }
  EXPECT_GT(seen, 10);
}

// The middle node of all, by what it draws over its accelerators.
TEST(NodePowerTest, AChipWithoutANodeDrawsWhatAMiddleNodeAdds) {
  std::vector<double> ratios;
  for (const auto& node : shipped().nodes()) {
    const auto chip = shipped().find_accelerator(node.accelerator);
    if (!chip || !node.power || node.gpus <= 0) continue;
    const double chips = (*chip)->power.rated.base() * node.gpus;
    if (chips > 0) ratios.push_back(node.power->max.base() / chips);
  }
  std::sort(ratios.begin(), ratios.end());
  const double middle = ratios.at(ratios.size() / 2);
  EXPECT_GT(middle, 1);
  const GpuPower drawn = gpu_power(shipped(), lone_chip(100));
  EXPECT_DOUBLE_EQ(drawn.most.base(), 100 * middle);
  EXPECT_EQ(drawn.typical, drawn.most);
  auto strange = lone_chip(100);
  strange.node = "no-such-node-at-all";
  EXPECT_EQ(gpu_power(shipped(), strange).most, drawn.most);
}

TEST(NodePowerTest, StepsDrawThreeQuartersOfTheRatingAndTheRestIsIdle) {
  auto chip = lone_chip(400);
  chip.power.idle = Watts::from_base(60);
  const auto drawn = drawn_power(chip, 0.25);
  EXPECT_DOUBLE_EQ(drawn.value().base(), 60 + (300 - 60) * 0.25);
  EXPECT_DOUBLE_EQ(drawn.low().base(), 60 + (200 - 60) * 0.25);
  EXPECT_DOUBLE_EQ(drawn.high().base(), 60 + (400 - 60) * 0.25);
  EXPECT_DOUBLE_EQ(drawn_power(chip, 0).high().base(), 60);
  EXPECT_DOUBLE_EQ(drawn_power(chip, 2).value().base(), 300);  // Never more than all the time.
  EXPECT_DOUBLE_EQ(drawn_power(chip, -1).value().base(), 60);
  chip.power.idle.reset();  // A fifth of the rating where nobody says.
  EXPECT_DOUBLE_EQ(drawn_power(chip, 0).value().base(), 80);
  chip.power.idle = Watts::from_base(250);  // More than a step of half the rating.
  EXPECT_DOUBLE_EQ(drawn_power(chip, 1).low().base(), 250);
  EXPECT_DOUBLE_EQ(drawn_power(chip, 1).value().base(), 300);
}

TEST(NodePowerTest, ASiteFeedsAsManyGpusAsItsPowerHolds) {
  const auto chip = lone_chip(500);
  const double each = gpu_power(shipped(), chip).most.base();
  config::ScenarioLimits limits;
  EXPECT_FALSE(power_objection(shipped(), chip, 1e6, limits));
  limits.site_power = limit(each * 10.5);
  EXPECT_FALSE(power_objection(shipped(), chip, 10, limits));
  const auto objection = power_objection(shipped(), chip, 12, limits, 2);
  ASSERT_TRUE(objection);
  EXPECT_DOUBLE_EQ(objection->drawn.base(), each * 12);
  EXPECT_DOUBLE_EQ(objection->limit.base(), each * 10.5);
  EXPECT_EQ(objection->fed, 10);
  EXPECT_TRUE(objection->has_spares);
  EXPECT_FALSE(objection->is_of_rack);
  EXPECT_EQ(arguments_of(*objection).size(), 4U);
  const auto without = power_objection(shipped(), chip, 12, limits, 0);
  EXPECT_FALSE(without->has_spares);
  EXPECT_EQ(arguments_of(*without).size(), 3U);
  limits.site_power = limit(gpu_power(shipped(), chip).most.base() * 12);
  EXPECT_FALSE(power_objection(shipped(), chip, 12, limits));  // Just enough.
}

TEST(NodePowerTest, ARackMustHoldOneNode) {
  const auto& chip = **shipped().find_accelerator("h100-sxm");
  const auto& node = **shipped().find_node(chip.node);
  config::ScenarioLimits limits;
  limits.rack_power = limit(node.power->max.base());
  EXPECT_FALSE(power_objection(shipped(), chip, 8000, limits));
  limits.rack_power = limit(node.power->max.base() - 1);
  const auto objection = power_objection(shipped(), chip, 8, limits);
  ASSERT_TRUE(objection);
  EXPECT_TRUE(objection->is_of_rack);
  EXPECT_DOUBLE_EQ(objection->drawn.base(), node.power->max.base());
  EXPECT_EQ(arguments_of(*objection).size(), 2U);
  // Chips of no node are as many as their links join, at least one.
  auto apart = lone_chip(500);
  const double each = gpu_power(shipped(), apart).most.base();
  limits.rack_power = limit(each * 1.5);
  apart.scale_up.domain = 0;
  EXPECT_FALSE(power_objection(shipped(), apart, 8, limits));
  apart.scale_up.domain = 2;
  EXPECT_DOUBLE_EQ(power_objection(shipped(), apart, 8, limits)->drawn.base(), 2 * each);
}

}  // namespace
}  // namespace loadfactor::engine
