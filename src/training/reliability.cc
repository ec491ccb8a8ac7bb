#include "training/reliability.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "catalog/load/fact_loader.h"

namespace loadfactor::training {
namespace {

struct UnitFactor {
  std::string_view unit;
  double factor;
};
constexpr std::array kUnits{
    UnitFactor{"1/GPU-h", 1.0 / kHour.base()},
    UnitFactor{"1/node-h", 1.0 / kHour.base()},
    UnitFactor{"1/h", 1.0 / kHour.base()},
    UnitFactor{"1/node-day", 1.0 / kDay.base()},
    UnitFactor{"min", kMinute.base()},
    UnitFactor{"h", kHour.base()},
    UnitFactor{"s", 1.0},
    UnitFactor{"B", 1.0},
    UnitFactor{"GB/s", 1e9},
    UnitFactor{"TB/s", 1e12},
    UnitFactor{"fraction", 1.0},
    UnitFactor{"node", 1.0},
};

// Looks facts up in base units and remembers what is missing.
class FactReader {
 public:
  FactReader(const std::vector<catalog::Fact>& facts, std::string_view family)
      : facts_(facts), family_(family) {}

  const catalog::Fact* find(const std::string& name) const {
    const auto* own = catalog::find_fact(facts_, name + "-" + std::string(family_));
    return own != nullptr ? own : catalog::find_fact(facts_, name);
  }
  bool has_own(const std::string& name) const {
    return catalog::find_fact(facts_, name + "-" + std::string(family_)) != nullptr;
  }
  double get(const std::string& name) {
    const auto* fact = find(name);
    if (fact == nullptr) {
      missing_ = missing_.empty() ? name : missing_;
      return 0.0;
    }
    used_.push_back(fact);
    const auto* unit = std::find_if(kUnits.begin(), kUnits.end(),
                                    [&](const auto& row) { return row.unit == fact->unit; });
    if (unit == kUnits.end()) {
      missing_ = missing_.empty() ? name + " in a unit of time" : missing_;
      return 0.0;
    }
    return fact->value * unit->factor;
  }
  Hertz rate(const std::string& name) { return Hertz::from_base(get(name)); }
  Seconds time(const std::string& name) { return Seconds::from_base(get(name)); }
  const std::string& missing() const { return missing_; }
  std::vector<const catalog::Fact*> used() const { return used_; }

 private:
  const std::vector<catalog::Fact>& facts_;
  std::string_view family_;
  std::string missing_;
  std::vector<const catalog::Fact*> used_;
};

Hazards read_hazards(FactReader& reader) {
  Hazards hazards;
  if (reader.has_own("hazard-node")) {
    hazards.node = reader.rate("hazard-node");
  } else {
    hazards.gpu = reader.rate("hazard-gpu");
    hazards.nic = reader.rate("hazard-nic");
    hazards.network = reader.rate("hazard-network");
    hazards.host = reader.rate("hazard-host");
  }
  hazards.software = reader.rate("hazard-software");
  hazards.growth_nodes = std::max(1.0, reader.get("software-growth-nodes"));
  hazards.planned = reader.rate("hazard-planned");
  hazards.preemption = reader.rate("hazard-spot");
  return hazards;
}

FailureTimes read_times(FactReader& reader) {
  FailureTimes times;
  times.restart = reader.time("restart-time");
  times.detection = reader.time("detection-time");
  times.silent = reader.get("silent-failures");
  times.repair = reader.time("repair-time");
  times.per_parameter = Bytes::from_base(reader.get("checkpoint-bytes-per-parameter"));
  times.storage = BytesPerSecond::from_base(reader.get("checkpoint-bandwidth-production"));
  times.in_memory = reader.time("checkpoint-stall-in-memory");
  return times;
}

int nodes_of(const GoodputQuestion& question) {
  const int per_node = std::max(1, question.gpus_per_node);
  return std::max(1, (question.gpus + per_node - 1) / per_node);
}

// Stall of a checkpoint, and the time until it is safe.
void set_checkpoint(const Reliability& r, const GoodputQuestion& q, Goodput& out) {
  out.checkpoint = r.times.per_parameter * q.parameters;
  const Seconds stored = out.checkpoint / r.times.storage;
  const bool has_link = q.host_link > BytesPerSecond();
  const Seconds copied = has_link ? out.checkpoint / q.gpus / q.host_link : stored;
  switch (q.tier) {
    case CheckpointTier::kSynchronous:
      out.stall = stored;
      out.write = Seconds();
      break;
    case CheckpointTier::kAsynchronous:
      out.stall = std::min(stored, copied);
      out.write = stored;
      break;
    case CheckpointTier::kInMemory:
      out.stall = std::max(r.times.in_memory, std::min(stored, copied));
      out.write = out.stall;
      break;
  }
}

}  // namespace

Hertz Hazards::hardware(int gpus, int gpus_per_node) const {
  const double nodes = std::max(1.0, std::ceil(static_cast<double>(gpus) / gpus_per_node));
  return (gpu + nic + network) * gpus + (host + node) * nodes;
}

Hertz Hazards::job(int gpus, int gpus_per_node) const {
  const double nodes = std::max(1.0, std::ceil(static_cast<double>(gpus) / gpus_per_node));
  const double grown = std::min(1.0, nodes / growth_nodes);
  return hardware(gpus, gpus_per_node) + software * grown;
}

std::string_view name(CheckpointTier tier) {
  constexpr std::array<std::string_view, 3> kNames{"synchronous", "asynchronous", "in memory"};
  return kNames[static_cast<std::size_t>(tier)];
}

Result<Reliability> read_reliability(const std::vector<catalog::Fact>& facts,
                                     std::string_view family) {
  FactReader reader(facts, family);
  Reliability out;
  out.hazards = read_hazards(reader);
  out.times = read_times(reader);
  if (!reader.missing().empty()) {
    Error error;
    error.code = lf::kUnknownQuantity;
    error.message = "the catalogue's reliability facts lack " + reader.missing();
    return error;
  }
  out.facts = reader.used();
  return out;
}

Seconds best_interval(Seconds stall, Seconds mtbf) {
  return Seconds::from_base(std::sqrt(2.0 * stall.base() * mtbf.base()));
}

std::int64_t steps_of(Seconds interval, Seconds step) {
  constexpr double kRounding = 1e-9;
  return std::max<std::int64_t>(1, std::llround(std::ceil(interval / step * (1.0 - kRounding))));
}

double first_order_goodput(Seconds stall, Seconds interval, Seconds mtbf, Seconds recovery) {
  const double overhead = stall / interval + (interval * 0.5 + recovery) / mtbf;
  return std::max(0.0, 1.0 - overhead);
}

namespace {

// Chances of 0, 1, 2, … of independent repairs with a mean under way, in order; those so far below
// the mean that their chance is none are passed over, so that a large mean takes no longer.
class PoissonWalk {
 public:
  explicit PoissonWalk(double mean) : mean_(mean), at_(first(mean)) {
    term_ = std::exp(at_ == 0 ? -mean : at_ * std::log(mean) - mean - log_factorial(at_));
  }
  double at() const { return at_; }
  double term() const { return term_; }
  void advance() {
    at_ += 1.0;
    term_ *= mean_ / at_;
  }

 private:
  // Stirling's, good to 1e-9 from a hundred on.
  static double log_factorial(double n) {
    return n * std::log(n) - n + 0.5 * std::log(2.0 * std::numbers::pi * n) + 1.0 / (12.0 * n);
  }
  static double first(double mean) {
    constexpr double kDeviations = 12.0;
    constexpr double kFewEnough = 500.0;  // e^-500 is still a number.
    return mean < kFewEnough ? 0.0 : std::floor(mean - kDeviations * std::sqrt(mean));
  }
  double mean_;
  double at_;
  double term_ = 0;
};

// Beyond so many the chance is none.
double most_in_repair(double mean) {
  return std::floor(mean + 10.0 * std::sqrt(mean)) + 4.0;
}

}  // namespace

double poisson_tail(double mean, int spares) {
  const double most = std::min<double>(spares, most_in_repair(mean));
  double below = 0;
  for (PoissonWalk walk(mean); walk.at() <= most; walk.advance()) below += walk.term();
  return std::clamp(1.0 - below, 0.0, 1.0);
}

int best_spares(int nodes, double mean_in_repair) {
  constexpr double kMostSpares = 1e9;
  const double most = std::min(kMostSpares, most_in_repair(mean_in_repair));
  double best = 0;
  double highest = 0;
  double available = 0;
  for (PoissonWalk walk(mean_in_repair); walk.at() <= most; walk.advance()) {
    available += walk.term();
    const double useful = std::min(1.0, available) / (nodes + walk.at());
    if (useful > highest) {
      highest = useful;
      best = walk.at();
    }
  }
  return static_cast<int>(best);
}

namespace {

// How often the job stops because a node is taken away.
Hertz taken_away(const Reliability& r, const GoodputQuestion& q) {
  if (!q.borrowed) return {};
  return q.preemption.hazard.value_or(r.hazards.preemption) *
         q.preemption.nodes.value_or(nodes_of(q));
}

// Whole steps next to an interval, of two numbers of them the one that loses less.
Seconds in_whole_steps(Seconds interval, Seconds step, Seconds least, const Goodput& of) {
  if (step <= Seconds()) return interval;
  const auto loss = [&of](Seconds time) { return of.stall / time + 0.5 * (time / of.mtbf); };
  const Seconds below = step * std::floor(interval / step);
  const Seconds above = step * std::ceil(interval / step);
  return below >= least && below > Seconds() && loss(below) < loss(above) ? below : above;
}

}  // namespace

namespace {

// The work between two checkpoints: as asked, or what loses least. None starts before the last one
// is safe, nor within a step.
Seconds interval_of(const GoodputQuestion& q, const Goodput& of) {
  const Seconds least = std::max(of.write, q.step);
  if (q.interval) return std::max(*q.interval, least);
  const Seconds best = std::min(best_interval(of.stall, of.mtbf), kLongestInterval);
  return in_whole_steps(std::max(best, least), q.step, least, of);
}

}  // namespace

double ElasticJob::pace(int nodes, double missing) const {
  const double left = std::floor((nodes - missing) / copy_nodes * (1.0 + 1e-12));
  if (left < 1) return 0;
  if (left >= copies) return 1;
  const double all = static_cast<double>(copies) * static_cast<double>(micro_batches);
  return static_cast<double>(micro_batches) / std::ceil(all / left * (1.0 - 1e-12));
}

namespace {

// A job that goes on with fewer nodes, by the number of its spares.
struct GoingOn {
  ElasticJob job;
  int nodes = 1;
  double running = 1;  // Share of the time that failures and checkpoints leave.
  double growing = 0;  // Share that restarts take where each node that comes back takes one.

  // Share of the paid time of all but the spares that is useful; never less than with waiting.
  double useful(double in_repair, int spares) const {
    double pace = 0;
    double below = 0;
    const double most = most_in_repair(in_repair);
    for (PoissonWalk walk(in_repair); walk.at() <= most; walk.advance()) {
      pace += walk.term() * job.pace(nodes, std::max(0.0, walk.at() - spares));
      if (walk.at() < spares) below += walk.term();
    }
    const double grown = growing * std::max(0.0, 1.0 - below);
    const double waited = running * (1.0 - poisson_tail(in_repair, spares));
    return std::max(waited, running * std::min(1.0, pace) - grown);
  }
};

// Replaces what waiting for repairs leaves by what going on leaves, where that is more.
void go_on(const GoingOn& job, const std::optional<int>& asked, Goodput& out) {
  constexpr int kMostTried = 1000;
  const double waited = out.with_spares / (job.nodes + out.best_spares);
  double highest = waited;
  int best = out.best_spares;
  for (int spares = 0; spares <= std::min(out.best_spares, kMostTried); ++spares) {
    const double useful = job.useful(out.in_repair, spares) / (job.nodes + spares);
    if (useful <= highest * (1.0 + 1e-12)) continue;
    highest = useful;
    best = spares;
  }
  out.best_spares = best;
  out.spare_nodes = asked.value_or(best);
  out.waiting = job.running - job.useful(out.in_repair, out.spare_nodes);
  out.with_spares = job.useful(out.in_repair, best);
  if (waited > 0)
    out.elastic_saves =
        job.useful(out.in_repair, out.spare_nodes) / (job.nodes + out.spare_nodes) / waited;
}

}  // namespace

Goodput goodput(const Reliability& r, const GoodputQuestion& q) {
  Goodput out;
  set_checkpoint(r, q, out);
  const int nodes = nodes_of(q);
  const Hertz borrowed = taken_away(r, q);
  const Hertz failures = r.hazards.job(q.gpus, q.gpus_per_node) + borrowed;
  const double grown = std::min(1.0, nodes / r.hazards.growth_nodes);
  const Hertz planned = r.hazards.planned * grown;
  out.hazard = failures;
  out.mtbf = 1.0 / failures;
  out.interval = interval_of(q, out);
  out.checkpointing = out.interval > Seconds() ? out.stall / out.interval : 0.0;
  // What is still being written when a job stops is lost too. A loss that is said holds all.
  const Hertz modelled = q.preemption.loss ? failures - borrowed : failures;
  const double said = q.preemption.loss ? *q.preemption.loss * borrowed : 0.0;
  out.lost_work = (out.interval * 0.5 + out.write) * modelled + said;
  out.restart = r.times.restart * (modelled + planned);
  out.detection = r.times.mean_detection() * modelled;
  out.in_repair = r.hazards.hardware(q.gpus, q.gpus_per_node) * r.times.repair +
                  borrowed * q.preemption.wait.value_or(r.times.repair);
  const double running =
      std::max(0.0, 1.0 - out.checkpointing - out.lost_work - out.restart - out.detection);
  // Spares do not help a run that does not recover.
  const bool recovers = running > kLeastGoodput;
  out.best_spares = recovers ? best_spares(nodes, out.in_repair) : 0;
  out.spare_nodes = q.spare_nodes.value_or(out.best_spares);
  out.waiting = running * poisson_tail(out.in_repair, out.spare_nodes);
  out.with_spares = running - running * poisson_tail(out.in_repair, out.best_spares);
  if (q.elastic && recovers && nodes > 1) {
    const Hertz back = r.hazards.hardware(q.gpus, q.gpus_per_node) + borrowed;
    go_on({*q.elastic, nodes, running, r.times.restart * back}, q.spare_nodes, out);
  }
  out.value = std::max(running - out.waiting, kLeastGoodput);
  return out;
}

}  // namespace loadfactor::training
