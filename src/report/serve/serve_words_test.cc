// What a deployment does and what limits it, in words.
#include "report/serve/serve_words.h"

#include <gtest/gtest.h>

namespace loadfactor::report {
namespace {

TEST(ServeWords, ALoadIsSaidAsItWasAsked) {
  EXPECT_EQ(load_words({}), "saturated");
  EXPECT_EQ(load_words({ServeLoad::Kind::kConcurrent, 12000}), "12,000 requests at a time");
  EXPECT_EQ(load_words({ServeLoad::Kind::kConcurrent, 2.5}), "2.5 requests at a time");
  EXPECT_EQ(load_words({ServeLoad::Kind::kArriving, 3.7}), "3.7 requests per second");
}

TEST(ServeWords, ALimitNamesItsFigures) {
  ServeLimit limit{.tokens_in = 2000,
                   .tokens_out = 400,
                   .step_tokens = 8192,
                   .sequences = 256,
                   .tokens_each = 2400,
                   .on_each_rank = true};
  EXPECT_EQ(limit_words(limit),
            "KV memory: 256 sequences of 2400 tokens on each rank fill what weights leave free");
  limit.kind = ServeLimit::Kind::kMaxSequences;
  EXPECT_EQ(limit_words(limit),
            "the engine's 256 running sequences on each rank (max_seqs); memory would hold more");
  limit.kind = ServeLimit::Kind::kPrompts;
  EXPECT_EQ(limit_words(limit),
            "prompts: 2000 tokens in for each 400 out fill every step of 8192 tokens");
}

TEST(ServeWords, AnObjectiveIsSetBesideTheMean) {
  const auto ms = [](double value) { return Seconds::from_base(value / 1e3); };
  ServeAnswer answer;
  SloOutlook slo{.quantile = 0.95,
                 .bound = ms(500),
                 .mean = {ms(300), ms(200), ms(400), Basis::kCalibrated, ""}};
  answer.slo = {slo};
  EXPECT_EQ(slo_words(answer).front(),
            "ttft p95 of 500 ms: the mean is 300 ms, below it by more than the interval");
  answer.utilisation = 0.9;
  EXPECT_TRUE(slo_words(answer).front().ends_with(
      "; at 90 % of what it could do only `--simulate` says whether p95 is"));
  answer.slo[0].bound = ms(250);
  EXPECT_TRUE(slo_words(answer).front().ends_with(", already above it"));
  answer.slo[0].kind = SloOutlook::Kind::kOutOfReach;
  EXPECT_TRUE(slo_words(answer).front().ends_with("more arrives than finishes"));
}

TEST(ServeWords, WhatBindsNamesThePoolAndTheModel) {
  SimulateBinding binding{.kind = SimulateBinding::Kind::kSlots,
                          .pool = SimulateBinding::Pool::kDecode};
  EXPECT_EQ(binding_words(binding), "max_seqs: every slot is taken at the peak (decode pool)");
  binding = {.kind = SimulateBinding::Kind::kTooLong, .count = 1, .model = "Llama"};
  EXPECT_EQ(binding_words(binding),
            "Llama: the context or the KV cache, which they exceed: 1 request is turned away");
}

}  // namespace
}  // namespace loadfactor::report
