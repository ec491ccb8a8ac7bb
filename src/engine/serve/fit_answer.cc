#include "engine/serve/fit_answer.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "catalog/used_fact.h"
#include "serving/precision.h"
#include "workload/parameters.h"

namespace loadfactor::engine {
namespace {

using catalog::AttentionKind;
using catalog::ModelSpec;
using catalog::Provenance;
using catalog::SourceKind;

std::string join_sources(const Provenance& provenance) {
  return fmt::format("{}", fmt::join(provenance.sources, ", "));
}

// Weights and KV bytes follow from the architecture; they are as sure as it is.
Basis basis_of(const Provenance& provenance) {
  return provenance.kind == SourceKind::kAssumed ? Basis::kAssumed : Basis::kModelled;
}

EstimateOf<Bytes> exact(Bytes bytes, const Provenance& provenance) {
  return EstimateOf<Bytes>(bytes, bytes, bytes, basis_of(provenance), join_sources(provenance));
}

EstimateOf<Bytes> modelled(const BytesRange& range, const Provenance& provenance) {
  const Bytes zero;
  return EstimateOf<Bytes>(std::max(range.value, zero), std::max(range.low, zero),
                           std::max(range.high, zero), Basis::kModelled, join_sources(provenance));
}

void set_mixer(const ModelSpec& model, ModelOutline& outline) {
  using Mixer = ModelOutline::Mixer;
  for (int i = 0; i < model.num_layers(); ++i) {
    const auto& attention = model.layer(i).attention;
    const bool is_latent = attention.kind == AttentionKind::kLatent;
    if (!is_latent && attention.kind != AttentionKind::kStandard) continue;
    outline.mixer = is_latent ? Mixer::kLatent : Mixer::kHeads;
    outline.kv_heads = is_latent ? attention.kv_rank : attention.kv_heads;
    outline.head_dim = is_latent ? attention.rope_dim : attention.head_dim;
    return;
  }
  outline.mixer = model.layer(0).attention.kind == AttentionKind::kNone ? Mixer::kNoAttention
                                                                        : Mixer::kStateSpace;
}

ModelOutline outline_of(const ModelSpec& model) {
  ModelOutline outline{.layers = model.num_layers()};
  for (const auto& layer : model.kinds) {
    if (layer.moe.experts == 0) continue;
    outline.experts = layer.moe.experts;
    outline.active_experts = layer.moe.top_k;
  }
  set_mixer(model, outline);
  return outline;
}

std::string task_word(catalog::ModelTask task) {
  switch (task) {
    case catalog::ModelTask::kGenerate:
      return "generate";
    case catalog::ModelTask::kEmbed:
      return "embed";
    case catalog::ModelTask::kRerank:
      break;
  }
  return "rerank";
}

StoredWeights stored_weights(const workload::WeightBytes& weights,
                             const workload::WeightRecipe& recipe) {
  using Converted = StoredWeights::Converted;
  StoredWeights stored;
  if (recipe.converts != workload::Converts::kNothing)
    stored.converted =
        recipe.converts == workload::Converts::kExperts ? Converted::kExperts : Converted::kLinears;
  stored.in_format = weights.converted + weights.scales;
  stored.elsewhere = weights.embedding + weights.head + weights.other + weights.extras;
  stored.plain = catalog::name(recipe.plain);
  return stored;
}

FullestGpu::FractionOf fraction_of(catalog::FractionOf of) {
  switch (of) {
    case catalog::FractionOf::kTotal:
      return FullestGpu::FractionOf::kTotal;
    case catalog::FractionOf::kStatic:
      return FullestGpu::FractionOf::kStatic;
    case catalog::FractionOf::kFree:
      break;
  }
  return FullestGpu::FractionOf::kFree;
}

FullestGpu fullest_gpu(const FitSetup& setup, const DeploymentMemory& memory) {
  const auto& gpu = memory.stages[memory.tightest];
  const auto& engine = *setup.serving.engine;
  return {.fraction_of = fraction_of(engine.memory.fraction_of),
          .fraction = setup.serving.memory_fraction,
          .total = gpu.total,
          .driver = engine.overhead.driver,
          .weights = gpu.weights.total(),
          .activations = gpu.activations.value,
          .context = gpu.overhead.value,
          .graphs_on_top = engine.overhead.graphs_in_fraction ? Bytes() : engine.overhead.graphs,
          .kv = gpu.kv.value,
          .one_sequence = gpu.profile.bytes(setup.context),
          .step_tokens = setup.serving.batched_tokens};
}

// Ranks whose caches differ: a compressed cache is the same on every one of them.
double copies_of_cache(const FitSetup& setup, const DeploymentMemory& memory) {
  return serving::has_latent_attention(*setup.serving.model) ? 1.0 : memory.sharding.tp;
}

void add_lines(const FitSetup& setup, const DeploymentMemory& memory, FitAnswer& answer) {
  const auto& gpu = memory.stages[memory.tightest];
  const auto& serving = setup.serving;
  const auto& model = *serving.model;
  const auto& engine = *serving.engine;
  answer.weights_per_gpu = exact(gpu.weights.total(), model.provenance);
  answer.stored = stored_weights(gpu.weights, *serving.recipe);
  answer.fullest = fullest_gpu(setup, memory);
  const Bytes kept = std::max(gpu.reserve, Bytes());
  answer.lines = {
      {MemoryUse::kWeights, answer.weights_per_gpu},
      {MemoryUse::kKvCache, modelled(gpu.kv, engine.memory.provenance)},
      {MemoryUse::kActivations, modelled(gpu.activations, engine.overhead.provenance)},
      {MemoryUse::kContextAndGraphs, modelled(gpu.overhead, engine.overhead.provenance)},
      {MemoryUse::kKeptFree, exact(kept, engine.memory.provenance)}};
}

}  // namespace

ServeLayout layout_of(const workload::Sharding& sharding) {
  return {.tp = sharding.tp,
          .pp = sharding.pp,
          .ep = sharding.ep,
          .dp = sharding.dp,
          .cp = sharding.cp,
          .gpus = sharding.tp * sharding.pp * sharding.dp * sharding.cp};
}

FitAnswer describe(const FitSetup& setup, const DeploymentMemory& memory) {
  const auto& serving = setup.serving;
  const auto& model = *serving.model;
  FitAnswer answer;
  answer.model = model.name;
  answer.title = model.title;
  answer.accelerator = serving.chip->name;
  answer.accelerator_title = serving.chip->title;
  answer.engine = serving.engine->name;
  answer.quantisation = serving.recipe->name;
  answer.kv_dtype = catalog::name(serving.kv.kv);
  answer.engine_title = serving.engine->title;
  answer.architecture = outline_of(model);
  answer.layout = layout_of(memory.sharding);
  answer.max_sequences = serving.max_sequences;
  answer.context = setup.context;
  answer.task = task_word(model.task);
  const auto parameters = workload::count_parameters(model);
  answer.parameters_total = parameters.total();
  answer.parameters_active = parameters.active();
  answer.parameters_mtp = parameters.mtp;
  answer.memory_per_gpu = serving.chip->memory.usable;
  Bytes weights;
  Bytes per_token;
  Bytes state;
  for (const auto& gpu : memory.stages) {
    weights += gpu.weights.total() * (memory.sharding.tp * memory.sharding.dp);
    per_token += gpu.profile.per_token() * copies_of_cache(setup, memory);
    state += gpu.profile.fixed() * memory.sharding.tp;
  }
  answer.weights = exact(weights, model.provenance);
  answer.kv_per_token = per_token / Tokens::from_base(1);
  answer.state_per_sequence = state;
  answer.keeps_past = per_token > Bytes() || state > Bytes();
  const auto tokens_at = [&](End end) {
    if (!answer.keeps_past) return Tokens();
    return Tokens::from_base(static_cast<double>(count_kv_tokens(serving, memory, end)));
  };
  answer.kv_tokens =
      EstimateOf<Tokens>(tokens_at(End::kValue), tokens_at(End::kLow), tokens_at(End::kHigh),
                         Basis::kModelled, join_sources(serving.engine->memory.provenance));
  add_lines(setup, memory, answer);
  return answer;
}

void confess_assumptions(const FitSetup& setup, FitAnswer& answer) {
  const auto& serving = setup.serving;
  const auto add = [&answer](const char* id, const std::string& of, const Provenance& from,
                             std::string value = {}) {
    answer.facts.push_back(catalog::used_fact(id, of, from, std::move(value)));
  };
  add("architecture", serving.model->name, serving.model->provenance);
  add("memory", serving.chip->name, serving.chip->memory.provenance,
      format_display(any(serving.chip->memory.nominal), 4));
  add("memory fraction", serving.engine->name, serving.engine->memory.provenance);
  add("overheads", serving.engine->name, serving.engine->overhead.provenance);
  std::vector<std::string> assumed;
  for (const auto& fact : answer.facts) {
    if (fact.kind == "assumed") assumed.push_back(fact.what);
  }
  if (serving.chip->memory.usable_assumed)
    assumed.push_back(catalog::fact_name("usable memory", serving.chip->name));
  if (!assumed.empty()) {
    answer.notices.push_back(
        {.id = "assumed-facts",
         .arguments = {{"facts", fmt::format("{}", fmt::join(assumed, "; "))}}});
  }
}

}  // namespace loadfactor::engine
