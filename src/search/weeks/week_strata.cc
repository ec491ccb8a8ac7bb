#include "search/weeks/week_strata.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace loadfactor::search {
namespace {

// Whether a queue is there, were the fleet a little slower than it is.
std::vector<bool> queued_windows(const WindowLoads& week) {
  std::vector<bool> queued(week.rates.size());
  double backlog = 0;  // In windows of the whole fleet's work.
  for (std::size_t i = 0; i < week.rates.size(); ++i) {
    const double before = backlog;
    backlog = std::max(0.0, backlog + week.offered[i] - week.all_but_full * week.there[i]);
    queued[i] = before > 0 || backlog > 0;
  }
  return queued;
}

WeekUnit unit_of(const WindowLoads& week, std::size_t first, std::size_t windows) {
  WeekUnit unit{.first = first, .windows = windows};
  for (std::size_t i = first; i < first + windows; ++i) {
    unit.requests += week.seconds * week.rates[i];
    unit.load = std::max(unit.load, week.of(i));
  }
  return unit;
}

void add(const WeekUnit& unit, WeekStratum& stratum) {
  stratum.requests += unit.requests;
  stratum.windows += static_cast<double>(unit.windows);
  stratum.units.push_back(unit);
}

// Puts units into an order of which every beginning is spread evenly over all of them.
void spread(std::vector<WeekUnit>& units) {
  constexpr double kGolden = 0.6180339887498949;
  std::vector<std::pair<double, std::size_t>> places;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const double place = (static_cast<double>(i) + 0.5) * kGolden;
    places.emplace_back(place - std::floor(place), i);
  }
  std::sort(places.begin(), places.end());
  std::vector<WeekUnit> ordered;
  for (const auto& place : places) ordered.push_back(units[place.second]);
  units = std::move(ordered);
}

// Requests seen of a stratum, and of them those that are late.
struct Seen {
  double of = 0;
  double late = 0;
};
Seen seen_of(const WeekStratum& stratum, std::int64_t SpanCounts::*late,
             std::int64_t SpanCounts::*of) {
  Seen seen;
  for (const SpanCounts& counts : stratum.seen) {
    seen.of += static_cast<double>(counts.*of);
    seen.late += static_cast<double>(counts.*late);
  }
  return seen;
}

double copies_in(const SpanCounts& counts) {
  double sum = 0;
  double seconds = 0;
  for (std::size_t count = 0; count < counts.on.size(); ++count) {
    sum += static_cast<double>(count) * counts.on[count];
    seconds += counts.on[count];
  }
  return seconds > 0 ? sum / seconds : 0;
}

double total_windows(const std::vector<WeekStratum>& strata) {
  double windows = 0;
  for (const WeekStratum& stratum : strata) windows += stratum.windows;
  return windows;
}

}  // namespace

double WindowLoads::of(std::size_t window) const {
  constexpr double kNobody = 1e-6;
  return offered[window] / std::max(kNobody, there[window]);
}

std::vector<WeekStratum> strata_of(const WindowLoads& week, std::size_t windows_each) {
  const std::vector<bool> queued = queued_windows(week);
  WeekStratum whole;
  whole.is_whole = true;
  std::vector<WeekUnit> others;
  for (std::size_t first = 0; first < queued.size();) {
    std::size_t count = 0;
    while (first + count < queued.size() && queued[first + count]) ++count;
    if (count > 0) {
      add(unit_of(week, first, count), whole);
    } else {
      while (count < windows_each && first + count < queued.size() && !queued[first + count])
        ++count;
      others.push_back(unit_of(week, first, count));
    }
    first += count;
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const WeekUnit& a, const WeekUnit& b) { return a.load > b.load; });
  // Most of what is late comes in the fullest windows, which differ most: groups are small there.
  constexpr std::array<double, 8> kParts{0.04, 0.08, 0.14, 0.22, 0.32, 0.45, 0.65, 1};
  std::vector<WeekStratum> strata;
  if (!whole.units.empty()) strata.push_back(std::move(whole));
  std::size_t begin = 0;
  for (const double part : kParts) {
    const auto end =
        static_cast<std::size_t>(std::llround(part * static_cast<double>(others.size())));
    if (end <= begin) continue;
    WeekStratum stratum;
    for (; begin < end; ++begin) add(others[begin], stratum);
    spread(stratum.units);
    strata.push_back(std::move(stratum));
  }
  return strata;
}

// Each stratum has a ratio, since units differ in what comes; errors of strata are independent.
SampledShare share_of(const std::vector<WeekStratum>& strata, std::int64_t SpanCounts::*late,
                      std::int64_t SpanCounts::*of) {
  double total = 0;
  double sum = 0;
  double variance = 0;
  for (const WeekStratum& stratum : strata) {
    const Seen seen = seen_of(stratum, late, of);
    total += stratum.requests;
    if (seen.of <= 0) continue;
    const double share = seen.late / seen.of;
    sum += stratum.requests * share;
    // Requests alone scatter so much, and one that is late might have been among those seen.
    double each = std::max(share, 1 / seen.of) / seen.of;
    const auto count = static_cast<double>(stratum.seen.size());
    if (!stratum.is_whole && count > 1) {
      double squares = 0;
      for (const SpanCounts& counts : stratum.seen) {
        const double beyond =
            static_cast<double>(counts.*late) - share * static_cast<double>(counts.*of);
        squares += beyond * beyond;
      }
      each = std::max(each, squares * count / (count - 1) / (seen.of * seen.of));
    }
    variance += stratum.requests * stratum.requests * each;
  }
  if (total <= 0) return {};
  return {sum / total, std::sqrt(variance) / total};
}

SampledShare copies_of(const std::vector<WeekStratum>& strata) {
  const double total = total_windows(strata);
  SampledShare copies;
  double variance = 0;
  for (const WeekStratum& stratum : strata) {
    const auto count = static_cast<double>(stratum.seen.size());
    if (count == 0) continue;
    double mean = 0;
    double windows = 0;
    for (std::size_t i = 0; i < stratum.seen.size(); ++i) {
      const auto length = static_cast<double>(stratum.units[i].windows);
      mean += length * copies_in(stratum.seen[i]);
      windows += length;
    }
    mean /= windows;
    const double weight = stratum.windows / total;
    copies.value += weight * mean;
    if (stratum.is_whole || count < 2) continue;
    double squares = 0;
    for (const SpanCounts& counts : stratum.seen)
      squares += (copies_in(counts) - mean) * (copies_in(counts) - mean);
    variance += weight * weight * squares / (count - 1) / count;
  }
  copies.error = std::sqrt(variance);
  return copies;
}

std::vector<double> on_of(const std::vector<WeekStratum>& strata) {
  const double total = total_windows(strata);
  std::vector<double> on;
  for (const WeekStratum& stratum : strata) {
    double seconds = 0;
    for (const SpanCounts& counts : stratum.seen)
      for (const double time : counts.on) seconds += time;
    if (seconds <= 0) continue;
    for (const SpanCounts& counts : stratum.seen) {
      if (on.size() < counts.on.size()) on.resize(counts.on.size());
      for (std::size_t i = 0; i < counts.on.size(); ++i)
        on[i] += stratum.windows / total * counts.on[i] / seconds;
    }
  }
  return on;
}

}  // namespace loadfactor::search
