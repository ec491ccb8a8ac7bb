// What a sequence leaves in memory while it is served.
//
// Full-attention layers grow with every token, window layers until the window is full,
// linear and state-space layers hold a state of fixed size from the first token on.
#pragma once

#include <cstdint>
#include <vector>

#include "catalog/spec/dtype.h"
#include "catalog/spec/model_spec.h"
#include "loadfactor/quantity.h"
#include "workload/sharding.h"

namespace loadfactor::workload {

struct KvFormat {
  catalog::Dtype kv = catalog::Dtype::kBf16;
  catalog::Dtype state = catalog::Dtype::kFp32;        // Recurrent states.
  catalog::Dtype convolution = catalog::Dtype::kBf16;  // The last inputs of convolutions.
  bool caps_window = true;  // False for engines that give window layers a full cache.
};

// Bytes of one sequence as a function of its length: a fixed part, and parts that grow until
// a bound is reached.
class KvProfile {
 public:
  // Bytes of a sequence of `tokens` tokens.
  Bytes bytes(std::int64_t tokens) const;

  // Bytes of one more token while nothing has reached its bound: the "bytes per token" of engines.
  Bytes per_token() const;
  // Bytes of the token that makes a sequence `tokens` long.
  Bytes per_token_at_length(std::int64_t tokens) const;
  // Bytes of the state that a sequence of any length has.
  Bytes fixed() const { return fixed_; }

 private:
  friend KvProfile kv_profile(const catalog::ModelSpec&, const KvFormat&, const Sharding&,
                              const Stage&);
  struct Part {
    std::int64_t bound = 0;   // Tokens; 0 = unbounded.
    std::int64_t stride = 1;  // One entry per so many tokens.
    Bytes per_token;
  };
  void grow(const Part& part);

  Bytes fixed_;
  std::vector<Part> parts_;
  std::int64_t context_ranks_ = 1;
};

// The whole model on one accelerator.
KvProfile kv_profile(const catalog::ModelSpec& model, const KvFormat& format);

// What the fullest rank of a stage holds: key-value heads are split by tp and copied past one
// per rank, latent caches are copied to every tp rank, tokens are split by cp.
KvProfile kv_profile(const catalog::ModelSpec& model, const KvFormat& format,
                     const Sharding& sharding, const Stage& stage);

// Bytes that one token adds to one layer of this kind.
Bytes kv_bytes_per_token(const catalog::AttentionSpec& attention, const KvFormat& format,
                         int tp = 1);

// Bytes of the state a sequence keeps in one layer of this kind whatever its length.
Bytes state_bytes(const catalog::AttentionSpec& attention, const KvFormat& format, int tp = 1);

}  // namespace loadfactor::workload
