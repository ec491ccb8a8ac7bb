#include "engine/serve/serve_figures.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "engine/serve/rate_bounds.h"
#include "resolve/model/node_power.h"
#include "resolve/serve/serve_site.h"
#include "resolve/serve/served_layout.h"

namespace loadfactor::engine {
namespace {

using serving::Load;
using serving::LoadFigures;
using serving::LoadKind;
using serving::Metric;
using serving::Pool;

constexpr const char* kSource = "calibration/serving.yaml";

// An estimate with the interval of its class of published results.
template <typename Q>
EstimateOf<Q> estimate(const ServeSetup& setup, double value, Metric metric, LoadKind kind,
                       bool near_anchor, double narrow = 1) {
  const std::string shape = setup.model->has_experts() ? "moe" : "dense";
  std::vector<std::string> measured;
  if (near_anchor) measured = {"anchored, " + shape, "anchored"};
  const auto width =
      setup.calibration().interval_of(metric, setup.plan.step->deployment(), kind, measured);
  return EstimateOf<Q>(Q::from_base(value), Q::from_base(value * std::exp(narrow * width.low)),
                       Q::from_base(value * std::exp(narrow * width.high)), Basis::kCalibrated,
                       narrow != 1 ? "site" : kSource);
}

// How much narrower what the site measured makes a figure of a load: 1 where it measured nothing
// that decides it.
double narrowing(const ServeSetup& setup, const Pool& pool, const Load& load, Metric metric) {
  if (!setup.site || setup.site->runs == 0) return 1;
  return setup.site->narrowing(
      setup.site->terms_of(seconds_under(pool, load, metric), setup.constants, *setup.traits));
}

bool is_near_anchor(const ServeSetup& setup, const std::optional<serving::AnchorPoint>& anchor,
                    const LoadFigures& figures) {
  return anchor && serving::is_near(*anchor, {figures.batch, setup.tokens_out});
}

// One image, or one window of sound.
Flops tower_work(const catalog::TowerSpec& tower) {
  constexpr double kPerWeight = 2;
  const double width = tower.hidden;
  const double attention = 4 * width * width;
  const double mlp = (tower.gated ? 3 : 2) * width * tower.width;
  const double patches = static_cast<double>(tower.patches) * tower.layers * (attention + mlp);
  const double features = static_cast<double>(tower.tokens * tower.output) * width;
  return Flops::from_base(kPerWeight * (patches + features));
}

struct Utilised {
  double mfu = 0;
  double mbu = 0;
};
// Shares of the peak rate of the widest products and of the peak bandwidth. In a step every
// sequence gains a token; a part of the batch goes through all stages, each of which reads its
// weights, and where tokens are proposed ahead one reading serves all that are gained.
Utilised utilised(const ServeSetup& setup, const Pool& pool, double sequences, double context,
                  double seconds, double prompt_tokens) {
  const auto& kernels = setup.plan.step->deployment().kernels->rates();
  const auto& cut = setup.layout();
  const double rate =
      kernels.rate(setup.plan.choice.formats.kernels.dense.math) / FlopsPerSecond::from_base(1.0);
  const double bandwidth = kernels.memory / BytesPerSecond::from_base(1.0);
  const double flops = model_work(*setup.plan.step, prompt_tokens, sequences).base();
  double peak = pool.gpus * rate;  // The whole deployment's.
  if (pool.prompts != nullptr) {
    const auto& other = pool.prompts->step->deployment();
    const auto faster = other.kernels->rates().rate(other.precision.dense.math);
    peak += pool.prompts->gpus * (faster / FlopsPerSecond::from_base(1.0) - rate);
  }
  const double cache = setup.plan.memory.stages.front().profile.bytes(
                           static_cast<std::int64_t>(std::max(1.0, context))) /
                       Bytes::from_base(1.0) * cut.pp;
  const double part = 1.0 / cut.pp;
  const double bytes =
      setup.plan.step->weight_bytes_read(part * (sequences + prompt_tokens)).base() +
      part * sequences * cache;
  const double reading = seconds * setup.plan.step->deployment().speculation.gained();
  return {flops / (seconds * peak / pool.replicas), bytes / (reading * bandwidth)};
}

// The rate of an open loop that is not overloaded.
EstimateOf<TokensPerSecond> arriving(const EstimateOf<TokensPerSecond>& rate,
                                     const ServeAnswer& answer) {
  if (answer.saturated.value() <= rate.value() * (1 + 1e-9)) return rate;
  return RateBounds{.low = answer.saturated.low() / rate.value()}.of(rate);
}

// Share of the time in which steps run: random arrivals leave none running for a while.
double running_share(const AskedLoad& asked) {
  if (asked.load.kind != LoadKind::kOpenLoop) return 1;
  return 1 - std::exp(-std::max(0.0, asked.figures.batch));
}

}  // namespace

Flops model_work(const serving::StepModel& step, double prompt_tokens, double written_tokens) {
  const serving::ServingDeployment& deployment = step.deployment();
  const catalog::ModelSpec& model = *deployment.model;
  const bool is_apart = model.has_decoder_apart();
  const Flops layers = step.flops_per_token() * (written_tokens + (is_apart ? 0 : prompt_tokens));
  if (!model.tower) return layers;
  const double seen = is_apart ? prompt_tokens : prompt_tokens * deployment.seen;
  const double items = std::max(0.0, seen) / static_cast<double>(model.tower->tokens);
  return layers + tower_work(*model.tower) * items;
}

Load load_of(const ServeSetup& setup, LoadKind kind) {
  Load load;
  load.kind = kind;
  load.input = setup.tokens_in;
  load.output = setup.tokens_out;
  load.opening = 0;
  load.prompts = -1;  // Endless.
  if (const auto hits = setup.operations().prefix_hits) load.cached = hits->value;
  return load;
}

void add_names(const ServeSetup& setup, const Pool& pool, int replicas, ServeAnswer& answer) {
  answer.scenario = setup.scenario.name.value;
  answer.model = setup.model->name;
  answer.title = setup.model->title.empty() ? setup.model->name : setup.model->title;
  answer.accelerator = setup.chip->name;
  answer.accelerator_title = setup.chip->title;
  answer.engine = setup.traits->name;
  answer.engine_title = engine_words(*setup.engine, setup.ask());
  answer.precision = setup.plan.choice.precision;
  answer.kv_format = std::string(catalog::name(setup.plan.choice.formats.kernels.kv));
  answer.layout = served_layout(setup.layout(), replicas);
  answer.layout.gpus = static_cast<int>(pool.gpus);
  answer.chunk = setup.plan.memory_setup.batched_tokens;
  answer.max_sequences = setup.plan.memory_setup.max_sequences;
  answer.tokens_in = setup.tokens_in;
  answer.tokens_out = setup.model->generates() ? setup.tokens_out : 0;
  answer.sequences = pool.slots * setup.layout().dp;
  answer.pace = pool.pace;
}

void add_capacity(const ServeSetup& setup, const ServeInputs& request, ServeAnswer& answer) {
  const auto& gpu = setup.plan.memory.stages[setup.plan.memory.tightest];
  answer.weights_per_gpu =
      EstimateOf<Bytes>::within(gpu.weights.total(), 0.01, Basis::kModelled, setup.model->name);
  answer.kv_per_gpu = EstimateOf<Bytes>(gpu.kv.value, gpu.kv.low, gpu.kv.high, Basis::kModelled,
                                        setup.engine->name);
  const auto tokens = [&](serving::End end) {
    if (!setup.model->causal) return Tokens();  // Nothing is kept of a text.
    return Tokens::from_base(static_cast<double>(
        serving::count_kv_tokens(setup.plan.memory_setup, setup.plan.memory, end)));
  };
  if (request.kv_tokens) {
    answer.kv_tokens = EstimateOf<Tokens>::exact(
        Tokens::from_base(static_cast<double>(*request.kv_tokens * setup.layout().dp)),
        Basis::kMeasured, "--kv-tokens");
  } else {
    answer.kv_tokens =
        EstimateOf<Tokens>(tokens(serving::End::kValue), tokens(serving::End::kLow),
                           tokens(serving::End::kHigh), Basis::kModelled, setup.engine->name);
  }
}

void add_saturated(const ServeSetup& setup, const Pool& pool, const AskedLoad& full,
                   const std::optional<serving::AnchorPoint>& anchor, ServeAnswer& answer) {
  const bool anchored = is_near_anchor(setup, anchor, full.figures);
  const double narrow = narrowing(setup, pool, full.load, Metric::kThroughput);
  answer.saturated =
      estimate<TokensPerSecond>(setup, full.figures.output_rate.base(), Metric::kThroughput,
                                full.load.kind, anchored, narrow);
  answer.saturated_per_gpu = answer.saturated / pool.gpus;
  answer.saturated_requests =
      estimate<Hertz>(setup, full.figures.request_rate.base(), Metric::kThroughput, full.load.kind,
                      anchored, narrow);
}

void add_figures(const ServeSetup& setup, const Pool& pool, const AskedLoad& asked,
                 const std::optional<serving::AnchorPoint>& anchor, ServeAnswer& answer) {
  const LoadFigures& figures = asked.figures;
  const bool anchored = is_near_anchor(setup, anchor, figures);
  const auto narrow = [&](Metric metric) { return narrowing(setup, pool, asked.load, metric); };
  answer.ttft = estimate<Seconds>(setup, figures.ttft.base(), Metric::kFirstToken, asked.load.kind,
                                  false, narrow(Metric::kFirstToken));
  answer.tpot = estimate<Seconds>(setup, figures.tpot.base(), Metric::kTimePerToken,
                                  asked.load.kind, anchored, narrow(Metric::kTimePerToken));
  answer.latency = estimate<Seconds>(setup, figures.latency.base(), Metric::kLatency,
                                     asked.load.kind, false, narrow(Metric::kLatency));
  const auto rate =
      estimate<TokensPerSecond>(setup, figures.output_rate.base(), Metric::kThroughput,
                                asked.load.kind, anchored, narrow(Metric::kThroughput));
  answer.output_rate = asked.load.kind == LoadKind::kOpenLoop ? arriving(rate, answer) : rate;
  answer.running = figures.batch;
  // Tokens of prompts per step of one copy, from the requests that come through it.
  const double fresh = setup.tokens_in * (1 - asked.load.cached);
  const double prompts = figures.request_rate / pool.replicas * figures.step * fresh;
  const auto used =
      utilised(setup, pool, std::max(1.0, figures.batch), setup.tokens_in + 0.5 * setup.tokens_out,
               std::max(figures.step.base(), 1e-9), prompts);
  const auto ratio = [&](double value) {
    const auto width = setup.calibration().interval_of(
        Metric::kThroughput, setup.plan.step->deployment(), asked.load.kind);
    return EstimateOf<double>(value, value * std::exp(width.low),
                              std::min(1.0, value * std::exp(width.high)), Basis::kCalibrated,
                              kSource);
  };
  answer.mfu = ratio(std::min(1.0, used.mfu));
  const double running = running_share(asked);
  answer.mbu = ratio(std::min(1.0, running * used.mbu));
  const double each = pool.gpus / std::max(figures.output_rate.base(), 1e-9);
  const auto drawn = drawn_power(*setup.chip, running);
  const auto joules = [each](Watts power) { return Joules::from_base(power.base() * each); };
  answer.energy_per_token =
      EstimateOf<Joules>(joules(drawn.value()), joules(drawn.low()), joules(drawn.high()),
                         Basis::kModelled, setup.chip->name);
}

void add_parts(const ServeSetup& setup, const Pool& pool, ServeAnswer& answer) {
  const double context = setup.tokens_in + 0.5 * setup.tokens_out;
  const double piece = std::min(setup.tokens_in, pool.chunk);
  const double running = std::max(1.0, answer.running);
  const auto decode =
      setup.plan.step->parts({.sequences = running, .context = context}, setup.constants);
  const auto prompt = setup.plan.step->parts({.prompt_tokens = piece,
                                              .chunk = piece,
                                              .sequences = running,
                                              .context = context,
                                              .finishing = 1},
                                             setup.constants);
  using Kind = ServePart::Kind;
  const auto add = [&](Kind kind, Seconds serving::StepParts::*part) {
    if (decode.*part + prompt.*part <= Seconds()) return;
    answer.parts.push_back({kind, pool.pace * decode.*part, pool.pace * prompt.*part});
  };
  add(Kind::kProducts, &serving::StepParts::products);
  add(Kind::kExperts, &serving::StepParts::experts);
  add(Kind::kAttention, &serving::StepParts::attention);
  add(Kind::kElementwise, &serving::StepParts::elementwise);
  add(Kind::kCollectives, &serving::StepParts::communication);
  add(Kind::kGaps, &serving::StepParts::launch);
  add(Kind::kHead, &serving::StepParts::head);
  add(Kind::kTower, &serving::StepParts::tower);
  add(Kind::kHost, &serving::StepParts::host);
  answer.decode_step = pool.pace * decode.total;
  answer.prompt_step = pool.pace * prompt.total;
}

void add_batches(ServeSetup& setup, const ServeInputs& request, const Pool& pool,
                 ServeAnswer& answer) {
  TokensPerSecond first;
  for (const auto batch : request.batches) {
    Load load = load_of(setup, LoadKind::kStatic);
    load.concurrency = static_cast<double>(batch);
    Pool one = pool;
    one.replicas = 1;
    one.gpus = setup.layout().gpus();
    const auto figures = serving::closed_form(one, load, setup.constants);
    const auto used = utilised(setup, pool, figures.batch, setup.tokens_in + 0.5 * setup.tokens_out,
                               figures.tpot.base(), 0);
    if (figures.batch < static_cast<double>(batch))
      setup.note({.id = "waves",
                  .arguments = {{"batch", std::to_string(batch)},
                                {"wave", fmt::format("{:.0f}", figures.batch)}}});
    if (first <= TokensPerSecond()) first = figures.output_rate;
    answer.batches.push_back(
        {batch,
         estimate<TokensPerSecond>(setup, figures.output_rate.base(), Metric::kThroughput,
                                   load.kind, false),
         estimate<Seconds>(setup, figures.tpot.base(), Metric::kTimePerToken, load.kind, false),
         used.mfu, used.mbu, figures.output_rate / first});
  }
}

ServeLimit binding_limit(const ServeSetup& setup, const Pool& pool, const LoadFigures& saturated) {
  using Kind = ServeLimit::Kind;
  const Load load = load_of(setup, LoadKind::kOffline);
  const double fresh = setup.tokens_in * (1 - load.cached);
  const auto widest = static_cast<double>(setup.plan.memory_setup.max_sequences);
  ServeLimit limit{.prompts = saturated.request_rate,
                   .tokens_in = fresh,
                   .tokens_out = setup.tokens_out,
                   .step_tokens = pool.chunk,
                   .sequences = std::min(pool.slots, widest),
                   .tokens_each = fresh + setup.traits->reserve * setup.tokens_out,
                   .on_each_rank = setup.layout().dp > 1};
  const auto gain = [&](const Pool& more) {
    return serving::closed_form(more, load, setup.constants).request_rate / saturated.request_rate;
  };
  constexpr double kNoticeably = 1.05;
  constexpr double kMuch = 1.1;  // What twice the room adds where room is the limit, at least.
  if (pool.prompts != nullptr) {
    Pool twice = *pool.prompts;
    twice.replicas *= 2;
    Pool more = pool;
    more.prompts = &twice;
    if (gain(more) > kNoticeably) {
      limit.kind = Kind::kPrefillPool;
      return limit;
    }
  }
  Pool roomier = pool;
  roomier.slots *= 2;
  const bool starved = pool.prompts == nullptr && !setup.traits->prompts_alone &&
                       saturated.batch * (1 + fresh / setup.tokens_out) > pool.chunk;
  if (starved) {
    limit.kind = Kind::kPrompts;
  } else if (pool.slots >= widest) {
    limit.kind = Kind::kMaxSequences;
  } else if (pool.prompts == nullptr && gain(roomier) < kMuch) {
    limit.kind = Kind::kPrompts;
    limit.step_tokens = 0;  // No step is full: it is their work that takes the time.
  }
  return limit;
}

}  // namespace loadfactor::engine
