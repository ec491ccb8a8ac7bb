#include "serving/split_plan.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace loadfactor::serving {
namespace {

// Step of one copy of the attention that decodes so many sequences.
LoadFigures decoding(const Pool& pool, const ServiceAsk& ask, const Constants& constants,
                     double sequences) {
  const Load load{.kind = LoadKind::kDecodeOnly,
                  .input = ask.input,
                  .output = ask.output,
                  .concurrency = sequences,
                  .cached = ask.cached};
  return closed_form(pool, load, constants);
}

// Answers that are slower than the bound, by the rate that keeps so many sequences busy.
MissCurve decode_misses(const Pool& pool, const ServiceAsk& ask, const Constants& constants,
                        double saturated) {
  if (ask.tpot <= 0) return {};
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

double transfer_time(const ReplicaPlan& plan, double tokens, const Constants& constants) {
  return tokens * plan.kv_bytes_per_token * constants[Constant::kTransfer] * 1e-9;
}

CapacityFigures measure_prompts(const ReplicaPlan& plan, const ServiceAsk& ask,
                                const Constants& constants) {
  ServiceAsk prompts = ask;
  prompts.output = 1;
  prompts.tpot = 0;
  const double moved = transfer_time(plan, ask.input, constants);
  if (ask.ttft > 0) prompts.ttft = std::max(1e-9, ask.ttft - moved);
  CapacityFigures figures = measure_capacity(plan, prompts, constants);
  figures.ttft += moved;
  figures.idle_ttft += moved;
  return figures;
}

CapacityFigures measure_answers(const ReplicaPlan& plan, const ServiceAsk& ask,
                                const Constants& constants) {
  CapacityFigures figures;
  const Pool pool = plan.pool(ask);
  const double bound = ask.tpot > 0 ? ask.tpot * mean_share(ask.tpot_quantile, constants) : 1e300;
  const LoadFigures full = decoding(pool, ask, constants, pool.slots);
  figures.capacity = {Hertz::from_base(full.request_rate), Hertz(), plan.gpus()};
  figures.idle_tpot = ask.output > 1 ? decoding(pool, ask, constants, 1).tpot : 0;
  figures.binding = "tpot";
  if (figures.idle_tpot > bound) return figures;
  double low = 1;
  double high = pool.slots;
  constexpr double kNearFull = 0.98;  // A batch of random arrivals is not always full.
  if (full.tpot <= bound) {
    low = kNearFull * high;
    figures.binding = "throughput";
  } else {
    for (int i = 0; i < 18; ++i) {
      const double middle = 0.5 * (low + high);
      (decoding(pool, ask, constants, middle).tpot <= bound ? low : high) = middle;
    }
  }
  const LoadFigures kept = decoding(pool, ask, constants, std::max(1.0, low));
  figures.capacity.at_slo =
      std::min(figures.capacity.saturated, Hertz::from_base(kept.request_rate));
  figures.capacity.misses = decode_misses(pool, ask, constants, full.request_rate);
  figures.capacity.allowed = allowed_by(ask);
  figures.capacity.allowed.first = 1;
  figures.tpot = ask.output > 1 ? kept.tpot : 0;
  figures.batch = low;
  figures.latency = kept.latency;
  return figures;
}

CapacityFigures measure_unit(const ReplicaPlan& prompts, int prompt_replicas,
                             const ReplicaPlan& answers, int answer_replicas, const ServiceAsk& ask,
                             const Constants& constants) {
  const CapacityFigures first = measure_prompts(prompts, ask, constants);
  CapacityFigures unit = measure_answers(answers, ask, constants);
  const Hertz prompts_kept = first.capacity.at_slo * static_cast<double>(prompt_replicas);
  const Hertz answers_kept = unit.capacity.at_slo * static_cast<double>(answer_replicas);
  const Pool prompt_pool = prompts.pool(ask, prompt_replicas);
  Pool both = answers.pool(ask, answer_replicas);
  both.prompts = &prompt_pool;
  both.gpus += prompt_pool.gpus;
  const Load full{
      .kind = LoadKind::kOffline, .input = ask.input, .output = ask.output, .cached = ask.cached};
  unit.capacity.saturated = Hertz::from_base(closed_form(both, full, constants).request_rate);
  unit.capacity.at_slo = std::min({prompts_kept, answers_kept, unit.capacity.saturated});
  unit.capacity.gpus = static_cast<int>(both.gpus);
  unit.ttft = first.ttft;
  unit.idle_ttft = first.idle_ttft;
  unit.latency += first.ttft;
  if (prompts_kept < answers_kept) unit.binding = first.binding;
  return unit;
}

double mean_answer_tpot(const ReplicaPlan& plan, const ServiceAsk& ask, const Constants& constants,
                        double rate) {
  if (ask.output <= 1) return 0;
  const Pool pool = plan.pool(ask);
  double sequences = 1;
  double step = 0;
  for (int round = 0; round < 12; ++round) {
    step = decoding(pool, ask, constants, std::clamp(sequences, 1.0, pool.slots)).tpot;
    sequences = 0.5 * sequences + 0.5 * rate / pool.replicas * ask.output * step;
  }
  return step;
}

}  // namespace loadfactor::serving
