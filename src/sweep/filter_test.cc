#include "sweep/filter.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace loadfactor::sweep {
namespace {

bool holds(const std::string& text, const FilterValue& a, const FilterValue& b = {}) {
  const std::vector<std::string> columns{"a", "b"};
  const auto filter = Filter::parse(text, columns);
  EXPECT_TRUE(filter.has_value()) << text << ": " << (filter ? "" : filter.error().message);
  return filter && filter->holds([&](std::size_t column) { return column == 0 ? a : b; });
}

TEST(Filter, ComparesCalculatesAndJoins) {
  EXPECT_TRUE(holds("a * b <= 16", 4.0, 4.0));
  EXPECT_FALSE(holds("a * b <= 16", 4.0, 5.0));
  EXPECT_TRUE(holds("a + 2 * b == 10", 4.0, 3.0));
  EXPECT_TRUE(holds("a >= 1 M and a < 2M", 1.5e6));
  EXPECT_TRUE(holds("not a == 'l40s' or b > 1", std::string("h100"), 0.0));
  EXPECT_TRUE(holds("-a < 0 and (a % 2 == 1 or b == 0)", 3.0, 5.0));
  EXPECT_FALSE(holds("a == 'x'", 3.0));
  EXPECT_FALSE(holds("a < 5", {}));
}

TEST(Filter, WhatIsNotEqualDiffersAndABlankEqualsNullAlone) {
  for (const FilterValue& a : {FilterValue(), FilterValue(8.0), FilterValue(std::string("x"))}) {
    EXPECT_NE(holds("a == 8", a), holds("a != 8", a));
    EXPECT_NE(holds("a == 'x'", a), holds("a != 'x'", a));
    EXPECT_NE(holds("a == null", a), holds("a != null", a));
    EXPECT_EQ(holds("a == null", a), a == FilterValue());
  }
  EXPECT_TRUE(holds("a != 8", {})) << "a key that is taken out is not 8";
  EXPECT_TRUE(holds("a * 2 != 16 and -a == null", {})) << "nor is twice of it 16";
  EXPECT_TRUE(holds("a == b", {}, {}));
  EXPECT_FALSE(holds("a >= b", {}, {}));
}

TEST(Filter, WhatCannotBeCalculatedComparesWithNothing) {
  for (const char* text :
       {"a / b == 1", "a / b != 1", "a / b == null", "a / b != null", "a % b != 1", "-a != 1"})
    EXPECT_FALSE(holds(text, std::string("word"), 0.0)) << text;
  EXPECT_FALSE(holds("a / b != 1", 3.0, 0.0));
}

TEST(Filter, AListOfOneWordIsThatWord) {
  EXPECT_TRUE(holds("a == 'h100-sxm'", std::string("[h100-sxm]")));
  EXPECT_TRUE(holds("a == '[h100-sxm]'", std::string("h100-sxm")));
  EXPECT_FALSE(holds("a == 'h100-sxm'", std::string("[h100-sxm, l40s]")));
}

TEST(Filter, ANumberMayHaveAUnitAndIsThenInBaseUnits) {
  constexpr double kJoules = 3.6e6;  // As many are a kWh.
  EXPECT_TRUE(holds("a < 0.1 USD/kWh", 0.09 / kJoules));
  EXPECT_FALSE(holds("(a < 0.1 USD/kWh) or a > 2", 0.11 / kJoules));
  EXPECT_TRUE(holds("a == 80 GB and b == 2 USD/M tokens", 80e9, 2e-6));
  EXPECT_TRUE(holds("a <= 50 % and b == 5 % 3", 0.5, 2.0)) << "a share, and a remainder";
  EXPECT_TRUE(holds("a == 4 B and b == -1.5 k", 4e9, -1500.0)) << "a count, not bytes";
  EXPECT_TRUE(holds("1 M/a == 1000", 1000.0));
}

TEST(Filter, TheLastBitsOfAStepAreNoDifference) {
  const double step = 0.1 + 0.2;
  EXPECT_TRUE(holds("a == 0.3 and a <= 0.3 and a >= 0.3", step));
  EXPECT_FALSE(holds("a != 0.3 or a > 0.3 or a < 0.3", step));
  EXPECT_FALSE(holds("a == 0.3", 0.3000001));
}

TEST(Filter, WhatIsNoConditionIsRefusedWithTheWayToWriteIt) {
  const std::vector<std::string> columns{"a"};
  const std::vector<std::pair<std::string, std::string>> texts{{"a < 0.1 USD/kilowatt", "USD/kWh"},
                                                               {"a < 10 parsecs", "a unit such as"},
                                                               {"a", "a == 1"},
                                                               {"1", "a == 1"},
                                                               {"a * 2", "a == 1"},
                                                               {"a == 1 or a", "a == 1"},
                                                               {"not a", "a == 1"},
                                                               {"a < 'x'", "== or !="},
                                                               {"null >= a", "== null"}};
  for (const auto& [text, hint] : texts) {
    const auto filter = Filter::parse(text, columns);
    ASSERT_FALSE(filter.has_value()) << text;
    EXPECT_NE(filter.error().hint.find(hint), std::string::npos)
        << text << ": " << filter.error().hint;
  }
}

TEST(Filter, TellsWhatItComparesWithWhichColumn) {
  const std::vector<std::string> columns{"a", "b"};
  const auto filter = Filter::parse("a * 2 > 3 or not (b == 'x' and -4 <= a) or a < b", columns);
  ASSERT_TRUE(filter.has_value());
  const auto found = filter->comparisons();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].column, 1U);
  EXPECT_EQ(found[0].with, FilterValue(std::string("x")));
  EXPECT_EQ(found[1].column, 0U);
  EXPECT_EQ(found[1].with, FilterValue(-4.0));
  EXPECT_EQ(found[1].sign, ">=");
}

TEST(Filter, DeepNestingIsRefusedAndNotFollowed) {
  const std::vector<std::string> columns{"a"};
  EXPECT_FALSE(Filter::parse(std::string(2000, '(') + "a" + std::string(2000, ')'), columns));
  EXPECT_FALSE(Filter::parse(std::string(3000, '-') + "a", columns));
  EXPECT_FALSE(Filter::parse("", columns));
}

}  // namespace
}  // namespace loadfactor::sweep
