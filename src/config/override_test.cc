#include "config/override.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/scenario_reader.h"

namespace loadfactor::config {
namespace {

constexpr const char* kScenario =
    "loadfactor: 1\nname: x\ncapacity: {gpus: 8}\nhardware: [h100-sxm, b200]\n"
    "money: {electricity: 0.09 USD/kWh}\n";

std::optional<Scenario> read(std::vector<std::string> assignments, Diagnostics& diagnostics) {
  return parse_scenario("x.yaml", kScenario, assignments, diagnostics);
}

TEST(OverrideTest, AValueIsReplacedByItsPath) {
  Diagnostics diagnostics;
  const auto scenario = read({"money.electricity=0.18 USD/kWh", "hardware.1=mi355x"}, diagnostics);
  ASSERT_TRUE(scenario) << render(diagnostics);
  EXPECT_DOUBLE_EQ(scenario->money.electricity->value.base() * 3.6e6, 0.18);
  EXPECT_EQ(scenario->hardware[1].value, "mi355x");
}

TEST(OverrideTest, MapsOnTheWayAreMade) {
  Diagnostics diagnostics;
  const auto scenario = read(
      {"money.own.life=3 years", "limits={gpus: 64}", "money.options=[own, api]"}, diagnostics);
  ASSERT_TRUE(scenario) << render(diagnostics);
  EXPECT_DOUBLE_EQ(scenario->money.own.life->value.base(), 3 * 8760 * 3600.0);
  EXPECT_EQ(scenario->limits.gpus->value, 64);
  EXPECT_EQ(scenario->money.options.size(), 2U);
}

TEST(OverrideTest, NothingBehindTheSignBlanksAValue) {
  Diagnostics diagnostics;
  const auto scenario = read({"money.electricity="}, diagnostics);
  ASSERT_TRUE(scenario) << render(diagnostics);
  EXPECT_FALSE(scenario->money.electricity.has_value());
}

TEST(OverrideTest, NullBlanksAValueToo) {
  for (const char* word : {"null", "~"}) {
    Diagnostics diagnostics;
    const auto scenario = read({std::string("money.electricity=") + word}, diagnostics);
    ASSERT_TRUE(scenario) << render(diagnostics);
    EXPECT_FALSE(scenario->money.electricity.has_value()) << word;
  }
}

TEST(OverrideTest, AComplaintPointsIntoTheAssignment) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read({"money.electricity=0.18 USD"}, diagnostics));
  ASSERT_EQ(diagnostics.size(), 1U);
  const Error& error = diagnostics.errors()[0];
  EXPECT_EQ(error.code, lf::kNoPeriod);
  EXPECT_EQ(error.where.file, "--set");
  EXPECT_EQ(error.source_line, "money.electricity=0.18 USD");
  EXPECT_EQ(error.where.column, 19U);
}

TEST(OverrideTest, AnUnknownKeyAndAPathThatLeadsNowhereAreRefused) {
  for (const auto& [assignment, code] :
       {std::pair{"money.electrisity=0.1 USD/kWh", lf::kUnknownKey},
        std::pair{"name.first=x", lf::kBadOverride}, std::pair{"hardware.7=x", lf::kBadOverride},
        std::pair{"money", lf::kBadOverride}, std::pair{"money..own=1", lf::kBadOverride},
        std::pair{"money.own={", lf::kBadOverride}}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(read({assignment}, diagnostics)) << assignment;
    ASSERT_FALSE(diagnostics.empty()) << assignment;
    EXPECT_EQ(diagnostics.errors()[0].code, code) << assignment;
  }
}

}  // namespace
}  // namespace loadfactor::config
