// Attention that never writes its scores to memory: prompts forward and backward on tensor
// instructions, decoding by streaming the cache. Causal, bf16, float32 sums.
#pragma once

#include <cstddef>

#include "gpu_memory.h"
#include "shapes.h"

namespace loadfactor::probe {

// Tensors are [batch, heads, length, head_dim]; log_sum is [batch, heads, length].
struct PromptTensors {
  const bf16* q = nullptr;
  const bf16* k = nullptr;
  const bf16* v = nullptr;
  bf16* out = nullptr;
  float* log_sum = nullptr;
};

struct GradientTensors {
  const bf16* dout = nullptr;
  bf16* dq = nullptr;
  bf16* dk = nullptr;
  bf16* dv = nullptr;
  float* dq_sum = nullptr;   // As q, in float32.
  float* row_dot = nullptr;  // As log_sum.
  bf16* dk_heads = nullptr;  // As k, of every query head.
  bf16* dv_heads = nullptr;
};

struct DecodeScratch {
  float* out = nullptr;   // [splits, batch, heads, head_dim]
  float* stat = nullptr;  // [splits, batch, heads, 2]: largest score and sum.
};

// Whether the kernels take the shape: lengths in whole tiles, head size 64 or 128, query heads in
// groups of at most 8.
bool supported(const AttentionShape& shape);

// The tensor instructions that serve the shape on the present device: "wgmma" or "mma".
const char* instructions(const AttentionShape& shape);

void prompt_forward(const AttentionShape& shape, const PromptTensors& t, gpuStream_t stream);
// The same by the instructions of compute capability 9.0; false, and nothing done, elsewhere.
bool compute_capability_nine();
bool hopper_forward(const AttentionShape& shape, const PromptTensors& t, gpuStream_t stream);
void prompt_backward(const AttentionShape& shape, const PromptTensors& t, const GradientTensors& g,
                     gpuStream_t stream);
bool hopper_backward(const AttentionShape& shape, const PromptTensors& t, const GradientTensors& g,
                     gpuStream_t stream);

int decode_splits(const AttentionShape& shape, int processors);
void decode(const AttentionShape& shape, const PromptTensors& t, const DecodeScratch& scratch,
            int splits, gpuStream_t stream);

}  // namespace loadfactor::probe
