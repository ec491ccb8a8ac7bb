#include "engine/probe_plan.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "calibrate/site_file.h"
#include "engine/train_site.h"

namespace loadfactor::engine {
namespace {

struct TermMeasurement {
  std::string_view term;
  std::string_view measurement;
};
constexpr std::array kMeasurements{
    TermMeasurement{"products", "the plan's matrix products: loadfactor probe --for SCENARIO"},
    TermMeasurement{"attention",
                    "attention at the plan's lengths: loadfactor probe --for SCENARIO"},
    TermMeasurement{"traffic", "memory bandwidth and the optimizer: loadfactor probe"},
    TermMeasurement{"communication",
                    "collectives over the plan's GPUs: nccl-tests, or mpirun loadfactor-probe"},
    TermMeasurement{"bubble", "one step with twice the micro-batches: --step-time"},
    TermMeasurement{"host", "one step on one GPU at a small batch: --step-time"},
    TermMeasurement{"stragglers",
                    "a log of steps at the plan's size: Megatron, torchtitan, DeepSpeed"}};

void add_layer(const catalog::LayerSpec& layer, const TrainAnswer& answer, std::int64_t hidden,
               std::set<std::string>& shapes) {
  const std::int64_t tokens = answer.layout.micro_batch * answer.sequence / answer.layout.cp;
  const std::int64_t tp = answer.layout.tp;
  const auto gemm = [&](std::int64_t n, std::int64_t k) {
    if (n > 0 && k > 0) shapes.insert(fmt::format("gemm {} {} {}", tokens, n, k));
  };
  const auto& a = layer.attention;
  const std::int64_t heads = a.heads / tp;
  const std::int64_t kv_heads = std::max<std::int64_t>(1, a.kv_heads / tp);
  gemm((heads + 2 * kv_heads) * a.head_dim, hidden);
  gemm(hidden, heads * a.head_dim);
  if (layer.mlp.width > 0) {
    const std::int64_t gates = layer.mlp.kind == catalog::MlpKind::kGated ? 2 : 1;
    gemm(gates * layer.mlp.width / tp, hidden);
    gemm(hidden, layer.mlp.width / tp);
  }
  if (heads <= 0 || heads % kv_heads != 0) return;
  for (const char* phase : {"prefill", "backward"})
    shapes.insert(fmt::format("attention {} {} {} {} {} {} {}", phase, answer.layout.micro_batch,
                              heads, kv_heads, answer.sequence, answer.sequence, a.head_dim));
}

}  // namespace

ProbePlan plan_probe(const catalog::Catalog& catalog, const TrainAnswer& answer,
                     Diagnostics& diagnostics) {
  ProbePlan plan;
  if (const auto model = catalog.find_model(answer.model)) {
    std::set<std::string> shapes;
    for (const auto& layer : (*model)->kinds) add_layer(layer, answer, (*model)->hidden, shapes);
    plan.shapes.assign(shapes.begin(), shapes.end());
  }
  const auto site = find_site(catalog, answer.accelerator, answer.stack, diagnostics);
  if (!site) return plan;
  const auto seconds = site->terms_of(step_of(answer));
  const double total = answer.step_time.value().base();
  for (std::size_t t = 0; t < seconds.size() && total > 0; ++t) {
    for (const TermMeasurement& row : kMeasurements) {
      if (row.term != site->terms[t].term.name || seconds[t] <= 0) continue;
      plan.advice.push_back({std::string(row.measurement), seconds[t] / total,
                             seconds[t] / total * site->terms[t].term.error});
    }
  }
  std::stable_sort(plan.advice.begin(), plan.advice.end(),
                   [](const auto& a, const auto& b) { return a.narrows > b.narrows; });
  constexpr std::size_t kShown = 3;
  if (plan.advice.size() > kShown) plan.advice.resize(kShown);
  return plan;
}

}  // namespace loadfactor::engine
