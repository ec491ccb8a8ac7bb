// Which shapes are measured. Each list varies one thing that one parameter of the kernel model
// answers for, so that a short run identifies them all; a plan's own shapes are added to them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::probe {

struct GemmShape {
  std::int64_t m = 0;  // Tokens.
  std::int64_t n = 0;  // Outputs.
  std::int64_t k = 0;  // Inputs.
  std::string why;     // The parameter it speaks of, or "plan".

  friend bool operator==(const GemmShape& a, const GemmShape& b) {
    return a.m == b.m && a.n == b.n && a.k == b.k;
  }
};

struct AttentionShape {
  std::string phase;  // prefill, backward or decode.
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t q_len = 1;
  std::int64_t kv_len = 1;
  std::int64_t head_dim = 128;
};

struct ShapePlan {
  std::vector<GemmShape> gemm;
  std::vector<AttentionShape> attention;
};

// The shapes that identify the model's parameters; a few of them when quick.
ShapePlan identifying_shapes(bool quick);

// One small shape of each kind, every kernel once.
ShapePlan smallest_shapes();

// Adds shapes from text, one per line: `gemm M N K` or
// `attention PHASE BATCH HEADS KV_HEADS Q_LEN KV_LEN HEAD_DIM`; `#` starts a comment. Returns the
// line number of the first line that is not one of these, or 0.
int add_shapes(std::string_view text, ShapePlan& plan);

}  // namespace loadfactor::probe
