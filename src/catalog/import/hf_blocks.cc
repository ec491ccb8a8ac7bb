#include "catalog/import/hf_blocks.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error_codes.h"

namespace loadfactor::catalog {
namespace {

constexpr int kMaxDim = 1 << 14;
constexpr int kMaxRank = 1 << 16;

AttentionSpec read_latent(HfText& text, const HfDimensions& sizes) {
  const HfLatent& row = text.row().latent;
  AttentionSpec spec{.kind = AttentionKind::kLatent};
  spec.heads = spec.kv_heads = sizes.heads;
  if (!text.map().is_null("q_lora_rank")) {
    spec.q_rank = text.size({"q_lora_rank"}, row.q_rank, kMaxRank);
  }
  spec.kv_rank = text.size({"kv_lora_rank"}, row.kv_rank, kMaxRank);
  spec.nope_dim = text.size({"qk_nope_head_dim"}, row.nope_dim, kMaxDim);
  spec.rope_dim = text.size({"qk_rope_head_dim"}, row.rope_dim, kMaxDim);
  spec.value_dim = text.size({"v_head_dim"}, row.value_dim, kMaxDim);
  spec.head_dim = spec.nope_dim + spec.rope_dim;
  if (text.row().attention.sparse) {
    spec.sparse_top_k = text.size({"index_topk"}, 2048, 1 << 24);
    spec.index_heads = text.size({"index_n_heads"}, row.index_heads, kMaxHeads);
    spec.index_dim = text.size({"index_head_dim"}, 128, kMaxDim);
  }
  return spec;
}

AttentionSpec read_standard(HfText& text, const HfDimensions& sizes) {
  const HfAttention& row = text.row().attention;
  AttentionSpec spec{.heads = sizes.heads, .kv_heads = sizes.kv_heads, .head_dim = sizes.head_dim};
  spec.qkv_bias = text.flag(row.bias);
  spec.out_bias = spec.qkv_bias && row.bias_on_output;
  if (text.flag(row.has_qk_norm)) spec.qk_norm = row.qk_norm;
  spec.sinks = row.sinks;
  spec.gate = text.map().boolean({"attn_output_gate"}).value_or(row.gate);
  return spec;
}

AttentionSpec read_linear(HfText& text) {
  AttentionSpec spec{.kind = AttentionKind::kLinear};
  spec.key_heads = text.size({"linear_num_key_heads"}, 16, kMaxHeads);
  spec.value_heads = text.size({"linear_num_value_heads"}, 32, kMaxHeads);
  spec.key_dim = text.size({"linear_key_head_dim"}, 128, kMaxDim);
  spec.value_dim = text.size({"linear_value_head_dim"}, 128, kMaxDim);
  spec.conv = text.size({"linear_conv_kernel_dim"}, 4, 64);
  return spec;
}

AttentionSpec read_mamba(HfText& text) {
  AttentionSpec spec{.kind = AttentionKind::kMamba2};
  spec.value_heads = text.size({"mamba_num_heads"}, 128, kMaxHeads);
  spec.value_dim = text.size({"mamba_head_dim"}, 64, kMaxDim);
  spec.key_dim = text.size({"ssm_state_size", "mamba_d_state"}, 128, kMaxDim);
  spec.groups = text.size({"n_groups", "mamba_n_groups"}, 8, kMaxHeads);
  spec.conv = text.size({"conv_kernel", "mamba_d_conv"}, 4, 64);
  return spec;
}

// The total width of the experts that are always on.
int read_shared_width(HfText& text, const HfDimensions& sizes, int expert_width) {
  const HfMoe& row = text.row().moe;
  ForeignMap& map = text.map();
  switch (row.shared) {
    case HfShared::kNone:
      return 0;
    case HfShared::kOne:
      return expert_width;
    case HfShared::kDense:
      return sizes.width;
    case HfShared::kCount: {
      if (map.is_null("n_shared_experts")) return 0;
      const auto count = map.count({"n_shared_experts", "num_shared_experts"}, 0, 1024);
      if (!count) text.note_default("n_shared_experts", row.shared_default);
      return count.value_or(row.shared_default) * expert_width;
    }
    case HfShared::kWidth: {
      const auto width = map.count(
          {"shared_expert_intermediate_size", "moe_shared_expert_intermediate_size"}, 0, kMaxWidth);
      if (!width) text.note_default("shared_expert_intermediate_size", row.shared_default);
      const int count = map.count({"n_shared_experts"}, 0, 1024).value_or(1);
      return width.value_or(row.shared_default) * count;
    }
  }
  return 0;
}

int read_experts(HfText& text) {
  const int otherwise = text.row().moe.experts;
  if (text.row().quirk == HfQuirk::kDbrx) {
    return text.size_in("ffn_config", {"moe_num_experts"}, otherwise, kMaxExperts);
  }
  return text.size({"num_local_experts", "num_experts", "n_routed_experts"}, otherwise,
                   kMaxExperts);
}

int read_top_k(HfText& text) {
  const int otherwise = text.row().moe.top_k;
  if (text.row().quirk == HfQuirk::kDbrx) {
    return text.size_in("ffn_config", {"moe_top_k"}, otherwise, kMaxExperts);
  }
  ForeignMap& map = text.map();
  if (otherwise == 0 && !map.has("num_experts_per_tok")) {
    map.report_missing("num_experts_per_tok", "it says how many experts a token visits");
    return 1;
  }
  return text.size({"num_experts_per_tok", "experts_per_token", "top_k_experts"}, otherwise,
                   kMaxExperts);
}

int read_expert_width(HfText& text, const HfDimensions& sizes) {
  const HfMoe& row = text.row().moe;
  if (row.placement == HfPlacement::kInterleave) {
    return text.size({"intermediate_size"}, row.width, kMaxWidth);
  }
  if (row.width == 0) return sizes.width;
  return text.size({"moe_intermediate_size"}, row.width, kMaxWidth);
}

MoeSpec read_moe(HfText& text, const HfDimensions& sizes) {
  const HfMoe& row = text.row().moe;
  ForeignMap& map = text.map();
  MoeSpec spec{.kind = text.row().block.mlp};
  spec.experts = read_experts(text);
  spec.top_k = read_top_k(text);
  spec.width = read_expert_width(text, sizes);
  spec.bias = row.bias;
  spec.router_bias = row.router_bias;
  spec.correction_bias = map.boolean({"use_routing_bias"}).value_or(row.correction_bias);
  spec.shared_width = read_shared_width(text, sizes, spec.width);
  spec.shared_gate = row.shared_gate && spec.shared_width > 0;
  spec.latent = map.count({"moe_latent_size"}, 0, kMaxHidden).value_or(0);
  if (spec.top_k > spec.experts) {
    map.report(map.has("num_experts_per_tok") ? "num_experts_per_tok" : "experts_per_token",
               lf::kOutOfRange,
               fmt::format("a token cannot visit {} of {} experts", spec.top_k, spec.experts));
  }
  return spec;
}

int read_norms(HfText& text, bool has_experts) {
  ForeignMap& map = text.map();
  const int norms = text.row().block.norms;
  if (text.row().quirk == HfQuirk::kStableLm) {
    return map.boolean({"use_parallel_residual"}).value_or(false) ? 1 : norms;
  }
  if (text.row().quirk == HfQuirk::kGemma4 && has_experts) return norms + 3;
  if (text.row().quirk != HfQuirk::kFalcon) return norms;
  if (map.boolean({"new_decoder_architecture"}).value_or(false)) {
    return map.count({"num_ln_in_parallel_attn"}, 1, 2).value_or(2);
  }
  return map.boolean({"parallel_attn"}).value_or(true) ? 1 : norms;
}

// Gemma 4: full layers have wider heads, and fewer for keys where these serve as values too.
void widen_full_layers(HfText& text, AttentionSpec& full) {
  full.head_dim = text.size({"global_head_dim"}, 512, kMaxDim);
  if (!text.map().boolean({"attention_k_eq_v"}).value_or(false)) return;
  full.kv = KvSource::kTied;
  full.kv_heads =
      text.map().count({"num_global_key_value_heads"}, 1, kMaxHeads).value_or(full.kv_heads);
}

bool any_mixer(const std::vector<HfLayer>& layers, HfMixer mixer) {
  return std::any_of(layers.begin(), layers.end(),
                     [mixer](const HfLayer& layer) { return layer.mixer == mixer; });
}

bool any_experts(const std::vector<HfLayer>& layers) {
  return std::any_of(layers.begin(), layers.end(),
                     [](const HfLayer& layer) { return layer.feed == HfFeed::kExperts; });
}

}  // namespace

HfBlocks::HfBlocks(HfText& text, const HfDimensions& sizes, const std::vector<HfLayer>& layers) {
  const bool is_latent = text.row().attention.kind == AttentionKind::kLatent;
  full_ = is_latent ? read_latent(text, sizes) : read_standard(text, sizes);
  window_ = full_;
  if (any_mixer(layers, HfMixer::kWindow)) window_.window = read_window(text);
  if (any_mixer(layers, HfMixer::kLinear)) linear_ = read_linear(text);
  if (any_mixer(layers, HfMixer::kMamba)) mamba_ = read_mamba(text);
  if (any_experts(layers)) moe_ = read_moe(text, sizes);
  if (text.row().quirk == HfQuirk::kGemma4) {
    widen_full_layers(text, full_);
    if (text.map().boolean({"use_double_wide_mlp"}).value_or(false)) width_factor_ = 2;
  }
  mlp_ = {.kind = text.row().block.mlp,
          .width = sizes.width,
          .bias = text.flag(text.row().block.mlp_bias)};
  norms_ = read_norms(text, has_experts());
}

const AttentionSpec& HfBlocks::attention(HfMixer mixer) const {
  switch (mixer) {
    case HfMixer::kNone:
      return none_;
    case HfMixer::kFull:
      return full_;
    case HfMixer::kWindow:
      return window_;
    case HfMixer::kLinear:
      return linear_;
    case HfMixer::kMamba:
      return mamba_;
  }
  return full_;
}

LayerSpec HfBlocks::layer(HfLayer layer) const {
  LayerSpec spec{.attention = attention(layer.mixer), .norms = norms_};
  if (layer.feed == HfFeed::kDense) spec.mlp = mlp_;
  if (layer.feed == HfFeed::kExperts) spec.moe = moe_;
  if (layer.drops_norm) --spec.norms;
  if (layer.reuses_kv) {
    spec.attention.kv = KvSource::kReuse;
    spec.mlp.width *= width_factor_;
  }
  return spec;
}

}  // namespace loadfactor::catalog
