#include "engine/serve/fit_answer.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "catalog/load/entry_reader.h"
#include "serving/precision.h"
#include "workload/parameters.h"

namespace loadfactor::engine {
namespace {

using catalog::AttentionKind;
using catalog::ModelSpec;
using catalog::Provenance;
using catalog::SourceKind;

std::string gib(Bytes bytes) {
  return format_in(any(bytes), "GiB", 1) + " GiB";
}

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

std::string mixers(const ModelSpec& model) {
  const auto& first = model.layer(0).attention;
  for (int i = 0; i < model.num_layers(); ++i) {
    const auto& attention = model.layer(i).attention;
    if (attention.kind == AttentionKind::kLatent)
      return fmt::format("latent attention {} + {}", attention.kv_rank, attention.rope_dim);
    if (attention.kind == AttentionKind::kStandard)
      return fmt::format("{} KV heads × {}", attention.kv_heads, attention.head_dim);
  }
  return first.kind == AttentionKind::kNone ? "no attention" : "state-space layers";
}

std::string architecture(const ModelSpec& model) {
  std::string kind = "dense";
  for (const auto& layer : model.kinds) {
    if (layer.moe.experts > 0)
      kind = fmt::format("{} experts, {} active", layer.moe.experts, layer.moe.top_k);
  }
  return fmt::format("{} · {} layers, {}", kind, model.num_layers(), mixers(model));
}

std::string weights_words(const workload::WeightBytes& weights,
                          const workload::WeightRecipe& recipe) {
  if (recipe.converts == workload::Converts::kNothing)
    return fmt::format("all tensors in {}, exact from the architecture",
                       catalog::name(recipe.plain));
  const Bytes plain = weights.embedding + weights.head + weights.other + weights.extras;
  return fmt::format("{} {} {} + {} {} elsewhere", gib(weights.converted + weights.scales),
                     recipe.name,
                     recipe.converts == workload::Converts::kExperts ? "experts" : "linears",
                     gib(plain), catalog::name(recipe.plain));
}

std::string kv_words(const FitSetup& setup, const DeploymentMemory& memory, std::int64_t tokens,
                     BytesPerToken per_token) {
  if (tokens == std::numeric_limits<std::int64_t>::max()) return "the layers keep a fixed state";
  return fmt::format("{} tokens over {} GPU{} at {} B/token, {}", format_count(tokens),
                     memory.gpus(), memory.gpus() == 1 ? "" : "s",
                     format_count(static_cast<long long>(per_token.base())),
                     catalog::name(setup.serving.kv.kv));
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
  answer.lines.push_back(
      {"weights", answer.weights_per_gpu, weights_words(gpu.weights, *serving.recipe)});
  const auto tokens = static_cast<std::int64_t>(answer.kv_tokens.value().base());
  answer.lines.push_back({"KV cache", modelled(gpu.kv, engine.memory.provenance),
                          kv_words(setup, memory, tokens, answer.kv_per_token)});
  answer.lines.push_back(
      {"activations", modelled(gpu.activations, engine.overhead.provenance),
       fmt::format("largest step of {} tokens, {} sequences", format_count(serving.batched_tokens),
                   format_count(serving.max_sequences))});
  answer.lines.push_back({"context + graphs", modelled(gpu.overhead, engine.overhead.provenance),
                          "process, libraries, communicators, captured graphs"});
  const Bytes kept = std::max(gpu.reserve, Bytes());
  answer.lines.push_back(
      {"kept free", exact(kept, engine.memory.provenance),
       fmt::format("memory fraction {:.2f} of {}", serving.memory_fraction, engine.title)});
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
  answer.architecture = architecture(model);
  answer.layout = layout_of(memory.sharding);
  answer.max_sequences = serving.max_sequences;
  answer.context = setup.context;
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
  const auto tokens_at = [&](End end) {
    return Tokens::from_base(static_cast<double>(count_kv_tokens(serving, memory, end)));
  };
  answer.kv_tokens =
      EstimateOf<Tokens>(tokens_at(End::kValue), tokens_at(End::kLow), tokens_at(End::kHigh),
                         Basis::kModelled, join_sources(serving.engine->memory.provenance));
  add_lines(setup, memory, answer);
  return answer;
}

std::string describe_shortage(const FitSetup& setup, const DeploymentMemory& memory,
                              const std::optional<Found>& smallest) {
  const auto& gpu = memory.stages[memory.tightest];
  const Bytes one = gpu.profile.bytes(setup.context);
  const Bytes others = gpu.weights.total() + gpu.activations.value + gpu.overhead.value;
  const Bytes allowed = others + gpu.kv.value;
  std::string text;
  if (gpu.kv.value <= Bytes()) {
    text = fmt::format("weights ({}), activations and context need {} per GPU; {} may use {} of {}",
                       gib(gpu.weights.total()), gib(others), setup.serving.engine->title,
                       gib(allowed), gib(gpu.total));
  } else {
    text = fmt::format("one sequence of {} tokens needs {} of KV cache per GPU, {} are left",
                       format_count(setup.context), gib(one), gib(gpu.kv.value));
  }
  if (smallest) {
    text +=
        fmt::format("; closest that fits: {} GPU{} (tp {}, pp {})", smallest->gpus(),
                    smallest->gpus() == 1 ? "" : "s", smallest->sharding.tp, smallest->sharding.pp);
  }
  return text;
}

std::vector<std::string> describe_sums(const FitSetup& setup, const DeploymentMemory& memory) {
  const auto& gpu = memory.stages[memory.tightest];
  const auto& engine = *setup.serving.engine;
  const double fraction = setup.serving.memory_fraction;
  const std::string visible =
      fmt::format("({} − {} of the driver)", gib(gpu.total), gib(engine.overhead.driver));
  const std::string parts =
      fmt::format("{} weights − {} activations − {} context and graphs", gib(gpu.weights.total()),
                  gib(gpu.activations.value), gib(gpu.overhead.value));
  std::vector<std::string> sums;
  switch (engine.memory.fraction_of) {
    case catalog::FractionOf::kTotal:
      sums.push_back(fmt::format(
          "KV cache {} = {:.2f} × {} − {}{}", gib(gpu.kv.value), fraction, visible, parts,
          engine.overhead.graphs_in_fraction
              ? ""
              : fmt::format(" + {} graphs, which come on top", gib(engine.overhead.graphs))));
      break;
    case catalog::FractionOf::kStatic:
      sums.push_back(fmt::format("KV cache {} = {:.2f} × {} − {} weights", gib(gpu.kv.value),
                                 fraction, visible, gib(gpu.weights.total())));
      break;
    case catalog::FractionOf::kFree:
      sums.push_back(fmt::format("KV cache {} = {:.2f} × ({} − {})", gib(gpu.kv.value), fraction,
                                 visible, parts));
      break;
  }
  sums.push_back(fmt::format("one sequence of {} tokens = {} per GPU, so {} fit",
                             format_count(setup.context),
                             format_display(any(gpu.profile.bytes(setup.context)), 4),
                             format_count(count_sequences(setup.serving, memory, setup.context))));
  return sums;
}

void confess_assumptions(const FitSetup& setup, FitAnswer& answer) {
  const auto& serving = setup.serving;
  const auto add = [&answer](std::string what, const Provenance& from, std::string value = {}) {
    answer.facts.push_back(
        {std::move(what), std::string(catalog::text_of(from.kind)), join_sources(from), from.date,
         from.line > 0 ? fmt::format("{}:{}", from.file, from.line) : from.file, std::move(value)});
  };
  add(fmt::format("architecture of {}", serving.model->name), serving.model->provenance);
  add(fmt::format("memory of {}", serving.chip->name), serving.chip->memory.provenance,
      format_display(any(serving.chip->memory.nominal), 4));
  add(fmt::format("memory fraction of {}", serving.engine->name),
      serving.engine->memory.provenance);
  add(fmt::format("overheads of {}", serving.engine->name), serving.engine->overhead.provenance);
  std::vector<std::string> assumed;
  for (const auto& fact : answer.facts) {
    if (fact.kind == "assumed") assumed.push_back(fact.what);
  }
  if (serving.chip->memory.usable_assumed)
    assumed.push_back(fmt::format("usable memory of {}", serving.chip->name));
  if (!assumed.empty()) {
    answer.notices.push_back(
        {.id = "assumed-facts",
         .arguments = {{"facts", fmt::format("{}", fmt::join(assumed, "; "))}}});
  }
}

}  // namespace loadfactor::engine
