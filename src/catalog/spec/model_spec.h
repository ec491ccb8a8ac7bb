// What a model is: architecture only, layer kind by layer kind.
//
// A model is a list of layer kinds and, for each layer, which kind it is; so that sliding
// windows, dense first layers and hybrid models are data, not branches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/spec/dtype.h"
#include "catalog/spec/provenance.h"

namespace loadfactor::catalog {

enum class AttentionKind : std::uint8_t {
  kNone,      // A layer without a mixer.
  kStandard,  // MHA, GQA and MQA.
  kLatent,    // MLA: keys and values compressed to kv_rank + rope_dim per token.
  kLinear,    // Gated delta net: a state per sequence, no KV per token.
  kMamba2,    // State-space mixer: a state per sequence, no KV per token.
};
// Where a layer's keys and values come from.
enum class KvSource : std::uint8_t {
  kOwn,    // A projection each.
  kTied,   // Values are the output of the key projection.
  kReuse,  // Those of an earlier layer: no projection and no cache of its own.
};
// What a publisher left out of its count of active parameters.
enum class ActiveExcludes : std::uint8_t { kNothing, kInput, kEmbeddings };
// What a request gets from a model.
enum class ModelTask : std::uint8_t {
  kGenerate,  // Tokens, one after the other.
  kEmbed,     // One vector, after one pass over the text.
  kRerank,    // One score, after one pass over a question and a passage.
};
// What a model reads beside text.
enum class Modality : std::uint8_t { kText, kVision, kAudio };
enum class QkNorm : std::uint8_t { kNone, kHead, kFull };
enum class NormKind : std::uint8_t { kRms, kLayer, kLayerNoBias, kNonParametric };
enum class MlpKind : std::uint8_t { kGated, kPlain };

struct AttentionSpec {
  AttentionKind kind = AttentionKind::kStandard;
  int heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  bool qkv_bias = false;
  bool out_bias = false;
  bool key_bias = true;  // With qkv_bias: keys have one too (Whisper's have none).
  QkNorm qk_norm = QkNorm::kNone;
  std::int64_t window = 0;  // Tokens a layer looks back; 0 = all.
  bool sinks = false;       // One learned logit per head.
  bool gate = false;        // An output gate beside the query projection.
  KvSource kv = KvSource::kOwn;
  int q_rank = 0;      // 0: the query is projected directly.
  int out_rank = 0;    // 0: the output is projected directly; else in two steps.
  int out_groups = 0;  // Slices of the heads that the first of these two steps works on.
  int compress = 0;    // Past the window, one cached entry per so many tokens; 0 = none.
  // Latent attention.
  int kv_rank = 0;
  int nope_dim = 0;
  int rope_dim = 0;
  int value_dim = 0;
  // Sparse selection of the tokens attended to (DSA): 0 when absent.
  int sparse_top_k = 0;
  int index_heads = 0;
  int index_dim = 0;
  // Linear attention and state-space mixers.
  int key_heads = 0;
  int value_heads = 0;
  int key_dim = 0;  // Per head; for kMamba2 the state size.
  int groups = 0;   // kMamba2 only.
  int conv = 0;     // Width of the causal convolution.

  friend bool operator==(const AttentionSpec&, const AttentionSpec&) = default;
};

struct MlpSpec {
  MlpKind kind = MlpKind::kGated;
  int width = 0;  // 0: the layer has no dense MLP.
  bool bias = false;

  friend bool operator==(const MlpSpec&, const MlpSpec&) = default;
};

struct MoeSpec {
  int experts = 0;  // 0: the layer is not a mixture of experts.
  int top_k = 0;
  int width = 0;
  MlpKind kind = MlpKind::kGated;
  bool bias = false;
  bool router_bias = false;
  bool correction_bias = false;  // A load-balancing bias per expert, stored with the weights.
  int shared_width = 0;          // Total width of the always-on experts.
  bool shared_gate = false;
  int latent = 0;  // Width the routed experts work at, 0 = hidden.

  friend bool operator==(const MoeSpec&, const MoeSpec&) = default;
};

struct LayerSpec {
  AttentionSpec attention;
  MlpSpec mlp;
  MoeSpec moe;
  int norms = 2;       // Norms of the whole hidden width in this layer.
  bool cross = false;  // A second attention of the same shape, over what an encoder made.

  friend bool operator==(const LayerSpec&, const LayerSpec&) = default;
};

struct EmbeddingSpec {
  std::int64_t vocab = 0;  // Rows as stored.
  bool tied = false;
  std::int64_t positions = 0;  // Rows of learned tables of positions and of kinds of text.
  bool norm = false;           // A norm after the embedding.
  bool head = true;            // false: no product with the vocabulary at the end.
  bool head_bias = false;
  int project = 0;    // Width of the embedding when it differs from hidden (OPT-350M), else 0.
  int per_layer = 0;  // Width of a second table with a row per token and layer, else 0.
};

// A part of the model outside the text layers, counted but not computed (a vision tower).
struct ExtraParameters {
  std::string name;
  std::int64_t parameters = 0;
};

// The encoder in front of the text layers, as far as its time depends on it; its parameters are
// among the extras. All its tokens see each other.
struct TowerSpec {
  Modality reads = Modality::kVision;
  int layers = 0;
  int hidden = 0;
  int heads = 0;
  int width = 0;
  bool gated = false;
  std::int64_t patches = 0;  // Tokens that one image, or one window of sound, has in its layers.
  std::int64_t tokens = 0;   // Tokens that the text layers get of it.
  std::int64_t output = 0;   // Features that are computed of each of those.

  friend bool operator==(const TowerSpec&, const TowerSpec&) = default;
};

struct ModelSpec {
  std::string name;
  std::string title;
  std::string organisation;
  std::string family;
  std::vector<std::string> aliases;
  double published_parameters = 0;  // 0 when nobody published a count.
  double published_active = 0;      // 0 for dense models.
  bool published_nominal = false;   // A label coarser than 1 %, not a count.
  ActiveExcludes published_active_excludes = ActiveExcludes::kNothing;
  Provenance published_provenance;
  Dtype dtype = Dtype::kBf16;  // Number format of the released checkpoint.
  ModelTask task = ModelTask::kGenerate;
  bool causal = true;  // false: every token of a text sees every other.
  int hidden = 0;
  std::int64_t context = 0;  // Longest sequence the release supports.
  EmbeddingSpec embedding;
  NormKind norm = NormKind::kRms;
  bool final_norm = true;
  std::vector<LayerSpec> kinds;
  std::vector<std::uint8_t> layers;  // For each layer the index of its kind.
  int mtp_layers = 0;                // Multi-token-prediction modules, counted apart.
  std::vector<ExtraParameters> extras;
  std::optional<TowerSpec> tower;
  std::string note;
  Provenance provenance;

  int num_layers() const { return static_cast<int>(layers.size()); }
  bool has_experts() const {
    return std::any_of(kinds.begin(), kinds.end(),
                       [](const auto& kind) { return kind.moe.experts > 0; });
  }
  bool generates() const { return task == ModelTask::kGenerate; }
  // Whether prompts go through the tower alone, and answers through the layers (Whisper).
  bool has_decoder_apart() const { return !kinds.empty() && kinds.front().cross; }
  // Tokens that a prompt always has, because shorter sound is filled up with silence; 0: as many as
  // it is sent with.
  std::int64_t window() const { return has_decoder_apart() && tower ? tower->tokens : 0; }
  Modality modality() const { return tower ? tower->reads : Modality::kText; }
  const LayerSpec& layer(int index) const { return kinds[layers[static_cast<std::size_t>(index)]]; }
};

}  // namespace loadfactor::catalog
