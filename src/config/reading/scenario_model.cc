#include <algorithm>
#include <array>
#include <string>

#include "base/error_codes.h"
#include "config/magnitudes.h"
#include "config/reading/scenario_sections.h"
#include "config/scenario/scenario_words.h"

namespace loadfactor::config {
namespace {

constexpr Range kWidth = magnitude::band(1, 1e7, "a width of the network, such as 8192");
constexpr Range kLayers = magnitude::band(1, 1e5, "the number of layers, such as 80");

Placed<std::int64_t> required(MapReader& reader, std::string_view key, Range range) {
  const std::int64_t value = reader.integer(key, range);
  return {value, reader.position_of(key)};
}

bool divides(const Placed<std::int64_t>& divisor, const Placed<std::int64_t>& whole) {
  return divisor.value > 0 && whole.value % divisor.value == 0;
}

void check_heads(MapReader& reader, const ModelDimensions& model) {
  const bool known = model.heads.value > 0 && model.hidden.value > 0;
  if (known && !model.head_dim && !divides(model.heads, model.hidden))
    reader.report("heads", lf::kNotDivisible,
                  std::to_string(model.heads.value) + " heads do not divide a hidden width of " +
                      std::to_string(model.hidden.value),
                  "state 'head_dim' if heads are not hidden / heads wide");
  if (known && model.kv_heads && !divides(*model.kv_heads, model.heads))
    reader.report("kv_heads", lf::kNotDivisible,
                  std::to_string(model.kv_heads->value) + " KV heads do not divide " +
                      std::to_string(model.heads.value) + " heads");
}

void check_experts(MapReader& reader, const ModelDimensions& model) {
  if (!model.experts && !model.mlp)
    reader.report("mlp", lf::kMissingKey, "'model' needs 'mlp', the width of the MLP");
  if (model.experts && !model.top_k)
    reader.report("top_k", lf::kMissingKey, "'model' has experts and needs 'top_k'");
  if (model.experts && !model.expert_width)
    reader.report("expert_width", lf::kMissingKey, "'model' has experts and needs 'expert_width'");
  for (const std::string_view key : {"top_k", "expert_width", "shared_width"}) {
    if (!model.experts && reader.has(key))
      reader.report(key, lf::kContradictoryKeys,
                    "'" + std::string(key) + "' without 'experts' means nothing");
  }
  if (model.experts && model.top_k && model.top_k->value > model.experts->value)
    reader.report("top_k", lf::kInconsistentFigures,
                  "top_k " + std::to_string(model.top_k->value) + " of " +
                      std::to_string(model.experts->value) + " experts");
}

ModelDimensions read_dimensions(MapReader& reader) {
  ModelDimensions model;
  model.layers = required(reader, "layers", kLayers);
  model.hidden = required(reader, "hidden", kWidth);
  model.heads = required(reader, "heads", kWidth);
  model.vocab = required(reader, "vocab", magnitude::band(1, 1e9, "rows of the embedding table"));
  model.kv_heads = placed_integer(reader, "kv_heads", kWidth);
  model.head_dim = placed_integer(reader, "head_dim", kWidth);
  model.mlp = placed_integer(reader, "mlp", kWidth);
  model.gated = placed(reader, "gated", reader.maybe_boolean("gated"));
  model.tied = placed(reader, "tied", reader.maybe_boolean("tied"));
  model.experts = placed_integer(reader, "experts", kWidth);
  model.top_k = placed_integer(reader, "top_k", kWidth);
  model.expert_width = placed_integer(reader, "expert_width", kWidth);
  model.shared_width = placed_integer(reader, "shared_width", kWidth);
  check_heads(reader, model);
  check_experts(reader, model);
  return model;
}

ModelSize read_size(MapReader& reader) {
  ModelSize size;
  size.params = {reader.count("params", magnitude::kParameters), reader.position_of("params")};
  size.active = placed(reader, "active", reader.maybe_count("active", magnitude::kParameters));
  if (size.active && size.params.value > 0 && size.active->value > size.params.value)
    reader.report("active", lf::kInconsistentFigures,
                  "more parameters are active than the model has");
  return size;
}

// The ways to say what a model is; only one may be used.
constexpr std::array<std::string_view, 3> kForms{"config", "params", "layers"};

void refuse_mixed_forms(MapReader& reader) {
  std::string_view first;
  for (const std::string_view form : kForms) {
    if (!reader.has(form)) continue;
    if (!first.empty())
      reader.report(
          form, lf::kContradictoryKeys,
          "'" + std::string(first) + "' and '" + std::string(form) + "' both say what the model is",
          "keep one of them");
    if (first.empty()) first = form;
  }
}

}  // namespace

ModelSection read_model(MapReader& section) {
  ModelSection ask;
  ask.position = section.position_of("model");
  const Node* node = section.has("model") ? section.node("model") : nullptr;
  if (node == nullptr || node->kind != NodeKind::kMap) {
    const std::string word = section.text("model");
    if (is_model_path(word)) {
      ask.model = ModelConfigFile{{word, ask.position}};
    } else {
      ask.model = CatalogModel{{word, ask.position}};
    }
    return ask;
  }
  MapReader reader(section.document(), *node, "model", section.diagnostics());
  refuse_mixed_forms(reader);
  if (reader.has("config")) {
    ask.model = ModelConfigFile{{reader.text("config"), reader.position_of("config")}};
  } else if (reader.has("params")) {
    ask.model = read_size(reader);
  } else if (reader.has("layers") || reader.has("hidden") || reader.has("heads")) {
    ask.model = read_dimensions(reader);
  } else {
    for (const std::string_view form : kForms) reader.allow(form);
    section.report("model", lf::kMissingKey, "the model is not described",
                   "write a name, {config: ./config.json}, {params: 500 B} or its dimensions");
  }
  if (reader.has("config") || reader.has("params")) {
    for (const std::string_view form : kForms) reader.allow(form);
  }
  reader.finish();
  return ask;
}

}  // namespace loadfactor::config
