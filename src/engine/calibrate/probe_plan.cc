#include "engine/calibrate/probe_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

#include <fmt/format.h>

#include "calibrate/site/site_file.h"
#include "resolve/serve/serve_setup.h"
#include "resolve/serve/serve_site.h"
#include "resolve/train/train_setup.h"
#include "resolve/train/train_site.h"
#include "workload/layer_products.h"

namespace loadfactor::engine {
namespace {

struct TermMeasurement {
  std::string_view term;
  Measurement measurement;
};
constexpr std::array kMeasurements{TermMeasurement{"products", Measurement::kProducts},
                                   TermMeasurement{"attention", Measurement::kAttention},
                                   TermMeasurement{"traffic", Measurement::kMemory},
                                   TermMeasurement{"communication", Measurement::kCollectives},
                                   TermMeasurement{"bubble", Measurement::kMoreMicroBatches},
                                   TermMeasurement{"host", Measurement::kSmallStep},
                                   TermMeasurement{"stragglers", Measurement::kStepLog}};

constexpr std::array kServingMeasurements{
    TermMeasurement{"products", Measurement::kProducts},
    TermMeasurement{"experts", Measurement::kMixtureRun},
    TermMeasurement{"cache", Measurement::kDecoding},
    TermMeasurement{"prompts", Measurement::kPromptRun},
    TermMeasurement{"communication", Measurement::kCollectives},
    TermMeasurement{"host", Measurement::kSingleRun}};

// One step as far as its shapes go.
struct StepShape {
  std::int64_t tokens = 0;   // Rows of the products.
  std::int64_t batch = 0;    // Sequences of the attention.
  std::int64_t queries = 0;  // Tokens of each sequence.
  std::int64_t context = 0;  // Keys that each token looks at.
  int tp = 1;
  std::vector<const char*> phases;  // That the attention is measured in.
};

// Products of single matrices; those of experts and groups of heads have no probe of their own.
void add_products(const catalog::ModelSpec& model, const catalog::LayerSpec& layer,
                  const StepShape& step, std::set<std::string>& shapes) {
  for (const auto& product : workload::layer_products(model, layer, {.tp = step.tp})) {
    const auto columns = std::llround(product.columns);
    const auto inner = std::llround(product.inner);
    if (product.groups == 1 && columns > 0 && inner > 0)
      shapes.insert(fmt::format("gemm {} {} {}", step.tokens, columns, inner));
  }
}

void add_attention(const catalog::AttentionSpec& a, const StepShape& step,
                   std::set<std::string>& shapes) {
  const std::int64_t heads = a.heads / step.tp;
  const std::int64_t kv_heads = std::max<std::int64_t>(1, a.kv_heads / step.tp);
  if (heads <= 0 || heads % kv_heads != 0) return;
  for (const char* phase : step.phases)
    shapes.insert(fmt::format("attention {} {} {} {} {} {} {}", phase, step.batch, heads, kv_heads,
                              step.queries, step.context, a.head_dim));
}

std::vector<std::string> shapes_of(const catalog::ModelSpec& model,
                                   std::span<const StepShape> steps) {
  std::set<std::string> shapes;
  for (const StepShape& step : steps) {
    for (const auto& layer : model.kinds) {
      add_products(model, layer, step, shapes);
      add_attention(layer.attention, step, shapes);
    }
  }
  return {shapes.begin(), shapes.end()};
}

// Terms by what they add to the variance of the whole, the three largest.
std::vector<ProbeAdvice> advise(std::span<const double> seconds,
                                std::span<const calibrate::SiteTerm> terms,
                                std::span<const TermMeasurement> measurements) {
  double total = 0;
  double variance = 0;
  for (const double term : seconds) total += term;
  for (std::size_t t = 0; t < terms.size(); ++t)
    variance += seconds[t] * terms[t].error * seconds[t] * terms[t].error;
  std::vector<ProbeAdvice> advice;
  for (std::size_t t = 0; t < terms.size() && total > 0; ++t) {
    for (const TermMeasurement& row : measurements) {
      if (row.term != terms[t].name || seconds[t] <= 0) continue;
      const double doubt = seconds[t] * terms[t].error;
      advice.push_back(
          {row.measurement, seconds[t] / total, doubt / total, doubt * doubt / variance});
    }
  }
  std::stable_sort(advice.begin(), advice.end(),
                   [](const auto& a, const auto& b) { return a.narrows > b.narrows; });
  constexpr std::size_t kShown = 3;
  if (advice.size() > kShown) advice.resize(kShown);
  return advice;
}

template <class Entry>
std::vector<calibrate::SiteTerm> terms_in(const std::vector<Entry>& entries) {
  std::vector<calibrate::SiteTerm> terms;
  for (const Entry& entry : entries) terms.push_back(entry.term);
  return terms;
}

}  // namespace

std::optional<ProbePlan> plan_serving_probe(const catalog::Catalog& catalog,
                                            const ServeInputs& request, Diagnostics& diagnostics) {
  const auto setup = make_serve_setup(request, catalog, diagnostics);
  if (!setup) return std::nullopt;
  const serving::Pool pool = setup->pool(1);
  serving::Load load;
  load.kind = serving::LoadKind::kOffline;
  load.input = setup->tokens_in;
  load.output = setup->tokens_out;
  const auto figures = serving::closed_form(pool, load, setup->constants);
  const auto whole = [](double value) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::llround(value)));
  };
  const std::int64_t batch = whole(figures.batch);
  const std::int64_t prompt = whole(std::min(setup->tokens_in, pool.chunk));
  const std::int64_t context = whole(setup->tokens_in + 0.5 * setup->tokens_out);
  const int tp = setup->layout().tp;
  const std::vector<StepShape> steps{{prompt, 1, prompt, prompt, tp, {"prefill"}},
                                     {batch, batch, 1, context, tp, {"decode"}}};
  ProbePlan plan;
  plan.shapes = shapes_of(*setup->model, steps);
  if (!setup->site) return plan;
  const auto seconds = setup->site->terms_of(
      seconds_under(pool, load, serving::Metric::kThroughput), setup->constants, *setup->traits);
  plan.advice = advise(seconds, terms_in(setup->site->terms), kServingMeasurements);
  return plan;
}

ProbePlan plan_training_probe(const catalog::Catalog& catalog, const TrainInputs& request,
                              const TrainAnswer& answer, Diagnostics& diagnostics) {
  ProbePlan plan;
  const std::int64_t micro = answer.layout.micro_batch;
  const std::vector<StepShape> steps{{micro * answer.sequence / answer.layout.cp,
                                      micro,
                                      answer.sequence,
                                      answer.sequence,
                                      answer.layout.tp,
                                      {"prefill", "backward"}}};
  if (const auto setup = make_train_setup(request, catalog, diagnostics))
    plan.shapes = shapes_of(*setup->job.model, steps);
  const auto site = find_site(catalog, answer.accelerator, answer.stack, diagnostics);
  if (!site) return plan;
  plan.advice = advise(site->terms_of(step_of(answer)), terms_in(site->terms), kMeasurements);
  return plan;
}

}  // namespace loadfactor::engine
