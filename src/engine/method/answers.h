// The answers of one step of post-training: how many, how long, and as requests of a simulation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loadfactor/scenario.h"

namespace loadfactor::engine {

struct Answers {
  std::int64_t prompts = 0;
  std::int64_t group = 1;
  std::int32_t prompt_tokens = 1;
  std::vector<std::int32_t> lengths;  // Tokens of each answer, in the order they are asked for.

  std::int64_t count() const { return static_cast<std::int64_t>(lengths.size()); }
  double mean() const;  // Tokens of an answer.
  std::int32_t longest() const;
  double tokens() const { return static_cast<double>(count()) * (prompt_tokens + mean()); }
  // Share of the prompts' tokens that answers to the same prompt have in common.
  double shared() const { return 1.0 - 1.0 / static_cast<double>(group); }
  // A trace of `batches` such steps, all asked at once, as `serve --simulate` reads it.
  std::string trace(int batches = 1) const;
};

// Lengths lie at even quantiles of a lognormal, cut at the longest, so that few answers have a tail
// as many would; the order is random. A model of `context` tokens cuts what is longer.
Answers answers_of(const config::MethodSection& method, std::int64_t context, std::uint64_t seed);

}  // namespace loadfactor::engine
