#include "engine/serve/simulate_load.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "sim/recorded_arrivals.h"

namespace loadfactor::engine {
namespace {

using serving::SimulationResult;

constexpr std::int64_t kSaturating = 3000;        // Requests of a run that finds a limit,
constexpr std::int64_t kMostSaturating = 30'000;  // and where many ranks share them,
constexpr std::int64_t kLonger = 4;               // or to see what more of them take,
constexpr std::int64_t kMostSteady = 30'000;      // or queues need time to build up,
constexpr std::int64_t kMostSlow = 6'000;         // token by token.
constexpr int kHalvings = 9;
constexpr double kLeastShare = 1e-3;  // Share of the saturated rate.

// The ranks of the group that has the most in such a run.
std::int64_t most_ranks(const SimulateSetup& setup) {
  if (!setup.is_split()) return setup.pools.front()->ranks();
  std::int64_t most = 1;
  for (const serving::GroupRules& group : setup.rules.groups)
    most = std::max<std::int64_t>(most, group.replicas);
  return most;
}

// One replica alone with all its ranks, and the requests of the demand at another rate; where
// prefill and decode are apart, all of them, since one is nothing without the other.
class Probe {
 public:
  Probe(const SimulateSetup& setup, std::int64_t requests)
      : setup_(setup), rules_(setup.rules), requests_(requests) {
    for (serving::GroupRules& group : rules_.groups) {
      if (!setup.is_split()) group.replicas = setup.pools.front()->ranks();
      group.scaling = {};
      group.failures.clear();
      group.scheduler.max_waiting = 0;
      group.first_token_timeout = group.total_timeout = sim::kNever;
    }
    if (!setup.has_trace())
      lengths_ = setup.poisson.lengths;
    else if (setup.trace.prefix_end.empty())
      sample_lengths();
    else
      sample_in_a_row();
  }

  // Requests of one length instead of the demand's.
  Probe(const SimulateSetup& setup, std::int64_t requests, sim::RequestLength each)
      : Probe(setup, requests) {
    row_ = {};
    lengths_ = {each};
    is_marked_ = false;
  }

  // Requests that a run has: fewer than asked for where a trace ends before.
  std::int64_t size() const {
    return row_.size() > 0 ? static_cast<std::int64_t>(row_.size()) : requests_;
  }

  // What is not over when simulated time ends is not in the result: at the lowest rates a part of
  // the requests stands for all.
  SimulationResult run(double rate, const serving::ServiceLimits& limits) const {
    auto stream = arrivals(rate);
    if (is_marked_) stream = setup_.marked(std::move(stream));
    SimulationResult result = simulate(rules_, *stream, {.limits = limits, .stop = setup_.stop});
    if (setup_.after_run) setup_.after_run();
    return result;
  }

 private:
  void sample_lengths() {
    const sim::ArrivalBatch& trace = setup_.trace;
    const std::size_t stride =
        std::max<std::size_t>(1, trace.size() / static_cast<std::size_t>(kSaturating));
    for (std::size_t i = 0; i < trace.size(); i += stride)
      lengths_.push_back({trace.tokens_in[i], trace.tokens_out[i]});
  }

  // Prompts share beginnings with those near them.
  void sample_in_a_row() {
    sim::RecordedArrivals(setup_.trace).pull(row_, static_cast<std::size_t>(requests_));
  }

  std::unique_ptr<sim::ArrivalStream> arrivals(double rate) const {
    if (row_.size() == 0)
      return std::make_unique<sim::PoissonArrivals>(
          sim::PoissonDemand{.lengths = lengths_,
                             .per_second = rate,
                             .count = requests_,
                             .seed = setup_.poisson.seed});
    sim::ArrivalBatch row = row_;
    sim::PoissonArrivals times({.lengths = {{1, 1}},
                                .per_second = rate,
                                .count = static_cast<std::int64_t>(row.size()),
                                .seed = setup_.poisson.seed});
    sim::ArrivalBatch timed;
    times.pull(timed, row.size());
    row.time = std::move(timed.time);
    return std::make_unique<sim::RecordedArrivals>(std::move(row));
  }

  const SimulateSetup& setup_;
  serving::ClusterRules rules_;
  std::vector<sim::RequestLength> lengths_;
  sim::ArrivalBatch row_;
  std::int64_t requests_;
  bool is_marked_ = true;  // Urgency and common beginnings are those of the demand.
};

double work_of(const serving::DeliveredWork& work) {
  return static_cast<double>(work.tokens_in + work.tokens_out);
}

const sim::LatencyHistogram& histogram_of(const SimulationResult& result,
                                          config::SloMetric metric) {
  if (metric == config::SloMetric::kTimeToFirstToken) return result.ttft;
  return metric == config::SloMetric::kWholeRequest ? result.e2e : result.tpot;
}

ReachedBound reach(const config::SloBound& bound, const SimulationResult& result, sim::Ticks front,
                   bool counts_lost) {
  const bool is_gap = bound.metric == config::SloMetric::kTimePerOutputToken;
  const sim::LatencyHistogram& times = histogram_of(result, bound.metric);
  const std::int64_t lost = !counts_lost ? 0
                            : is_gap     ? result.lost_answers
                                         : result.turned_away + result.cancelled;
  const std::int64_t all = times.count() + lost;
  if (all == 0) return {.time = std::nullopt, .met = true};
  const auto rank = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::ceil(bound.quantile * static_cast<double>(all) - 1e-9)));
  if (rank > times.count()) return {.time = std::nullopt, .met = false};
  const double share = (static_cast<double>(rank) - 0.5) / static_cast<double>(times.count());
  const double ticks = times.quantile(share) + static_cast<double>(is_gap ? 0 : front);
  const Seconds time = Seconds::from_base(ticks / static_cast<double>(sim::kSecond));
  return {.time = time, .met = time <= bound.most.value};
}

// Enough requests for the queue of the run to build up as it did there.
std::int64_t probed_requests(const SimulateSetup& setup, const SimulationResult& run) {
  double replicas = 1;
  if (!setup.is_split())
    replicas = setup.rules.groups.front().replicas / setup.pools.front()->ranks();
  const bool skips = serving::keeps_lockstep(setup.rules);
  const std::int64_t most = skips ? kMostSteady : kMostSlow;
  return std::clamp(static_cast<std::int64_t>(static_cast<double>(run.requests()) / replicas),
                    std::min(most, kSaturating * most_ranks(setup)), most);
}

// Whether a run that missed the SLO did so at its mean rate: nothing else could be why.
bool blames_rate(const SimulateSetup& setup, const SimulationResult& run) {
  if (setup.has_trace() || setup.traffic || setup.scales()) return false;
  for (const serving::GroupRules& group : setup.rules.groups)
    if (!group.failures.empty()) return false;
  return run.turned_away + run.cancelled == 0;
}

// More requests than can be served, but not all at once: requests of one length that start together
// would end together, and their prompts never stand beside others' answers. Such a run fills the
// batch first and drains it last. A longer one does as well: what it takes more is the time of its
// further requests in a full batch.
template <class MakeProbe>
double saturated_rate(const SimulateSetup& setup, const MakeProbe& make_probe) {
  const auto figures = [](const SimulationResult& result) {
    return std::pair(static_cast<double>(result.total.requests),
                     sim::seconds_of(result.end).base());
  };
  const std::int64_t each = serving::keeps_lockstep(setup.rules) ? kSaturating : kSaturating / 3;
  const std::int64_t asked = std::min(kMostSaturating, kLonger * each * most_ranks(setup));
  const Probe longer = make_probe(asked);
  const auto [requests, seconds] = figures(longer.run(0, {}));
  if (seconds <= 0 || setup.is_stopped()) return 0;
  const double plain = requests / seconds;
  if (longer.size() < asked) return plain;
  constexpr double kCrowd = 1.5;
  const auto [many, later] = figures(longer.run(kCrowd * plain, {}));
  const auto [few, sooner] = figures(make_probe(asked / kLonger).run(kCrowd * plain, {}));
  return many > few && later > sooner ? (many - few) / (later - sooner) : plain;
}

}  // namespace

double find_saturated_rate(const SimulateSetup& setup) {
  return saturated_rate(setup, [&](std::int64_t requests) { return Probe(setup, requests); });
}

double find_saturated_rate(const SimulateSetup& setup, sim::RequestLength each) {
  return saturated_rate(setup, [&](std::int64_t requests) { return Probe(setup, requests, each); });
}

double paid_unit_seconds(const SimulateSetup& setup, const SimulationResult& result) {
  if (!setup.is_split()) return result.paid_replica_seconds / setup.pools.front()->ranks();
  double gpus = 0;
  for (const serving::GroupRules& group : setup.rules.groups)
    gpus += group.replicas * group.gpus_per_replica;
  return result.paid_gpu_seconds / std::max(1.0, gpus);
}

std::vector<ReachedBound> reach_slo(const SimulateSetup& setup, const SimulationResult& result,
                                    Lost lost) {
  std::vector<ReachedBound> reached;
  if (!setup.ask().slo) return reached;
  for (const auto& bound : setup.ask().slo->bounds)
    reached.push_back(reach(bound, result, setup.front, lost == Lost::kCounts));
  return reached;
}

bool keeps_slo(const std::vector<ReachedBound>& reached) {
  return std::all_of(reached.begin(), reached.end(),
                     [](const ReachedBound& bound) { return bound.met; });
}

namespace {

// At which rate per replica the run was, and whether it kept the SLO.
struct Witness {
  double asked = 0;
  bool kept = false;
};

double probe_slo_rate(const SimulateSetup& setup, const SimulationResult& run, double saturated,
                      const Witness& witness) {
  const auto [asked, kept] = witness;
  const Probe probe(setup, probed_requests(setup, run));
  const auto holds = [&](double rate) {
    return keeps_slo(reach_slo(setup, probe.run(rate, setup.limits), Lost::kLeftOut));
  };
  double low = kLeastShare * saturated;
  double high = saturated;
  if (kept && asked > 0)
    low = std::min(high, std::max(low, asked));
  else if (!holds(low) || setup.is_stopped())
    return 0.0;
  const bool is_bounded = !kept && asked > 0 && asked <= high && blames_rate(setup, run);
  if (is_bounded) high = std::max(low, asked);
  if (!is_bounded && holds(high)) return high;
  for (int i = 0; i < kHalvings && !setup.is_stopped(); ++i) {
    const double middle = 0.5 * (low + high);
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

std::optional<double> find_slo_rate(const SimulateSetup& setup, const SimulationResult& run,
                                    double saturated) {
  if (!setup.ask().slo || saturated <= 0) return std::nullopt;
  const double seconds = sim::seconds_of(run.end).base();
  const double units = seconds > 0 ? paid_unit_seconds(setup, run) / seconds : 0;
  const double asked = units > 0 ? setup.rate / units : 0;
  const bool kept = keeps_slo(reach_slo(setup, run, Lost::kCounts));
  const double found = probe_slo_rate(setup, run, saturated, {asked, kept});
  // Missed by requests that were never served, whatever the rate: then no rate is within it.
  if (!kept && found >= asked && keeps_slo(reach_slo(setup, run, Lost::kLeftOut)))
    return std::nullopt;
  return found;
}

LoadShares divide_load(const SimulationResult& result, double mean_replicas,
                       double saturated_tokens, double slo_share) {
  LoadShares shares;
  const double seconds = sim::seconds_of(result.end).base();
  if (seconds <= 0 || saturated_tokens <= 0 || mean_replicas <= 0) {
    shares.demand = 1;  // Nothing was asked of what is paid for.
    return shares;
  }
  constexpr double kWindow = 600;
  constexpr std::size_t kWindowsPerHour = 6;
  double busiest_window = 0;
  double busiest_hour = 0;
  const auto& windows = result.delivered;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    busiest_window = std::max(busiest_window, work_of(windows[i]) / kWindow);
    if (i + kWindowsPerHour > windows.size()) continue;
    double hour = 0;
    for (std::size_t j = i; j < i + kWindowsPerHour; ++j) hour += work_of(windows[j]);
    busiest_hour = std::max(busiest_hour, hour / (kWindow * kWindowsPerHour));
  }
  // In replicas that are never idle.
  const double mean = work_of(result.total) / seconds / saturated_tokens;
  const double hour = std::max(mean, busiest_hour / saturated_tokens);
  const double window = std::max(hour, busiest_window / saturated_tokens);
  const double needed = window / std::max(slo_share, 1e-9);
  const double whole = std::max(0.0, std::ceil(needed - 1e-9));
  shares.load_factor = std::min(1.0, mean / mean_replicas);
  const double paid = result.paid_gpu_seconds;
  const double down = paid > 0 ? result.down_gpu_seconds / paid : 0;
  shares.downtime = std::min(down, 1 - shares.load_factor);
  shares.peak = window / mean_replicas;
  shares.demand = std::max(0.0, (1 - shares.downtime) * mean_replicas - whole);
  shares.shape = hour - mean;
  shares.headroom = window - hour;
  shares.slo = needed - window;
  shares.rounding = whole - needed;
  // With fewer replicas than the peak needs, what is lost is shared out of what is left.
  // What was given up for want of time is lost to the SLO, as was the work that it had cost.
  const double all = static_cast<double>(result.requests());
  const double lost =
      all > 0 ? static_cast<double>(result.turned_away + result.cancelled) / all : 0.0;
  const double sum = shares.demand + shares.shape + shares.headroom + shares.slo + shares.rounding;
  const double left = std::max(0.0, 1 - shares.load_factor - shares.downtime);
  const double scale = sum > 0 ? (1 - lost) * left / sum : 0;
  for (double* loss :
       {&shares.demand, &shares.shape, &shares.headroom, &shares.slo, &shares.rounding})
    *loss *= scale;
  shares.slo += lost * left;
  return shares;
}

}  // namespace loadfactor::engine
