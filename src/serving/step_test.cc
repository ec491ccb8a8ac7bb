#include "serving/step.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "serving/testing/serving_fixture.h"
#include "workload/layer_weights.h"

namespace loadfactor::serving {
namespace {

constexpr const char* kGenerations[] = {"tensorrt-cpp", "vllm-v0", "vllm-v1", "sglang", "plain"};

// Weights of the compression of queries, keys and values, which every rank holds whole.
double compressed(const catalog::ModelSpec& model, int layer) {
  const catalog::AttentionSpec& a = model.layer(layer).attention;
  return static_cast<double>(model.hidden) * (a.q_rank + a.kv_rank + a.rope_dim);
}

TEST(StepTest, APromptOf8192TokensOfAn8bModelTakesAtLeast133Milliseconds) {
  // 2 · 8.03e9 · 8192 FLOP at 989 TFLOP/s.
  for (const char* generation : kGenerations) {
    const auto model = shipped().step("llama-3.1-8b", "h100-sxm", "bf16", {}, generation);
    const StepBatch prompt{.prompt_tokens = 8192, .chunk = 8192, .finishing = 1};
    EXPECT_GT(model.duration(prompt, shipped().constants), Seconds::from_base(0.133)) << generation;
    EXPECT_GE(model.duration(prompt, shipped().constants), model.least(prompt));
    // 2 × 7.0 G weights of the layers and the attention over what came before, at peak.
    EXPECT_NEAR(model.least(prompt).base(), 0.133, 0.002) << generation;
  }
}

void expect_slower_than_light(const StepModel& model, const std::string& what) {
  for (const double tokens : {0.0, 64.0, 4096.0}) {
    for (const double sequences : {1.0, 32.0, 1000.0}) {
      const StepBatch batch{.prompt_tokens = tokens,
                            .chunk = std::max(1.0, tokens),
                            .sequences = sequences,
                            .context = 2000};
      EXPECT_GE(model.duration(batch, shipped().constants), model.least(batch))
          << what << " " << tokens << " " << sequences;
    }
  }
}

TEST(StepTest, NoStepOnAnyChipBeatsTheSpeedOfLight) {
  int chips = 0;
  for (const auto& chip : shipped().catalog.accelerators()) {
    if (!shipped().hardware.kernels(chip) || !shipped().hardware.network(chip, true)) continue;
    ++chips;
    for (const char* precision : {"bf16", "fp8", "nvfp4", "int4"}) {
      for (const char* name : {"llama-3.1-8b", "mixtral-8x7b"})
        expect_slower_than_light(shipped().step(name, chip.name, precision),
                                 chip.name + " " + name + " " + precision);
    }
  }
  EXPECT_GT(chips, 20);
}

TEST(StepTest, NoStepOfALayoutBeatsTheSpeedOfLight) {
  for (const char* precision : {"bf16", "fp8", "nvfp4", "int4"}) {
    for (const char* name : {"llama-3.1-8b", "mixtral-8x7b", "deepseek-v3"})
      expect_slower_than_light(shipped().step(name, "b200", precision, {.tp = 8}),
                               std::string(name) + " " + precision);
  }
}

// A prompt that fits the captured pieces waits less for its launches.
TEST(StepTest, SmallPromptsAreLaunchedInPieces) {
  const auto model = shipped().step("deepseek-r1-distill-qwen-1.5b", "h100-sxm", "bf16");
  const auto seconds = [&](double tokens) {
    return model.duration({.prompt_tokens = tokens, .chunk = tokens, .finishing = 1},
                          shipped().constants);
  };
  EXPECT_LT(seconds(512), 0.7 * seconds(513));
}

TEST(StepTest, HostWorkBesideTheDeviceIsHiddenByReleasesThatScheduleAhead) {
  const StepBatch batch{.sequences = 8, .context = 1000};
  const auto at = [&](const char* generation) {
    return shipped()
        .step("llama-3.1-8b", "h100-sxm", "bf16", {}, generation)
        .parts(batch, shipped().constants);
  };
  const auto before = at("vllm-v1");
  const auto ahead = at("vllm-async");
  EXPECT_LT(ahead.total, ahead.products + ahead.attention + ahead.elementwise + ahead.launch +
                             ahead.head + 0.25 * ahead.host);
  EXPECT_GT(before.total, before.host);
}

TEST(StepTest, MoreWorkTakesLonger) {
  const auto model = shipped().step("llama-3.1-70b", "h100-sxm", "fp8", {.tp = 4});
  const auto& constants = shipped().constants;
  const StepBatch base{.sequences = 32, .context = 1000};
  const Seconds before = model.duration(base, constants);
  StepBatch longer = base;
  longer.context = 8000;
  StepBatch fuller = base;
  fuller.sequences = 256;
  StepBatch mixed = base;
  mixed.prompt_tokens = mixed.chunk = 2048;
  EXPECT_GT(model.duration(longer, constants), before);
  EXPECT_GT(model.duration(fuller, constants), before);
  EXPECT_GT(model.duration(mixed, constants), before);
}

// Two operations for each weight of the layers that one token is multiplied by.
TEST(StepTest, ATokenIsMultipliedByTheActiveWeightsThatAreCounted) {
  for (const char* name : {"llama-3.1-8b", "mixtral-8x7b", "qwen3-30b-a3b", "deepseek-v3"}) {
    const ServingLayout layouts[] = {{.tp = 4}, {.tp = 2, .ep = 8, .dp = 4}};
    for (const ServingLayout& layout : layouts) {
      const auto model = shipped().step(name, "h200-sxm", "bf16", layout);
      const catalog::ModelSpec& spec = *model.deployment().model;
      double active = 0;
      double router = 0;
      for (int i = 0; i < spec.num_layers(); ++i) {
        const auto weights = workload::layer_weights(spec, spec.layer(i));
        active += weights.active();
        router += weights.router + (spec.layer(i).attention.q_rank > 0 ? compressed(spec, i) : 0);
      }
      // What every rank holds is multiplied on each of them.
      const double expected = 2 * (active + (layout.tp - 1) * router);
      EXPECT_NEAR(model.flops_per_token().base() / expected, 1, 1e-12) << name;
    }
  }
}

TEST(StepTest, ASmallBatchReadsFewExperts) {
  const auto model = shipped().step("qwen3-30b-a3b", "h100-sxm", "bf16");
  EXPECT_LT(model.weight_bytes_read(1), 0.3 * model.weight_bytes_read(256));
}

// Arithmetic of the experts' own products over the peak, with plenty of rows for each.
double expert_share_of_peak(const char* model, ServingLayout layout) {
  constexpr double kTokens = 16384;
  const StepModel step = shipped().step(model, "h100-sxm", "bf16", layout);
  const auto& spec = *step.deployment().model;
  double flops = 0;
  for (const auto kind : spec.layers) {
    const auto& moe = spec.kinds[kind].moe;
    flops += 6.0 * kTokens * moe.top_k * spec.hidden * moe.width / layout.tp;
  }
  const double peak = step.deployment().kernels->rates().rate(catalog::Dtype::kBf16) /
                      FlopsPerSecond::from_base(1.0);
  const StepBatch prompt{.prompt_tokens = kTokens, .chunk = 1024, .finishing = 16};
  return flops / peak / step.parts(prompt, shipped().constants).experts.base();
}

TEST(StepTest, NarrowExpertsReachLessOfThePeakThanWideOnes) {
  const double wide = expert_share_of_peak("mixtral-8x7b", {});
  const double narrow = expert_share_of_peak("qwen3-30b-a3b", {});
  const double shard = expert_share_of_peak("qwen3-30b-a3b", {.tp = 4});
  EXPECT_GT(wide, 1.4 * narrow);
  EXPECT_GT(narrow, 1.4 * shard);
  EXPECT_GT(wide, 0.6);
  EXPECT_LT(wide, 0.9);
}

TEST(StepTest, AWindowEndsTheGrowthOfAttention) {
  const auto model = shipped().step("gpt-oss-20b", "h100-sxm", "mxfp4");
  const auto full = shipped().step("qwen3-30b-a3b", "h100-sxm", "bf16");
  const auto growth = [&](const StepModel& step) {
    const auto at = [&](double context) {
      return step.parts({.sequences = 64, .context = context}, shipped().constants).attention;
    };
    return at(16000) / at(4000);
  };
  EXPECT_LT(growth(model), growth(full));
}

TEST(StepTest, TensorParallelismShortensTheStepAndAddsCollectives) {
  const StepBatch batch{.sequences = 8, .context = 1000};
  const auto one = shipped()
                       .step("llama-3.1-70b", "h100-sxm", "fp8", {.tp = 1})
                       .parts(batch, shipped().constants);
  const auto eight = shipped()
                         .step("llama-3.1-70b", "h100-sxm", "fp8", {.tp = 8})
                         .parts(batch, shipped().constants);
  EXPECT_LT(eight.total, 0.5 * one.total);
  EXPECT_EQ(one.communication, Seconds());
  EXPECT_GT(eight.communication, Seconds());
}

TEST(StepTest, PassTablesAreExactAtTheirNodesAndLinearBetween) {
  const PassTable table([](double tokens) { return tokens * tokens; });
  EXPECT_DOUBLE_EQ(table.at(8), 64);
  EXPECT_DOUBLE_EQ(table.at(10), 0.5 * (64 + 144));
  EXPECT_DOUBLE_EQ(table.at(0.5), 1);
}

}  // namespace
}  // namespace loadfactor::serving
