// The answers of one step of post-training: how many, how long, and as requests of a simulation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loadfactor/scenario.h"

namespace loadfactor::engine {

// Why answers end before their own end.
enum class CutBy : std::uint8_t { kNothing, kWritten, kUsual, kContext };

// Tokens of a prompt, where they are not written.
inline constexpr double kUsualPrompt = 512;

// An even sample is drawn where there are more answers than this.
inline constexpr std::int64_t kMostDrawn = 16384;

struct Answers {
  std::int64_t prompts = 0;
  std::int64_t group = 1;
  std::int32_t prompt_tokens = 1;
  double asked_mean = 1;  // Before the cut.
  double spread = 0;      // Deviation of the logarithm of the lengths.
  double most = 1;        // Tokens at which answers are cut,
  CutBy cut_by = CutBy::kNothing;
  double cut_share = 0;  // and the share of them that is.
  std::uint64_t seed = 1;
  // Tokens of each answer, in the order they are asked for; of very many an even sample.
  std::vector<std::int32_t> lengths;

  std::int64_t count() const { return prompts * group; }
  double mean() const;  // Tokens of an answer.
  std::int32_t longest() const;
  double tokens() const { return static_cast<double>(count()) * (prompt_tokens + mean()); }
  // Share of the prompts' tokens that answers to the same prompt have in common.
  double shared() const { return 1.0 - 1.0 / static_cast<double>(group); }
  // So many lengths at even quantiles in random order, the longest being that of all answers.
  std::vector<std::int32_t> sample(std::int64_t lengths_drawn) const;
  // A trace of `batches` such steps, all asked at once, as `serve --simulate` reads it.
  std::string trace(int batches = 1) const;
};

// Lengths lie at even quantiles of a lognormal, cut at the longest, so that few answers have a tail
// as many would; the order is random. A model of `context` tokens cuts what is longer.
Answers answers_of(const config::MethodSection& method, std::int64_t context, std::uint64_t seed);

}  // namespace loadfactor::engine
