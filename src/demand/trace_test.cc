#include "demand/trace.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/distributions.h"
#include "demand/describe/characterise.h"

namespace loadfactor::demand {
namespace {

Trace random_trace(std::uint64_t seed, int requests) {
  RandomStream stream(seed, "trace test");
  Trace trace;
  Nanoseconds at = 0;
  for (int i = 0; i < requests; ++i) {
    trace.requests.push_back({at, static_cast<std::int32_t>(1 + stream.below(4000)),
                              static_cast<std::int32_t>(1 + stream.below(900))});
    trace.clients.push_back(static_cast<std::int32_t>(stream.below(5)));
    at += static_cast<Nanoseconds>(1e9 * exponential(stream, 0.5));
  }
  return trace;
}

TEST(TraceTest, CompressingByKMultipliesTheRateAndLeavesTheLengths) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Trace trace = random_trace(seed, 2000);
    const double factor = 1.0 + static_cast<double>(seed) / 3;
    const auto before = characterise(trace);
    const auto after = characterise(compressed(trace, factor));
    EXPECT_NEAR(after.mean_rate / before.mean_rate, factor, 1e-6);
    EXPECT_NEAR(*after.cv, *before.cv, 1e-6);
    EXPECT_EQ(after.input->percentiles, before.input->percentiles);
    EXPECT_EQ(after.output->mean, before.output->mean);
  }
}

// Runs of every length, from records one behind the other to times in no order at all.
TEST(TraceTest, RequestsOfOneTimeStayInTheOrderTheyWereRead) {
  RandomStream stream(5, "order test");
  for (const std::uint64_t run : {1, 2, 7, 9, 40, 333, 5000}) {
    Trace trace;
    Nanoseconds at = 0;
    for (std::int32_t i = 0; i < 2000; ++i) {
      if (static_cast<std::uint64_t>(i) % run == 0) at = static_cast<Nanoseconds>(stream.below(50));
      at += static_cast<Nanoseconds>(stream.below(3));
      trace.requests.push_back({at, i + 1, 1});
    }
    auto expected = trace.requests;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const Request& a, const Request& b) { return a.at < b.at; });
    const Nanoseconds first = expected.front().at;
    put_in_order(trace);
    ASSERT_EQ(trace.requests.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(trace.requests[i].at, expected[i].at - first);
      EXPECT_EQ(trace.requests[i].input, expected[i].input);
    }
  }
}

TEST(TraceTest, ScalingKeepsTheTimeAndMultipliesTheRequestsOfEveryStretch) {
  for (const double factor : {0.01, 0.3, 1.0, 1.5, 2.0, 3.7}) {
    const Trace trace = random_trace(7, 5000);
    const Trace more = scaled(trace, factor);
    EXPECT_NEAR(static_cast<double>(more.size()), 5000 * factor, 1) << factor;
    ASSERT_EQ(more.clients.size(), more.size());
    EXPECT_TRUE(std::is_sorted(more.requests.begin(), more.requests.end(),
                               [](const Request& a, const Request& b) { return a.at < b.at; }));
    const Nanoseconds half = trace.requests[2500].at;
    const auto before_half = std::count_if(more.requests.begin(), more.requests.end(),
                                           [&](const Request& each) { return each.at < half; });
    EXPECT_NEAR(static_cast<double>(before_half), 2500 * factor, 2) << factor;
    EXPECT_LE(more.span(), trace.span());
  }
  EXPECT_EQ(scaled(random_trace(7, 100), 1.0).requests, random_trace(7, 100).requests);
}

TEST(TraceTest, ScalingRatesMultipliesEveryWindow) {
  RateProfile profile;
  profile.windows = {{0, 600, Hertz::from_base(2)}, {600, 600, Hertz::from_base(5)}};
  const RateProfile more = scaled(profile, 1.5);
  EXPECT_DOUBLE_EQ(more.windows[0].rate.base(), 3);
  EXPECT_DOUBLE_EQ(more.windows[1].rate.base(), 7.5);
}

TEST(TraceTest, SplittingAndMergingChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Trace trace = random_trace(seed, 500);
    RandomStream stream(seed, "split");
    Trace left;
    Trace right;
    for (std::size_t i = 0; i < trace.size(); ++i) {
      Trace& part = stream.uniform() < 0.3 ? left : right;
      part.requests.push_back(trace.requests[i]);
      part.clients.push_back(trace.clients[i]);
    }
    const Trace whole = merged({left, right});
    EXPECT_EQ(whole.requests, trace.requests);
  }
}

TEST(TraceTest, PartsWithNumbersForStampsFollowEachOther) {
  // Ten seconds of one clock in two files: the second begins at 5 s.
  Trace first;
  Trace second{.origin = 5 * kNanosecondsPerSecond};
  for (int i = 0; i < 5; ++i) {
    first.requests.push_back({i * kNanosecondsPerSecond, 1, 1});
    second.requests.push_back({i * kNanosecondsPerSecond, 2, 1});
  }
  EXPECT_DOUBLE_EQ(merged({first, second}).span().base(), 9);
  EXPECT_EQ(merged({first, second}).requests.back(), (Request{9 * kNanosecondsPerSecond, 2, 1}));
  second.has_calendar = true;  // No clock in common: both begin together.
  EXPECT_DOUBLE_EQ(merged({first, second}).span().base(), 4);
}

TEST(TraceTest, KCopiesPooledHaveKTimesTheRateAndLessDispersionPerRequest) {
  std::vector<Trace> copies;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) copies.push_back(random_trace(seed, 4000));
  const auto one = characterise(copies[0]);
  const auto all = characterise(merged(copies));
  EXPECT_NEAR(all.mean_rate / one.mean_rate, 4, 0.2);
  EXPECT_LT(all.window(10)->peak_to_mean(), one.window(10)->peak_to_mean());
}

TEST(TraceTest, WeekHoursFollowTheCalendar) {
  // 2024-05-13 was a Monday; one request a second from 09:00 to 10:00.
  Trace trace{.has_calendar = true};
  trace.origin = (days_from_civil(2024, 5, 13) * 86400 + 9 * 3600) * kNanosecondsPerSecond;
  for (int i = 0; i <= 3600; ++i) trace.requests.push_back({i * kNanosecondsPerSecond, 1, 1});
  const auto c = characterise(trace);
  EXPECT_NEAR(c.week.rate[0][9], 1.0, 0.001);
  EXPECT_LT(c.week.rate[0][8], 0);
  EXPECT_LT(c.week.rate[1][9], 0);
}

TEST(TraceTest, AGapIsNotCountedAsSilence) {
  Trace trace;
  for (int i = 0; i < 3600; ++i) trace.requests.push_back({i * kNanosecondsPerSecond, 1, 1});
  for (int i = 7200; i < 10800; ++i) trace.requests.push_back({i * kNanosecondsPerSecond, 1, 1});
  const std::vector<Gap> gaps{{3599 * kNanosecondsPerSecond, 3601 * kNanosecondsPerSecond}};
  EXPECT_NEAR(characterise(trace, gaps).mean_rate.base(), 1.0, 0.001);
  EXPECT_NEAR(characterise(trace, gaps).window(600)->mean_to_peak(), 1.0, 0.07);
  EXPECT_NEAR(characterise(trace).window(600)->mean_to_peak(), 2.0 / 3, 0.04);
}

}  // namespace
}  // namespace loadfactor::demand
