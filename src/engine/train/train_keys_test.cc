// Keys of a training scenario that change the step, and layouts that cannot be.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/testing/sound.h"
#include "engine/core.h"

namespace loadfactor {
namespace {

class TrainKeysTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Diagnostics diagnostics;
    engine_ = engine::Core::create({}, diagnostics).release();
    ASSERT_NE(engine_, nullptr) << render(diagnostics);
  }
  static void TearDownTestSuite() { delete engine_; }

  // `keys` are further lines of `train`.
  static std::string scenario(const std::string& layout, const std::string& keys = {},
                              const std::string& hardware = "h100-sxm") {
    return "loadfactor: 1\nname: t\ntrain:\n  model: llama-3.1-8b\n  sequence: 4096\n" + keys +
           "  layout: {" + layout + "}\nhardware: [" + hardware + "]\n";
  }
  static TrainAnswer train(const std::string& text, bool trace = false) {
    Diagnostics diagnostics;
    auto answer = engine_->train(
        {.scenario = config::testing::sound(text), .model_files = {}, .trace = trace}, diagnostics);
    EXPECT_TRUE(answer.has_value()) << text << render(diagnostics);
    return answer.value_or(TrainAnswer{});
  }
  static Seconds step(const std::string& layout, const std::string& keys) {
    return train(scenario(layout, keys)).step_time.value();
  }
  static Seconds part(const TrainAnswer& answer, const std::string& name) {
    for (const auto& one : answer.parts) {
      if (one.key == name) return one.time.value();
    }
    return {};
  }
  static Error error_of(const std::string& text) {
    Diagnostics diagnostics;
    const auto read = config::parse_scenario("t.yaml", text, {}, diagnostics);
    EXPECT_FALSE(read && engine_->train({.scenario = *read}, diagnostics)) << text;
    return diagnostics.empty() ? Error{} : diagnostics.errors().front();
  }
  // Whether a notice speaks of a figure or a name.
  static bool is_noted(const TrainAnswer& answer, const std::string& id,
                       const Notice::Argument& argument) {
    return std::any_of(answer.notices.begin(), answer.notices.end(), [&](const Notice& each) {
      const auto& all = each.arguments;
      return each.id == id && std::find(all.begin(), all.end(), argument) != all.end();
    });
  }

  static engine::Core* engine_;
};
engine::Core* TrainKeysTest::engine_ = nullptr;

constexpr const char* kBatch = "  global_batch: 64\n";
constexpr const char* kWhole = "gpus: 8, tp: 1, pp: 1, micro_batch: 1, recompute: full, zero: 1";

TEST_F(TrainKeysTest, AdaptersSpareTheWeightGradientsAndNearlyAllOfTheOptimizer) {
  const TrainAnswer all = train(scenario(kWhole, kBatch));
  const TrainAnswer lora = train(scenario(kWhole, std::string(kBatch) + "  lora: 16\n"));
  // Forward, recomputation and input gradient are left of four products.
  EXPECT_LT(lora.step_time.value(), all.step_time.value());
  EXPECT_GT(lora.step_time.value(), all.step_time.value() * 0.6);
  EXPECT_LT(part(lora, "optimizer"), part(all, "optimizer") * 0.05);
  EXPECT_LT(lora.memory.value(), all.memory.value());
}

// Products beside those of the frozen weights: thin ones take what their wide ends take to move,
// thick ones as many times as long as the rank is higher.
TEST_F(TrainKeysTest, ProductsOfAdaptersTakeTimeByTheirRank) {
  const auto products = [](int rank) {
    return part(
        train(scenario(kWhole, std::string(kBatch) + "  lora: " + std::to_string(rank) + "\n")),
        "gemm");
  };
  EXPECT_EQ(products(16), products(1));
  const Seconds one = products(1024), some = products(1536), many = products(3072);
  EXPECT_GT(one, products(16));
  EXPECT_GT(some, one);
  EXPECT_NEAR((many - one) / (some - one), 4, 1e-6);
}

TEST_F(TrainKeysTest, ALoaderThatIsTooSlowSetsThePace) {
  // 64 sequences of 4,096 tokens at 1,000 a second: 262.144 s, whatever the chips do.
  const TrainAnswer slow =
      train(scenario(kWhole, std::string(kBatch) + "  data_rate: 1000 tokens/s\n"));
  EXPECT_NEAR(slow.step_time.value() / Seconds::from_base(262.144), 1.0, 1e-9);
  const TrainAnswer fast =
      train(scenario(kWhole, std::string(kBatch) + "  data_rate: 1000000000 tokens/s\n"));
  EXPECT_EQ(fast.step_time.value(), step(kWhole, kBatch));
}

TEST_F(TrainKeysTest, NarrowerGradientsNeverCostMoreOnTheWireOfASlowNetwork) {
  const std::string layout = "gpus: 512, tp: 1, pp: 1, micro_batch: 1, recompute: full, zero: 1";
  const std::string batch = "  global_batch: 512\n";
  const Seconds plain = part(train(scenario(layout, batch)), "dp");
  const Seconds fp16 = part(train(scenario(layout + ", gradients: fp16", batch)), "dp");
  const Seconds int8 = part(train(scenario(layout + ", gradients: int8", batch)), "dp");
  EXPECT_LT(fp16, plain);
  EXPECT_LT(int8, fp16);
}

TEST_F(TrainKeysTest, GradientsThatLoseSomethingAreCautioned) {
  const auto is_cautioned = [](const std::string& keys, const std::string& stack = "deepspeed") {
    const TrainAnswer answer =
        train(scenario("gpus: 64, zero: 0, tp: 1, pp: 1, micro_batch: 1" + keys,
                       std::string(kBatch) + "  stack: {framework: " + stack + "}\n"));
    return std::any_of(answer.notices.begin(), answer.notices.end(),
                       [](const Notice& each) { return each.id == "lossy-gradients"; });
  };
  EXPECT_FALSE(is_cautioned(""));
  EXPECT_FALSE(is_cautioned(", gradients: bf16"));
  EXPECT_TRUE(is_cautioned(", gradients: fp8"));
  EXPECT_TRUE(is_cautioned(", compression: {kind: powersgd}", "pytorch-ddp"));
  EXPECT_TRUE(is_cautioned(", compression: {kind: 1-bit}"));
}

TEST_F(TrainKeysTest, ASlowerLinkToWhereTheOptimizerLivesTakesLonger) {
  const std::string layout = std::string(kWhole) + ", offload: optimizer";
  const Seconds fast = step(layout + ", offload_link: 50 GB/s", kBatch);
  const Seconds slow = step(layout + ", offload_link: 5 GB/s", kBatch);
  // 8.03 G parameters over 8 ranks, 6 bytes each: 6.02 GB take 1.08 s longer.
  EXPECT_NEAR((slow - fast) / Seconds::from_base(1.084), 1.0, 0.02);
}

TEST_F(TrainKeysTest, SchedulesThatFillTheBubbleAreFasterThanOneForwardOneBackward) {
  const std::string layout = "gpus: 8, tp: 1, pp: 8, micro_batch: 1, recompute: none, schedule: ";
  const auto ratio = [&](const std::string& schedule, const std::string& stack) {
    const std::string rest = "  global_batch: 16\n  stack: {framework: " + stack + "}\n";
    return step(layout + schedule, rest) / step(layout + "1f1b", rest);
  };
  EXPECT_LT(ratio("zero-bubble", "megatron-zero-bubble"), 1.0);
  EXPECT_LT(ratio("zero-bubble-v", "megatron-zero-bubble"), 1.0);
  EXPECT_LT(ratio("dualpipe", "hai-llm"), 1.0);
  EXPECT_GE(ratio("gpipe", "torchtitan-2025"), 0.999);
}

// What the software lacks is refused where it is written, with those that have it.
TEST_F(TrainKeysTest, WhatTheSoftwareCannotRunIsRefusedWithThoseThatCan) {
  const auto refused = [&](const std::string& layout, const std::string& stack) {
    return error_of(scenario(layout, "  global_batch: 64\n  stack: {" + stack + "}\n"));
  };
  const Error bubble =
      refused("gpus: 8, tp: 1, pp: 8, schedule: zero-bubble", "framework: megatron-2021");
  EXPECT_EQ(bubble.code, lf::kContradictoryKeys);
  EXPECT_NE(bubble.message.find("cannot run schedule: zero-bubble"), std::string::npos);
  EXPECT_NE(bubble.hint.find("megatron-zero-bubble"), std::string::npos) << bubble.hint;
  const Error context = refused("gpus: 32, tp: 1, pp: 1, cp: 32", "framework: megatron-2021");
  EXPECT_NE(context.message.find("cannot run cp: 32"), std::string::npos) << context.message;
  EXPECT_NE(context.hint.find("megatron-core"), std::string::npos) << context.hint;
  const Error old =
      refused("gpus: 8, tp: 1, pp: 1, cp: 2", "framework: deepspeed, release: \"0.9.0\"");
  EXPECT_NE(old.hint.find("from release 0.10.2 on"), std::string::npos) << old.hint;
  EXPECT_GT(step("gpus: 8, tp: 1, pp: 1, cp: 2",
                 "  global_batch: 64\n  stack: {framework: deepspeed, release: \"0.16.4\"}\n"),
            Seconds());
  const Error whole = refused("gpus: 8, zero: 2, offload: parameters", "framework: deepspeed");
  EXPECT_NE(whole.message.find("zero: 2"), std::string::npos) << whole.message;
  EXPECT_NE(whole.hint.find("zero: 3"), std::string::npos) << whole.hint;
  const Error offload = refused("gpus: 8, offload: parameters", "framework: megatron-core");
  EXPECT_NE(offload.message.find("offload: parameters"), std::string::npos) << offload.message;
  const Error sharded = refused("gpus: 8, zero: 3", "framework: horovod");
  EXPECT_NE(sharded.message.find("zero: 3"), std::string::npos) << sharded.message;
  const Error narrow = error_of(scenario(
      "gpus: 8", "  precision: nvfp4\n  global_batch: 64\n  stack: {framework: deepspeed}\n"));
  EXPECT_NE(narrow.message.find("precision: nvfp4"), std::string::npos) << narrow.message;
}

// Adapters are fewer parameters than the weights beside which they stand.
TEST_F(TrainKeysTest, MoreAdaptersNeverTakeLessAndNeverMoreThanTheModelHas) {
  const auto at = [&](int rank) {
    return "  global_batch: 64\n  lora_targets: all-linear\n  lora: " + std::to_string(rank) + "\n";
  };
  Seconds last;
  for (const int rank : {8, 64, 512, 2048}) {
    const Seconds one = step("gpus: 8, tp: 1, pp: 1, zero: 3", at(rank));
    EXPECT_GE(one, last) << rank;
    last = one;
  }
  const Error many = error_of(scenario("gpus: 8", at(8192)));
  EXPECT_EQ(many.code, lf::kOutOfRange);
  EXPECT_NE(many.hint.find("method: full"), std::string::npos) << many.hint;
}

// arXiv:2412.19437: 2048 H800, 16 stages, 64 ranks of experts, ZeRO-1, no tensor parallelism; norms
// and up-projections computed again, activations cached in fp8, moments in bf16.
TEST_F(TrainKeysTest, TheLayoutOfDeepSeekV3FitsAsPublished) {
  const std::string published =
      "loadfactor: 1\nname: t\ntrain:\n  model: deepseek-v3\n  precision: fp8-block\n"
      "  sequence: 4096\n  global_batch: 15360\n  stack: {framework: hai-llm}\n"
      "  layout: {gpus: 2048, tp: 1, pp: 16, ep: 64, dp: 128, zero: 1, schedule: dualpipe, "
      "micro_batch: 1, recompute: [norms, activations, latent-up]}\nhardware: [h800-sxm]\n";
  const TrainAnswer answer = train(published);
  EXPECT_TRUE(answer.fits) << answer.memory.value().base() / 1e9;
  // Caches in 16 bit do not fit, nor does a layer that keeps everything.
  std::string wide = published;
  wide.replace(wide.find("fp8-block"), 9, "bf16");
  EXPECT_FALSE(train(wide).fits);
  std::string whole = published;
  whole.replace(whole.find("[norms, activations, latent-up]"), 31, "none");
  EXPECT_FALSE(train(whole).fits);
}

// Two groups of four hold a copy of the optimizer's state each: twice as much on a rank.
TEST_F(TrainKeysTest, GroupsShareTheOptimizerAloneToo) {
  const std::string layout =
      "gpus: 8, tp: 1, pp: 1, micro_batch: 1, recompute: full, offload: optimizer, zero: 1";
  const Seconds whole = part(train(scenario(layout, kBatch)), "optimizer");
  const TrainAnswer groups = train(scenario(layout + ", shard_group: 4", kBatch));
  EXPECT_EQ(groups.layout.shard_group, 4);
  EXPECT_EQ(groups.layout.sharding, "zero-1");
  EXPECT_NEAR(part(groups, "optimizer") / whole, 2.0, 0.01);
  EXPECT_NE(groups.layout_keys.find("zero: 1, shard_group: 4"), std::string::npos);
}

TEST_F(TrainKeysTest, AShorterLastStageMakesUpForAHeavyHead) {
  const std::string layout =
      "gpus: 8, tp: 2, pp: 4, vp: 1, micro_batch: 1, recompute: none, "
      "schedule: 1f1b";
  const TrainAnswer rule = train(scenario(layout, kBatch));
  const TrainAnswer ends = train(scenario(layout + ", first_layers: 8, last_layers: 6", kBatch));
  EXPECT_EQ(rule.layout.first_layers, 8);
  EXPECT_EQ(rule.layout.last_layers, 8);
  EXPECT_EQ(ends.layout.last_layers, 6);
  EXPECT_LT(ends.step_time.value(), rule.step_time.value());
  EXPECT_LT(part(ends, "imbalance"), part(rule, "imbalance"));
  EXPECT_NE(ends.layout_keys.find("first_layers: 8, last_layers: 6"), std::string::npos);
}

TEST_F(TrainKeysTest, WhereOneEndIsWrittenTheOtherStagesHoldAsMany) {
  const TrainAnswer answer =
      train(scenario("gpus: 8, tp: 2, pp: 4, vp: 1, last_layers: 5", kBatch));
  EXPECT_EQ(answer.layout.first_layers, 9);
  EXPECT_EQ(answer.layout.last_layers, 5);
}

// Fourteen single sequences over four stages: Megatron asserts rounds of four.
TEST_F(TrainKeysTest, InterleavingTakesWholeRoundsOfMicroBatches) {
  const std::string layout = "gpus: 4, tp: 1, pp: 4, micro_batch: 1, recompute: full, ";
  for (const char* chunks : {"vp: 2", "schedule: interleaved"}) {
    const Error odd = error_of(scenario(layout + chunks, "  global_batch: 14\n"));
    EXPECT_EQ(odd.code, lf::kNotDivisible) << odd.message;
    EXPECT_NE(odd.message.find("rounds of pp 4, and 14"), std::string::npos) << odd.message;
    EXPECT_NE(odd.hint.find("global_batch: 12 and 16"), std::string::npos) << odd.hint;
    EXPECT_GT(train(scenario(layout + chunks, "  global_batch: 16\n")).layout.vp, 1);
  }
  // Left open, it is not taken.
  const auto open = train(scenario("gpus: 4, tp: 1, pp: 4", "  global_batch: 14\n"));
  EXPECT_EQ(open.layout.vp, 1);
}

TEST_F(TrainKeysTest, WhatNoLayoutKeepsIsNamedWithWhatItTakes) {
  const Error error =
      error_of(scenario("gpus: 1, tp: 1, vp: 4, micro_batch: 2", "  global_batch: 64\n"));
  EXPECT_NE(error.message.find("vp: 4 cannot be kept: interleaving takes a pipeline"),
            std::string::npos)
      << error.message;
}

// 80 layers over 7 stages leave more than two slots empty, and 14 GPUs have no other factor.
TEST_F(TrainKeysTest, WhereNoUsualDepthDividesTheGpusAnotherOneIsTaken) {
  std::string text =
      scenario("gpus: 14, recompute: full, micro_batch: 1", "  global_batch: 1024\n");
  text.replace(text.find("llama-3.1-8b"), 12, "llama-3.1-70b");
  const auto answer = train(text);
  EXPECT_EQ(answer.layout.tp * answer.layout.pp * answer.layout.dp, 14);
  EXPECT_EQ(answer.layout.pp % 7, 0);
}

TEST_F(TrainKeysTest, DualPipeOverAnOddNumberOfStagesIsCautioned) {
  const auto answer = train(scenario("gpus: 24, tp: 1, pp: 3, micro_batch: 1, schedule: dualpipe",
                                     "  global_batch: 48\n  stack: {framework: hai-llm}\n"));
  const auto said = std::find_if(answer.notices.begin(), answer.notices.end(),
                                 [](const Notice& each) { return each.id == "unpaired-stages"; });
  ASSERT_NE(said, answer.notices.end());
  const std::vector<Notice::Argument> nearest{{"pp", "3"}, {"less", "2"}, {"more", "4"}};
  EXPECT_EQ(said->arguments, nearest);
}

TEST_F(TrainKeysTest, AFormatTheChipLacksIsCautionedAndCountedAtTheNextWiderOne) {
  struct Case {
    const char* precision;
    const char* chip;
    const char* rate;
  };
  for (const Case& one : {Case{"fp8", "a100-80gb-sxm", "16-bit"},
                          Case{"bf16", "v100-32gb-sxm", "fp16"}, Case{"mxfp8", "h100-sxm", "fp8"},
                          Case{"mxfp8", "tpu-v7x", "fp8"}, Case{"nvfp4", "h100-sxm", "fp8"}}) {
    const auto answer = train(scenario(
        "gpus: 64, tp: 2, pp: 1, micro_batch: 1, recompute: full",
        "  global_batch: 64\n  precision: " + std::string(one.precision) + "\n", one.chip));
    EXPECT_TRUE(is_noted(answer, "no-arithmetic", {"format", one.precision})) << one.chip;
    EXPECT_TRUE(is_noted(answer, "no-arithmetic", {"rate", one.rate})) << one.chip;
  }
}

TEST_F(TrainKeysTest, LayoutsThatCannotBeAreRefusedWhereTheyStandWithTheNearestThatCan) {
  struct Case {
    const char* layout;
    const char* keys;
    int code;
    const char* hint;
  };
  for (const Case& one : {
           Case{"gpus: 48, tp: 3, pp: 1", kBatch, lf::kNotDivisible, "tp: 2"},
           Case{"gpus: 64, tp: 1, pp: 4, vp: 3", kBatch, lf::kNotDivisible, "vp: 2"},
           Case{"gpus: 16, tp: 1, pp: 1, micro_batch: 3", kBatch, lf::kNotDivisible, "48 and 96"},
           Case{"gpus: 64, cp: 3", kBatch, lf::kNotDivisible, "cp: 2 and 4"},
           Case{"gpus: 8, pp: 1, vp: 4", kBatch, lf::kContradictoryKeys, "pp: 2"},
           Case{"gpus: 8, pp: 4, vp: 4, schedule: dualpipe", kBatch, lf::kContradictoryKeys,
                "schedule: interleaved"},
           Case{"gpus: 8, pp: 4, vp: 4, schedule: zero-bubble-v", kBatch, lf::kContradictoryKeys,
                "leave vp out"},
           Case{"gpus: 8, pp: 4, vp: 4, schedule: 1f1b", kBatch, lf::kContradictoryKeys,
                "schedule: interleaved"},
           Case{"gpus: 96, pp: 33", kBatch, lf::kNotDivisible, "nearest that does: pp: 32"},
           Case{"gpus: 8, recompute: [experts]", kBatch, lf::kContradictoryKeys, "leave it out"},
           Case{"gpus: 8, recompute: [latent-up]", kBatch, lf::kContradictoryKeys, "leave it out"},
           Case{"gpus: 8, recompute: banana", kBatch, lf::kUnknownWord,
                "[norms, activations, mlp, latent-up, experts]; or {layers: 4}"},
           Case{"gpus: 8, tp: 1, pp: 4, first_layers: 7, last_layers: 6", kBatch, lf::kNotDivisible,
                "first_layers: 6, last_layers: 6"},
           Case{"gpus: 8, tp: 1, pp: 4, last_layers: 6", kBatch, lf::kNotDivisible,
                "last_layers: 5"},
           Case{"gpus: 8, pp: 1, first_layers: 7", kBatch, lf::kContradictoryKeys, "pp: 2"},
           Case{"gpus: 8, pp: 4, first_layers: 7, last_layers: 7, schedule: dualpipe", kBatch,
                lf::kContradictoryKeys, "1f1b"},
           Case{"gpus: 8, tp: 1, pp: 1, zero: 3, shard_group: 3", kBatch, lf::kNotDivisible,
                "shard_group: 2"},
           Case{"gpus: 8, zero: 0, shard_group: 2", kBatch, lf::kContradictoryKeys, "zero: 3"},
           Case{"gpus: 8, offload_layers: 2", kBatch, lf::kContradictoryKeys, "offload"},
           Case{"gpus: 64, tp: 4, pp: 2, zero: 3", kBatch, lf::kContradictoryKeys, "zero: 1"},
           Case{"gpus: 8, tp: 1, pp: 2",
                "  global_batch: 64\n  stack: {framework: fsdp-compiled}\n", lf::kContradictoryKeys,
                "pp: 1"},
       }) {
    const Error error = error_of(scenario(one.layout, one.keys));
    EXPECT_EQ(error.code, one.code) << one.layout << ": " << error.message;
    EXPECT_NE(error.hint.find(one.hint), std::string::npos) << one.layout << ": " << error.hint;
    EXPECT_GT(error.where.line, 0U) << one.layout;
  }
}

TEST_F(TrainKeysTest, TensorParallelismBeyondTheDomainIsCautionedWithTheWidestWithinIt) {
  const auto answer = train(scenario("gpus: 64, tp: 16, pp: 1", kBatch));
  EXPECT_TRUE(is_noted(answer, "tp-beyond-domain", {"nearest", "8"}));
}

TEST_F(TrainKeysTest, WhatDoesNotFitHasNoTrace) {
  const auto answer = train(
      scenario("gpus: 1, tp: 1, pp: 1, micro_batch: 1, recompute: full", "  global_batch: 1\n"),
      true);
  EXPECT_TRUE(answer.trace.empty());
  const auto fits = train(scenario(kWhole, kBatch), true);
  EXPECT_FALSE(fits.trace.empty());
}

}  // namespace
}  // namespace loadfactor
