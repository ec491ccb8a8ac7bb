#include "observe/window/token_looks.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace loadfactor::observe {
namespace {

constexpr Grid kDay{0, 86400, 60};

auto count(const std::vector<bool>& slots) {
  return std::count(slots.begin(), slots.end(), true);
}

TEST(TokenLooks, LooksOnceAnHourTellOfAllTheTimeBetweenThem) {
  TokenLooks looks;
  for (int hour = 0; hour < 24; ++hour) looks.add(3600.0 * hour, 3600.0 * (hour + 1), kDay);
  const auto [told, gaps] = looks.slots(kDay);
  EXPECT_EQ(count(told), 1440);
  EXPECT_EQ(count(gaps), 0);
}

TEST(TokenLooks, LooksThatAreMissingLeaveAGap) {
  TokenLooks looks;
  for (int minute = 0; minute < 1440; ++minute)
    if (minute < 300 || minute >= 360) looks.add(60.0 * minute, 60.0 * (minute + 1), kDay);
  looks.add(60.0 * 300, 60.0 * 360, kDay);
  const auto [told, gaps] = looks.slots(kDay);
  EXPECT_EQ(count(told), 1380);
  EXPECT_EQ(count(gaps), 60);
  EXPECT_TRUE(gaps[300]);
  EXPECT_FALSE(told[359]);
}

TEST(TokenLooks, SlotsAreLongerThanTheDistanceOfLooks) {
  TokenLooks looks;
  const Grid grid{0, 7200, 3600};
  for (int minute = 0; minute < 120; ++minute) looks.add(60.0 * minute, 60.0 * (minute + 1), grid);
  EXPECT_EQ(count(looks.slots(grid).told), 2);
}

TEST(TokenLooks, CopiesOfAProcessHaveItsLooks) {
  TokenLooks process, copy;
  process.add(0, 60, kDay);
  process.add(60, 7200, kDay);
  copy.add(process);
  EXPECT_EQ(count(copy.slots(kDay).told), count(process.slots(kDay).told));
  EXPECT_EQ(count(copy.slots(kDay).gaps), count(process.slots(kDay).gaps));
}

}  // namespace
}  // namespace loadfactor::observe
