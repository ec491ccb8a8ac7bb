// A model of the catalogue in the dimensions that launchers ask for.
#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include "config/document.h"
#include "engine/launch/launch_plan.h"
#include "resolve/serve/service_formats.h"
#include "resolve/train/train_stack.h"

namespace loadfactor::engine {
namespace {

using catalog::AttentionKind;
using catalog::LayerSpec;
using catalog::ModelSpec;

// What flags such as --num-layers and --hidden-size do not say; empty where they say it all.
std::string irregularity(const ModelSpec& model, std::int64_t dense) {
  const int layers = model.num_layers();
  for (int i = 0; i < layers; ++i) {
    const LayerSpec& layer = model.layer(i);
    const auto& attention = layer.attention;
    const bool is_known =
        attention.kind == AttentionKind::kStandard || attention.kind == AttentionKind::kLatent;
    if (!is_known) return "layers without plain attention are not among its flags";
    if (attention.window > 0) return "windows that differ by layer are not among its flags";
    if (attention.sinks || attention.gate || attention.sparse_top_k > 0 || attention.compress > 0)
      return "its kind of attention is not among the flags";
    if (attention.kv != catalog::KvSource::kOwn) return "shared keys are not among its flags";
    if (!(attention == model.layer(layers - 1).attention)) return "its layers differ";
    if (i >= dense && !(layer.moe == model.layer(layers - 1).moe)) return "its layers differ";
    if (layer.norms != 2) return "more than two norms in a layer are not among its flags";
  }
  if (!model.extras.empty()) return "parts beside the text layers are not among its flags";
  if (model.embedding.project > 0 || model.embedding.per_layer > 0 || model.embedding.norm)
    return "its embedding is not among the flags";
  return {};
}

// The first of these keys, wherever it stands: models of several parts keep it below their text.
double number_below(const config::Node& node, std::initializer_list<std::string_view> names) {
  for (const auto& each : node.members) {
    const bool is_named = std::find(names.begin(), names.end(), each.key) != names.end();
    if (is_named && each.value.kind == config::NodeKind::kScalar)
      return std::strtod(each.value.scalar.c_str(), nullptr);
  }
  for (const char* part : {"text_config", "rope_parameters"})
    for (const auto& each : node.members)
      if (each.key == part)
        if (const double found = number_below(each.value, names); found > 0) return found;
  return 0;
}

}  // namespace

launch::ModelShape shape_of(const ModelSpec& model) {
  launch::ModelShape shape;
  shape.name = model.name;
  shape.layers = model.num_layers();
  shape.hidden = model.hidden;
  shape.vocab = model.embedding.vocab;
  shape.context = model.context;
  shape.is_tied = model.embedding.tied;
  shape.has_rms_norm = model.norm == catalog::NormKind::kRms;
  shape.learns_positions = model.embedding.positions > 0;
  shape.generates = model.generates();
  shape.is_causal = model.causal;
  shape.hears = model.has_decoder_apart();
  shape.mtp_layers = model.mtp_layers;
  while (shape.dense_layers < shape.layers &&
         model.layer(static_cast<int>(shape.dense_layers)).moe.experts == 0)
    ++shape.dense_layers;
  const LayerSpec& last = model.layer(model.num_layers() - 1);
  const LayerSpec& first = model.layer(0);
  if (last.moe.experts == 0) shape.dense_layers = 0;
  for (int i = 0; i < model.num_layers(); ++i)
    shape.moe_layers += model.layer(i).moe.experts > 0 ? 1 : 0;
  shape.heads = last.attention.heads;
  shape.kv_heads = last.attention.kv_heads;
  shape.head_dim = last.attention.head_dim;
  shape.mlp = std::max(first.mlp.width, last.mlp.width);
  const bool is_dense = last.moe.experts == 0;
  shape.is_gated = (is_dense ? last.mlp.kind : last.moe.kind) == catalog::MlpKind::kGated;
  shape.has_bias = last.mlp.bias && last.attention.out_bias;
  shape.has_qkv_bias = last.attention.qkv_bias;
  shape.has_qk_norm = last.attention.qk_norm != catalog::QkNorm::kNone;
  shape.experts = last.moe.experts;
  shape.top_k = last.moe.top_k;
  shape.expert_width = last.moe.width;
  shape.shared_width = last.moe.shared_width;
  if (last.attention.kind == AttentionKind::kLatent)
    shape.latent = {last.attention.q_rank, last.attention.kv_rank, last.attention.nope_dim,
                    last.attention.rope_dim, last.attention.value_dim};
  shape.irregular = irregularity(model, shape.dense_layers);
  return shape;
}

void add_details(const std::vector<ModelFile>& files, launch::ModelShape& shape) {
  for (const ModelFile& file : files) {
    if (file.name != "config.json") continue;
    const auto tree = config::parse_json(file.shown_as, file.text);
    if (!tree) continue;
    const auto number = [&](std::initializer_list<std::string_view> names) {
      return number_below(tree->root, names);
    };
    shape.rotary_base = number({"rope_theta", "rotary_emb_base"});
    shape.norm_epsilon = number({"rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon"});
  }
}

launch::Names names_of(const catalog::Catalog& catalog) {
  launch::Names names;
  names.model = [&catalog](const std::string& name) {
    const auto found = catalog.find_model(name);
    return found ? (*found)->name : std::string();
  };
  names.accelerator = [&catalog](const std::string& name) {
    const auto found = catalog.find_accelerator(name);
    return found ? (*found)->name : std::string();
  };
  names.layers_of = [&catalog](const std::string& name) -> std::int64_t {
    const auto found = catalog.find_model(name);
    return found ? (*found)->num_layers() : 0;
  };
  names.has_experts = [&catalog](const std::string& name) {
    const auto found = catalog.find_model(name);
    return found && shape_of(**found).experts > 0;
  };
  names.stored_format = [&catalog](const std::string& name) -> std::string {
    const auto found = catalog.find_model(name);
    if (!found) return {};
    const auto recipe = choose_recipe("", **found);
    const bool is_plain = !recipe || (*recipe)->name == "bf16" || (*recipe)->name == "fp16" ||
                          (*recipe)->name == "fp32";
    return is_plain ? std::string() : std::string((*recipe)->name);
  };
  names.is_format = [](const std::string& word, bool serves) {
    return serves ? choose_recipe(word, ModelSpec()).has_value() : !unknown_precision(word);
  };
  names.differs = [&catalog](
                      const std::string& name,
                      const auto& dimension) -> std::optional<launch::Names::OtherDimension> {
    const auto found = catalog.find_model(name);
    if (!found) return std::nullopt;
    const auto shape = shape_of(**found);
    for (const auto& [key, value] :
         {std::pair("layers", shape.layers), std::pair("hidden", shape.hidden),
          std::pair("heads", shape.heads), std::pair("experts", shape.experts),
          std::pair("top_k", shape.top_k), std::pair("expert_width", shape.expert_width),
          std::pair("moe_layers", shape.moe_layers)}) {
      const auto given = dimension(key);
      if (given && *given != value) return launch::Names::OtherDimension{key, value};
    }
    return std::nullopt;
  };
  names.model_of = [&catalog](const auto& dimension) -> std::string {
    std::string found;
    for (const ModelSpec& model : catalog.models()) {
      const auto shape = shape_of(model);
      const auto same = [&](std::string_view name, std::int64_t value) {
        const auto given = dimension(name);
        return !given || *given == value;
      };
      const std::int64_t kv_rank = shape.latent ? shape.latent->kv_rank : 0;
      const bool is_same = same("layers", shape.layers) && same("hidden", shape.hidden) &&
                           same("heads", shape.heads) && same("vocab", shape.vocab) &&
                           same("experts", shape.experts) && same("top_k", shape.top_k) &&
                           same("mlp", shape.mlp) && same("expert_width", shape.expert_width) &&
                           same("kv_rank", kv_rank) && same("dense", shape.dense_layers) &&
                           same("moe_layers", shape.moe_layers) &&
                           (shape.latent || same("kv_heads", shape.kv_heads)) &&
                           dimension("experts").value_or(0) == shape.experts;
      if (!is_same) continue;
      // Where several are alike, none is named.
      if (!found.empty()) return {};
      found = model.name;
    }
    return found;
  };
  return names;
}

}  // namespace loadfactor::engine
