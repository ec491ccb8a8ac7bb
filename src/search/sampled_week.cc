#include "search/sampled_week.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "demand/generate.h"
#include "search/serving_weeks.h"
#include "search/weeks/week_strata.h"
#include "serving/simulator/span_arrivals.h"

namespace loadfactor::search {
namespace {

serving::Ticks ticks(double seconds) {
  return sim::ticks_of(Seconds::from_base(seconds));
}

// What is sampled: a week in windows of ten minutes. Of a week that is too long to be simulated,
// the part that would be, in shorter windows: a few thousand requests say as much of a window as
// the tens of thousands of ten minutes do.
struct SampledPath {
  demand::TrafficModel model;  // Moved to the mean that a week has.
  double seconds = kWeekSeconds;
  double window = kWindowSeconds;
  WeekShapes::Steps steps;
  std::vector<double> rates;  // By window.
};

SampledPath path_of_week(const SizingProblem& problem, std::uint64_t seed) {
  SampledPath path{.model = problem.model,
                   .steps = problem.shapes->steps_of(problem.model, seed),
                   .rates = problem.shapes->week(problem.model, seed, kWeekSeconds)->rates};
  const double mean = demand::expected_rate(problem.model).base();
  for (double& rate : path.rates) rate *= mean;
  path.model.base = path.model.base * problem.shapes->factor_to_mean(problem.model, seed);
  return path;
}

SampledPath path_of_part(const SizingProblem& problem, std::uint64_t seed, double seconds) {
  constexpr double kRequestsOfWindow = 4000;
  const double mean = demand::expected_rate(problem.model).base();
  const double parts = std::max(1.0, std::round(kWindowSeconds * mean / kRequestsOfWindow));
  SampledPath path{.model = model_of_part(problem.model, seconds),
                   .seconds = seconds,
                   .window = kWindowSeconds / parts,
                   .steps = nullptr,
                   .rates = {}};
  path.model.base = path.model.base * problem.shapes->factor_to_mean(problem.model, seed);
  const Seconds length = Seconds::from_base(seconds);
  path.steps = std::make_shared<const std::vector<demand::RateStep>>(
      demand::rate_steps(path.model, seed, length));
  const auto profile =
      demand::rates_of(path.model, *path.steps, length, Seconds::from_base(path.window));
  for (const auto& window : profile.windows) path.rates.push_back(window.rate.base());
  return path;
}

SampledPath path_of(const SizingProblem& problem, const SimulatedFleet& fleet, std::uint64_t seed) {
  const double seconds = simulated_seconds(problem, fleet);
  return seconds < kWeekSeconds ? path_of_part(problem, seed, seconds)
                                : path_of_week(problem, seed);
}

// One fleet, one week, more and more of its windows.
class WeekSampler {
 public:
  WeekSampler(const SizingProblem& problem, const SimulatedFleet& fleet, const SizedDeployment& d,
              const FleetQuestion& ask, std::uint64_t seed)
      : problem_(problem),
        fleet_(fleet),
        d_(d),
        ask_(ask),
        path_(path_of(problem, fleet, seed)),
        draws_(draws_of(problem, path_.seconds)),
        strata_(strata_of(loads(), windows_of_unit())) {
    for (const WeekStratum& stratum : strata_) week_ += stratum.requests;
    set_first_look();
  }

  std::optional<SampledWeek> run() {
    for (int look = 0; look < kLooks; ++look) {
      if (requests_after(look) > kMostSimulated * week_) return std::nullopt;
      take(look);
      if (problem_.is_stopped()) return std::nullopt;
      const auto verdict = verdict_of(look);
      if (verdict) return answer(*verdict);
      if (carries_over_ || is_close_) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  static constexpr int kLooks = 5;
  // Each look takes so many times the units of the one before.
  static constexpr double kMore = 1.6;
  static constexpr double kMostSimulated = 0.6;
  // A queue outlives a short window sooner than one of ten minutes.
  static constexpr double kAllButFullOfPart = 0.85;
  // Units of a stratum in the first look, and units that strata share by how they differ.
  static constexpr std::size_t kFewest = 2;
  static constexpr double kShared = 32;
  static constexpr double kSharedScaled = 12;

  // Replicas come and go within the hour.
  std::size_t windows_of_unit() const {
    constexpr double kHourSeconds = 3600;
    return ask_.scaling ? static_cast<std::size_t>(std::lround(kHourSeconds / path_.window)) : 1;
  }

  // The same for every week, so that they are made once: what differs is when requests come.
  static std::shared_ptr<demand::RequestDraws> draws_of(const SizingProblem& problem,
                                                        double seconds) {
    const double expected = kMostSimulated * demand::expected_rate(problem.model).base() * seconds;
    auto draws = problem.shapes->draws().of(problem.model, problem.seed, expected);
    if (draws) return draws;
    return std::make_shared<demand::RequestDraws>(problem.model, problem.seed,
                                                  demand::Keeping::kNothing);
  }

  int copies() const { return d_.plan.choice.layout.dp; }

  // What comes in each window, and which share of the fleet is not out.
  WindowLoads loads() const {
    WindowLoads week{.rates = path_.rates, .offered = {}, .there = {}, .seconds = path_.window};
    if (path_.seconds < kWeekSeconds) week.all_but_full = kAllButFullOfPart;
    const double all = d_.replicas * d_.figures.capacity.saturated.base();
    for (const double rate : week.rates) week.offered.push_back(rate / all);
    const double copy = 1.0 / (d_.replicas * copies());
    week.there.assign(week.rates.size(), 1.0);
    for (const serving::Failure& outage : ask_.outages) {
      const double from = sim::seconds_of(outage.time).base() / path_.window;
      const double until = from + sim::seconds_of(outage.repair).base() / path_.window;
      for (auto i = static_cast<std::size_t>(from);
           i < week.there.size() && static_cast<double>(i) < until; ++i) {
        const auto begin = static_cast<double>(i);
        week.there[i] -= copy * (std::min(until, begin + 1) - std::max(from, begin));
      }
    }
    return week;
  }

  // More where more is late by the fleet's own curve: there windows differ.
  void set_first_look() {
    std::vector<double> spreads;
    double sum = 0;
    for (const WeekStratum& stratum : strata_) {
      constexpr double kLeast = 0.005;
      double late = kLeast;
      if (!d_.misses.empty() && !stratum.units.empty()) {
        double load = 0;
        for (const WeekUnit& unit : stratum.units) load += unit.load;
        load /= static_cast<double>(stratum.units.size());
        const auto missed = d_.misses.at(d_.figures.capacity.saturated * load);
        const double most = std::max(missed.first, missed.each);
        late += most * (1 - most);
      }
      spreads.push_back(stratum.is_whole ? 0 : stratum.requests * late);
      sum += spreads.back();
    }
    for (std::size_t i = 0; i < strata_.size(); ++i) {
      const double shared = ask_.scaling ? kSharedScaled : kShared;
      const double share = sum > 0 ? spreads[i] / sum : 0;
      strata_[i].at_first = kFewest + static_cast<std::size_t>(std::lround(shared * share));
    }
  }

  static std::size_t units_after(const WeekStratum& stratum, int look) {
    if (stratum.is_whole) return stratum.units.size();
    const double units = static_cast<double>(stratum.at_first) * std::pow(kMore, look);
    return std::min(stratum.units.size(), static_cast<std::size_t>(std::lround(units)));
  }

  // What is simulated once this look is over, with what comes before and after each unit.
  double requests_after(int look) const {
    double requests = 0;
    for (const WeekStratum& stratum : strata_)
      for (std::size_t i = 0; i < units_after(stratum, look); ++i) {
        const WeekUnit& unit = stratum.units[i];
        const double length = path_.window * static_cast<double>(unit.windows);
        requests += unit.requests * (1 + (before() + after()) / length);
      }
    return requests;
  }

  void take(int look) {
    for (WeekStratum& stratum : strata_) {
      while (stratum.seen.size() < units_after(stratum, look)) {
        if (problem_.is_stopped()) return;
        SpanCounts counts = count(stratum.next());
        // Half of them late: a queue is there that may have been there before. Where replicas come
        // and go it is that of a start, which is soon over.
        const bool is_crowded = 2 * counts.first_missed > counts.requests;
        if (is_crowded && !stratum.is_whole && !ask_.scaling) ++crowded_;
        stratum.seen.push_back(std::move(counts));
      }
      // The fullest come first: with nobody late in the others it may be too many already.
      if (ask_.is_verdict_enough && is_missed()) return;
    }
  }

  double before() const {
    const double settling =
        std::clamp(10 * d_.figures.latency.base(), std::min(60.0, path_.window), 600.0);
    if (!ask_.scaling) return settling;
    const serving::ScalingRules& rules = *ask_.scaling;
    return settling + sim::seconds_of(rules.cooldown).base() +
           sim::seconds_of(rules.start_time).base();
  }
  double after() const {
    return std::clamp(2 * d_.figures.latency.base(), std::min(10.0, path_.window), 300.0);
  }

  SpanCounts count(const WeekUnit& unit) {
    const double start = path_.window * static_cast<double>(unit.first);
    const double end = start + path_.window * static_cast<double>(unit.windows);
    const serving::WeekSpan span{.from = std::max(0.0, start - before()),
                                 .until = std::min(end + after(), path_.seconds)};
    FleetQuestion ask = ask_;
    ask.outages = outages_in(span);
    serving::SpanArrivals arrivals(path_.model, *path_.steps, span, draws_);
    return fleet_.count(ask, arrivals,
                        {.from = ticks(start - span.from), .until = ticks(end - span.from)});
  }

  // Outages of the span, by its own clock.
  std::vector<serving::Failure> outages_in(const serving::WeekSpan& span) const {
    std::vector<serving::Failure> outages;
    const serving::Ticks from = ticks(span.from);
    for (const serving::Failure& outage : ask_.outages) {
      const serving::Ticks back = sim::later(outage.time, outage.repair);
      if (back <= from || outage.time >= ticks(span.until)) continue;
      const serving::Ticks out = std::max(outage.time, from);
      outages.push_back({out - from, outage.replica, back - out});
    }
    std::stable_sort(outages.begin(), outages.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
    return outages;
  }

  double most_first() const {
    return problem_.ask.ttft > Seconds() ? 1 - problem_.ask.ttft_quantile : 1;
  }
  double most_each() const {
    return problem_.ask.tpot > Seconds() ? 1 - problem_.ask.tpot_quantile : 1;
  }

  // Whether too many are surely late. Of what was not looked at yet nobody is.
  bool is_missed() {
    first_ = share_of(strata_, &SpanCounts::first_missed, &SpanCounts::requests);
    each_ = share_of(strata_, &SpanCounts::each_missed, &SpanCounts::with_next_tokens);
    return first_.low() > most_first() || each_.low() > most_each() || is_any_lost();
  }

  // Whether the fleet keeps the week, where that is sure.
  std::optional<bool> verdict_of(int look) {
    if (is_missed()) return false;
    if (crowded_ > 0) {
      carries_over_ = true;
      return std::nullopt;
    }
    if (first_.high() > most_first() || each_.high() > most_each()) {
      is_close_ = is_close(first_, most_first(), look) || is_close(each_, most_each(), look);
      return std::nullopt;
    }
    const bool is_last = look + 1 == kLooks || requests_after(look + 1) > kMostSimulated * week_;
    if (!ask_.scaling || is_last) return true;
    constexpr double kClose = 0.005;
    const SampledShare paid = copies_of(strata_);
    return paid.error <= kClose * paid.value ? std::optional(true) : std::nullopt;
  }

  // Whether the share is so near what may be late that not even the largest sample is likely to
  // tell the two apart.
  bool is_close(const SampledShare& share, double most, int look) const {
    const double part = requests_after(look) / (kMostSimulated * week_);
    const double error = share.error * std::sqrt(std::min(1.0, part));
    return std::abs(share.value - most) < kSureErrors * error;
  }

  bool is_any_lost() const {
    return std::any_of(strata_.begin(), strata_.end(), [](const WeekStratum& stratum) {
      return std::any_of(stratum.seen.begin(), stratum.seen.end(),
                         [](const SpanCounts& counts) { return counts.lost > 0; });
    });
  }

  SampledWeek answer(bool kept) const {
    SampledWeek week{.first = first_, .each = each_, .replicas = copies_of(strata_)};
    FleetRun& run = week.run;
    sim::LatencyHistogram ttft;
    sim::LatencyHistogram tpot;
    for (const WeekStratum& stratum : strata_) {
      double seen = 0;
      for (const SpanCounts& counts : stratum.seen) seen += static_cast<double>(counts.requests);
      if (seen <= 0) continue;
      constexpr double kParts = 16;  // Weights are whole multiples of a part.
      const std::int64_t times =
          std::max<std::int64_t>(1, std::llround(kParts * stratum.requests / seen));
      for (const SpanCounts& counts : stratum.seen) {
        ttft.merge_times(counts.ttft, times);
        tpot.merge_times(counts.tpot, times);
      }
    }
    fleet_.read_off(ttft, tpot, run);
    run.within = share_of(strata_, &SpanCounts::good, &SpanCounts::requests).value;
    run.first_missed = first_.value;
    run.each_missed = each_.value;
    run.first_kept = kept || first_.value <= 1 - problem_.ask.ttft_quantile;
    run.each_kept = kept || each_.value <= 1 - problem_.ask.tpot_quantile;
    run.kept = kept;
    run.mean_replicas = week.replicas.value / copies();
    if (ask_.scaling) run.on = on_of(strata_);
    run.requests = draws_.taken();
    run.sampled = static_cast<double>(run.requests) / week_;
    return week;
  }

  const SizingProblem& problem_;
  const SimulatedFleet& fleet_;
  const SizedDeployment& d_;
  const FleetQuestion& ask_;
  const SampledPath path_;
  serving::DrawReader draws_;
  std::vector<WeekStratum> strata_;
  double week_ = 0;  // Requests that are expected of all of it.
  int crowded_ = 0;  // Units among many that were late by half.
  bool carries_over_ = false;
  bool is_close_ = false;
  SampledShare first_;
  SampledShare each_;
};

// Weeks of fewer requests are simulated as soon as sampled.
constexpr double kFewestSampled = 3e5;

bool may_sample(const SizingProblem& problem, const SimulatedFleet& fleet,
                const SizedDeployment& d) {
  if (problem.weeks != 1 || problem.thorough || problem.trace != nullptr ||
      !problem.trace_rates.empty() || d.prompts || !demand::RequestDraws::are_all_of(problem.model))
    return false;
  if (problem.ask.ttft <= Seconds() && problem.ask.tpot <= Seconds()) return false;
  const double requests = demand::expected_rate(problem.model).base() * kWeekSeconds;
  return requests >= kFewestSampled && fleet.is_quick();
}

}  // namespace

std::optional<SampledWeek> sample_week(const SizingProblem& problem, const SimulatedFleet& fleet,
                                       const SizedDeployment& d, const FleetQuestion& ask,
                                       std::uint64_t seed) {
  if (!may_sample(problem, fleet, d) || d.figures.capacity.saturated <= Hertz())
    return std::nullopt;
  return WeekSampler(problem, fleet, d, ask, seed).run();
}

}  // namespace loadfactor::search
