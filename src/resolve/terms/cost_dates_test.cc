#include "resolve/terms/cost_dates.h"

#include <chrono>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace loadfactor::engine {
namespace {

int by_the_library(int year, unsigned month, unsigned day) {
  using namespace std::chrono;
  return static_cast<int>(
      sys_days(std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day))
          .time_since_epoch()
          .count());
}

TEST(CostDatesTest, DaysAreCountedAsTheStandardLibraryCountsThem) {
  EXPECT_EQ(day_number("1970-01-01"), 0);
  EXPECT_EQ(day_number("1970-01-02"), 1);
  for (int year = 0; year <= 2401; year += 1 + (year % 7)) {
    for (unsigned month = 1; month <= 12; ++month) {
      for (const unsigned day : {1U, 15U, 28U})
        EXPECT_EQ(day_number(fmt::format("{:04}-{:02}-{:02}", year, month, day)),
                  by_the_library(year, month, day));
    }
  }
  for (const int leap : {4, 400, 1996, 2000, 2024})
    EXPECT_EQ(day_number(fmt::format("{:04}-02-29", leap)), by_the_library(leap, 2, 29));
}

TEST(CostDatesTest, AMonthOrAYearStandsForItsLastDay) {
  EXPECT_EQ(day_number("2026"), day_number("2026-12-31"));
  EXPECT_EQ(day_number("2026-12"), day_number("2026-12-31"));
  EXPECT_EQ(day_number("2026-11"), day_number("2026-11-30"));
  EXPECT_EQ(day_number("2024-02"), day_number("2024-02-29"));
  EXPECT_EQ(day_number("1900-02"), day_number("1900-02-28"));
  EXPECT_EQ(day_number("2026-01"), day_number("2026-01-31"));
}

TEST(CostDatesTest, WhatIsNoDateHasNoNumber) {
  for (const char* text : {"", "20", "never", "2026-", "2026-00", "2026-13", "2026-1x", "2026-01-",
                           "2026-01-x1", "20x6-01-01"})
    EXPECT_FALSE(day_number(text)) << text;
  EXPECT_FALSE(days_between("2026-01-01", "unknown"));
  EXPECT_FALSE(days_between("unknown", "2026-01-01"));
  EXPECT_FALSE(age_in_days("not dated", "2026-11-15"));
}

TEST(CostDatesTest, AnAgeIsNeverBelowZeroAndADifferenceMayBe) {
  EXPECT_EQ(days_between("2026-01-01", "2026-03-01"), 31 + 28);
  EXPECT_EQ(days_between("2026-03-01", "2026-01-01"), -(31 + 28));
  EXPECT_EQ(age_in_days("2026-01-01", "2026-03-01"), 59);
  EXPECT_EQ(age_in_days("2026-12", "2026-11-15"), 0);
}

TEST(CostDatesTest, ADateLiesInTheFutureOnlyWhereItBeginsAfterToday) {
  EXPECT_TRUE(is_future("2026-11-16", "2026-11-15"));
  EXPECT_FALSE(is_future("2026-11-15", "2026-11-15"));
  EXPECT_FALSE(is_future("2026-11", "2026-11-15"));  // It has begun.
  EXPECT_TRUE(is_future("2026-12", "2026-11-15"));
  EXPECT_FALSE(is_future("2026", "2026-11-15"));
  EXPECT_TRUE(is_future("2027", "2026-11-15"));
  EXPECT_FALSE(is_future("2030-01-01", ""));  // Nobody says what day it is.
}

}  // namespace
}  // namespace loadfactor::engine
