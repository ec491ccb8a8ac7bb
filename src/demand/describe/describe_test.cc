// What a trace is like, held to counting by hand and to slow ways of counting the same.
#include <algorithm>
#include <cmath>
#include <list>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/calendar.h"
#include "demand/describe/characterise.h"
#include "demand/describe/cluster_use.h"
#include "demand/describe/lengths.h"
#include "demand/describe/prefix_reuse.h"
#include "demand/describe/traffic_fit.h"
#include "demand/describe/week_fit.h"
#include "demand/describe/week_hours.h"

namespace loadfactor::demand {
namespace {

constexpr Nanoseconds kSecond = kNanosecondsPerSecond;

Trace at_seconds(const std::vector<double>& seconds) {
  Trace trace;
  for (const double second : seconds)
    trace.requests.push_back({std::llround(second * 1e9), 100, 10});
  return trace;
}

Trace random_arrivals(unsigned seed, int count, double mean_gap) {
  std::mt19937 random(seed);
  std::exponential_distribution<double> gap(1 / mean_gap);
  std::vector<double> seconds{0};
  while (static_cast<int>(seconds.size()) < count) seconds.push_back(seconds.back() + gap(random));
  return at_seconds(seconds);
}

// Windows one by one, empty ones too.
std::vector<double> counts_of(const Trace& trace, Nanoseconds step) {
  std::vector<double> counts(
      static_cast<std::size_t>((trace.requests.back().at - trace.requests.front().at) / step), 0.0);
  for (const auto& request : trace.requests) {
    const auto index = static_cast<std::size_t>((request.at - trace.requests.front().at) / step);
    if (index < counts.size()) ++counts[index];
  }
  return counts;
}

TEST(WindowStatisticsTest, AreThoseOfEveryWindowCountedByItself) {
  for (const unsigned seed : {1U, 2U, 3U})
    for (const double window : kWindows) {
      const Trace trace = random_arrivals(seed, 5000, 0.7);
      const auto counts = counts_of(trace, std::llround(window * 1e9));
      double sum = 0, squares = 0;
      for (const double count : counts) {
        sum += count;
        squares += count * count;
      }
      const auto size = static_cast<double>(counts.size());
      const double mean = sum / size;
      const auto s = window_statistics(trace, Seconds::from_base(window));
      EXPECT_EQ(s.windows, std::ssize(counts));
      EXPECT_NEAR(s.mean.base(), mean / window, 1e-12);
      EXPECT_DOUBLE_EQ(s.peak.base(), *std::max_element(counts.begin(), counts.end()) / window);
      EXPECT_NEAR(s.dispersion, (squares / size - mean * mean) / mean, 1e-9);
      EXPECT_NEAR(s.peak_to_mean() * s.mean_to_peak(), 1, 1e-12);
    }
}

// One request a second for 100 s, nothing known for another 100, and one a second again.
TEST(WindowStatisticsTest, MissingDataIsNotSilence) {
  std::vector<double> seconds;
  for (int i = 0; i < 100; ++i) seconds.push_back(i);
  for (int i = 200; i <= 300; ++i) seconds.push_back(i);
  const Trace trace = at_seconds(seconds);
  const auto silent = window_statistics(trace, Seconds::from_base(10));
  EXPECT_EQ(silent.windows, 30);
  EXPECT_NEAR(silent.mean.base(), 200.0 / 300, 1e-12);
  const std::vector<Gap> gaps{{99 * kSecond, 101 * kSecond}};
  const auto missing = window_statistics(trace, Seconds::from_base(10), gaps);
  EXPECT_EQ(missing.windows, 20);
  EXPECT_DOUBLE_EQ(missing.mean.base(), 1);
  EXPECT_DOUBLE_EQ(missing.dispersion, 0);
  EXPECT_NEAR(characterise(trace, gaps).mean_rate.base(), 201.0 / 199, 1e-12);
  EXPECT_NEAR(characterise(trace).mean_rate.base(), 201.0 / 300, 1e-12);
}

TEST(CharacteriseTest, GapsBetweenArrivalsByHand) {
  EXPECT_DOUBLE_EQ(gap_cv(at_seconds({0, 2, 4, 6, 8})), 0);
  EXPECT_DOUBLE_EQ(gap_cv(at_seconds({0, 1, 4, 5, 8})), 0.5);  // Gaps of 1 and 3.
  EXPECT_DOUBLE_EQ(gap_cv(at_seconds({0, 1})), 0);
  EXPECT_DOUBLE_EQ(characterise(at_seconds({0, 0, 0, 5, 5})).zero_gaps, 0.75);
}

TEST(CharacteriseTest, ATraceThatIsTwiceAsDenseHasTwiceTheRateAndTheSameGaps) {
  const Trace trace = random_arrivals(5, 3000, 1.0);
  const auto once = characterise(trace);
  const auto twice = characterise(compressed(trace, 2));
  EXPECT_NEAR(twice.mean_rate / once.mean_rate, 2, 1e-6);
  EXPECT_NEAR(*twice.cv, *once.cv, 1e-6);
  EXPECT_EQ(twice.requests, once.requests);
}

TEST(CharacteriseTest, ClientsAndSessionsAreCounted) {
  Trace trace = at_seconds({0, 1, 2, 3});
  trace.clients = {0, 1, 0, 0};
  trace.sessions = {0, 1, 2, 2};
  const auto c = characterise(trace);
  EXPECT_EQ(c.clients, 2);
  EXPECT_EQ(c.sessions, 3);
  EXPECT_DOUBLE_EQ(c.top_client_share, 0.75);
}

TEST(CharacteriseTest, LengthsWithoutTimesHaveNoRate) {
  Trace trace = at_seconds({0, 0, 0});
  trace.is_timed = false;
  const auto c = characterise(trace);
  EXPECT_EQ(c.input->count, 3);
  EXPECT_FALSE(c.cv.has_value());
  EXPECT_TRUE(c.windows.empty());
}

// An hour of 10 and an hour of 2 requests a second, then one of 6.
TEST(CharacteriseTest, AProfileOfHoursByHand) {
  RateProfile profile;
  for (const double rate : {10.0, 2.0, 6.0})
    profile.windows.push_back(
        {static_cast<Nanoseconds>(profile.windows.size()) * kNanosecondsPerHour,
         kNanosecondsPerHour, Hertz::from_base(rate)});
  const auto c = characterise(profile);
  EXPECT_EQ(c.requests, 18 * 3600);
  EXPECT_DOUBLE_EQ(c.mean_rate.base(), 6);
  EXPECT_DOUBLE_EQ(c.window(3600)->peak.base(), 10);
  EXPECT_NEAR(*c.hours_below_quarter, 1.0 / 3, 1e-12);  // 2 is below 2.5.
  EXPECT_NEAR(*c.hours_below_half, 1.0 / 3, 1e-12);     // 6 is not below 5.
  EXPECT_DOUBLE_EQ(c.week.rate[0][1], 2);
  EXPECT_LT(c.week.rate[0][3], 0) << "no data";
  EXPECT_DOUBLE_EQ(c.week.by_day()[0], 6);
  EXPECT_LT(c.week.by_day()[1], 0);
  EXPECT_DOUBLE_EQ(c.week.by_hour()[0], 10);
}

std::vector<std::int32_t> up_to(int last) {
  std::vector<std::int32_t> lengths;
  for (int i = 1; i <= last; ++i) lengths.push_back(i);
  return lengths;
}

TEST(LengthsTest, OneToAHundredAndOneByHand) {
  const auto s = describe_lengths(up_to(101));
  EXPECT_EQ(s.count, 101);
  EXPECT_DOUBLE_EQ(s.mean, 51);
  EXPECT_DOUBLE_EQ(s.percentiles[0], 2);    // p1
  EXPECT_DOUBLE_EQ(s.percentiles[4], 51);   // p50
  EXPECT_DOUBLE_EQ(s.percentiles[8], 100);  // p99
  EXPECT_EQ(s.longest, 101);
  EXPECT_NEAR(s.cv, std::sqrt((101.0 * 101 - 1) / 12) / 51, 1e-12);
}

TEST(LengthsTest, TwiceTheLengthsMoveTheFitByLogTwo) {
  const auto once = describe_lengths(up_to(50));
  auto doubled = up_to(50);
  for (auto& length : doubled) length *= 2;
  const auto twice = describe_lengths(doubled);
  EXPECT_NEAR(twice.lognormal_mu - once.lognormal_mu, std::numbers::ln2, 1e-12);
  EXPECT_NEAR(twice.lognormal_sigma, once.lognormal_sigma, 1e-12);
  EXPECT_NEAR(twice.lognormal_ks, once.lognormal_ks, 1e-12);
  EXPECT_NEAR(twice.cv, once.cv, 1e-12);
}

TEST(LengthsTest, ZerosCountButHaveNoLogarithm) {
  auto lengths = up_to(10);
  const auto without = describe_lengths(lengths);
  lengths.insert(lengths.end(), 10, 0);
  const auto with_zeros = describe_lengths(lengths);
  EXPECT_EQ(with_zeros.zeros, 10);
  EXPECT_DOUBLE_EQ(with_zeros.mean, without.mean / 2);
  EXPECT_DOUBLE_EQ(with_zeros.lognormal_mu, without.lognormal_mu);
  EXPECT_EQ(describe_lengths({}).count, 0);
}

TEST(LengthsTest, RanksCorrelateWhateverTheScale) {
  const std::vector<std::int32_t> x{1, 2, 2, 3}, y{1, 2, 3, 4};
  EXPECT_NEAR(rank_correlation(x, y), 4.5 / std::sqrt(4.5 * 5), 1e-12);
  EXPECT_NEAR(rank_correlation(y, x), rank_correlation(x, y), 1e-12);
  const std::vector<std::int32_t> squares{1, 4, 9, 16}, falling{9, 7, 5, 3}, constant{5, 5, 5, 5};
  EXPECT_DOUBLE_EQ(rank_correlation(y, squares), 1);
  EXPECT_DOUBLE_EQ(rank_correlation(y, falling), -1);
  EXPECT_EQ(rank_correlation(y, constant), 0);
}

TEST(LengthsTest, DistancesOfSamplesByHand) {
  const std::vector<std::int32_t> low{1, 2, 3}, high{4, 5}, four{1, 2, 3, 4}, later{3, 4, 5, 6};
  EXPECT_DOUBLE_EQ(kolmogorov_distance(low, high), 1);
  EXPECT_DOUBLE_EQ(kolmogorov_distance(four, later), 0.5);
  EXPECT_DOUBLE_EQ(kolmogorov_distance(later, four), 0.5);
  EXPECT_DOUBLE_EQ(kolmogorov_distance(four, four), 0);
  EXPECT_EQ(kolmogorov_distance(four, {}), 0);
}

// Prompts of one to six blocks, which begin alike more often than not.
Trace prompts_with_blocks(unsigned seed) {
  std::mt19937 random(seed);
  Trace trace;
  trace.prefixes.block_tokens = 16;
  trace.prefixes.first.push_back(0);
  for (int i = 0; i < 300; ++i) {
    const auto blocks = 1 + random() % 6;
    auto id = static_cast<std::uint32_t>(random() % 4);
    for (std::uint32_t b = 0; b < blocks; ++b) {
      trace.prefixes.ids.push_back(id);
      id = 4 + static_cast<std::uint32_t>(id * 3 + random() % 2) % 60;
    }
    trace.prefixes.first.push_back(static_cast<std::uint32_t>(trace.prefixes.ids.size()));
    // The last block is not always full.
    trace.requests.push_back(
        {i * kSecond, static_cast<std::int32_t>(16 * blocks - random() % 16), 1});
  }
  return trace;
}

// The share of tokens that a cache of so many blocks finds, block by block.
double hit_by_cache(const Trace& trace, std::size_t size) {
  std::list<std::uint32_t> cache;
  std::int64_t found = 0, all = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    bool is_found = true;
    std::int64_t left = trace.requests[i].input;
    all += left;
    for (std::uint32_t at = trace.prefixes.first[i]; at < trace.prefixes.first[i + 1]; ++at) {
      const auto there = std::find(cache.begin(), cache.end(), trace.prefixes.ids[at]);
      is_found = is_found && there != cache.end();
      if (there != cache.end()) cache.erase(there);
      cache.push_front(trace.prefixes.ids[at]);
      if (cache.size() > size) cache.pop_back();
      if (!is_found) continue;
      const std::int64_t tokens = std::min<std::int64_t>(left, trace.prefixes.block_tokens);
      found += tokens;
      left -= tokens;
    }
  }
  return static_cast<double>(found) / static_cast<double>(all);
}

TEST(PrefixReuseTest, OnePassTellsWhatACacheOfEachSizeFinds) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const Trace trace = prompts_with_blocks(seed);
    const auto reuse = measure_prefix_reuse(trace);
    for (const std::size_t size : {1U, 2U, 5U, 10U, 20U, 40U, 64U})
      EXPECT_NEAR(reuse.hit(static_cast<std::int64_t>(size)), hit_by_cache(trace, size), 1e-12)
          << seed << " " << size;
    EXPECT_NEAR(reuse.unlimited_hit, hit_by_cache(trace, 1000), 1e-12);
    EXPECT_GT(reuse.unlimited_hit, reuse.hit(5));
    auto ids = trace.prefixes.ids;
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(reuse.unique_blocks, std::unique(ids.begin(), ids.end()) - ids.begin());
  }
}

TEST(PrefixReuseTest, ATraceWithoutBlocksSharesNothing) {
  EXPECT_EQ(measure_prefix_reuse(at_seconds({0, 1})).total_blocks, 0);
  EXPECT_EQ(measure_prefix_reuse(at_seconds({0, 1})).hit(1000), 0);
}

Job job(double submit, double start, double end, int gpus, bool succeeded = true) {
  const auto at = [](double hours) { return std::llround(hours * 3600) * kSecond; };
  return {at(submit), at(start), at(end), gpus, succeeded, true};
}

TEST(ClusterUseTest, ThreeJobsByHand) {
  JobTrace trace{.jobs = {job(0, 0, 2, 8), job(0, 1, 1.5, 16, false), job(1, 3, 4, 4)},
                 .knows_state = true};
  trace.jobs[2].is_over = false;
  const ClusterUse use = measure_cluster_use(trace);
  EXPECT_DOUBLE_EQ(use.gpu_seconds, 28 * 3600);
  EXPECT_DOUBLE_EQ(use.useful_gpu_seconds, 16 * 3600);
  EXPECT_DOUBLE_EQ(use.open_gpu_seconds, 4 * 3600);
  EXPECT_EQ(use.peak_gpus, 24);
  EXPECT_EQ(use.largest_job, 16);
  EXPECT_DOUBLE_EQ(use.mean_gpus, 7);
  EXPECT_DOUBLE_EQ(use.median_wait / kHour, 1);
  EXPECT_DOUBLE_EQ(use.p95_wait / kHour, 2);
  EXPECT_DOUBLE_EQ(use.succeeded_share, 0.5) << "the open job is in neither";
  EXPECT_EQ(use.series, (std::vector<double>{8, 16, 0, 4}));
}

TEST(ClusterUseTest, WithoutStatesNothingIsKnownToHaveSucceeded) {
  const ClusterUse use = measure_cluster_use({.jobs = {job(0, 0, 2, 8), job(0, 0, 1, 1)}});
  EXPECT_EQ(use.open_jobs, 2);
  EXPECT_DOUBLE_EQ(use.open_gpu_seconds, use.gpu_seconds);
  EXPECT_EQ(use.useful_gpu_seconds, 0);
  EXPECT_EQ(use.succeeded_share, 0);
}

TEST(ClusterUseTest, HoursHoldAllThatWasAllocated) {
  std::mt19937 random(7);
  JobTrace trace{.knows_state = true};
  for (int i = 0; i < 200; ++i) {
    const double submit = 0.1 * i;
    const double start = submit + 0.01 * static_cast<double>(random() % 300);
    trace.jobs.push_back(job(submit, start, start + 0.02 * static_cast<double>(1 + random() % 500),
                             static_cast<int>(1 + random() % 64), random() % 3 != 0));
  }
  const ClusterUse use = measure_cluster_use(trace);
  double hours = 0;
  for (const double gpus : use.series) hours += gpus;
  EXPECT_NEAR(hours * 3600 / use.gpu_seconds, 1, 1e-9);
  EXPECT_LE(*std::max_element(use.series.begin(), use.series.end()),
            static_cast<double>(use.peak_gpus));
  EXPECT_LE(use.useful_gpu_seconds, use.gpu_seconds);
}

// 1970-01-01 was a Thursday.
TEST(ClusterUseTest, HoursOfTheWeekFollowTheCalendarWhereThereIsOne) {
  JobTrace trace{.jobs = {job(0, 0, 1, 8)}, .has_calendar = true};
  EXPECT_DOUBLE_EQ(measure_cluster_use(trace).week.rate[3][0], 8);
  trace.origin = 4 * 24 * kNanosecondsPerHour;
  EXPECT_DOUBLE_EQ(measure_cluster_use(trace).week.rate[0][0], 8);
  trace.has_calendar = false;
  EXPECT_DOUBLE_EQ(measure_cluster_use(trace).week.rate[0][0], 8);
}

// Two weeks by ten minutes whose logarithm is one wave a day, one half a day, and a weekend.
RateProfile waves(double weekend) {
  RateProfile profile{.has_calendar = true, .origin = 4 * 24 * kNanosecondsPerHour};  // A Monday.
  const double turn = 2 * std::numbers::pi / 24;
  for (int i = 0; i < 2 * 7 * 24 * 6; ++i) {
    const double hour = (i + 0.5) / 6;
    const bool is_weekend = std::fmod(hour, 168) >= 120;
    const double log_rate =
        0.6 * std::cos(turn * (hour - 14)) + 0.2 * std::cos(2 * turn * (hour - 3));
    profile.windows.push_back(
        {i * 600 * kSecond, 600 * kSecond,
         Hertz::from_base(50 * std::exp(log_rate) * (is_weekend ? weekend : 1))});
  }
  return profile;
}

TEST(WeekFitTest, WavesThatMadeARateAreFoundInIt) {
  TrafficModel model;
  EXPECT_NEAR(fit_week(waves(0.5), model), 1, 1e-9);
  EXPECT_NEAR(model.base.base(), 50, 1e-6);
  EXPECT_NEAR(model.day.amplitude, 0.6, 1e-9);
  EXPECT_NEAR(model.day.peak_hour, 14, 1e-6);
  EXPECT_NEAR(model.half_day.amplitude, 0.2, 1e-9);
  EXPECT_NEAR(model.half_day.peak_hour, 3, 1e-6);
  EXPECT_NEAR(model.weekend, 0.5, 1e-9);
  EXPECT_NEAR(model.slow.sigma, 0, 1e-6);
}

TEST(WeekFitTest, AWeekendIsToldByDatesAlone) {
  RateProfile profile = waves(0.5);
  profile.has_calendar = false;
  TrafficModel model;
  EXPECT_LT(fit_week(profile, model), 1);
  EXPECT_EQ(model.weekend, 1);
}

TEST(HalvesTest, EachRequestIsInOneHalfOfTheTime) {
  const Trace trace = at_seconds({0, 1, 2, 9, 10});
  const Halves parts = halves(trace);
  EXPECT_EQ(parts.first.size(), 3U);
  ASSERT_EQ(parts.second.size(), 2U);
  EXPECT_EQ(parts.second.requests[1].at - parts.second.requests[0].at, kSecond);
}

}  // namespace
}  // namespace loadfactor::demand
