#include "serving/split_plan.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace loadfactor::serving {
namespace {

// Step of one copy of the attention that decodes so many sequences.
LoadFigures decoding(const Pool& pool, const ServicePromise& ask, const Constants& constants,
                     double sequences) {
  const Load load{.kind = LoadKind::kDecodeOnly,
                  .input = ask.input,
                  .output = ask.output,
                  .concurrency = sequences,
                  .cached = ask.cached};
  return closed_form(pool, load, constants);
}

// Answers that are slower than the bound, by the rate that keeps so many sequences busy.
MissCurve decode_misses(const Pool& pool, const ServicePromise& ask, const Constants& constants,
                        Hertz saturated) {
  if (ask.tpot <= Seconds()) return {};
  std::vector<MissSample> samples;
  for (const double share : {0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 0.98}) {
    const LoadFigures figures = decoding(pool, ask, constants, std::max(1.0, share * pool.slots));
    samples.push_back({.rate = figures.request_rate,
                       .first = 0,
                       .each = slow_share(figures.tpot, ask, constants)});
  }
  return MissCurve(std::move(samples), saturated);
}

}  // namespace

Seconds transfer_time(const ReplicaPlan& plan, double tokens, const Constants& constants) {
  return Seconds::from_base(tokens * plan.moved_per_token().base() *
                            constants[Constant::kTransfer] * 1e-9);
}

CapacityFigures measure_prompts(const ReplicaPlan& plan, const ServicePromise& ask,
                                const Constants& constants) {
  ServicePromise prompts = ask;
  prompts.output = 1;
  prompts.tpot = Seconds();
  const Seconds moved = transfer_time(plan, ask.input, constants);
  if (ask.ttft > Seconds()) prompts.ttft = std::max(Seconds::from_base(1e-9), ask.ttft - moved);
  CapacityFigures figures = measure_capacity(plan, prompts, constants);
  figures.ttft += moved;
  figures.idle_ttft += moved;
  return figures;
}

CapacityFigures measure_answers(const ReplicaPlan& plan, const ServicePromise& ask,
                                const Constants& constants) {
  CapacityFigures figures;
  const Pool pool = plan.pool(ask);
  const Seconds bound = ask.tpot > Seconds() ? ask.tpot * mean_share(ask.tpot_quantile, constants)
                                             : Seconds::from_base(1e300);
  const LoadFigures full = decoding(pool, ask, constants, pool.slots);
  figures.capacity = {full.request_rate, Hertz(), plan.gpus()};
  figures.idle_tpot = ask.output > 1 ? decoding(pool, ask, constants, 1).tpot : Seconds();
  figures.binding = RateBinding::kNextToken;
  if (figures.idle_tpot > bound) return figures;
  double low = 1;
  double high = pool.slots;
  constexpr double kNearFull = 0.98;  // A batch of random arrivals is not always full.
  if (full.tpot <= bound) {
    low = kNearFull * high;
    figures.binding = RateBinding::kThroughput;
  } else {
    for (int i = 0; i < 18; ++i) {
      const double middle = 0.5 * (low + high);
      (decoding(pool, ask, constants, middle).tpot <= bound ? low : high) = middle;
    }
  }
  const LoadFigures kept = decoding(pool, ask, constants, std::max(1.0, low));
  figures.capacity.at_slo = std::min(figures.capacity.saturated, kept.request_rate);
  figures.capacity.misses = decode_misses(pool, ask, constants, full.request_rate);
  figures.capacity.allowed = allowed_by(ask);
  figures.capacity.allowed.first = 1;
  figures.tpot = ask.output > 1 ? kept.tpot : Seconds();
  figures.batch = low;
  figures.latency = kept.latency;
  return figures;
}

Hertz saturated_rate(const ReplicaPlan& prompts, int prompt_replicas, const ReplicaPlan& answers,
                     int answer_replicas, const ServicePromise& ask, const Constants& constants) {
  const Pool prompt_pool = prompts.pool(ask, prompt_replicas);
  Pool both = answers.pool(ask, answer_replicas);
  both.prompts = &prompt_pool;
  both.gpus += prompt_pool.gpus;
  const Load full{.kind = LoadKind::kOffline,
                  .input = ask.input,
                  .output = ask.output,
                  .opening = 0,
                  .cached = ask.cached};
  return closed_form(both, full, constants).request_rate;
}

CapacityFigures measure_unit(const ReplicaPlan& prompts, int prompt_replicas,
                             const ReplicaPlan& answers, int answer_replicas,
                             const ServicePromise& ask, const Constants& constants) {
  const CapacityFigures first = measure_prompts(prompts, ask, constants);
  CapacityFigures unit = measure_answers(answers, ask, constants);
  const Hertz prompts_kept = first.capacity.at_slo * static_cast<double>(prompt_replicas);
  const Hertz answers_kept = unit.capacity.at_slo * static_cast<double>(answer_replicas);
  unit.capacity.saturated =
      saturated_rate(prompts, prompt_replicas, answers, answer_replicas, ask, constants);
  unit.capacity.at_slo = std::min({prompts_kept, answers_kept, unit.capacity.saturated});
  unit.capacity.gpus = prompt_replicas * prompts.gpus() + answer_replicas * answers.gpus();
  unit.ttft = first.ttft;
  unit.idle_ttft = first.idle_ttft;
  unit.latency = unit.latency + first.ttft;
  if (prompts_kept < answers_kept) unit.binding = first.binding;
  return unit;
}

Seconds mean_answer_tpot(const ReplicaPlan& plan, const ServicePromise& ask,
                         const Constants& constants, Hertz rate) {
  if (ask.output <= 1) return {};
  const Pool pool = plan.pool(ask);
  double sequences = 1;
  Seconds step;
  for (int round = 0; round < 12; ++round) {
    step = decoding(pool, ask, constants, std::clamp(sequences, 1.0, pool.slots)).tpot;
    sequences = 0.5 * sequences + 0.5 * rate / pool.replicas * ask.output * step;
  }
  return step;
}

}  // namespace loadfactor::serving
