/// Does a model fit on an accelerator, and how many sequences does it then hold?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/estimate.h"
#include "loadfactor/quantity.h"

namespace loadfactor {

/// A service: replicas that each take tp · pp · dp · cp GPUs.
struct ServeLayout {
  int tp = 1;        ///< GPUs that share the heads and widths of a layer.
  int pp = 1;        ///< Pipeline stages.
  int ep = 1;        ///< GPUs that the experts of a layer are spread over.
  int dp = 1;        ///< Copies of the attention in a replica.
  int cp = 1;        ///< GPUs that share the tokens of a prompt.
  int replicas = 1;  ///< Copies of the model that share the requests.
  int gpus = 1;      ///< GPUs of the whole deployment, machines for prompts included.

  friend bool operator==(const ServeLayout&, const ServeLayout&) = default;
};

/// A training run.
struct TrainLayout {
  int gpus = 1;
  int tp = 1;
  int pp = 1;
  int vp = 1;             ///< Interleaved chunks of each pipeline stage.
  int first_layers = 0;   ///< Layers of the first pipeline stage; all without a pipeline.
  int last_layers = 0;    ///< Layers of the last pipeline stage.
  bool own_ends = false;  ///< Whether these two are the layout's own, not the usual rule's.
  int cp = 1;
  int ep = 1;
  int etp = 1;  ///< GPUs that share one expert.
  int dp = 1;
  std::string sharding;  ///< none, zero-1, zero-2, zero-3, hybrid.
  int shard_group = 0;   ///< Ranks that share one copy, where that is not all of them.
  std::int64_t micro_batch = 1;
  std::int64_t micro_batches = 1;  ///< Micro-batches of a step on each data-parallel rank.
  std::string recompute;  ///< As a scenario says it: none, selective, full, [norms, mlp], …
  std::string schedule;   ///< Empty without a pipeline.
  bool sequence_parallel = false;
  std::vector<std::string> offload;
  int offload_layers = 0;  ///< Layers of each stage whose activations leave; 0: none, or inputs
                           ///< of all.
};

/// A file of a model on disk; the header of a .safetensors file is enough.
struct ModelFile {
  std::string name;      ///< "config.json", "model.safetensors.index.json", …
  std::string shown_as;  ///< How to call it in errors.
  std::string text;
  std::optional<std::int64_t> size;  ///< The whole file's, where the text is only a part.
};

/// What is asked. Whatever is empty or zero is chosen, and a notice says so.
struct FitInputs {
  std::string model;                   ///< A catalogue name, or any spelling of one.
  std::vector<ModelFile> model_files;  ///< Instead of a name: config.json and what lies beside it.
  std::string accelerator;
  int tp = 0;
  int pp = 1;
  int ep = 1;
  std::string quantisation;  ///< bf16, fp8, int8, int4, mxfp4, nvfp4 …; empty: as released.
  std::string kv_dtype;      ///< Empty: follows the activations.
  std::int64_t context = 0;  ///< Tokens of one sequence, prompt and answer together.
  std::string engine;        ///< vllm, sglang, tensorrt-llm, pytorch.
  std::optional<double> memory_fraction;
  std::optional<std::int64_t> batched_tokens;  ///< Tokens of the largest step.
  std::optional<std::int64_t> max_sequences;
};

/// What takes memory of a GPU.
enum class MemoryUse : std::uint8_t {
  kWeights,
  kKvCache,
  kActivations,
  kContextAndGraphs,
  kKeptFree,  ///< Beyond what the engine may use.
  kGradients,
  kOptimizer,
  kBackward,
  kLogits,
  kBuffers,
  kContext,
  kFree,
  kEngineAndFree,  ///< All that is neither weights nor cache.
};
constexpr std::string_view name_of(MemoryUse use) {
  constexpr std::string_view kNames[] = {
      "weights",   "KV cache",  "activations",    "context + graphs", "kept free",
      "gradients", "optimizer", "backward",       "logits",           "buffers",
      "context",   "free",      "engine and free"};
  return kNames[static_cast<std::size_t>(use)];
}

/// One line of the memory of a GPU.
struct MemoryLine {
  MemoryUse use = MemoryUse::kWeights;
  EstimateOf<Bytes> bytes;
};

/// What a model is made of, as far as one line says it.
struct ModelOutline {
  enum class Mixer : std::uint8_t { kHeads, kLatent, kStateSpace, kNoAttention };
  int layers = 0;
  int experts = 0;  ///< 0: dense.
  int active_experts = 0;
  Mixer mixer = Mixer::kHeads;
  int kv_heads = 0;  ///< And their width; the rank of a latent cache,
  int head_dim = 0;  ///< and the width of its rotated part.
};

/// How the weights of the fullest GPU are stored.
struct StoredWeights {
  enum class Converted : std::uint8_t { kNothing, kLinears, kExperts };
  Converted converted = Converted::kNothing;
  Bytes in_format;    ///< What is converted, scales included.
  Bytes elsewhere;    ///< All the rest,
  std::string plain;  ///< and its format.
};

/// The fullest GPU: what is on it, and what the engine may use of it.
struct FullestGpu {
  /// What the memory fraction is a share of.
  enum class FractionOf : std::uint8_t { kTotal, kStatic, kFree };
  FractionOf fraction_of = FractionOf::kTotal;
  double fraction = 0;
  Bytes total;
  Bytes driver;  ///< What the driver keeps of it.
  Bytes weights;
  Bytes activations;
  Bytes context;        ///< Graphs included.
  Bytes graphs_on_top;  ///< Graphs that the fraction does not have to cover.
  Bytes kv;             ///< What is left for the cache; below zero where the rest is too much.
  Bytes one_sequence;   ///< Cache of one sequence of the asked context.
  std::int64_t step_tokens = 0;  ///< Tokens of the largest step.
};

/// How many sequences of a length fit.
struct SequenceCount {
  std::int64_t tokens = 0;
  std::int64_t sequences = 0;
};

/// The smallest deployment on one accelerator.
struct SmallestDeployment {
  std::string accelerator;
  /// Without GPUs: nothing that was tried fits.
  ServeLayout layout{.tp = 0, .pp = 0, .ep = 0, .dp = 0, .cp = 0, .replicas = 0, .gpus = 0};
  std::int64_t sequences = 0;  ///< Sequences of the asked context.
};

struct FitAnswer {
  std::string model;
  std::string title;
  std::string accelerator;
  std::string accelerator_title;
  std::string engine;
  std::string quantisation;
  std::string kv_dtype;
  std::string engine_title;
  ModelOutline architecture;
  ServeLayout layout;      ///< One replica.
  std::string task;        ///< generate, embed or rerank.
  bool keeps_past = true;  ///< Whether there are keys and values to keep between steps.
  std::int64_t context = 0;
  std::int64_t parameters_total = 0;
  std::int64_t parameters_active = 0;
  std::int64_t parameters_mtp = 0;
  Bytes memory_per_gpu;  ///< What the driver reports.
  std::vector<MemoryLine> lines;
  EstimateOf<Bytes> weights;  ///< The whole model's, over all GPUs, copies included.
  EstimateOf<Bytes> weights_per_gpu;
  BytesPerToken kv_per_token;  ///< Over all GPUs, of a layer stack without windows.
  Bytes state_per_sequence;    ///< What linear and state-space layers keep.
  EstimateOf<Tokens> kv_tokens;
  std::int64_t sequences =
      0;  ///< Those of the asked context that the cache holds, whatever the engine runs.
  std::int64_t sequences_low = 0;  ///< If the modelled parts are at their worst.
  std::int64_t sequences_high = 0;
  std::int64_t max_sequences = 0;  ///< As many as the engine runs at once.
  std::vector<SequenceCount> by_length;
  bool fits = false;
  int min_gpus = 0;
  std::vector<SmallestDeployment> smaller;    ///< Same chip, other GPU counts.
  std::vector<SmallestDeployment> elsewhere;  ///< Other chips.
  std::optional<ServeLayout> closest;         ///< The smallest that fits on the same chip.
  StoredWeights stored;
  FullestGpu fullest;
  std::vector<Notice> notices;
  std::vector<UsedFact> facts;
};

}  // namespace loadfactor
