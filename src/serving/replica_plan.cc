#include "serving/replica_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/distributions.h"
#include "serving/generation.h"
#include "serving/precision.h"
#include "workload/kv_cache.h"

namespace loadfactor::serving {
namespace {

Seconds quantile_of(const LoadFigures& figures, double quantile) {
  const double means = -std::log(std::max(1e-9, 1 - quantile));
  return figures.ttft - figures.waiting + means * figures.waiting;
}

// The closed form's mean step has the prompts of a batch that is never empty. A replica that is
// mostly idle sees fewer: others' prompts stretch a step only while others are there.
Seconds tpot_of(const LoadFigures& figures, const Pool& pool, const ServicePromise& ask,
                Hertz rate) {
  if (ask.output <= 1) return {};  // The first token is the answer.
  const double others = std::min(1.0, rate / pool.replicas * ask.output * figures.step);
  return figures.decode_step + others * (figures.step - figures.decode_step);
}

constexpr double kMeasuredQuantile = 0.99;  // The quantile of the bounds of measured runs.

// How far times per token of single requests spread about their mean, as the standard deviation of
// the logarithm: that of measured runs whose bound was of the 99th percentile.
double spread_of(const Constants& constants) {
  return -std::log(constants[Constant::kSloShare]) / normal_quantile(kMeasuredQuantile);
}

struct Trial {
  bool kept = false;
  RateBinding binding = RateBinding::kThroughput;  // The bound that is missed.
  LoadFigures figures;
  Seconds ttft;
};

Trial try_rate(const Pool& pool, const ServicePromise& ask, const Constants& constants,
               Hertz rate) {
  Trial trial;
  const Load load{.kind = LoadKind::kOpenLoop,
                  .input = ask.input,
                  .output = ask.output,
                  .rate = rate,
                  .prompts = -1,
                  .varied = true,
                  .cached = ask.cached};
  trial.figures = closed_form(pool, load, constants);
  trial.figures.tpot = tpot_of(trial.figures, pool, ask, rate);
  trial.ttft = quantile_of(trial.figures, ask.ttft_quantile);
  const Seconds tpot_bound = ask.tpot * mean_share(ask.tpot_quantile, constants);
  if (ask.ttft > Seconds() && trial.ttft > ask.ttft)
    trial.binding = RateBinding::kFirstToken;
  else if (ask.tpot > Seconds() && trial.figures.tpot > tpot_bound)
    trial.binding = RateBinding::kNextToken;
  trial.kept = trial.binding == RateBinding::kThroughput;
  return trial;
}

// Requests that miss their bounds at this rate.
MissSample misses_of(const Trial& trial, const ServicePromise& ask, const Constants& constants,
                     Hertz rate) {
  MissSample missed{.rate = rate, .first = 0, .each = 0};
  if (ask.ttft > Seconds()) {
    const Seconds left = ask.ttft - (trial.figures.ttft - trial.figures.waiting);
    missed.first =
        left <= Seconds()
            ? 1
            : std::exp(-left / std::max(Seconds::from_base(1e-12), trial.figures.waiting));
  }
  missed.each = slow_share(trial.figures.tpot, ask, constants);
  return missed;
}

MissCurve misses_of(const Pool& pool, const ServicePromise& ask, const Constants& constants,
                    Hertz saturated) {
  if (ask.ttft <= Seconds() && ask.tpot <= Seconds()) return {};
  std::vector<MissSample> samples;
  for (const double share : {0.1, 0.25, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97}) {
    const Hertz rate = share * saturated;
    samples.push_back(misses_of(try_rate(pool, ask, constants, rate), ask, constants, rate));
  }
  return MissCurve(std::move(samples), saturated);
}

}  // namespace

double mean_share(double quantile, const Constants& constants) {
  constexpr double kAlmostAll = 0.9999;
  const double deviations = normal_quantile(std::min(quantile, kAlmostAll));
  return std::min(1.0, std::exp(-deviations * spread_of(constants)));
}

double slow_share(Seconds tpot, const ServicePromise& ask, const Constants& constants) {
  if (ask.tpot <= Seconds() || tpot <= Seconds()) return 0;
  const double deviations = std::log(ask.tpot / tpot) / spread_of(constants);
  return 0.5 * std::erfc(deviations / std::sqrt(2.0));
}

AllowedMisses allowed_by(const ServicePromise& ask) {
  return {.first = ask.ttft > Seconds() ? 1 - ask.ttft_quantile : 1,
          .each = ask.tpot > Seconds() ? 1 - ask.tpot_quantile : 1};
}

double ReplicaPlan::room(double tokens_each) const {
  return static_cast<double>(kv_measured.value_or(kv_tokens)) * memory.stretch(tokens_each);
}

Pool ReplicaPlan::pool(const ServicePromise& ask, int replicas) const {
  // What requests have in common is held once by each copy.
  const double common = ask.cached * ask.input;
  const auto each = static_cast<std::int64_t>(
      std::ceil(std::max(1.0, ask.input - common + choice.traits->reserve * ask.output)));
  const auto tokens = static_cast<double>(each);
  const double alone =
      kv_measured
          ? room(tokens) / tokens
          : static_cast<double>(count_sequences(memory_setup, memory, each)) / choice.layout.dp;
  Pool out{.step = step.get(),
           .replicas = static_cast<double>(replicas) * choice.layout.dp,
           .gpus = static_cast<double>(replicas) * gpus(),
           .chunk = static_cast<double>(chunk),
           .kv_per_token = moved_per_token()};
  out.set_slots(alone - common / tokens, static_cast<double>(max_seqs));
  return out;
}

namespace {

void divide(ReplicaPlan& plan) {
  const ReplicaChoice& choice = plan.choice;
  plan.memory_setup = {.model = choice.model,
                       .chip = choice.chip,
                       .engine = choice.engine,
                       .recipe = choice.formats.recipe,
                       .kv = {.kv = choice.formats.kernels.kv},
                       .memory_fraction = choice.memory_fraction > 0
                                              ? choice.memory_fraction
                                              : choice.engine->memory.fraction,
                       .batched_tokens = plan.chunk,
                       .max_sequences = plan.max_seqs};
  const ServingLayout& l = choice.layout;
  plan.memory = divide_memory(plan.memory_setup, {.tp = l.tp,
                                                  .cp = l.cp,
                                                  .ep = l.ep,
                                                  .etp = l.expert_tp(),
                                                  .pp = l.pp,
                                                  .dp = l.dp,
                                                  .uneven = true});
}

void count_cache(ReplicaPlan& plan) {
  const std::int64_t held = count_kv_tokens(plan.memory_setup, plan.memory) / plan.choice.layout.dp;
  plan.kv_tokens = std::min<std::int64_t>(held, std::numeric_limits<std::int32_t>::max());
}

}  // namespace

Bytes ReplicaPlan::moved_per_token() const {
  return kv_per_token / choice.layout.tp;
}

Result<ReplicaPlan> plan_replica(const ReplicaChoice& choice, HardwareShelf& hardware) {
  ReplicaPlan plan;
  plan.choice = choice;
  const auto defaults = engine_defaults(*choice.engine, *choice.traits, *choice.chip);
  plan.max_seqs = choice.max_seqs > 0 ? choice.max_seqs : defaults.max_sequences;
  plan.chunk = choice.chunk > 0 ? choice.chunk : defaults.chunk;
  // Where every token sees every other, a text is computed in one step, whole.
  if (!choice.model->causal) plan.chunk = std::max(plan.chunk, choice.model->context);
  divide(plan);
  count_cache(plan);
  if (!plan.fits()) return plan;
  for (const auto& stage : plan.memory.stages)
    plan.kv_per_token += stage.profile.per_token() * choice.layout.tp;
  TRY(const cost::ChipModel* kernels, hardware.kernels(*choice.chip));
  TRY(const collective::Network* network, hardware.network(*choice.chip, choice.traits->one_shot));
  plan.step =
      std::make_shared<const StepModel>(ServingDeployment{.model = choice.model,
                                                          .chip = choice.chip,
                                                          .kernels = kernels,
                                                          .network = network,
                                                          .engine = choice.traits,
                                                          .precision = choice.formats.kernels,
                                                          .layout = choice.layout,
                                                          .speculation = choice.speculation,
                                                          .adapters = choice.adapters,
                                                          .experts_used = choice.experts_used,
                                                          .seen = choice.seen});
  const Bytes adapters = plan.step->adapter_bytes();
  if (adapters <= Bytes()) return plan;
  plan.memory.take(adapters);
  count_cache(plan);
  return plan;
}

Seconds mean_tpot(const ReplicaPlan& plan, const ServicePromise& ask, const Constants& constants,
                  Hertz rate) {
  return try_rate(plan.pool(ask), ask, constants, rate).figures.tpot;
}

CapacityFigures measure_capacity(const ReplicaPlan& plan, const ServicePromise& ask,
                                 const Constants& constants) {
  return measure_capacity(plan.pool(ask), ask, constants);
}

CapacityFigures measure_capacity(const Pool& pool, const ServicePromise& ask,
                                 const Constants& constants) {
  CapacityFigures result;
  const Load full{
      .kind = LoadKind::kOffline, .input = ask.input, .output = ask.output, .cached = ask.cached};
  const Hertz saturated = closed_form(pool, full, constants).request_rate;
  result.capacity.saturated = saturated;
  result.capacity.gpus = static_cast<int>(pool.gpus);
  const Trial idle = try_rate(pool, ask, constants, 1e-3 * saturated);
  result.idle_ttft = idle.ttft;
  result.idle_tpot = idle.figures.tpot;
  result.binding = idle.binding;
  if (!idle.kept) return result;
  constexpr double kNearSaturation = 0.98;  // Beyond, a queue of random arrivals never empties.
  Hertz low = 1e-3 * saturated;
  Hertz high = kNearSaturation * saturated;
  Trial best = try_rate(pool, ask, constants, high);
  if (best.kept) {
    low = high;
  } else {
    Trial kept = idle;
    RateBinding binding = best.binding;
    for (int i = 0; i < 18; ++i) {
      const Hertz middle = 0.5 * (low + high);
      Trial trial = try_rate(pool, ask, constants, middle);
      if (trial.kept) {
        low = middle;
        kept = trial;
      } else {
        high = middle;
        binding = trial.binding;
      }
    }
    best = kept;
    best.binding = binding;
  }
  result.capacity.at_slo = low;
  result.capacity.misses = misses_of(pool, ask, constants, saturated);
  result.capacity.allowed = allowed_by(ask);
  result.ttft = best.ttft;
  result.tpot = best.figures.tpot;
  result.batch = best.figures.batch;
  result.latency = best.figures.latency;
  result.binding = best.binding;
  return result;
}

}  // namespace loadfactor::serving
