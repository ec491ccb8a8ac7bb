// What a deployment does under a load, in closed form: microseconds per call.
//
// Saturated, static, closed-loop, open-loop and burst loads, prefill and decode together or in
// pools of their own. Queueing is a mean-value argument; use the simulator for tails.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "serving/step.h"

namespace loadfactor::serving {

enum class LoadKind : std::uint8_t {
  kOffline,     // Every request is there from the start.
  kStatic,      // One batch from first to last token.
  kClosedLoop,  // So many users, each with one request at a time.
  kOpenLoop,    // Requests arrive at a rate of their own.
  kBurst,       // So many requests at once.
  kSplit,       // Closed loop over separate prefill and decode pools.
  kPrefillOnly,
  kDecodeOnly,
};
inline constexpr std::size_t kNumLoadKinds = 8;
std::string_view name(LoadKind kind);

struct Load {
  LoadKind kind = LoadKind::kClosedLoop;
  double input = 1000;     // Mean tokens of a prompt.
  double output = 200;     // Mean tokens of an answer.
  double concurrency = 1;  // Requests in the system; sequences of a batch; prompts of a burst.
  Hertz rate;              // Requests that arrive; 0: as fast as possible.
  double prompts = 0;      // Requests of the whole run; 0: not known.
  double opening = -1;     // Share of a closed loop's requests that start together; < 0: not known.
  bool varied = false;     // Lengths vary from request to request.
  bool mean_gap = false;   // Time per token is the mean of gaps, not the mean over requests.
  bool streamed = false;   // Seen by a client to which tokens come in groups.
  Seconds tpot_bound;      // Time per token that 99 % must keep; 0: none.
  Seconds ttft_bound;      // Time to the first token that 99 % must keep; 0: none.
  double cached = 0;       // Share of the prompt that the prefix cache holds.
};

// One pool of replicas that all look alike.
struct Pool {
  const StepModel* step = nullptr;
  double replicas = 1;   // Copies of the attention that take requests of their own.
  double slots = 1;      // Sequences one of them may run at a time.
  bool crowded = false;  // The cache holds fewer sequences than the engine's bound.
  double gpus = 1;       // GPUs of the whole pool.
  double chunk = 8192;   // Prompt tokens per step.
  Bytes kv_per_token;    // Keys and values of one token, to move.
  double pace = 1;       // Measured over modelled time of a step, where a run was measured.
  const Pool* prompts = nullptr;  // The pool that computes the prompts, where that is another.
  bool roofline = false;          // Steps at peak rates, to have something to be better than.

  // Slots of an engine that runs `bound` sequences at most, with a cache that holds `held`.
  void set_slots(double held, double bound) {
    slots = std::max(1.0, std::min(held, bound));
    crowded = held < bound;
  }
};

// What the whole deployment does.
struct LoadFigures {
  Seconds ttft;
  Seconds tpot;
  Seconds latency;
  TokensPerSecond output_rate;
  Hertz request_rate;
  double batch = 0;     // Mean sequences that run, per copy.
  Seconds step;         // Mean over all steps.
  Seconds decode_step;  // Mean over the steps without prompts.
  Seconds waiting;      // Part of ttft before the first step.
};

// With a pool of prompts beside it the pool only decodes: a saturated, closed or open loop then
// runs over both.
LoadFigures closed_form(const Pool& pool, const Load& load, const Constants& constants);

}  // namespace loadfactor::serving
