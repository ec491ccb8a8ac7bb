#include "engine/serve/simulate_filler.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error_codes.h"
#include "engine/serve/simulate_estimate.h"
#include "engine/serve/simulate_load.h"
#include "sim/poisson_arrivals.h"
#include "sim/recorded_arrivals.h"

namespace loadfactor::engine {
namespace {

using serving::Metric;
using serving::RequestOutcome;
using serving::SimulationResult;

constexpr std::int32_t kFirst = 0;  // Priorities.
constexpr std::int32_t kFiller = 1;
constexpr std::int64_t kMostRequests = 600'000;  // Both classes in one run.
constexpr int kHalvings = 7;

// What came of one run with both classes.
struct FilledRun {
  SimulationResult service;  // Its own requests alone.
  double per_second = 0;     // The filler's, that ended while the service's requests came.
  std::int64_t preemptions = 0;
  std::vector<ReachedBound> reached;

  bool is_kept() const { return keeps_slo(reached); }
};

sim::ArrivalBatch all_of(sim::ArrivalStream& stream) {
  constexpr std::size_t kPiece = 4096;
  sim::ArrivalBatch all, piece;
  for (stream.pull(piece, kPiece); piece.size() > 0; stream.pull(piece, kPiece)) {
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    const auto blocks = static_cast<std::uint32_t>(all.prefix_blocks.size());
    append(all.time, piece.time);
    append(all.tokens_in, piece.tokens_in);
    append(all.tokens_out, piece.tokens_out);
    append(all.session, piece.session);
    append(all.prefix_blocks, piece.prefix_blocks);
    for (const std::uint32_t end : piece.prefix_end) all.prefix_end.push_back(blocks + end);
  }
  return all;
}

// The first requests of a batch.
void shorten(sim::ArrivalBatch& batch, std::size_t count) {
  if (count >= batch.size()) return;
  for (auto* column : {&batch.tokens_in, &batch.tokens_out}) column->resize(count);
  batch.time.resize(count);
  if (!batch.session.empty()) batch.session.resize(count);
  if (batch.prefix_end.empty()) return;
  batch.prefix_end.resize(count);
  batch.prefix_blocks.resize(batch.prefix_end.back());
}

// Both classes in the order of time.
class ClassMerger {
 public:
  ClassMerger(const sim::ArrivalBatch& service, const sim::ArrivalBatch& filler)
      : service_(service), filler_(filler) {}

  sim::ArrivalBatch merged() && {
    std::size_t i = 0, j = 0;
    while (i < service_.size() || j < filler_.size()) {
      const bool takes_service =
          j == filler_.size() || (i < service_.size() && service_.time[i] <= filler_.time[j]);
      takes_service ? add(service_, i++, kFirst) : add(filler_, j++, kFiller);
    }
    return std::move(all_);
  }

 private:
  void add(const sim::ArrivalBatch& from, std::size_t i, std::int32_t priority) {
    all_.time.push_back(from.time[i]);
    all_.tokens_in.push_back(from.tokens_in[i]);
    all_.tokens_out.push_back(from.tokens_out[i]);
    all_.priority.push_back(priority);
    if (!service_.session.empty()) all_.session.push_back(session_of(from, i));
    if (service_.prefix_end.empty()) return;
    if (!from.prefix_end.empty())
      for (const std::uint64_t block : from.prefix(i)) all_.prefix_blocks.push_back(block);
    all_.prefix_end.push_back(static_cast<std::uint32_t>(all_.prefix_blocks.size()));
  }
  static std::int64_t session_of(const sim::ArrivalBatch& from, std::size_t i) {
    return from.session.empty() ? 0 : from.session[i];
  }

  const sim::ArrivalBatch& service_;
  const sim::ArrivalBatch& filler_;
  sim::ArrivalBatch all_;
};

// Runs of a service beside its filler.
class Filling {
 public:
  Filling(const SimulateSetup& setup, const config::FillerSection& asked)
      : setup_(setup), rules_(setup.rules), service_(all_of(*setup.stream())) {
    each_ = {static_cast<std::int32_t>(asked.tokens_in->value),
             static_cast<std::int32_t>(asked.tokens_out->value)};
    for (serving::GroupRules& group : rules_.groups) group.scheduler.has_priorities = true;
    const auto& pool = *setup.pools.front();
    replicas_ = static_cast<double>(setup.rules.groups.front().replicas) / pool.ranks();
    saturated_ = replicas_ * find_saturated_rate(setup, each_);
    bound_requests();
  }

  // Filler requests per second of all replicas when nothing else is there.
  double saturated() const { return saturated_; }
  bool is_part() const { return is_part_; }
  // The service's requests per second in what is simulated over those of its whole demand.
  double busier() const { return busier_; }
  Seconds span() const { return sim::seconds_of(last_arrival()); }

  FilledRun run(double per_second) const {
    const sim::ArrivalBatch filler = requests_at(per_second);
    sim::ArrivalBatch both = ClassMerger(service_, filler).merged();
    const std::vector<std::int32_t> classes = both.priority;
    sim::RecordedArrivals stream(std::move(both));
    const SimulationResult all = simulate(rules_, stream, {.keeps_log = true, .stop = setup_.stop});
    if (setup_.after_run) setup_.after_run();
    FilledRun told{.service = {}, .preemptions = all.work.preemptions};
    std::int64_t ended = 0;
    for (const RequestOutcome& outcome : all.outcomes) {
      if (classes[static_cast<std::size_t>(outcome.serial)] == kFirst)
        count(outcome, told.service);
      else if (outcome.outcome == serving::Outcome::kServed && outcome.end <= last_arrival())
        ++ended;
    }
    told.service.end = all.end;
    told.per_second = static_cast<double>(ended) / std::max(1e-9, span().base());
    told.reached = reach_slo(setup_, told.service, Lost::kCounts);
    return told;
  }

 private:
  sim::Ticks last_arrival() const { return service_.time.back(); }

  // As many of the service's requests as leave room for the filler's in what is simulated.
  void bound_requests() {
    const double filler = saturated_ * span().base();
    const double all = static_cast<double>(service_.size()) + filler;
    is_part_ = all > static_cast<double>(kMostRequests);
    if (!is_part_) return;
    const double share = static_cast<double>(kMostRequests) / all;
    const double usual = static_cast<double>(service_.size()) / span().base();
    shorten(service_, std::max<std::size_t>(1, static_cast<std::size_t>(
                                                   share * static_cast<double>(service_.size()))));
    busier_ = static_cast<double>(service_.size()) / std::max(1e-9, span().base()) / usual;
  }

  sim::ArrivalBatch requests_at(double per_second) const {
    sim::ArrivalBatch batch;
    const auto count = static_cast<std::int64_t>(per_second * span().base());
    if (count < 1) return batch;
    sim::PoissonArrivals stream({.lengths = {each_},
                                 .per_second = per_second,
                                 .count = count,
                                 .seed = setup_.poisson.seed + 1});
    return all_of(stream);
  }

  static void count(const RequestOutcome& outcome, SimulationResult& service) {
    const bool is_long = outcome.output > 1;
    if (outcome.outcome != serving::Outcome::kServed) {
      ++service.cancelled;
      service.lost_answers += is_long ? 1 : 0;
      return;
    }
    ++service.total.requests;
    service.ttft.add(outcome.first - outcome.arrival);
    service.e2e.add(outcome.end - outcome.arrival);
    if (is_long) service.tpot.add((outcome.end - outcome.first) / (outcome.output - 1));
  }

  const SimulateSetup& setup_;
  serving::ClusterRules rules_;
  sim::ArrivalBatch service_;
  sim::RequestLength each_;
  double replicas_ = 1;
  double saturated_ = 0;
  double busier_ = 1;
  bool is_part_ = false;
};

// The most that may come without breaking the service's promise; all that fits where it promises
// nothing.
std::pair<FilledRun, bool> most_within_promise(const SimulateSetup& setup, const Filling& filling) {
  FilledRun best = filling.run(filling.saturated());
  if (best.is_kept()) return {std::move(best), false};
  double low = 0, high = filling.saturated();
  best = filling.run(0);
  for (int i = 0; i < kHalvings && !setup.is_stopped(); ++i) {
    const double middle = 0.5 * (low + high);
    FilledRun tried = filling.run(middle);
    (tried.is_kept() ? low : high) = middle;
    if (tried.is_kept()) best = std::move(tried);
  }
  return {std::move(best), true};
}

FillerFigures describe(const SimulateSetup& setup, const Filling& filling, const FilledRun& run,
                       double alone_load) {
  const config::FillerSection& asked = *setup.operations().filler;
  SimulateAnswer beside;  // What is told of the service, in the words of any simulation.
  describe_latencies(setup, run.service, beside);
  judge_slo(setup, run.service, beside);
  FillerFigures figures;
  figures.tokens_in = asked.tokens_in->value;
  figures.tokens_out = asked.tokens_out->value;
  const double tokens = static_cast<double>(figures.tokens_in + figures.tokens_out);
  figures.rate = with_interval(Hertz::from_base(run.per_second), Metric::kThroughput, setup);
  figures.tokens = with_interval(TokensPerSecond::from_base(run.per_second * tokens),
                                 Metric::kThroughput, setup);
  const double idle = 1 - std::min(1.0, alone_load * filling.busier());
  const double taken = run.per_second / filling.saturated();
  const auto spread = with_interval(std::min(taken, idle), Metric::kThroughput, setup);
  figures.taken = {spread.value(), spread.low(), std::min(1.0, spread.high()), Basis::kCalibrated,
                   "serving model"};
  figures.preemptions = run.preemptions;
  figures.requests = run.service.requests();
  figures.span = filling.span();
  figures.ttft = beside.ttft;
  figures.tpot = beside.tpot;
  figures.slo = beside.slo;
  return figures;
}

}  // namespace

std::optional<FillerFigures> fill_idle_replicas(const SimulateSetup& setup,
                                                const SimulateAnswer& alone,
                                                Diagnostics& diagnostics) {
  const auto& asked = setup.operations().filler;
  if (!asked) return std::nullopt;
  const Filling filling(setup, *asked);
  if (setup.is_stopped()) return std::nullopt;
  if (filling.saturated() <= 0) {
    diagnostics.add(setup.error(lf::kNothingServed, asked->position,
                                "no request of the filler fits: they are longer than the model's "
                                "context or the KV cache of a replica",
                                "shorten them, or give a replica more memory"));
    return std::nullopt;
  }
  const auto [run, is_bounded] = most_within_promise(setup, filling);
  FillerFigures figures = describe(setup, filling, run, alone.load_factor.value());
  figures.is_bounded = is_bounded;
  figures.is_part = filling.is_part();
  return figures;
}

}  // namespace loadfactor::engine
