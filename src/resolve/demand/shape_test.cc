#include "resolve/demand/shape.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "demand/generate.h"
#include "demand/traffic_file.h"

namespace loadfactor::engine {
namespace {

config::ShapeSection figures(double daily_peak, double peak_hour) {
  config::ShapeSection shape;
  shape.daily_peak = config::Placed<double>{daily_peak, {}};
  shape.peak_hour = config::Placed<double>{peak_hour, {}};
  return shape;
}

config::ShapeSection file_named(const char* name) {
  config::ShapeSection shape;
  shape.file = config::Placed<std::string>{name, {}};
  return shape;
}

std::vector<double> rates_of(const demand::TrafficModel& model, Seconds window) {
  std::vector<double> rates;
  for (const auto& each : demand::generate_rates(model, 1, kWeek, window).windows)
    rates.push_back(each.rate.base());
  return rates;
}

double mean_of(const std::vector<double>& rates, std::size_t from, std::size_t count) {
  double sum = 0;
  for (std::size_t i = from; i < from + count; ++i) sum += rates[i];
  return sum / static_cast<double>(count);
}

TEST(ShapeTest, ADailyPeakIsTheBusiestMomentOverTheMeanOfItsDay) {
  for (const double peak : {1.0, 1.5, 3.0, 6.0}) {
    const auto model = shape_traffic(figures(peak, 9), {});
    ASSERT_TRUE(model);
    const auto rates = rates_of(*model, kMinute);
    const auto busiest = std::max_element(rates.begin(), rates.begin() + 1440);
    EXPECT_NEAR(*busiest / mean_of(rates, 0, 1440), peak, 0.01 * peak);
    if (peak > 1) {
      EXPECT_NEAR(static_cast<double>(busiest - rates.begin()) / 60, 9, 0.1);
    }
  }
}

TEST(ShapeTest, AWeekendIsTheFactorOfItsDays) {
  config::ShapeSection shape;
  shape.weekend = config::Placed<double>{0.6, {}};
  const auto model = shape_traffic(shape, {});
  ASSERT_TRUE(model);
  const auto rates = rates_of(*model, kHour);
  EXPECT_NEAR(mean_of(rates, 120, 48) / mean_of(rates, 0, 120), 0.6, 1e-9);
}

TEST(ShapeTest, AFileIsFollowedHourByHourAtTheMeanThatIsAsked) {
  std::string text = "hour,factor\n";
  for (int i = 0; i < 168; ++i) text += fmt::format("{},{}\n", i, 1 + i % 7);
  const auto shape = shape_traffic(file_named("week.csv"), text);
  ASSERT_TRUE(shape) << shape.error().message;
  const auto model = demand::scaled_to(*shape, Hertz::from_base(12));
  EXPECT_NEAR(demand::expected_rate(model).base(), 12, 1e-9);
  const auto rates = rates_of(model, kHour);
  EXPECT_NEAR(mean_of(rates, 0, 168), 12, 1e-6);
  for (int i = 0; i < 168; ++i)
    EXPECT_NEAR(rates[static_cast<std::size_t>(i)] / rates[0], 1 + i % 7, 1e-6) << i;
}

TEST(ShapeTest, WhatAFitWritesIsAShape) {
  demand::TrafficModel fitted;
  fitted.name = "mine";
  fitted.base = Hertz::from_base(3);
  fitted.day = {0.5, 11};
  fitted.weekend = 0.4;
  fitted.week = std::vector<double>(168, 1.0);
  fitted.week[5] = 2;
  fitted.input = demand::lengths_of_mean(900, 1, 8192);
  fitted.output = demand::lengths_of_mean(100, 1, 1024);
  const auto shape = shape_traffic(file_named("fit.yaml"), demand::traffic_yaml(fitted));
  ASSERT_TRUE(shape) << shape.error().message;
  EXPECT_TRUE(demand::has_same_shape(*shape, fitted));
  EXPECT_FALSE(shape->input.empty());
}

TEST(ShapeTest, AFileThatIsNoWeekIsRefused) {
  const auto shape = shape_traffic(file_named("a.csv"), "a,b\n1,2\n");
  ASSERT_FALSE(shape);
  EXPECT_EQ(shape.error().code, lf::kNotAWeek);
}

}  // namespace
}  // namespace loadfactor::engine
