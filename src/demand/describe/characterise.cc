#include "demand/describe/characterise.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/calendar.h"
#include "demand/describe/week_hours.h"

namespace loadfactor::demand {
namespace {

Nanoseconds nanoseconds(Seconds time) {
  return std::llround(time.base() * 1e9);
}

Nanoseconds total(const std::vector<Gap>& gaps) {
  Nanoseconds sum = 0;
  for (const auto& gap : gaps) sum += gap.length;
  return sum;
}

bool is_inside_gap(Nanoseconds start, Nanoseconds end, const std::vector<Gap>& gaps) {
  return std::any_of(gaps.begin(), gaps.end(), [start, end](const Gap& gap) {
    return start >= gap.start && end <= gap.start + gap.length;
  });
}

// Which hour of the week a stamp lies in, Monday 0 h being 0.
std::int64_t hour_of_week(Nanoseconds since_origin, Nanoseconds origin, bool has_calendar) {
  if (!has_calendar) return since_origin / kNanosecondsPerHour % kHoursOfWeek;
  const std::int64_t hours = (origin + since_origin) / kNanosecondsPerHour + kHoursFromMonday;
  return ((hours % kHoursOfWeek) + kHoursOfWeek) % kHoursOfWeek;
}

// Gathers how much arrived, and for how long, in each hour of the week.
class WeekSums {
 public:
  void add(std::int64_t hour, double requests, double seconds) {
    requests_[static_cast<std::size_t>(hour)] += requests;
    seconds_[static_cast<std::size_t>(hour)] += seconds;
  }

  WeekProfile profile(bool has_calendar) const {
    WeekProfile week{.has_calendar = has_calendar};
    for (std::size_t i = 0; i < requests_.size(); ++i)
      week.rate[i / 24][i % 24] = seconds_[i] > 0 ? requests_[i] / seconds_[i] : -1;
    return week;
  }

 private:
  std::array<double, kHoursOfWeek> requests_{};
  std::array<double, kHoursOfWeek> seconds_{};
};

// Adds the time from `start` to `end` to the hours it covers, and the requests in proportion.
void add_stretch(WeekSums& sums, Nanoseconds start, Nanoseconds end, double rate,
                 const RateProfile& profile) {
  while (start < end) {
    const Nanoseconds base = profile.has_calendar ? profile.origin : 0;
    const Nanoseconds into_hour =
        (((base + start) % kNanosecondsPerHour) + kNanosecondsPerHour) % kNanosecondsPerHour;
    const Nanoseconds until = std::min(end, start + kNanosecondsPerHour - into_hour);
    const double seconds = in_seconds(until - start);
    sums.add(hour_of_week(start, profile.origin, profile.has_calendar), rate * seconds, seconds);
    start = until;
  }
}

WeekProfile week_of(const Trace& trace, const std::vector<Gap>& gaps) {
  // Observed time comes from the trace as a profile of rate zero, requests on top.
  WeekSums sums;
  const RateProfile clock{.has_calendar = trace.has_calendar, .origin = trace.origin};
  Nanoseconds from = trace.requests.front().at;
  for (const auto& gap : gaps) {
    add_stretch(sums, from, gap.start, 0, clock);
    from = gap.start + gap.length;
  }
  add_stretch(sums, from, trace.requests.back().at, 0, clock);
  for (const auto& request : trace.requests)
    sums.add(hour_of_week(request.at, trace.origin, trace.has_calendar), 1, 0);
  return sums.profile(trace.has_calendar);
}

// Rates of whole windows, less than zero inside a gap.
std::vector<double> rates(const Trace& trace, Seconds window, const std::vector<Gap>& gaps) {
  const Nanoseconds step = nanoseconds(window);
  const Nanoseconds first = trace.requests.front().at;
  const std::int64_t count = (trace.requests.back().at - first) / step;
  std::vector<double> series(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)), 0.0);
  for (const auto& request : trace.requests) {
    const auto index = static_cast<std::size_t>((request.at - first) / step);
    if (index < series.size()) series[index] += 1 / window.base();
  }
  for (std::size_t i = 0; i < series.size(); ++i) {
    const Nanoseconds start = first + static_cast<Nanoseconds>(i) * step;
    if (series[i] == 0 && is_inside_gap(start, start + step, gaps)) series[i] = -1;
  }
  return series;
}

void add_hours_below(const std::vector<double>& hours, Characterisation& into) {
  double busiest = 0;
  std::int64_t known = 0;
  for (const double rate : hours) {
    busiest = std::max(busiest, rate);
    known += rate >= 0 ? 1 : 0;
  }
  if (known < 2 || busiest <= 0) return;
  const auto below = [&](double share) {
    const auto count = std::count_if(hours.begin(), hours.end(), [&](double rate) {
      return rate >= 0 && rate < share * busiest;
    });
    return static_cast<double>(count) / static_cast<double>(known);
  };
  into.hours_below_quarter = below(0.25);
  into.hours_below_half = below(0.5);
}

void add_lengths(const Trace& trace, Characterisation& into) {
  const auto inputs = input_lengths(trace);
  const auto outputs = output_lengths(trace);
  into.input = describe_lengths(inputs);
  into.output = describe_lengths(outputs);
  into.length_correlation = rank_correlation(inputs, outputs);
  if (!trace.prefixes.empty()) into.prefixes = measure_prefix_reuse(trace);
}

void add_clients(const Trace& trace, Characterisation& into) {
  const auto count = [](const std::vector<std::int32_t>& numbers) {
    return numbers.empty() ? std::int64_t{0}
                           : std::int64_t{*std::max_element(numbers.begin(), numbers.end())} + 1;
  };
  into.clients = count(trace.clients);
  into.sessions = count(trace.sessions);
  if (trace.clients.empty()) return;
  std::vector<std::int64_t> requests(static_cast<std::size_t>(into.clients), 0);
  for (const std::int32_t client : trace.clients) ++requests[static_cast<std::size_t>(client)];
  into.top_client_share = static_cast<double>(*std::max_element(requests.begin(), requests.end())) /
                          static_cast<double>(trace.size());
}

// The profile's mean rates over steps of its own clock; less than zero where it has no data for
// half of a step or more.
std::vector<double> resampled(const RateProfile& profile, Seconds window) {
  const Nanoseconds step = nanoseconds(window);
  const auto& windows = profile.windows;
  const Nanoseconds end = windows.back().start + windows.back().length;
  std::vector<double> requests(static_cast<std::size_t>(end / step), 0.0);
  std::vector<double> covered(requests.size(), 0.0);
  for (const auto& w : windows) {
    for (Nanoseconds start = w.start; start < w.start + w.length;) {
      const Nanoseconds until = std::min(w.start + w.length, (start / step + 1) * step);
      const auto index = static_cast<std::size_t>(start / step);
      if (index < requests.size()) {
        requests[index] += w.rate.base() * in_seconds(until - start);
        covered[index] += in_seconds(until - start);
      }
      start = until;
    }
  }
  for (std::size_t i = 0; i < requests.size(); ++i)
    requests[i] = covered[i] >= 0.5 * window.base() ? requests[i] / covered[i] : -1;
  return requests;
}

WindowStatistics statistics_of(const std::vector<double>& series, Seconds window) {
  WindowStatistics s{.window = window};
  double sum = 0;
  double squares = 0;
  double peak = 0;
  for (const double rate : series) {
    if (rate < 0) continue;
    const double count = rate * window.base();
    ++s.windows;
    sum += count;
    squares += count * count;
    peak = std::max(peak, rate);
  }
  if (s.windows == 0) return s;
  const double mean = sum / static_cast<double>(s.windows);
  s.mean = Hertz::from_base(mean / window.base());
  s.peak = Hertz::from_base(peak);
  if (mean > 0) s.dispersion = (squares / static_cast<double>(s.windows) - mean * mean) / mean;
  return s;
}

}  // namespace

std::array<double, 24> WeekProfile::by_hour() const {
  std::array<double, 24> hours{};
  for (std::size_t hour = 0; hour < 24; ++hour) {
    double sum = 0;
    int known = 0;
    for (const auto& day : rate) {
      if (day[hour] < 0) continue;
      sum += day[hour];
      ++known;
    }
    hours[hour] = known > 0 ? sum / known : -1;
  }
  return hours;
}

std::array<double, 7> WeekProfile::by_day() const {
  std::array<double, 7> days{};
  for (std::size_t day = 0; day < 7; ++day) {
    double sum = 0;
    int known = 0;
    for (const double hour : rate[day]) {
      if (hour < 0) continue;
      sum += hour;
      ++known;
    }
    days[day] = known > 0 ? sum / known : -1;
  }
  return days;
}

const WindowStatistics* Characterisation::widest_meaningful_window() const {
  constexpr std::int64_t kMinWindows = 3;
  for (auto w = windows.rbegin(); w != windows.rend(); ++w)
    if (w->windows >= kMinWindows && w->peak >= mean_rate) return &*w;
  return nullptr;
}

const WindowStatistics* Characterisation::window(double seconds) const {
  for (const auto& candidate : windows)
    if (candidate.window.base() == seconds) return &candidate;
  return nullptr;
}

WindowStatistics window_statistics(const Trace& trace, Seconds window,
                                   const std::vector<Gap>& gaps) {
  WindowStatistics s{.window = window};
  if (trace.requests.empty()) return s;
  const Nanoseconds step = nanoseconds(window);
  const Nanoseconds first = trace.requests.front().at;
  s.windows = (trace.requests.back().at - first) / step;
  // Windows without a request add nothing to the sums, so that only occupied ones are visited.
  double sum = 0;
  double squares = 0;
  double peak = 0;
  for (std::size_t i = 0; i < trace.size();) {
    const std::int64_t index = (trace.requests[i].at - first) / step;
    const std::size_t from = i;
    while (i < trace.size() && (trace.requests[i].at - first) / step == index) ++i;
    if (index >= s.windows) break;
    const auto count = static_cast<double>(i - from);
    sum += count;
    squares += count * count;
    peak = std::max(peak, count);
  }
  for (const auto& gap : gaps) {
    const Nanoseconds inside = (gap.start + gap.length - first) / step - (gap.start - first) / step;
    s.windows -= std::max<Nanoseconds>(0, inside - 1);
  }
  if (s.windows < 1) return s;
  const double mean = sum / static_cast<double>(s.windows);
  s.mean = Hertz::from_base(mean / window.base());
  s.peak = Hertz::from_base(peak / window.base());
  if (mean > 0) s.dispersion = (squares / static_cast<double>(s.windows) - mean * mean) / mean;
  return s;
}

double gap_cv(const Trace& trace) {
  if (trace.size() < 3) return 0;
  const auto count = static_cast<double>(trace.size() - 1);
  const double mean = trace.span().base() / count;
  double squares = 0;
  for (std::size_t i = 1; i < trace.size(); ++i) {
    const double gap = in_seconds(trace.requests[i].at - trace.requests[i - 1].at);
    squares += (gap - mean) * (gap - mean);
  }
  return mean > 0 ? std::sqrt(squares / count) / mean : 0;
}

Characterisation characterise(const Trace& trace, const std::vector<Gap>& gaps) {
  Characterisation c;
  c.requests = static_cast<std::int64_t>(trace.size());
  c.is_timed = trace.is_timed;
  if (trace.requests.empty()) return c;
  add_lengths(trace, c);
  add_clients(trace, c);
  c.span = trace.span();
  const double observed = c.span.base() - in_seconds(total(gaps));
  if (!trace.is_timed || observed <= 0) return c;
  c.mean_rate = Hertz::from_base(static_cast<double>(c.requests) / observed);
  c.cv = gap_cv(trace);
  std::int64_t zeros = 0;
  for (std::size_t i = 1; i < trace.size(); ++i)
    zeros += trace.requests[i].at == trace.requests[i - 1].at ? 1 : 0;
  c.zero_gaps =
      static_cast<double>(zeros) / static_cast<double>(std::max<std::int64_t>(1, c.requests - 1));
  for (const double seconds : kWindows) {
    const auto s = window_statistics(trace, Seconds::from_base(seconds), gaps);
    if (s.windows > 0) c.windows.push_back(s);
  }
  c.week = week_of(trace, gaps);
  c.series = rates(trace, Seconds::from_base(kWindows[kTenMinutes]), gaps);
  add_hours_below(rates(trace, kHour, gaps), c);
  return c;
}

namespace {

std::vector<double> own_rates(const RateProfile& profile) {
  std::vector<double> rates;
  for (const auto& window : profile.windows) rates.push_back(window.rate.base());
  return rates;
}

}  // namespace

Characterisation characterise(const RateProfile& profile) {
  Characterisation c;
  if (profile.windows.empty()) return c;
  double requests = 0;
  double seconds = 0;
  double cv = 0;
  WeekSums sums;
  for (const auto& window : profile.windows) {
    const double length = in_seconds(window.length);
    requests += window.rate.base() * length;
    cv += window.cv * length;
    seconds += length;
    add_stretch(sums, window.start, window.start + window.length, window.rate.base(), profile);
  }
  c.requests = std::llround(requests);
  c.span = profile.span();
  c.mean_rate = Hertz::from_base(requests / seconds);
  c.cv = cv / seconds;
  c.week = sums.profile(profile.has_calendar);
  const double finest = in_seconds(profile.windows.front().length);
  for (const double width : kWindows) {
    if (width < finest) continue;
    // Windows that already have this width are used as they are: a grid could cut them.
    const bool is_own = width == finest;
    const auto s =
        statistics_of(is_own ? own_rates(profile) : resampled(profile, Seconds::from_base(width)),
                      Seconds::from_base(width));
    if (s.windows > 0) c.windows.push_back(s);
  }
  c.series = resampled(profile, Seconds::from_base(std::max(kWindows[kTenMinutes], finest)));
  // A file coarser than ten minutes still has a peak, of its own windows.
  if (c.window(kWindows[kTenMinutes]) == nullptr && !c.series.empty())
    c.windows.push_back(statistics_of(c.series, Seconds::from_base(finest)));
  add_hours_below(resampled(profile, Seconds::from_base(std::max(kHour.base(), finest))), c);
  return c;
}

}  // namespace loadfactor::demand
