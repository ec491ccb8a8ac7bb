#include "catalog/load/block_reader.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/error_codes.h"

namespace loadfactor::catalog {
namespace {

using config::MapReader;
using config::Range;
using config::Word;

constexpr Range kSize{1, 1 << 24};
constexpr Range kSizeOrNone{0, 1 << 24};

constexpr std::array kAttentionKinds{
    Word<AttentionKind>{"standard", AttentionKind::kStandard},
    Word<AttentionKind>{"latent", AttentionKind::kLatent},
    Word<AttentionKind>{"linear", AttentionKind::kLinear},
    Word<AttentionKind>{"mamba2", AttentionKind::kMamba2},
};
constexpr std::array kQkNorms{
    Word<QkNorm>{"none", QkNorm::kNone},
    Word<QkNorm>{"head", QkNorm::kHead},
    Word<QkNorm>{"full", QkNorm::kFull},
};
constexpr std::array kKvSources{
    Word<KvSource>{"own", KvSource::kOwn},
    Word<KvSource>{"tied", KvSource::kTied},
    Word<KvSource>{"reuse", KvSource::kReuse},
};
// `relu2` is a plain MLP whose activation is a squared ReLU: the same weights.
constexpr std::array kMlpKinds{
    Word<MlpKind>{"gated", MlpKind::kGated},
    Word<MlpKind>{"plain", MlpKind::kPlain},
    Word<MlpKind>{"relu2", MlpKind::kPlain},
};

void override_size(MapReader& block, std::string_view key, int& value, Range range = kSize) {
  if (const auto read = block.maybe_integer(key, range)) value = static_cast<int>(*read);
}

void override_flag(MapReader& block, std::string_view key, bool& value) {
  if (const auto read = block.maybe_boolean(key)) value = *read;
}

void override_kind(MapReader& block, MlpKind& kind) {
  kind = block.maybe_word<MlpKind>("kind", kMlpKinds).value_or(kind);
}

void read_bias(MapReader& block, AttentionSpec& spec) {
  auto bias = block.map("bias", false);
  if (!bias) return;
  override_flag(*bias, "qkv", spec.qkv_bias);
  override_flag(*bias, "out", spec.out_bias);
  override_flag(*bias, "key", spec.key_bias);
  bias->finish();
}

void read_sparse(MapReader& block, AttentionSpec& spec) {
  auto sparse = block.map("sparse", false);
  if (!sparse) return;
  spec.sparse_top_k = static_cast<int>(sparse->integer("top_k", kSize));
  spec.index_heads = static_cast<int>(sparse->integer("index_heads", kSize));
  spec.index_dim = static_cast<int>(sparse->integer("index_dim", kSize));
  sparse->finish();
}

// Keys of the attentions that have heads of queries, keys and values.
void read_heads(MapReader& block, AttentionSpec& spec) {
  override_size(block, "heads", spec.heads);
  override_size(block, "kv_heads", spec.kv_heads);
  override_size(block, "head_dim", spec.head_dim);
  read_bias(block, spec);
  spec.qk_norm = block.maybe_word<QkNorm>("qk_norm", kQkNorms).value_or(spec.qk_norm);
  if (const auto window = block.maybe_integer("window", {0, 1 << 30})) spec.window = *window;
  override_flag(block, "sinks", spec.sinks);
  override_flag(block, "gate", spec.gate);
  spec.kv = block.maybe_word<KvSource>("kv", kKvSources).value_or(spec.kv);
  override_size(block, "q_rank", spec.q_rank, kSizeOrNone);
  override_size(block, "out_rank", spec.out_rank, kSizeOrNone);
  override_size(block, "out_groups", spec.out_groups, kSizeOrNone);
  override_size(block, "compress", spec.compress, kSizeOrNone);
  read_sparse(block, spec);
}

void read_latent(MapReader& block, AttentionSpec& spec) {
  read_heads(block, spec);
  override_size(block, "kv_rank", spec.kv_rank);
  override_size(block, "nope_dim", spec.nope_dim);
  override_size(block, "rope_dim", spec.rope_dim, kSizeOrNone);
  override_size(block, "value_dim", spec.value_dim);
}

void read_linear(MapReader& block, AttentionSpec& spec) {
  override_size(block, "key_heads", spec.key_heads);
  override_size(block, "value_heads", spec.value_heads);
  override_size(block, "key_dim", spec.key_dim);
  override_size(block, "value_dim", spec.value_dim);
  override_size(block, "conv", spec.conv);
}

void read_mamba2(MapReader& block, AttentionSpec& spec) {
  override_size(block, "inner_heads", spec.value_heads);
  override_size(block, "inner_dim", spec.value_dim);
  override_size(block, "state", spec.key_dim);
  override_size(block, "groups", spec.groups);
  override_size(block, "conv", spec.conv);
}

struct Need {
  std::string_view key;
  int AttentionSpec::*field;
};

void require(MapReader& block, const AttentionSpec& spec, std::initializer_list<Need> needs) {
  for (const auto& need : needs) {
    if (spec.*need.field > 0 || block.has(need.key)) continue;
    block.report(need.key, lf::kMissingKey,
                 "this kind of attention needs '" + std::string(need.key) + "'");
  }
}

void require_keys(MapReader& block, const AttentionSpec& spec) {
  using A = AttentionSpec;
  switch (spec.kind) {
    case AttentionKind::kNone:
      return;
    case AttentionKind::kStandard:
      return require(
          block, spec,
          {{"heads", &A::heads}, {"kv_heads", &A::kv_heads}, {"head_dim", &A::head_dim}});
    case AttentionKind::kLatent:
      return require(block, spec,
                     {{"heads", &A::heads},
                      {"kv_rank", &A::kv_rank},
                      {"nope_dim", &A::nope_dim},
                      {"value_dim", &A::value_dim}});
    case AttentionKind::kLinear:
      return require(block, spec,
                     {{"key_heads", &A::key_heads},
                      {"value_heads", &A::value_heads},
                      {"key_dim", &A::key_dim},
                      {"value_dim", &A::value_dim},
                      {"conv", &A::conv}});
    case AttentionKind::kMamba2:
      return require(block, spec,
                     {{"inner_heads", &A::value_heads},
                      {"inner_dim", &A::value_dim},
                      {"state", &A::key_dim},
                      {"groups", &A::groups},
                      {"conv", &A::conv}});
  }
}

bool has_state(AttentionKind kind) {
  return kind == AttentionKind::kLinear || kind == AttentionKind::kMamba2;
}

// Keys of the other kinds of attention are unknown here, so that a slip is seen.
void read_kind_keys(MapReader& block, AttentionSpec& spec) {
  switch (spec.kind) {
    case AttentionKind::kNone:
      return;
    case AttentionKind::kStandard:
      return read_heads(block, spec);
    case AttentionKind::kLatent:
      return read_latent(block, spec);
    case AttentionKind::kLinear:
      return read_linear(block, spec);
    case AttentionKind::kMamba2:
      return read_mamba2(block, spec);
  }
}

}  // namespace

bool MoeRule::holds(std::int64_t layer) const {
  const auto contains = [layer](const std::vector<std::int64_t>& list) {
    return std::find(list.begin(), list.end(), layer) != list.end();
  };
  if (layers) return contains(*layers);
  return layer >= first_dense && (layer + 1) % every == 0 && !contains(dense_layers);
}

AttentionSpec read_attention(MapReader& block, AttentionSpec base) {
  AttentionSpec spec = base;
  spec.kind = block.maybe_word<AttentionKind>("kind", kAttentionKinds).value_or(base.kind);
  // A state replaces heads of keys and values altogether, and the other way round.
  if (spec.kind != base.kind && (has_state(spec.kind) || has_state(base.kind))) {
    spec = AttentionSpec{.kind = spec.kind};
  }
  read_kind_keys(block, spec);
  require_keys(block, spec);
  block.finish();
  return spec;
}

MlpSpec read_mlp(MapReader& block, MlpSpec base) {
  override_kind(block, base.kind);
  override_size(block, "width", base.width);
  override_flag(block, "bias", base.bias);
  if (base.width == 0 && !block.has("width")) {
    block.report("width", lf::kMissingKey, "mlp needs 'width'",
                 "write the inner width, in elements");
  }
  block.finish();
  return base;
}

MoeSpec read_moe(MapReader& block, MoeSpec base, MoeRule& rule) {
  override_size(block, "experts", base.experts);
  override_size(block, "top_k", base.top_k);
  override_size(block, "width", base.width);
  override_kind(block, base.kind);
  override_flag(block, "bias", base.bias);
  override_flag(block, "router_bias", base.router_bias);
  override_flag(block, "correction_bias", base.correction_bias);
  override_size(block, "latent", base.latent, kSizeOrNone);
  if (auto shared = block.map("shared", false)) {
    override_size(*shared, "width", base.shared_width, kSizeOrNone);
    override_flag(*shared, "gate", base.shared_gate);
    shared->finish();
  }
  if (const auto first = block.maybe_integer("first_dense", {0, 10'000})) rule.first_dense = *first;
  if (const auto every = block.maybe_integer("every", {1, 10'000})) rule.every = *every;
  const auto dense_layers = block.integers("dense_layers", {0, 10'000});
  if (block.has("dense_layers")) rule.dense_layers = dense_layers;
  const auto layers = block.integers("layers", {0, 10'000});
  if (block.has("layers")) rule.layers = layers;
  for (const std::string_view key : {"experts", "top_k", "width"}) {
    const int value = key == "experts" ? base.experts : key == "top_k" ? base.top_k : base.width;
    if (value == 0 && !block.has(key)) {
      block.report(key, lf::kMissingKey, "moe needs '" + std::string(key) + "'");
    }
  }
  block.finish();
  return base;
}

}  // namespace loadfactor::catalog
