// What each class of transformers takes for granted when its config.json is silent.
//
// One row per `model_type`. A config.json may leave out any key that equals the default of its
// class, and some facts no key ever states (Qwen2 has biases on Q, K and V). Both stand here, so
// that a new model type is a new row, not a new function.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "catalog/spec/model_spec.h"

namespace loadfactor::catalog {

// A yes or no that a key may overrule; `inverted` for keys such as `no_bias`.
struct HfFlag {
  bool otherwise = false;
  std::string_view key = {};
  bool inverted = false;
};

// Defaults of the class; 0 reads "derived", as each line says.
struct HfSizes {
  int heads = 0;     // 0: must be stated.
  int kv_heads = 0;  // 0: as many as heads.
  int head_dim = 0;  // 0: hidden / heads.
  int width = 0;     // 0: four times hidden.
  int vocab = 0;
  int context = 0;
  bool tied = false;
  int hidden = 0;  // The width of a text model inside another; 0: must be stated.
  int layers = 0;  // The same.
};

// How the layers of a class differ in what they look back at.
enum class HfLayout : std::uint8_t {
  kFull,            // All layers alike, full attention.
  kWindow,          // All layers alike, a window unless its key is null.
  kAlternating,     // Windows, with a full layer at every `every`-th place.
  kUpperWindow,     // Windows from layer `max_window_layers` on, if switched on (Qwen).
  kLinear,          // Linear attention, with a full layer at every `every`-th place.
  kLetters,         // One letter per layer (Nemotron-H).
  kEveryFromFirst,  // Windows, with a full layer first and at every `every`-th place after it.
};

struct HfAttention {
  AttentionKind kind = AttentionKind::kStandard;
  HfFlag bias = {};
  bool bias_on_output = true;  // Whether the output projection follows `bias`.
  HfFlag has_qk_norm = {};
  QkNorm qk_norm = QkNorm::kHead;  // The shape of the norm, where there is one.
  bool sinks = false;
  bool gate = false;
  bool sparse = false;  // An indexer selects the tokens that latent attention reads.
  HfLayout layout = HfLayout::kFull;
  int window = 0;  // Default of `sliding_window` or `attention_chunk_size`; 0: none.
  int every = 0;   // Default period of kAlternating and kLinear.
};

// Defaults of latent attention and its indexer.
struct HfLatent {
  int q_rank = 1536;
  int kv_rank = 512;
  int nope_dim = 128;
  int rope_dim = 64;
  int value_dim = 128;
  int index_heads = 64;
};

enum class HfShared : std::uint8_t {
  kNone,
  kCount,  // `n_shared_experts` times the width of an expert.
  kWidth,  // A key states the width.
  kOne,    // One expert of the usual width, always on.
  kDense,  // The dense MLP runs beside the experts.
};

enum class HfPlacement : std::uint8_t {
  kEvery,       // All layers.
  kAfterDense,  // From `first_k_dense_replace` on.
  kSparseStep,  // Every `decoder_sparse_step`-th, less `mlp_only_layers`.
  kInterleave,  // Every `interleave_moe_layer_step`-th, or the list `moe_layers`.
};

struct HfMoe {
  int experts = 0;  // 0: the class has no experts.
  int top_k = 0;    // 0: must be stated.
  int width = 0;    // 0: the dense width is the width of an expert.
  HfShared shared = HfShared::kNone;
  int shared_default = 0;
  bool shared_gate = false;
  bool bias = false;
  bool router_bias = false;
  bool correction_bias = false;
  HfPlacement placement = HfPlacement::kEvery;
  int first_dense = 0;
};

struct HfBlock {
  NormKind norm = NormKind::kRms;
  int norms = 2;
  MlpKind mlp = MlpKind::kGated;
  HfFlag mlp_bias = {};
};

enum class HfPositions : std::uint8_t {
  kNone,
  kLearned,       // One row per position of the context.
  kLearnedPlus2,  // OPT keeps two rows more than it uses.
};

struct HfEmbedding {
  HfPositions positions = HfPositions::kNone;
  bool norm = false;
  HfFlag head_bias = {};
};

enum class HfPooler : std::uint8_t { kNone, kDense };

// What makes a class an encoder: one pass over the text, nothing written token by token.
struct HfEncoder {
  bool is_encoder = false;
  bool is_causal = false;
  bool final_norm = false;          // Where norms stand after each block there is none.
  bool first_without_norm = false;  // The first layer leaves out the norm of its attention.
  int text_kinds = 0;               // Rows of the table that tells questions from passages.
  int unused_positions = 0;         // Rows of the table of positions that no token has.
  HfPooler pooler = HfPooler::kNone;
  bool deep_classifier = false;  // A dense layer in front of the scores, and no pooler.
};

// What the table cannot say of a class; each has a few lines in hf_quirks.cc.
enum class HfQuirk : std::uint8_t {
  kNone,
  kFalcon,      // Heads and norms depend on three flags.
  kMpt,         // Sizes in `attn_config`; positions only without ALiBi.
  kDbrx,        // Sizes in `attn_config` and `ffn_config`.
  kMultiQuery,  // One key-value head unless switched off.
  kOpt,         // Norms after the block and a projected embedding in one size.
  kStableLm,    // One norm per layer when the residual is parallel.
  kGemma4,      // Full layers differ in heads, late layers reuse keys and values.
};

struct HfArchitecture {
  std::string_view model_type;
  std::string_view family;
  HfSizes sizes;
  HfAttention attention = {};
  HfLatent latent = {};
  HfBlock block = {};
  HfMoe moe = {};
  HfEmbedding embedding = {};
  HfQuirk quirk = HfQuirk::kNone;
  HfEncoder encoder = {};
};

std::vector<HfArchitecture> hf_architectures();

// The row of a model type, or nullptr.
const HfArchitecture* find_hf_architecture(std::string_view model_type);

}  // namespace loadfactor::catalog
