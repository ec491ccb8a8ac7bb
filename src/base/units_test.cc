#include "base/units.h"

#include <gtest/gtest.h>

#include "base/dimension_text.h"
#include "base/quantity_text.h"

namespace loadfactor {
namespace {

double worth(std::string_view unit) {
  const UnitExpression parsed = parse_unit(unit);
  EXPECT_FALSE(parsed.error.has_value()) << unit;
  return value_in(Decimal{false, "1", 0}, parsed.unit.scale).value_or(-1.0);
}

Dimension dimension_of(std::string_view unit) {
  return parse_unit(unit).unit.dimension;
}

TEST(UnitsTest, PrefixesScaleOnlyTheUnitsThatHaveThem) {
  EXPECT_EQ(worth("TB"), 1e12);
  EXPECT_EQ(worth("TiB"), 1099511627776.0);
  EXPECT_EQ(worth("ZFLOP"), 1e21);
  EXPECT_EQ(worth("ktok"), 1e3);
  for (const char* word : {"Ms", "Gib", "mW", "kUSD", "TGPU", "Mday", "k%", "KW", "M", "G", ""}) {
    EXPECT_FALSE(find_unit(word).has_value()) << word;
  }
}

TEST(UnitsTest, MonthsAndYearsAreHours) {
  EXPECT_EQ(worth("month"), 730 * 3600.0);
  EXPECT_EQ(worth("year"), 8760 * 3600.0);
  EXPECT_EQ(worth("year"), 12 * worth("month"));
}

TEST(UnitsTest, AHyphenBindsTighterThanASlash) {
  EXPECT_EQ(dimension_of("USD/GPU-hour"), (Dimension{.time = -1, .money = 1, .gpu = -1}));
  EXPECT_EQ(dimension_of("USD/GPU/hour"), (Dimension{.time = -1, .money = 1, .gpu = -1}));
  EXPECT_EQ(dimension_of("GPU-hour"), (Dimension{.time = 1, .gpu = 1}));
  EXPECT_EQ(dimension_of("1/s"), (Dimension{.time = -1}));
}

TEST(UnitsTest, ACountWordScalesTheUnitBehindIt) {
  EXPECT_EQ(worth("M tokens"), 1e6);
  EXPECT_EQ(worth("USD/M tokens"), 1e-6);
  EXPECT_EQ(worth("B USD"), 1e9);
  EXPECT_EQ(worth("B"), 1.0);  // Alone it is a byte.
  EXPECT_EQ(worth("B/s"), 1.0);
}

TEST(UnitsTest, PointsAtWhatItCannotRead) {
  const auto error = parse_unit("GB/xyz").error;
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->problem, UnitProblem::kUnknownWord);
  EXPECT_EQ(error->begin, 3U);
  EXPECT_EQ(error->end, 6U);
  EXPECT_EQ(parse_unit("GB/").error->problem, UnitProblem::kMissingWord);
  EXPECT_EQ(parse_unit("").error->problem, UnitProblem::kMissingWord);
  EXPECT_EQ(parse_unit("GB GB").error->problem, UnitProblem::kExtraWord);
}

TEST(UnitsTest, FindsSpellingsThatDifferInCase) {
  EXPECT_EQ(case_variants("mb"), (std::vector<std::string>{"MB", "Mb"}));
  EXPECT_EQ(case_variants("KWH"), (std::vector<std::string>{"kWh"}));
  EXPECT_EQ(case_variants("usd"), (std::vector<std::string>{"USD"}));
  EXPECT_TRUE(case_variants("xyz").empty());
  EXPECT_TRUE(case_variants("").empty());
}

TEST(DimensionTextTest, HelpIsWrittenInUnitsThatParse) {
  // Each quotation of the help, with a number filled in, must be a quantity of the dimension.
  for (const Dimension dimension :
       {Dimension{.time = 1}, Dimension{.data = 1}, Dimension{.time = -1, .data = 1},
        Dimension{.time = -1}, Dimension{.work = 1}, Dimension{.energy = 1}, Dimension{.money = 1},
        Dimension{.token = 1}, Dimension{.gpu = 1}, Dimension{.data = 1, .token = -1},
        Dimension{.time = -1, .work = 1}, Dimension{.time = -1, .energy = 1},
        Dimension{.time = -1, .token = 1}, Dimension{.money = 1, .token = -1},
        Dimension{.time = -1, .money = 1}, Dimension{.time = -1, .money = 1, .gpu = -1},
        Dimension{.energy = -1, .money = 1}, Dimension{.data = 1, .gpu = -1}, kNone}) {
    const std::string help = unit_help(dimension, "3");
    int examples = 0;
    for (std::size_t at = help.find('\''); at != std::string::npos; at = help.find('\'', at + 1)) {
      const std::size_t end = help.find('\'', at + 1);
      const std::string example = help.substr(at + 1, end - at - 1);
      EXPECT_TRUE(parse_quantity(example, dimension).has_value()) << example;
      ++examples;
      at = end;
    }
    EXPECT_GE(examples, 1) << help;
  }
}

TEST(DimensionTextTest, NamesWhatHasNoName) {
  EXPECT_EQ(noun_of({.time = -1, .data = 1}), "a bandwidth");
  EXPECT_EQ(noun_of({.data = -1, .money = 1}), "a value in USD/B");
}

}  // namespace
}  // namespace loadfactor
