#include "demand/read/week_file.h"

#include <numeric>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::demand {
namespace {

// Twice as much by day as by night, half of it on weekends.
double rate_of(int hour) {
  return (hour % 24 >= 8 && hour % 24 < 20 ? 2.0 : 1.0) * (hour >= 120 ? 0.5 : 1.0);
}

std::string column(int rows, const std::string& heading, int per_hour = 1) {
  std::string text = heading;
  for (int i = 0; i < rows; ++i) text += fmt::format("{},{}\n", i, rate_of(i / per_hour));
  return text;
}

void expect_week(const std::vector<double>& week, int per_hour = 1) {
  ASSERT_EQ(week.size(), 168U * static_cast<std::size_t>(per_hour));
  const double sum = std::accumulate(week.begin(), week.end(), 0.0);
  EXPECT_NEAR(sum / static_cast<double>(week.size()), 1, 1e-12);
  const double night = week.front();
  for (std::size_t i = 0; i < week.size(); ++i)
    EXPECT_NEAR(week[i] / night, rate_of(static_cast<int>(i) / per_hour), 1e-9) << i;
}

TEST(WeekFileTest, ARowForEachHourIsAWeekWithAHeadingOrWithout) {
  for (const char* heading : {"hour,factor\n", "hour,rate\n", ""}) {
    const auto week = read_week("week.csv", column(168, heading));
    ASSERT_TRUE(week) << heading << week.error().message;
    expect_week(*week);
  }
}

TEST(WeekFileTest, QuartersOfAnHourAreAWeekToo) {
  const auto week = read_week("week.csv", column(168 * 4, "quarter,requests\n", 4));
  ASSERT_TRUE(week) << week.error().message;
  expect_week(*week, 4);
}

// 2026-11-04 is a Wednesday: what the file begins with is not what the week begins with.
TEST(WeekFileTest, DatesPutTheDaysInTheirPlacesAndWeeksAreLaidOverEachOther) {
  std::string text = "timestamp,requests_per_hour\n";
  for (int i = 0; i < 336; ++i)
    text += fmt::format("2026-11-{:02}T{:02}:00:00Z,{}\n", 4 + i / 24, i % 24,
                        rate_of((i + 48) % 168) * (i < 168 ? 90 : 110));
  const auto week = read_week("week.csv", text);
  ASSERT_TRUE(week) << week.error().message;
  expect_week(*week);
}

TEST(WeekFileTest, WhatIsNoWeekIsRefusedAndSaysWhatItHas) {
  const auto day = read_week("day.csv", column(24, "hour,rate\n"));
  ASSERT_FALSE(day);
  EXPECT_EQ(day.error().code, lf::kNotAWeek);
  EXPECT_NE(day.error().message.find("24 rows"), std::string::npos);
  const auto silent = read_week("silent.csv", [] {
    std::string text = "hour,rate\n";
    for (int i = 0; i < 168; ++i) text += fmt::format("{},0\n", i);
    return text;
  }());
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().code, lf::kNotAWeek);
  const auto words = read_week("words.csv", "hour,rate\n0,much\n");
  ASSERT_FALSE(words);
  EXPECT_EQ(words.error().where.line, 2U);
}

}  // namespace
}  // namespace loadfactor::demand
