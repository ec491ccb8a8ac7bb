/// How a model is spread over GPUs. Each of the two kinds is written by one writer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace loadfactor
