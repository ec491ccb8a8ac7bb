#include "demand/deferral.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace loadfactor::demand {
namespace {

constexpr Seconds kHourLong = Seconds::from_base(3600);

// A day of four busy hours among twenty silent ones, seven times.
std::vector<double> busy_mornings() {
  std::vector<double> rates;
  for (int hour = 0; hour < 168; ++hour) rates.push_back(hour % 24 < 4 ? 6.0 : 0.0);
  return rates;
}

double sum_of(const std::vector<double>& rates) {
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

TEST(DeferralTest, TheLeastRateIsWorkOverItsHoursAndTheWait) {
  // Four hours at 6 a second may take 4 + w hours: 24 / (4 + w) a second.
  for (const double wait : {2.0, 4.0, 8.0}) {
    const Deferral queue = defer(busy_mornings(), kHourLong, kHourLong * wait);
    EXPECT_NEAR(queue.most, 24 / (4 + wait), 1e-6) << wait;
    EXPECT_NEAR(queue.longest.base(), wait * 3600, 1) << wait;
  }
}

TEST(DeferralTest, WorkThatMayWaitForADayIsDoneAtTheMeanAndNoSlower) {
  const Deferral queue = defer(busy_mornings(), kHourLong, kHourLong * 48);
  EXPECT_NEAR(queue.most, 1.0, 0.002);
}

TEST(DeferralTest, NothingIsLostAndNothingPassesTheRate) {
  const auto rates = busy_mornings();
  const Deferral queue = defer(rates, kHourLong, kHourLong * 3);
  EXPECT_NEAR(sum_of(queue.rates), sum_of(rates), 1e-6);
  for (const double rate : queue.rates) EXPECT_LE(rate, queue.most * (1 + 1e-9));
}

TEST(DeferralTest, WithoutTimeToWaitTheBusiestHourDecides) {
  const Deferral queue = defer(busy_mornings(), kHourLong, Seconds());
  EXPECT_NEAR(queue.most, 6, 1e-6);
  EXPECT_EQ(queue.rates.size(), 168U);
}

TEST(DeferralTest, RequestsOfATraceKeepTheirOrderAndComeNoFasterThanTheRate) {
  Trace trace;
  for (int i = 0; i < 10; ++i) trace.requests.push_back({.at = 1000 * i, .input = i, .output = 1});
  const Trace held = deferred(trace, Hertz::from_base(2));
  for (std::size_t i = 0; i < held.size(); ++i) {
    EXPECT_EQ(held.requests[i].input, static_cast<int>(i));
    EXPECT_GE(held.requests[i].at, trace.requests[i].at);
    if (i > 0) {
      EXPECT_GE(held.requests[i].at - held.requests[i - 1].at, 500'000'000);
    }
  }
}

}  // namespace
}  // namespace loadfactor::demand
