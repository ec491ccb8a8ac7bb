#include "catalog/import/stored_weights.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"

namespace loadfactor::catalog {
namespace {

// Tensors that describe other tensors, or that a program can compute: no parameters.
constexpr std::array<std::string_view, 22> kAuxiliary{
    ".SCB",
    ".weight_format",
    ".weight_scale",
    ".weight_scale_2",
    ".weight_scale_inv",
    ".weight_global_scale",
    ".weight_zero_point",
    ".weight_shape",
    ".input_scale",
    ".input_global_scale",
    ".k_scale",
    ".v_scale",
    ".scales",
    ".qzeros",
    ".g_idx",
    ".absmax",
    ".quant_map",
    ".nested_absmax",
    ".nested_quant_map",
    "_scales",
    ".inv_freq",
    ".masked_bias",
};

// Four-bit weights packed into wider elements.
struct PackedRow {
  std::string_view suffix;
  std::string_view dtype;
  std::int64_t per_element;
};
constexpr std::array kPacked{
    PackedRow{".qweight", "I32", 8},      PackedRow{".weight_packed", "I32", 8},
    PackedRow{".weight_packed", "U8", 2}, PackedRow{"_blocks", "U8", 2},
    PackedRow{".weight", "U8", 2},
};

constexpr std::array<std::string_view, 5> kHeads{"lm_head.weight", "lm_head.qweight",
                                                 "embed_out.weight", "output.weight",
                                                 "lm_head.weight_packed"};
constexpr std::array<std::string_view, 4> kLayerWords{"layers.", "h.", "blocks.", "layer."};

bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

bool is_auxiliary(const StoredTensor& tensor) {
  const std::string_view name = tensor.name;
  if (name.find(".quant_state.") != std::string_view::npos) return true;
  // GPT-2 stores the causal mask of each layer beside its weights.
  if (ends_with(name, ".attn.bias") && tensor.shape.size() == 4) return true;
  return std::any_of(kAuxiliary.begin(), kAuxiliary.end(),
                     [name](std::string_view suffix) { return ends_with(name, suffix); });
}

bool is_head(std::string_view name) {
  return std::any_of(kHeads.begin(), kHeads.end(), [name](std::string_view head) {
    if (!ends_with(name, head)) return false;
    // A whole word: `attention.output.weight` is not a head.
    const std::size_t at = name.size() - head.size();
    return at == 0 || ends_with(name.substr(0, at), "model.");
  });
}

// The number after `layers.`, plus one; 0 if the name has none.
int layers_named(std::string_view name) {
  for (const std::string_view word : kLayerWords) {
    const std::size_t at = name.find(word);
    if (at == std::string_view::npos || (at > 0 && name[at - 1] != '.')) continue;
    int number = 0;
    const char* begin = name.data() + at + word.size();
    const auto parsed = std::from_chars(begin, name.data() + name.size(), number);
    if (parsed.ec == std::errc() && number >= 0 && number < 100'000) return number + 1;
  }
  return 0;
}

void add_name(std::string_view name, StoredWeights& weights) {
  weights.layers = std::max(weights.layers, layers_named(name));
  weights.has_own_head = weights.has_own_head || is_head(name);
  ++weights.tensors;
}

void report(const SafetensorsIndex& index, std::string message, std::string hint,
            Diagnostics& diagnostics) {
  diagnostics.add(Error{.code = lf::kChecksumMismatch,
                        .message = std::move(message),
                        .hint = std::move(hint),
                        .where = {.file = index.file, .line = 0, .column = 0}});
}

}  // namespace

std::int64_t parameters_in(const StoredTensor& tensor) {
  if (is_auxiliary(tensor)) return 0;
  for (const PackedRow& row : kPacked) {
    if (row.dtype == tensor.dtype && ends_with(tensor.name, row.suffix)) {
      return tensor.elements() * row.per_element;
    }
  }
  return tensor.elements();
}

StoredWeights summarise(std::span<const SafetensorsHeader> shards) {
  StoredWeights weights{.parameters = 0, .has_own_head = false};
  for (const SafetensorsHeader& shard : shards) {
    for (const StoredTensor& tensor : shard.tensors) {
      weights.bytes += tensor.bytes();
      weights.bytes_by_dtype[tensor.dtype] += tensor.bytes();
      *weights.parameters += parameters_in(tensor);
      add_name(tensor.name, weights);
    }
  }
  return weights;
}

StoredWeights summarise(const SafetensorsIndex& index, std::optional<Dtype> dtype) {
  StoredWeights weights{.bytes = index.total_size, .has_own_head = false};
  for (const auto& [name, shard] : index.weight_map) add_name(name, weights);
  if (!dtype) return weights;
  const auto bytes = static_cast<std::int64_t>(bytes_per_element(*dtype));
  if (bytes > 0 && index.total_size % bytes == 0) weights.parameters = index.total_size / bytes;
  return weights;
}

void check_shards(const SafetensorsIndex& index, std::span<const SafetensorsHeader> shards,
                  Diagnostics& diagnostics) {
  std::map<std::string_view, std::string_view> found;
  std::int64_t bytes = 0;
  for (const SafetensorsHeader& shard : shards) {
    bytes += shard.data_bytes;
    for (const StoredTensor& tensor : shard.tensors) found[tensor.name] = shard.file;
  }
  if (bytes != index.total_size) {
    report(index,
           fmt::format("total_size is {}, but the shards hold {} bytes", index.total_size, bytes),
           "a shard is missing or belongs to another checkpoint", diagnostics);
  }
  for (const auto& [name, shard] : index.weight_map) {
    const auto at = found.find(name);
    if (at != found.end() && ends_with(at->second, shard)) continue;
    report(index, fmt::format("{} should be in {}, but is not", name, shard), "", diagnostics);
    return;
  }
}

}  // namespace loadfactor::catalog
