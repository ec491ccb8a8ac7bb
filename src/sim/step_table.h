// What one step of a batching engine costs, tabulated in whole picoseconds.
//
// A step is described by running totals of its batch alone (StepTotals), never by a loop over its
// requests. Two kinds of step exist.
//
//   Decode step: n ≥ 1 sequences emit one token each, no prompt is computed.
//     time = decode_base[n] + attention(n, context)
//
//   Mixed step: `chunks` ≥ 1 pieces of prompts, `tokens` prompt tokens in all, beside n ≥ 0
//   decoding sequences.
//     time = mixed_base[n + tokens]            every token runs through the dense layers
//          + sequence_base[n + chunks]         what counts sequences: head, sampler, bookkeeping
//          + attention(n, context) if n > 0    the same reading of the KV cache as in a decode step
//          + with_prompt_base[n]               what n decodes take more than n tokens of prompts do
//          + per_chunk * chunks
//          + per_cached_token * cached
//          + prefill(area)
//
//   A step that moves KV blocks to or from host memory takes per_swapped_block * blocks longer.
//
// attention(n, ·) and prefill(·) are piecewise affine: the last piece whose `from` is at or below
// the argument gives at + slope * (argument - from). Each n has pieces of its own, so that floors,
// bandwidth limits, waves and cells of an interpolated table can all be written down. Pieces may
// jump. A table rounds a model's seconds to picoseconds once; what the simulator adds up
// afterwards is exact.
//
// `context` is the sum over decoding sequences of the KV tokens each reads, its new token
// included. Within a run of decode steps it grows by n per step, which is what makes the sum of
// any number of steps a closed form.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/ticks.h"

namespace loadfactor::sim {

// One affine piece, valid from `from` up to the next piece's `from`.
struct CostPiece {
  std::int64_t from = 0;
  Ticks at = 0;     // Cost at `from`.
  Ticks slope = 0;  // Per unit beyond it.

  constexpr Ticks cost(std::int64_t argument) const { return at + slope * (argument - from); }
};

// The running totals that decide what a step costs.
struct StepTotals {
  int decodes = 0;           // n: sequences that emit one token from their KV cache.
  std::int64_t context = 0;  // KV tokens that the decodes read, the new ones included.
  int chunks = 0;            // Pieces of prompts computed in this step.
  std::int64_t tokens = 0;   // Prompt tokens in these pieces.
  std::int64_t cached = 0;   // Tokens of the same prompts that were in the cache before.
  std::int64_t area = 0;     // Sum of chunk * (2 * cached + chunk): twice the causal pairs.
  std::int64_t swapped_blocks = 0;
};

struct StepTable {
  int max_seqs = 0;    // The most sequences in a step.
  int max_tokens = 0;  // The most tokens in a step; at least max_seqs.

  std::vector<Ticks> decode_base = {};       // [0 … max_seqs]; entry 0 is never read.
  std::vector<Ticks> mixed_base = {};        // [0 … max_tokens]
  std::vector<Ticks> sequence_base = {};     // [0 … max_seqs]
  std::vector<Ticks> with_prompt_base = {};  // [0 … max_seqs]; may be negative. Empty: all zero.
  // Row n is attention[attention_row[n] … attention_row[n + 1]), ascending `from`, the first 0.
  std::vector<std::uint32_t> attention_row = {};  // max_seqs + 2 entries.
  std::vector<CostPiece> attention = {};
  std::vector<CostPiece> prefill = {};  // Ascending `from`, the first 0.
  Ticks per_chunk = 0;
  Ticks per_cached_token = 0;
  Ticks per_swapped_block = 0;

  // The piece of row n that holds at `context`.
  const CostPiece& attention_piece(int n, std::int64_t context) const {
    const CostPiece* piece = &attention[attention_row[static_cast<std::size_t>(n)]];
    const CostPiece* last = &attention[attention_row[static_cast<std::size_t>(n) + 1] - 1];
    while (piece != last && piece[1].from <= context) ++piece;
    return *piece;
  }
  bool is_last_piece(int n, const CostPiece& piece) const {
    return &piece == &attention[attention_row[static_cast<std::size_t>(n) + 1] - 1];
  }

  Ticks decode_step(int n, std::int64_t context) const {
    return decode_base[static_cast<std::size_t>(n)] + attention_piece(n, context).cost(context);
  }
  Ticks prefill_cost(std::int64_t area) const {
    std::size_t i = prefill.size() - 1;
    while (prefill[i].from > area) --i;
    return prefill[i].cost(area);
  }
  Ticks mixed_step(const StepTotals& step) const {
    const auto n = static_cast<std::size_t>(step.decodes);
    return mixed_base[n + static_cast<std::size_t>(step.tokens)] +
           sequence_base[n + static_cast<std::size_t>(step.chunks)] +
           (n > 0 ? attention_piece(step.decodes, step.context).cost(step.context) : 0) +
           (with_prompt_base.empty() ? 0 : with_prompt_base[n]) + per_chunk * step.chunks +
           per_cached_token * step.cached + prefill_cost(step.area);
  }
  // Any step. One without work (only swapping) costs its swapping alone.
  Ticks step_time(const StepTotals& step) const {
    const Ticks swapping = per_swapped_block * step.swapped_blocks;
    if (step.chunks > 0) return swapping + mixed_step(step);
    return swapping + (step.decodes > 0 ? decode_step(step.decodes, step.context) : 0);
  }
};

// Checks sizes, order of the pieces, that every step takes at least a tick and that no sum of a
// run can leave 64 bits. Empty if the table is sound; otherwise what is wrong with it.
std::string find_fault(const StepTable& table);

}  // namespace loadfactor::sim
