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

// A copy that is not known is as small, and has as many micro-batches, as lets it lose least.
training::ElasticJob elastic_job(const RunSize& run, int per_node) {
  constexpr std::int64_t kMany = 1'000'000;
  const int copy = run.copy_gpus > 0 ? run.copy_gpus : std::min(run.gpus, per_node);
  return {.copies = std::max(1, run.gpus / copy),
          .copy_nodes = static_cast<double>(copy) / per_node,
          .micro_batches = run.micro_batches > 0 ? run.micro_batches : kMany};
}

// What whole runs lose; a node by itself waits for no slower one.
training::RunLosses habits_of(const catalog::Catalog& catalog, int nodes) {
  auto losses = training::read_run_losses(catalog.hazards());
  if (nodes <= 1) losses.slow_nodes = 0;
  return losses;
}

// What the interval between checkpoints that people write loses beyond the best one, up to what
// they put up with; nothing where it is the user's own.
double habit_loss(const TrainSetup& setup, const training::Goodput& goodput,
                  const training::RunLosses& losses) {
  const Seconds usual = losses.practised(goodput.interval);
  if (setup.ask().failures.interval || usual <= goodput.interval) return 0;
  const auto lost = [&goodput](Seconds interval) {
    return goodput.stall / interval + 0.5 * (interval / goodput.mtbf);
  };
  const double more = std::max(0.0, lost(usual) - lost(goodput.interval));
  return std::min(more, losses.most_to_habit * goodput.value);
}

}  // namespace

EstimateOf<Seconds> PaidTime::run(const EstimateOf<Seconds>& work) const {
  const auto steady = EstimateOf<Seconds>(divide(work.erased(), effective.erased()));
  const auto whole = time(work.value());
  const double low = std::min(steady.low() / steady.value(), whole.low);
  const double high = std::max(steady.high() / steady.value(), whole.high);
  return {whole.paid, whole.paid * low, whole.paid * high, steady.basis(), steady.source()};
}

Seconds PaidTime::work_within(Seconds run_time) const {
  constexpr int kHalvings = 100;
  Seconds least;
  Seconds most = run_time;
  for (int i = 0; i < kHalvings; ++i) {
    const Seconds middle = (least + most) * 0.5;
    (run(middle) <= run_time ? least : most) = middle;
  }
  return least;
}

namespace {

// So short that nothing of it is unexplained.
constexpr Seconds kShortest = Seconds::from_base(1e-6);

}  // namespace

EstimateOf<double> PaidTime::share(std::optional<Seconds> work) const {
  const auto exact =
      EstimateOf<Seconds>::exact(work.value_or(kShortest), Basis::kModelled, effective.source());
  const auto paid = run(exact);
  const auto of = [&exact](Seconds time) { return std::min(1.0, exact.value() / time); };
  return {of(paid.value()), of(paid.high()), of(paid.low()), Basis::kModelled, effective.source()};
}

std::vector<GoodputLoss> losses_of(const training::Goodput& g) {
  using Cause = GoodputLoss::Cause;
  std::vector<GoodputLoss> losses{
      {Cause::kRestarts, g.restart},          {Cause::kLostWork, g.lost_work},
      {Cause::kCheckpoints, g.checkpointing}, {Cause::kDetection, g.detection},
      {Cause::kRepairs, g.waiting},
  };
  std::stable_sort(losses.begin(), losses.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  return losses;
}

std::vector<GoodputLoss> PaidTime::losses_of(std::optional<Seconds> work) const {
  using Cause = GoodputLoss::Cause;
  const auto paid = time(work.value_or(kShortest));
  auto out = engine::losses_of(goodput);
  for (GoodputLoss& loss : out) loss.share *= paid.kept / paid.paid;
  const double shared = paid.shared / paid.paid;
  const double named = losses.evaluation + losses.slow_nodes + losses.thrown_away;
  const double scale = named > 0 ? losses.shares() / named * shared : 0.0;
  out.push_back({Cause::kRareCheckpoints, seldom * (paid.kept / paid.paid)});
  out.push_back({Cause::kEvaluations, losses.evaluation * scale});
  out.push_back({Cause::kSlowNodes, losses.slow_nodes * scale});
  out.push_back({Cause::kTakenAgain, losses.thrown_away * scale});
  out.push_back({Cause::kWarmUp, (paid.named - paid.shared) / paid.paid});
  out.push_back({Cause::kUnexplained, (paid.paid - paid.named) / paid.paid});
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  return out;
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

PaidTime paid_time(const catalog::Catalog& catalog, const TrainSetup& setup, const RunSize& run,
                   bool on_spot) {
  const int gpus = run.gpus;
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
  question.step = run.step;
  question.gpus_per_node = per_node;
  // What is frozen is on disk already: a checkpoint holds what is trained, and its optimizer.
  const auto all = static_cast<double>(workload::count_parameters(*setup.job.model).total());
  question.parameters = std::round(setup.job.trainable_share * all);
  if (chip.host) question.host_link = chip.host->bandwidth;
  question.borrowed = on_spot;
  question.preemption = preemption_of(setup.scenario.money.spot);
  apply(setup.ask().failures, *read, question);
  const auto& elastic = setup.ask().failures.elastic;
  if (elastic && elastic->value) question.elastic = elastic_job(run, per_node);
  paid.goodput = training::goodput(*read, question);
  paid.facts = read->facts;
  paid.losses = habits_of(catalog, paid.nodes);
  paid.facts.insert(paid.facts.end(), paid.losses.facts.begin(), paid.losses.facts.end());
  paid.seldom = habit_loss(setup, paid.goodput, paid.losses);
  const double loss = 1.0 - paid.goodput.value;
  // Twice the losses never leave less than half of what there is: a run that ends has an end.
  paid.effective = {1.0 - loss, std::max(0.5 * (1.0 - loss), 1.0 - 2.0 * loss), 1.0 - 0.5 * loss,
                    Basis::kModelled, sources_of(paid.facts)};
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
