#include "resolve/model/model_shape.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/quantity_text.h"

namespace loadfactor::engine {
namespace {

using catalog::LayerSpec;
using catalog::MlpKind;
using catalog::ModelSpec;

constexpr int kHeadDim = 128;
constexpr int kKeyValueHeads = 8;
constexpr std::int64_t kVocab = 128'256;
constexpr double kAspect = 102;         // Hidden width per layer.
constexpr double kLayerSquares = 12.6;  // Weights of a layer over the square of its width.
constexpr int kTopK = 8;

double nearest_multiple(double value, double step) {
  return std::max(step, std::round(value / step) * step);
}

std::vector<std::uint8_t> alike(std::int64_t layers) {
  return std::vector<std::uint8_t>(static_cast<std::size_t>(layers), std::uint8_t{0});
}

double attention_weights(double hidden, double heads, double kv_heads) {
  return 2.0 * hidden * kHeadDim * (heads + kv_heads);
}

// Hidden width and depth of a dense model: width³ / aspect · squares = weights.
void set_frame(double parameters, ModelSpec& model, LayerSpec& layer) {
  const double width = std::cbrt(parameters * kAspect / kLayerSquares);
  const double step = width >= 3072 ? 1024 : width >= 1024 ? 256 : kHeadDim;
  model.hidden = static_cast<int>(nearest_multiple(width, step));
  model.embedding.vocab = kVocab;
  model.embedding.tied = model.hidden < 3072;
  const double tables =
      (model.embedding.tied ? 1.0 : 2.0) * static_cast<double>(kVocab) * model.hidden;
  const double squares = kLayerSquares * model.hidden * model.hidden;
  const double layers = std::max(parameters - tables, 0.3 * parameters) / squares;
  model.layers = alike(static_cast<std::int64_t>(nearest_multiple(layers, layers >= 16 ? 4 : 1)));
  layer.attention.head_dim = kHeadDim;
  layer.attention.heads = std::max(1, model.hidden / kHeadDim);
  const bool grouped =
      layer.attention.heads > kKeyValueHeads && layer.attention.heads % kKeyValueHeads == 0;
  layer.attention.kv_heads = grouped ? kKeyValueHeads : layer.attention.heads;
}

// What the feed-forward of one layer is left with, in weights.
double feed_forward_weights(double parameters, const ModelSpec& model, const LayerSpec& layer) {
  const double tables =
      (model.embedding.tied ? 1.0 : 2.0) * static_cast<double>(kVocab) * model.hidden;
  const double per_layer = (parameters - tables) / static_cast<double>(model.num_layers());
  const double attention =
      attention_weights(model.hidden, layer.attention.heads, layer.attention.kv_heads);
  return std::max(per_layer - attention, 3.0 * model.hidden * kHeadDim);
}

}  // namespace

ModelSpec model_of_dimensions(const config::ModelDimensions& dimensions) {
  ModelSpec model;
  LayerSpec layer;
  const auto narrow = [](std::int64_t value) { return static_cast<int>(value); };
  const auto given = [&](const config::Given<std::int64_t>& value, std::int64_t otherwise) {
    return narrow(value ? value->value : otherwise);
  };
  const std::int64_t heads = dimensions.heads.value;
  model.hidden = narrow(dimensions.hidden.value);
  layer.attention.heads = narrow(heads);
  layer.attention.kv_heads = given(dimensions.kv_heads, heads);
  layer.attention.head_dim = given(dimensions.head_dim, dimensions.hidden.value / heads);
  layer.mlp.width = given(dimensions.mlp, 0);
  const bool gated = !dimensions.gated || dimensions.gated->value;
  layer.mlp.kind = gated ? MlpKind::kGated : MlpKind::kPlain;
  layer.moe.experts = given(dimensions.experts, 0);
  layer.moe.top_k = given(dimensions.top_k, 0);
  layer.moe.width = given(dimensions.expert_width, 0);
  layer.moe.shared_width = given(dimensions.shared_width, 0);
  layer.moe.kind = layer.mlp.kind;
  model.embedding.vocab = dimensions.vocab.value;
  model.embedding.tied = dimensions.tied && dimensions.tied->value;
  model.kinds = {layer};
  model.layers = alike(dimensions.layers.value);
  model.name = "described";
  model.title = fmt::format("{} layers of width {}", dimensions.layers.value, model.hidden);
  return model;
}

ModelSpec model_of_size(double parameters, double active) {
  ModelSpec model;
  LayerSpec layer;
  const double busy = active > 0 ? active : parameters;
  set_frame(busy, model, layer);
  const double feed_forward = feed_forward_weights(busy, model, layer);
  const double step = feed_forward > 3.0 * model.hidden * 4096 ? 256 : 64;
  if (active > 0) {
    const double width = nearest_multiple(feed_forward / (3.0 * model.hidden * kTopK), step);
    const double all = feed_forward_weights(parameters, model, layer);
    layer.moe.top_k = kTopK;
    layer.moe.width = static_cast<int>(width);
    layer.moe.experts =
        static_cast<int>(nearest_multiple(all / (3.0 * model.hidden * width), kTopK));
  } else {
    layer.mlp.width = static_cast<int>(nearest_multiple(feed_forward / (3.0 * model.hidden), step));
  }
  model.kinds = {layer};
  model.name = "sized";
  model.title = fmt::format("a model of {} parameters", format_short_count(parameters));
  return model;
}

}  // namespace loadfactor::engine
