#include "engine/train/paid_time.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/quantity_text.h"
#include "catalog/load/entry_reader.h"
#include "economics/rent.h"
#include "workload/parameters.h"

namespace loadfactor::engine {
namespace {

std::string sources_of(const std::vector<const catalog::Fact*>& facts) {
  std::string merged;
  for (const auto* fact : facts)
    for (const auto& source : fact->provenance.sources) merged = merged_sources(merged, source);
  return merged;
}

// What the scenario says of failures, over the fleet's averages.
void apply(const config::FailureSection& ask, training::Reliability& reliability,
           training::GoodputQuestion& question) {
  constexpr std::array kTiers{training::CheckpointTier::kSynchronous,
                              training::CheckpointTier::kAsynchronous,
                              training::CheckpointTier::kInMemory};
  auto& times = reliability.times;
  if (ask.checkpoint) question.tier = kTiers[static_cast<std::size_t>(ask.checkpoint->value)];
  if (ask.interval) question.interval = ask.interval->value;
  if (ask.spares) question.spare_nodes = ask.spares->value;
  if (ask.storage) times.storage = ask.storage->value;
  if (ask.restart) times.restart = ask.restart->value;
  if (ask.detection) times.detection = ask.detection->value;
  if (ask.repair) times.repair = ask.repair->value;
}

// What it says of spot.
training::Preemption preemption_of(const config::SpotSection& ask) {
  constexpr double kSharePeriod = 30.0;  // Days that `interrupted` is a share within.
  training::Preemption out;
  if (ask.interrupted)
    out.hazard = economics::interruption_hazard(ask.interrupted->value, kDay * kSharePeriod);
  if (ask.gang) out.nodes = static_cast<double>(ask.gang->value);
  if (ask.loss) out.loss = ask.loss->value;
  if (ask.wait) out.wait = ask.wait->value;
  return out;
}

}  // namespace

EstimateOf<Seconds> PaidTime::run(const EstimateOf<Seconds>& work) const {
  return EstimateOf<Seconds>(divide(work.erased(), effective.erased()));
}

bool lists_machines(const config::Money& money) {
  return std::any_of(money.options.begin(), money.options.end(),
                     [](const auto& option) { return option.value != OptionKind::kApi; });
}

bool only_spot(const config::Money& money) {
  return lists_machines(money) &&
         std::all_of(money.options.begin(), money.options.end(), [](const auto& option) {
           return option.value == OptionKind::kSpot || option.value == OptionKind::kApi;
         });
}

PaidTime paid_time(const catalog::Catalog& catalog, const TrainSetup& setup, int gpus, Seconds step,
                   bool on_spot) {
  const auto& chip = *setup.job.chip;
  constexpr int kUsualNode = 8;
  const int per_node = setup.job.fabric.gpus_per_node.value_or(kUsualNode);
  PaidTime paid;
  paid.gpus = gpus;
  paid.nodes = std::max(1, (gpus + per_node - 1) / per_node);
  paid.effective = EstimateOf<double>::exact(1.0, Basis::kModelled, {});
  auto read = training::read_reliability(catalog.hazards(), chip.family);
  if (!read) return paid;
  training::GoodputQuestion question;
  question.gpus = gpus;
  question.step = step;
  question.gpus_per_node = per_node;
  // What is frozen is on disk already: a checkpoint holds what is trained, and its optimizer.
  const auto all = static_cast<double>(workload::count_parameters(*setup.job.model).total());
  question.parameters = std::round(setup.job.trainable_share * all);
  if (chip.host) question.host_link = chip.host->bandwidth;
  question.borrowed = on_spot;
  question.preemption = preemption_of(setup.scenario.money.spot);
  apply(setup.ask().failures, *read, question);
  paid.goodput = training::goodput(*read, question);
  paid.facts = read->facts;
  const double loss = 1.0 - paid.goodput.value;
  // Twice the losses never leave less than half of what there is: a run that ends has an end.
  paid.effective = {1.0 - loss, std::max(0.5 * (1.0 - loss), 1.0 - 2.0 * loss), 1.0 - 0.5 * loss,
                    Basis::kModelled, sources_of(read->facts)};
  return paid;
}

namespace {

RunStall::Cause cause_of(const training::Goodput& g) {
  using Cause = RunStall::Cause;
  if (g.hazard <= Hertz() && g.restart >= 1.0) return Cause::kPlannedStops;
  if (g.lost_work + g.restart + g.detection >= 1.0) return Cause::kStops;
  if (g.checkpointing >= 1.0) return Cause::kCheckpoints;
  return g.waiting > 0.5 ? Cause::kRepairs : Cause::kTogether;
}

// What takes most of the time can be had for less.
std::vector<RunStall::Remedy> remedies_of(const PaidTime& paid, const TrainSetup& setup,
                                          bool on_spot) {
  using Remedy = RunStall::Remedy;
  const auto& g = paid.goodput;
  const auto& ask = setup.ask().failures;
  std::vector<Remedy> remedies;
  const auto add = [&](bool helps, Remedy remedy) {
    if (helps) remedies.push_back(remedy);
  };
  const double most = std::max({g.lost_work, g.restart, g.detection, g.checkpointing, g.waiting});
  const bool said = on_spot && setup.scenario.money.spot.loss.has_value();
  const bool loses_most = g.lost_work == most;
  const bool copies_most = g.checkpointing == most;
  add(g.restart == most, Remedy::kFasterRestart);
  add(g.detection == most, Remedy::kSoonerDetection);
  add(loses_most && said, Remedy::kLessLost);
  add(loses_most && ask.interval, Remedy::kMoreCheckpoints);
  add(copies_most && ask.interval, Remedy::kFewerCheckpoints);
  add(((loses_most && !said) || copies_most) && !ask.interval, Remedy::kFasterCheckpoints);
  if (g.waiting == most)
    remedies.push_back(g.best_spares > g.spare_nodes ? Remedy::kMoreSpares
                                                     : Remedy::kSoonerRepairs);
  add(on_spot, Remedy::kKeptMachines);
  add(paid.nodes > 1, Remedy::kFewerGpus);
  return remedies;
}

}  // namespace

RunStall stall_of(const PaidTime& paid, const TrainSetup& setup, bool on_spot) {
  const auto& g = paid.goodput;
  const double lost = g.lost_work + g.restart + g.detection;
  RunStall stall{.cause = cause_of(g),
                 .every = g.mtbf,
                 .each = lost * g.mtbf,
                 .in_repair = g.in_repair,
                 .spares = g.spare_nodes,
                 .waiting = g.waiting,
                 .lost = lost,
                 .checkpointing = g.checkpointing,
                 .best_spares = g.best_spares,
                 .with_spares = g.with_spares,
                 .remedies = remedies_of(paid, setup, on_spot)};
  if (stall.cause == RunStall::Cause::kCheckpoints) {
    stall.every = g.interval;
    stall.each = g.stall;
  }
  return stall;
}

}  // namespace loadfactor::engine
