#include "engine/simulate_answer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "engine/simulate_load.h"

namespace loadfactor::engine {
namespace {

using serving::Metric;
using serving::SimulationResult;

constexpr const char* kSource = "serving model";

// A figure with the interval that predictions of this metric have had.
template <typename Q>
EstimateOf<Q> with_interval(Q value, Metric metric, const SimulateSetup& setup) {
  const auto width = setup.calibration.interval(metric, {});
  return {value, value * std::exp(width.low), value * std::exp(width.high), Basis::kCalibrated,
          kSource};
}

LatencyFigures figures_of(const sim::LatencyHistogram& histogram, Metric metric, sim::Ticks front,
                          const SimulateSetup& setup) {
  const auto at = [&](double ticks) {
    const double seconds = (ticks + static_cast<double>(front)) / static_cast<double>(sim::kSecond);
    return with_interval(Seconds::from_base(seconds), metric, setup);
  };
  return {at(histogram.quantile(0.50)), at(histogram.quantile(0.90)), at(histogram.quantile(0.95)),
          at(histogram.quantile(0.99)), at(histogram.mean())};
}

void add_names(const SimulateSetup& setup, const SimulateRequest& request, SimulateAnswer& answer) {
  const SimulatedPool& pool = *setup.pools.back();
  answer.scenario = setup.scenario.name.value;
  answer.model = setup.model->name;
  answer.title = setup.model->title;
  answer.accelerator = setup.chip->name;
  answer.accelerator_title = setup.chip->title;
  answer.engine_title = setup.engine->title;
  answer.precision = setup.ask().precision ? setup.ask().precision->value : "as released";
  const auto& written = setup.operations().router;
  answer.router = !request.router.empty() ? request.router
                  : written               ? written->value
                                          : "least-loaded";
  answer.tp = pool.layout.tp;
  answer.pp = pool.layout.pp;
  answer.ep = pool.layout.ep;
  answer.dp = pool.layout.dp;
  answer.replicas = pool.replicas;
  answer.gpus = 0;
  for (const auto& each : setup.pools) answer.gpus += each->replicas * each->layout.gpus();
  answer.max_seqs = pool.scheduler.max_seqs;
  answer.chunk = pool.scheduler.token_budget;
  answer.kv_tokens = pool.kv_tokens;
  answer.demand_rate = setup.rate;
  answer.dropped_rows = setup.dropped_rows;
}

void add_rates(const SimulateSetup& setup, const SimulationResult& result, SimulateAnswer& answer) {
  const double seconds = std::max(1e-12, answer.duration.base());
  const auto rate = [&](std::int64_t count) { return static_cast<double>(count) / seconds; };
  answer.request_rate =
      with_interval(Hertz::from_base(rate(result.total.requests)), Metric::kThroughput, setup);
  answer.throughput = with_interval(TokensPerSecond::from_base(rate(result.total.tokens_out)),
                                    Metric::kThroughput, setup);
  answer.throughput_per_gpu = answer.throughput / static_cast<double>(answer.gpus);
  answer.tokens_in_rate = TokensPerSecond::from_base(rate(result.total.tokens_in));
  const std::int64_t prompts = result.work.prefill_tokens + result.work.cache_hit_tokens;
  if (prompts > 0)
    answer.cache_hit_share =
        static_cast<double>(result.work.cache_hit_tokens) / static_cast<double>(prompts);
}

// Arithmetic and traffic over what the GPUs could have done in the whole time.
void add_use(const SimulateSetup& setup, const SimulationResult& result, SimulateAnswer& answer) {
  const SimulatedPool& pool = *setup.pools.back();
  const auto& work = result.work;
  const double tokens = static_cast<double>(work.prefill_tokens + work.decode_tokens);
  const double gpu_seconds = result.paid_replica_seconds * pool.layout.tp * pool.layout.pp;
  const auto& chip = *setup.chip;
  const double peak = chip.arithmetic.rate(pool.memory_setup.recipe->math).base();
  const double dense = peak > 0 ? peak : chip.arithmetic.rate(catalog::Dtype::kBf16).base();
  if (dense > 0 && gpu_seconds > 0)
    answer.mfu = with_interval(pool.model->flops_per_token() * tokens / (dense * gpu_seconds),
                               Metric::kThroughput, setup);
  const double steps = static_cast<double>(std::max<std::int64_t>(1, work.steps));
  const double ranks = pool.layout.tp * pool.layout.pp;
  const double kv = pool.memory.stages.front().profile.per_token().base();
  const double bytes = ranks * (pool.model->weight_bytes_read(tokens / steps) * steps +
                                kv * static_cast<double>(work.context_tokens));
  if (gpu_seconds > 0)
    answer.mbu = with_interval(bytes / (chip.memory.bandwidth.base() * gpu_seconds),
                               Metric::kThroughput, setup);
  const double busy_seconds = sim::seconds_of(work.busy).base();
  answer.busy = result.paid_replica_seconds > 0 ? busy_seconds / result.paid_replica_seconds : 0;
  const double idle = chip.power.idle ? chip.power.idle->base() : 0.0;
  const double gpus_each = pool.layout.tp * pool.layout.pp;
  const double most = gpus_each * (busy_seconds * chip.power.rated.base() +
                                   (result.paid_replica_seconds - busy_seconds) * idle);
  const double least = gpus_each * result.paid_replica_seconds * idle;
  answer.energy = {Joules::from_base(most), Joules::from_base(std::min(least, most)),
                   Joules::from_base(most), Basis::kAssumed, "rated power while in steps"};
}

void add_series(const SimulateSetup& setup, const SimulationResult& result,
                SimulateAnswer& answer) {
  double blocks = 0;
  for (const auto& group : setup.rules.groups)
    blocks += static_cast<double>(group.scheduler.kv_blocks) * group.replicas;
  serving::SeriesPoint before;
  for (const auto& point : result.series.points()) {
    const double seconds = sim::seconds_of(point.time - before.time).base();
    answer.series.push_back(
        {.time = sim::seconds_of(point.time),
         .waiting = point.waiting,
         .running = point.running,
         .kv_share = static_cast<double>(point.used_blocks) / std::max(1.0, blocks),
         .replicas = point.replicas,
         .tokens_per_s =
             static_cast<double>(point.output_tokens - before.output_tokens) / seconds});
    before = point;
  }
  for (const auto& span : result.spans)
    answer.spans.push_back({.replica = span.replica,
                            .start = sim::seconds_of(span.begin),
                            .duration = sim::seconds_of(span.end - span.begin),
                            .steps = span.steps,
                            .sequences = span.decodes,
                            .prompt_tokens = span.prefill_tokens});
}

// Twelve bars from the fastest to the slowest hundredth, equally wide in the logarithm.
void add_histogram(const SimulateSetup& setup, const SimulationResult& result,
                   SimulateAnswer& answer) {
  constexpr int kBars = 12;
  if (result.ttft.count() == 0) return;
  const double low = std::max(1.0, result.ttft.quantile(0.001));
  const double high = std::max(low * 1.01, result.ttft.quantile(0.999));
  std::int64_t before = 0;
  for (int i = 1; i <= kBars; ++i) {
    const double edge = low * std::pow(high / low, static_cast<double>(i) / kBars);
    const std::int64_t upto =
        i == kBars ? result.ttft.count() : result.ttft.count_up_to(static_cast<sim::Ticks>(edge));
    answer.ttft_histogram.push_back(
        {sim::seconds_of(static_cast<sim::Ticks>(edge) + setup.front),
         static_cast<double>(upto - before) / static_cast<double>(result.ttft.count())});
    before = upto;
  }
}

std::string find_binding(const SimulateAnswer& answer) {
  double kv = 0;
  std::int64_t running = 0;
  for (const auto& point : answer.series) {
    kv = std::max(kv, point.kv_share);
    running = std::max(running, point.running);
  }
  if (answer.turned_away > 0) return "the queue or the context: requests are turned away";
  if (answer.preemptions > answer.requests / 100)
    return "KV cache: requests are preempted and computed again";
  if (running >= answer.max_seqs * answer.replicas * answer.dp)
    return "max_seqs: every slot is taken at the peak";
  if (kv > 0.95) return "KV cache: it is full at the peak";
  if (answer.busy > 0.95) return "the GPUs: steps run back to back";
  return fmt::format("demand: replicas have nothing to do {:.0f} % of the time",
                     100 * (1 - answer.busy));
}

}  // namespace

SimulateAnswer describe_simulation(const SimulateSetup& setup, const SimulateRequest& request,
                                   const SimulationResult& result) {
  SimulateAnswer answer;
  add_names(setup, request, answer);
  answer.engine = result.engine == serving::SimulatorKind::kSkipAhead ? "skip_ahead" : "plain";
  answer.why_plain = request.plain ? "asked for" : why_not_lockstep(setup.rules);
  answer.requests = result.requests();
  answer.served = result.total.requests;
  answer.turned_away = result.turned_away;
  answer.cancelled = result.cancelled;
  answer.steps = result.work.steps;
  answer.events = result.work.events;
  answer.preemptions = result.work.preemptions;
  answer.most_live = result.most_live;
  answer.duration = sim::seconds_of(result.end);
  answer.ttft = figures_of(result.ttft, Metric::kFirstToken, setup.front, setup);
  answer.tpot = figures_of(result.tpot, Metric::kTimePerToken, 0, setup);
  answer.itl = figures_of(result.itl, Metric::kTimePerToken, 0, setup);
  answer.e2e = figures_of(result.e2e, Metric::kLatency, setup.front, setup);
  answer.slo = judge_slo(setup, result);
  if (answer.requests > 0)
    answer.goodput =
        static_cast<double>(result.total.good_requests) / static_cast<double>(answer.requests);
  add_rates(setup, result, answer);
  add_use(setup, result, answer);
  add_series(setup, result, answer);
  add_histogram(setup, result, answer);
  return answer;
}

void add_load(const SimulateSetup& setup, const SimulationResult& result, SimulateAnswer& answer) {
  const double seconds = std::max(1e-12, answer.duration.base());
  const double mean_replicas = result.paid_replica_seconds / seconds;
  answer.paid_replica_hours = result.paid_replica_seconds / 3600;
  const double per_request =
      result.total.requests > 0
          ? static_cast<double>(result.total.tokens_in + result.total.tokens_out) /
                static_cast<double>(result.total.requests)
          : 0;
  const double saturated = answer.saturated_rate.base();
  const double slo_share =
      answer.slo_rate && saturated > 0 ? std::max(1e-3, answer.slo_rate->base() / saturated) : 1;
  const LoadShares shares =
      divide_load(result, mean_replicas, saturated * per_request, std::min(1.0, slo_share));
  answer.load_factor = shares.load_factor;
  answer.losses = shares.losses;
  constexpr std::size_t kWindows = 6;  // Ten-minute windows to an hour.
  for (std::size_t i = 0; i < result.delivered.size(); i += kWindows) {
    DeliveredPoint point{.start = Seconds::from_base(600.0 * static_cast<double>(i))};
    for (std::size_t j = i; j < std::min(i + kWindows, result.delivered.size()); ++j) {
      point.requests += result.delivered[j].requests;
      point.tokens_in += result.delivered[j].tokens_in;
      point.tokens_out += result.delivered[j].tokens_out;
    }
    const double length = std::min(3600.0, std::max(1.0, seconds - point.start.base()));
    const double could = mean_replicas * saturated * per_request * length;
    if (could > 0)
      point.load_factor = static_cast<double>(point.tokens_in + point.tokens_out) / could;
    answer.delivered.push_back(point);
  }
  answer.binding = find_binding(answer);
  if (setup.pools.size() == 2) answer.binding += " (decode pool)";
}

}  // namespace loadfactor::engine
