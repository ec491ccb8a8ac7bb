#include "catalog/load/layer_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/error_codes.h"
#include "base/quoted.h"
#include "catalog/load/block_reader.h"

namespace loadfactor::catalog {
namespace {

using config::MapReader;

constexpr std::int64_t kMaxLayers = 10'000;

// What a layer is made of before it is decided whether its experts or its MLP are used.
struct Blocks {
  AttentionSpec attention{.kind = AttentionKind::kNone};
  MlpSpec mlp;  // Width 0: none.
  MoeSpec moe;  // No experts: none.
  MoeRule rule;
  int norms = 2;
};

bool is_none(MapReader& reader, std::string_view key) {
  if (!reader.has(key)) return false;
  const config::Node* node = reader.node(key);
  return node != nullptr && node->kind == config::NodeKind::kScalar && node->scalar == "none";
}

// Reads the blocks that stand in `reader` over those of `base`; `none` takes a block away.
Blocks read_blocks(MapReader& reader, Blocks base) {
  if (is_none(reader, "attention")) {
    base.attention = AttentionSpec{.kind = AttentionKind::kNone};
  } else if (auto block = reader.map("attention", false)) {
    if (base.attention.kind == AttentionKind::kNone) base.attention = AttentionSpec{};
    base.attention = read_attention(*block, base.attention);
  }
  if (is_none(reader, "mlp")) {
    base.mlp = MlpSpec{};
  } else if (auto block = reader.map("mlp", false)) {
    base.mlp = read_mlp(*block, base.mlp);
  }
  if (is_none(reader, "moe")) {
    base.moe = MoeSpec{};
  } else if (auto block = reader.map("moe", false)) {
    base.moe = read_moe(*block, base.moe, base.rule);
  }
  return base;
}

// Named kinds in file order; a model without kinds has one without a name.
std::map<std::string, Blocks, std::less<>> read_kinds(MapReader& model, const Blocks& base) {
  std::map<std::string, Blocks, std::less<>> kinds;
  const config::Node* node = model.node("layer_kinds");
  auto reader = model.map("layer_kinds", false);
  if (!reader || node == nullptr) return kinds;
  for (const auto& member : node->members) {
    auto kind = reader->map(member.key);
    if (!kind) continue;
    Blocks blocks = read_blocks(*kind, base);
    if (const auto norms = kind->maybe_integer("norms", {0, 8})) {
      blocks.norms = static_cast<int>(*norms);
    }
    kind->finish();
    kinds[member.key] = blocks;
  }
  reader->finish();
  return kinds;
}

std::vector<const Blocks*> read_pattern(MapReader& model, std::size_t num_layers,
                                        const std::map<std::string, Blocks, std::less<>>& kinds) {
  std::vector<const Blocks*> pattern;
  std::map<std::string, bool, std::less<>> used;
  std::vector<std::string> names;
  names.reserve(kinds.size());
  for (const auto& [name, blocks] : kinds) names.push_back(name);
  for (const auto& word : model.texts("layer_pattern")) {
    const auto found = kinds.find(word);
    if (found == kinds.end()) {
      const auto nearest = config::suggest(word, names);
      model.report("layer_pattern", lf::kUnknownWord, "no layer kind is called " + in_quotes(word),
                   nearest ? "did you mean '" + *nearest + "'?" : "define it under 'layer_kinds'");
      continue;
    }
    used[word] = true;
    pattern.push_back(&found->second);
  }
  for (const auto& name : names) {
    if (used.contains(name)) continue;
    model.report("layer_kinds", lf::kInconsistentFigures,
                 "no layer is of the kind " + in_quotes(name),
                 "use it in 'layer_pattern' or take it out");
  }
  if (pattern.size() > num_layers) {
    model.report("layer_pattern", lf::kInconsistentFigures,
                 "the pattern has " + std::to_string(pattern.size()) + " layers, the model " +
                     std::to_string(num_layers));
  }
  return pattern;
}

LayerSpec layer_of(const Blocks& blocks, std::int64_t index) {
  LayerSpec layer{.attention = blocks.attention, .norms = blocks.norms};
  if (blocks.moe.experts > 0 && blocks.rule.holds(index)) {
    layer.moe = blocks.moe;
  } else {
    layer.mlp = blocks.mlp;
  }
  return layer;
}

// Layers whose rule wants a dense MLP the file does not describe would silently have none.
void check_mlp(MapReader& model, const Blocks& blocks, const LayerSpec& layer, std::int64_t index) {
  const bool dense_by_rule = blocks.moe.experts > 0 && layer.moe.experts == 0;
  if (!dense_by_rule || layer.mlp.width > 0 || is_none(model, "mlp")) return;
  model.report("moe", lf::kMissingKey,
               "layer " + std::to_string(index) + " is dense, but the model has no 'mlp'",
               "describe 'mlp', or change 'first_dense', 'every' or 'dense_layers'");
}

void check_rule(MapReader& model, const MoeRule& rule, std::int64_t num_layers) {
  const auto check = [&](const std::vector<std::int64_t>& list) {
    for (const std::int64_t layer : list) {
      if (layer < num_layers) continue;
      model.report("moe", lf::kOutOfRange, "layer " + std::to_string(layer) + " does not exist",
                   "layers count from 0 to " + std::to_string(num_layers - 1));
    }
  };
  check(rule.dense_layers);
  if (rule.layers) check(*rule.layers);
}

}  // namespace

ReadLayers read_layers(MapReader& model, int norms) {
  const std::int64_t num_layers = model.integer("layers", {1, kMaxLayers});
  Blocks base;
  base.norms = norms;
  if (!model.has("attention")) {
    model.report("attention", lf::kMissingKey, "model needs 'attention'");
  }
  base = read_blocks(model, base);
  const auto kinds = read_kinds(model, base);
  auto pattern =
      read_pattern(model, static_cast<std::size_t>(std::max<std::int64_t>(num_layers, 1)), kinds);
  if (pattern.empty()) pattern.push_back(&base);
  check_rule(model, base.rule, num_layers);

  ReadLayers read;
  bool reported = false;
  for (std::int64_t i = 0; i < num_layers && i <= kMaxLayers; ++i) {
    const Blocks& blocks = *pattern[static_cast<std::size_t>(i) % pattern.size()];
    const LayerSpec layer = layer_of(blocks, i);
    const std::size_t before = model.diagnostics().size();
    if (!reported) check_mlp(model, blocks, layer, i);
    reported = reported || model.diagnostics().size() > before;
    auto found = std::find(read.kinds.begin(), read.kinds.end(), layer);
    if (found == read.kinds.end()) found = read.kinds.insert(found, layer);
    read.layers.push_back(static_cast<std::uint8_t>(found - read.kinds.begin()));
  }
  return read;
}

}  // namespace loadfactor::catalog
