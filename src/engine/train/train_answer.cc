#include "engine/train/train_answer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "catalog/used_fact.h"
#include "engine/train/bus_doubt.h"
#include "training/memory/stage_split.h"
#include "training/step/machine.h"
#include "workload/parameters.h"

namespace loadfactor::engine {
namespace {

using training::MemoryGroup;
using training::Part;

// Tensors are counted, not measured; published peaks that state everything agree within this.
constexpr double kMemoryDoubt = 0.05;

struct GroupRow {
  MemoryUse use;
  std::array<MemoryGroup, 4> groups;
  std::size_t count;
  double doubt;
};
constexpr std::array kGroupRows{
    GroupRow{MemoryUse::kWeights, {MemoryGroup::kWeights}, 1, 0.0},
    GroupRow{MemoryUse::kGradients,
             {MemoryGroup::kGradients, MemoryGroup::kHeadGradient, MemoryGroup::kLateGradients,
              MemoryGroup::kDummyGradients},
             4,
             0.0},
    GroupRow{MemoryUse::kOptimizer, {MemoryGroup::kOptimizer}, 1, 0.0},
    GroupRow{MemoryUse::kActivations,
             {MemoryGroup::kActivations, MemoryGroup::kInputs},
             2,
             kMemoryDoubt},
    GroupRow{
        MemoryUse::kBackward, {MemoryGroup::kRecomputed, MemoryGroup::kBackward}, 2, kMemoryDoubt},
    GroupRow{MemoryUse::kLogits, {MemoryGroup::kLogits}, 1, kMemoryDoubt},
    GroupRow{MemoryUse::kBuffers,
             {MemoryGroup::kGathered, MemoryGroup::kBuckets, MemoryGroup::kSlack},
             3,
             0.5},
    GroupRow{MemoryUse::kContext, {MemoryGroup::kContext}, 1, 0.25},
};

std::string sources_of(const catalog::Provenance& provenance) {
  return fmt::format("{}", fmt::join(provenance.sources, ", "));
}

void add_layout(const ChosenLayout& chosen, TrainAnswer& answer) {
  const training::Layout& from = chosen.job.layout;
  const training::StageSplit split(chosen.job.model->num_layers(), from);
  TrainLayout& to = answer.layout;
  to = {.gpus = from.gpus,
        .tp = from.tp,
        .pp = from.pp,
        .vp = from.vp,
        .first_layers = training::stage_layers(split, from, 0),
        .last_layers = training::stage_layers(split, from, from.pp - 1),
        .own_ends = from.first_layers > 0,
        .cp = from.cp,
        .ep = from.ep,
        .etp = from.etp,
        .dp = from.dp,
        .sharding = sharding_words(from.sharding),
        .shard_group = from.shard_group,
        .micro_batch = from.micro_batch,
        .micro_batches = chosen.job.global_batch / (from.micro_batch * from.dp),
        .recompute = recompute_words(from.recompute),
        .schedule = schedule_words(from),
        .sequence_parallel = from.sequence_parallel};
  if (from.offload.optimizer) to.offload.emplace_back("optimizer");
  if (from.offload.parameters) to.offload.emplace_back("parameters");
  if (from.offload.activations || from.offload.activation_layers > 0)
    to.offload.emplace_back("activations");
  to.offload_layers = from.offload.activation_layers;
}

FullestStage::Moment moment_of(training::Moment moment) {
  switch (moment) {
    case training::Moment::kLoss:
      return FullestStage::Moment::kLoss;
    case training::Moment::kBackwardLast:
      return FullestStage::Moment::kBackwardLast;
    case training::Moment::kBackwardFirst:
      return FullestStage::Moment::kBackwardFirst;
    case training::Moment::kOptimizerStep:
      break;
  }
  return FullestStage::Moment::kOptimizerStep;
}

MemoryVerdict verdict_of(const ChosenLayout& chosen) {
  if (!chosen.fits()) return MemoryVerdict::kDoesNotFit;
  return chosen.plan.verdict == training::Verdict::kTight ? MemoryVerdict::kTight
                                                          : MemoryVerdict::kFits;
}

void add_memory(const ChosenLayout& chosen, TrainAnswer& answer) {
  const auto& peak = chosen.plan.peak();
  const std::string source = sources_of(chosen.job.stack->memory.provenance);
  EstimateOf<Bytes> sum(Bytes(), Bytes(), Bytes(), Basis::kModelled, source);
  for (const auto& row : kGroupRows) {
    Bytes bytes;
    for (std::size_t i = 0; i < row.count; ++i) bytes += peak.of(row.groups[i]);
    const auto estimate = EstimateOf<Bytes>::within(bytes, row.doubt, Basis::kModelled, source);
    answer.lines.push_back({row.use, estimate});
    sum = add_correlated(sum, estimate);
  }
  answer.memory = sum;
  answer.memory_per_gpu = chosen.plan.capacity;
  answer.optimizer = peak.of(MemoryGroup::kOptimizer);
  answer.fullest = {moment_of(peak.peak), peak.rank, peak.layers, peak.in_flight};
  answer.fits = chosen.fits();
  answer.verdict = verdict_of(chosen);
  const Bytes free = std::max(chosen.plan.capacity - peak.used(), Bytes());
  answer.lines.push_back(
      {MemoryUse::kFree, EstimateOf<Bytes>::exact(free, Basis::kModelled, source)});
  answer.memory_needed = chosen.plan.needed;
  answer.memory_fill = chosen.plan.fill();
  if (!answer.fits && chosen.plan.host_fill() > 1)
    answer.notices.push_back(
        {.id = "host-too-small",
         .severity = Severity::kCaution,
         .arguments = {{"needed", format_display(any(chosen.plan.host))},
                       {"there", format_display(any(chosen.plan.host_capacity))}}});
  answer.tight_from = training::kTightLine;
}

training::JobClass class_of(const TrainSetup& setup) {
  using training::JobClass;
  if (setup.job.model->has_experts()) return JobClass::kMoe;
  const auto& chip = *setup.chip_constants;
  if (!chip.has_tables || chip.accelerator != setup.job.chip->name) return JobClass::kDenseNoTables;
  return setup.shape_assumed ? JobClass::kDenseMissing : JobClass::kDense;
}

// Nine of ten published runs lie within the interval of their class, out of sample.
struct Spread {
  double low = 1;  // On the rate.
  double high = 1;
  std::string source = "training-results";

  template <typename Q>
  EstimateOf<Q> rate(Q value) const {
    return {value, value * low, value * high, Basis::kCalibrated, source};
  }
  template <typename Q>
  EstimateOf<Q> time(Q value) const {
    return {value, value / high, value / low, Basis::kCalibrated, source};
  }
};

// As a reader goes through a step.
constexpr std::array kPartOrder{Part::kGemm,      Part::kAttention, Part::kPointwise, Part::kHead,
                                Part::kRecompute, Part::kTp,        Part::kCp,        Part::kEp,
                                Part::kFsdp,      Part::kDp,        Part::kP2p,       Part::kBubble,
                                Part::kImbalance, Part::kOptimizer, Part::kOffload,   Part::kHost,
                                Part::kData,      Part::kStraggler};
static_assert(kPartOrder.size() == training::kNumParts);

void add_parts(const ChosenLayout& chosen, const Spread& spread, TrainAnswer& answer) {
  const Seconds total = chosen.time.total();
  for (const Part part : kPartOrder) {
    const Seconds time = chosen.time[part];
    if (time <= Seconds()) continue;
    answer.parts.push_back({std::string(training::name(part)), spread.time(time), time / total});
  }
}

void add_rates(const TrainSetup& setup, const ChosenLayout& chosen, TrainAnswer& answer) {
  const auto& file = setup.data->calibration_file;
  auto width = file.interval_on(setup.job.chip->name, class_of(setup),
                                {setup.job.stack->seen(), file.has_runs_on(setup.job.chip->name)});
  const BusDoubt bus = doubt_of_bus(setup, chosen);
  width = {std::hypot(width.low, bus.slower), std::hypot(width.high, bus.faster)};
  note_bus(setup, bus, answer);
  const Seconds total = chosen.time.total();
  const int gpus = chosen.job.layout.gpus;
  answer.peak = training::peak_rate(*chosen.job.chip, chosen.job.precision.compute);
  const Seconds ideal = chosen.time.model_work / (answer.peak * gpus);
  const double best = 1.0 / std::min(1.0, chosen.time.hardware_work / (answer.peak * gpus) / total);
  // What a site measured narrows the interval, as far as it speaks of this step.
  const auto& fabric = chosen.job.fabric;
  const int domain = fabric.scale_up_domain.value_or(chosen.job.chip->scale_up.domain);
  const bool beyond = chosen.job.measured.falls_short(gpus, domain);
  const double narrow = setup.site ? setup.site->narrowing(chosen.time, beyond) : 1.0;
  Spread spread{std::exp(-narrow * width.low), std::min(std::exp(narrow * width.high), best)};
  if (setup.site && setup.site->steps > 0) spread.source = "site";
  add_parts(chosen, spread, answer);
  answer.step_time = spread.time(total);
  const Tokens tokens = Tokens::from_base(static_cast<double>(chosen.job.global_batch) *
                                          static_cast<double>(chosen.job.sequence));
  answer.tokens_per_s = spread.rate(tokens / total);
  answer.tokens_per_s_per_gpu = spread.rate(tokens / total / gpus);
  answer.mfu = spread.rate(ideal / total);
  answer.hfu = spread.rate(chosen.time.hardware_work / (answer.peak * gpus) / total);
  answer.reasons = reasons_not_faster(chosen, ideal);
  const auto& ask = setup.ask();
  if (ask.deadline) answer.deadline = ask.deadline->value;
  if (!ask.tokens) return;
  answer.tokens = ask.tokens->value;
  answer.duration = spread.time(std::max(total, ask.tokens->value / (tokens / total)));
}

void add_constants(const TrainSetup& setup, TrainAnswer& answer) {
  const auto& file = setup.data->calibration_file;
  for (std::size_t i = 0; i < training::kNumConstants; ++i) {
    const auto& entry = file.constants[i];
    answer.constants.push_back({std::string(training::name(static_cast<training::Constant>(i))),
                                entry.fitted.value, entry.fitted.prior, entry.unit, entry.source,
                                entry.what});
  }
  const auto width = static_cast<std::size_t>(training::width_of(setup.job.precision.compute));
  for (const auto& entry : file.chips) {
    if (entry.chip.accelerator != setup.chip_constants->accelerator) continue;
    answer.constants.push_back({"sustained", entry.sustained[width].value,
                                entry.sustained[width].prior, "share", entry.source, "",
                                entry.chip.accelerator});
  }
}

void add_facts(const ChosenLayout& chosen, TrainAnswer& answer) {
  const auto add = [&answer](const char* id, const std::string& of, const catalog::Provenance& from,
                             std::string value = {}) {
    answer.facts.push_back(catalog::used_fact(id, of, from, std::move(value)));
  };
  const auto& chip = *chosen.job.chip;
  const auto& stack = *chosen.job.stack;
  if (!chosen.job.model->provenance.file.empty())
    add("architecture", chosen.job.model->name, chosen.job.model->provenance);
  add("memory", chip.name, chip.memory.provenance, format_display(any(chip.memory.nominal), 4));
  add("arithmetic", chip.name, chip.arithmetic.provenance);
  add("links", chip.name, chip.scale_up.provenance,
      format_display(any(chip.scale_up.bandwidth), 4));
  add("switches", stack.name, stack.provenance);
  add("memory", stack.name, stack.memory.provenance);
}

}  // namespace

TrainAnswer describe_training(const TrainSetup& setup, const ChosenLayout& chosen) {
  TrainAnswer answer;
  const auto& model = *chosen.job.model;
  answer.scenario = setup.scenario.name.value;
  answer.model = model.name;
  answer.title = model.title;
  answer.accelerator = chosen.job.chip->name;
  answer.accelerator_title = chosen.job.chip->title;
  answer.stack = chosen.job.stack->name;
  answer.stack_title = chosen.job.stack->title;
  answer.precision = setup.precision;
  const auto parameters = workload::count_parameters(model);
  answer.parameters_total = parameters.total();
  answer.parameters_active = parameters.active();
  answer.sequence = chosen.job.sequence;
  answer.global_batch = chosen.job.global_batch;
  add_layout(chosen, answer);
  answer.layout_keys = keys_text(layout_keys(chosen.job));
  answer.layout_edits = layout_edits(chosen.job);
  add_memory(chosen, answer);
  if (answer.fits) add_rates(setup, chosen, answer);
  if (answer.fits) add_constants(setup, answer);
  add_facts(chosen, answer);
  return answer;
}

}  // namespace loadfactor::engine
