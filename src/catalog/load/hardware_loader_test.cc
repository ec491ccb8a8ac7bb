// Nodes, fabrics and regions: small files with the same manners.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "catalog/load/fabric_loader.h"
#include "catalog/load/node_loader.h"
#include "catalog/load/region_loader.h"
#include "catalog/testing/complaints.h"
#include "catalog/testing/toy_catalog.h"

namespace loadfactor::catalog {
namespace {

using namespace literals;
using testing::kToyLink;
using testing::kToyNode;
using testing::kToyRegion;
using testing::with;

template <typename Spec>
std::string complaints(Spec (*load)(const DataFile&, Diagnostics&), std::string_view path,
                       std::string_view text) {
  Diagnostics diagnostics;
  load(testing::file(path, text), diagnostics);
  return testing::complaints(diagnostics);
}

TEST(NodeLoaderTest, ReadsEveryBlock) {
  Diagnostics diagnostics;
  const NodeSpec node =
      load_node(testing::file("hardware/nodes/toybox.yaml", kToyNode), diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  EXPECT_EQ(node.gpus, 8);
  EXPECT_EQ(node.host->memory, 2_TB);
  EXPECT_EQ(node.network->bandwidth, 64_GBps);
  EXPECT_EQ(node.power->typical, 8_kW);
  EXPECT_EQ(node.power->rack_units, 8);
  EXPECT_EQ(node.price->high, 250000_USD);
}

TEST(NodeLoaderTest, APriceLiesWithinItsBounds) {
  const auto text = with(kToyNode, "low: 180000 USD", "low: 210000 USD");
  EXPECT_EQ(complaints(load_node, "hardware/nodes/toybox.yaml", text), "10:LF209");
}

TEST(NodeLoaderTest, CoolingIsAirOrLiquid) {
  const auto text = with(kToyNode, "cooling: air", "cooling: water");
  EXPECT_EQ(complaints(load_node, "hardware/nodes/toybox.yaml", text), "8:LF506");
}

TEST(FabricLoaderTest, ReadsEveryBlock) {
  Diagnostics diagnostics;
  const auto fabric =
      load_fabric(testing::file("hardware/fabrics/toylink.yaml", kToyLink), diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  EXPECT_EQ(fabric.role, FabricRole::kScaleUp);
  EXPECT_EQ(fabric.bandwidth, 450_GBps);
  EXPECT_EQ(fabric.quoted, 900_GBps);
  EXPECT_EQ(fabric.latency, 2_us);
  EXPECT_EQ(fabric.max_domain, 8);
  EXPECT_EQ(fabric.achieved_fraction, 0.8);
}

TEST(FabricLoaderTest, MoreThanTheWireCarriesIsRefused) {
  const auto text = with(kToyLink, "fraction: 0.8", "fraction: 1.2");
  EXPECT_EQ(complaints(load_fabric, "hardware/fabrics/toylink.yaml", text), "9:LF207");
}

TEST(FabricLoaderTest, MillisecondsWhereMicrosecondsAreMeantAreRefused) {
  const auto text = with(kToyLink, "one_way: 2 us", "one_way: 2 s");
  EXPECT_EQ(complaints(load_fabric, "hardware/fabrics/toylink.yaml", text), "7:LF205");
}

TEST(RegionLoaderTest, ReadsEveryBlock) {
  Diagnostics diagnostics;
  const auto region = load_region(testing::file("regions/toyland.yaml", kToyRegion), diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  EXPECT_DOUBLE_EQ(region.electricity * 1_kWh / 1_USD, 0.1);
  EXPECT_EQ(region.carbon_grams_per_kwh, 100.0);
  EXPECT_EQ(region.climate->design_celsius, 30.0);
}

TEST(RegionLoaderTest, MeasuresNeedTheirUnit) {
  const auto broken = [](std::string_view from, std::string_view to) {
    return complaints(load_region, "regions/toyland.yaml", with(kToyRegion, from, to));
  };
  EXPECT_EQ(broken("100 g/kWh", "100"), "6:LF202");
  EXPECT_EQ(broken("100 g/kWh", "100 kg/kWh"), "6:LF203");
  EXPECT_EQ(broken("100 g/kWh", "much"), "6:LF208");
  EXPECT_EQ(broken("100 g/kWh", "1e9 g/kWh"), "6:LF207");
  EXPECT_EQ(broken("design: 30 C", "design: 5 C"), "7:LF209");
  EXPECT_EQ(broken("0.1 USD/kWh", "100 USD/kWh"), "4:LF205");
}

}  // namespace
}  // namespace loadfactor::catalog
