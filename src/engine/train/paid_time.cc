#include "engine/train/paid_time.h"

#include <algorithm>
#include <array>

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
  question.parameters = setup.job.trainable_share *
                        static_cast<double>(workload::count_parameters(*setup.job.model).total());
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

std::string stall_words(const PaidTime& paid) {
  const auto& g = paid.goodput;
  if (g.hazard <= Hertz() && g.restart >= 1.0)
    return "planned stops and their restarts take all of the time";
  const Seconds each = (g.lost_work + g.restart + g.detection) * g.mtbf;
  if (g.lost_work + g.restart + g.detection >= 1.0)
    return fmt::format("a stop every {} costs {} of restart and lost work",
                       format_display(any(g.mtbf)), format_display(any(each)));
  if (g.checkpointing >= 1.0)
    return fmt::format("a checkpoint every {} stops everybody for {}",
                       format_display(any(g.interval)), format_display(any(g.stall)));
  if (g.waiting > 0.5)
    return fmt::format(
        "{:.3g} nodes are in repair on average and {} is spare: {:.1f} % of the "
        "time the job waits for one",
        g.in_repair, g.spare_nodes > 0 ? std::to_string(g.spare_nodes) : "none", 100.0 * g.waiting);
  return fmt::format(
      "restarts and lost work ({:.0f} %), checkpoints ({:.0f} %) and waiting for repairs take all "
      "of the time",
      100.0 * (g.lost_work + g.restart + g.detection), 100.0 * g.checkpointing);
}

std::string stall_remedies(const PaidTime& paid, const TrainSetup& setup, bool on_spot) {
  const auto& g = paid.goodput;
  const auto& ask = setup.ask().failures;
  std::vector<std::string> words;
  const double most = std::max({g.lost_work, g.restart, g.detection, g.checkpointing, g.waiting});
  if (g.restart == most) words.emplace_back("a faster restart (train.failures.restart)");
  if (g.detection == most) words.emplace_back("sooner detection (train.failures.detection)");
  const bool said = on_spot && setup.scenario.money.spot.loss.has_value();
  if (g.lost_work == most && said)
    words.emplace_back("less that is lost each time (money.spot.loss)");
  if (g.lost_work == most && ask.interval)
    words.emplace_back("more frequent checkpoints (train.failures.interval)");
  if (g.checkpointing == most && ask.interval)
    words.emplace_back("less frequent checkpoints (train.failures.interval)");
  if (((g.lost_work == most && !said) || g.checkpointing == most) && !ask.interval)
    words.emplace_back("faster checkpoints (train.failures.storage, or checkpoint: in-memory)");
  if (g.waiting == most)
    words.push_back(g.best_spares > g.spare_nodes
                        ? fmt::format("{} spare nodes instead of {} (train.failures.spares), which "
                                      "leave a goodput of {:.1f} %",
                                      g.best_spares, g.spare_nodes, 100.0 * g.with_spares)
                        : std::string("sooner repairs (train.failures.repair)"));
  if (on_spot) words.emplace_back("machines that are not taken away (money.options)");
  if (paid.nodes > 1) words.emplace_back("fewer GPUs");
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace loadfactor::engine
