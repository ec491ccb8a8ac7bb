// What an engine's habits do to a step, by arithmetic.
#include <cmath>

#include <gtest/gtest.h>

#include "serving/step.h"
#include "serving/testing/serving_fixture.h"

namespace loadfactor::serving {
namespace {

// A step model with the traits of a generation, changed.
template <typename Change>
StepModel changed(const std::string& model, const std::string& chip, const std::string& precision,
                  ServingLayout layout, EngineTraits& traits, Change change) {
  change(traits);
  ServingDeployment deployment =
      shipped().step(model, chip, precision, layout, traits.name).deployment();
  deployment.engine = &traits;
  return StepModel(deployment);
}

TEST(StepSoftwareTest, WithoutGraphsAShortStepTakesItsLaunchesAndItsHostWork) {
  const Constants& c = shipped().constants;
  const auto step = shipped().step("llama-2-70b", "h100-sxm", "fp16", {.tp = 8}, "vllm-eager");
  const std::size_t engine = shipped().traits("vllm-eager").index;
  const auto parts = step.parts({.sequences = 1, .context = 512}, c);
  const double launches = 80 * c.of(engine, EngineConstant::kPrefillLaunch);
  const double host =
      c.of(engine, EngineConstant::kHostStep) + c.of(engine, EngineConstant::kHostSequence);
  EXPECT_NEAR(parts.total.base(), launches + host, 1e-9);
  const auto captured = shipped().step("llama-2-70b", "h100-sxm", "fp16", {.tp = 8}, "vllm-v0");
  EXPECT_LT(captured.duration({.sequences = 1, .context = 512}, c), parts.total * 0.6);
}

TEST(StepSoftwareTest, ATokenThatCrossesToANodeOnceSendsFewerBytes) {
  // 32 ranks are 4 nodes: 8 experts lie on 4 · (1 − (3/4)^8) = 3.6 of them, where each expert alone
  // would have 8 copies. Handing them on inside a node may take longer.
  const double share = 3.6 / 8;
  const ServingLayout wide{.tp = 1, .pp = 1, .ep = 32, .dp = 32};
  EngineTraits plain = shipped().traits("sglang"), once = plain;
  const auto direct = changed("deepseek-v3", "h100-sxm", "fp8", wide, plain, [](EngineTraits& t) {
    t.sent_once_per_node = false;
    t.exchange_overlap = 0;
  });
  const auto shared = changed("deepseek-v3", "h100-sxm", "fp8", wide, once,
                              [](EngineTraits& t) { t.exchange_overlap = 0; });
  const StepBatch prompts{.prompt_tokens = 16384, .chunk = 4096, .finishing = 4};
  const auto sent = [&](const StepModel& model) {
    return model.parts(prompts, shipped().constants).communication;
  };
  EXPECT_GT(sent(shared) / sent(direct), 0.97 * share);
  EXPECT_LT(sent(shared) / sent(direct), 0.8);
}

TEST(StepSoftwareTest, TokensTravelInEightBitsOnlyToNarrowExperts) {
  // There in one byte and back in two, against two and two: three quarters of the bytes.
  const ServingLayout node{.tp = 1, .pp = 1, .ep = 8, .dp = 8};
  const StepBatch prompts{.prompt_tokens = 16384, .chunk = 4096, .finishing = 4};
  const auto sent = [&](const char* precision, bool narrow) {
    EngineTraits traits = shipped().traits("sglang");
    return changed("deepseek-v3", "h200-sxm", precision, node, traits,
                   [&](EngineTraits& t) { t.narrow_dispatch = narrow; })
        .parts(prompts, shipped().constants)
        .communication;
  };
  EXPECT_NEAR(sent("fp8", true) / sent("fp8", false), 0.75, 0.02);
  EXPECT_EQ(sent("bf16", true), sent("bf16", false));
  // A scenario may say otherwise.
  EngineTraits traits = shipped().traits("sglang");
  ServingDeployment asked =
      shipped().step("deepseek-v3", "h200-sxm", "fp8", node, "sglang").deployment();
  asked.experts_used.narrow = false;
  EXPECT_EQ(StepModel(asked).parts(prompts, shipped().constants).communication, sent("fp8", false));
}

// 58 mixture layers of DeepSeek-V3, each with one round trip to the host; captured steps have none.
TEST(StepSoftwareTest, ADispatchThatTellsTheHostItsCountsWaitsInEveryLaunchedLayer) {
  const ServingLayout node{.tp = 1, .pp = 1, .ep = 8, .dp = 8};
  const auto launch = [&](const StepBatch& batch, double wait) {
    EngineTraits traits = shipped().traits("sglang");
    return changed("deepseek-v3", "h200-sxm", "fp8", node, traits,
                   [&](EngineTraits& t) { t.dispatch_wait = Seconds::from_base(wait); })
        .parts(batch, shipped().constants)
        .launch.base();
  };
  const StepBatch prompts{.prompt_tokens = 16384, .chunk = 4096, .finishing = 4};
  EXPECT_NEAR(launch(prompts, 40e-6) - launch(prompts, 0), 58 * 40e-6, 1e-12);
  const StepBatch decode{.sequences = 16, .context = 512};
  EXPECT_EQ(launch(decode, 40e-6), launch(decode, 0));
}

TEST(StepSoftwareTest, PlainExpertsOfACompilerHaveSmallKernelsAroundThem) {
  const Constants& c = shipped().constants;
  const StepBatch one{.sequences = 1, .context = 512};
  const auto gap = [&](const char* precision, bool apart) {
    EngineTraits traits = shipped().traits("sglang");
    return changed("qwen3-30b-a3b", "b200", precision, {}, traits,
                   [&](EngineTraits& t) { t.experts_apart = apart; })
        .parts(one, c)
        .launch.base();
  };
  // 48 mixture layers, each with the same small kernels.
  EXPECT_NEAR(gap("bf16", true) - gap("bf16", false), 48 * c[Constant::kExpertApart], 1e-12);
  EXPECT_EQ(gap("nvfp4", true), gap("nvfp4", false));
}

TEST(StepSoftwareTest, SkewedExpertsAreFewerToReadAndFullerOnOneRank) {
  const StepBatch decode{.sequences = 16, .context = 512};
  const auto experts = [&](ServingLayout layout, double skew, double imbalance) {
    ServingDeployment asked =
        shipped().step("qwen3-30b-a3b", "h200-sxm", "bf16", layout, "sglang").deployment();
    asked.experts_used = {.imbalance = imbalance, .skew = skew};
    return StepModel(asked).parts(decode, shipped().constants).experts;
  };
  EXPECT_LT(experts({}, 1.2, 0), experts({}, 0, 0) * 0.8);
  // What is stated of the busiest rank wins over what skew makes of it.
  const ServingLayout wide{.tp = 1, .pp = 1, .ep = 8, .dp = 8};
  EXPECT_LE(experts(wide, 1.2, 1.0), experts(wide, 1.2, 0));
}

// Twice the mean tokens on one rank: its links carry twice as much, and all wait for it.
TEST(StepSoftwareTest, TheExchangeTakesAsLongAsThatOfTheBusiestRank) {
  const StepBatch prompts{.prompt_tokens = 16384, .chunk = 2048, .finishing = 8};
  const auto sent = [&](double imbalance) {
    ServingDeployment asked = shipped()
                                  .step("qwen3-30b-a3b", "h200-sxm", "bf16",
                                        {.tp = 1, .pp = 1, .ep = 8, .dp = 8}, "sglang")
                                  .deployment();
    asked.experts_used = {.imbalance = imbalance};
    return StepModel(asked).parts(prompts, shipped().constants).communication;
  };
  EXPECT_NEAR(sent(2.0) / sent(1.0), 2.0, 0.1);
  // Unless it is stated, as uneven as the runs that the rate was fitted to.
  EXPECT_NEAR(sent(0) / sent(1.0), shipped().constants[Constant::kImbalance], 0.05);
}

TEST(StepSoftwareTest, HalfBatchesInTurnHideTheExchangeOrAreNotUsed) {
  const ServingLayout wide{.tp = 1, .pp = 1, .ep = 32, .dp = 32};
  EngineTraits serial = shipped().traits("sglang");
  const auto before = changed("deepseek-v3", "h100-sxm", "fp8", wide, serial,
                              [](EngineTraits& t) { t.exchange_overlap = 0; });
  const auto after = shipped().step("deepseek-v3", "h100-sxm", "fp8", wide, "sglang");
  for (const double tokens : {64.0, 16384.0}) {
    const StepBatch prompts{.prompt_tokens = tokens, .chunk = tokens, .finishing = 1};
    const auto alone = before.parts(prompts, shipped().constants);
    const auto turns = after.parts(prompts, shipped().constants);
    EXPECT_LE(turns.device(), alone.device()) << tokens;
    EXPECT_GE(turns.device(), (alone.device() - alone.communication) * 0.98) << tokens;
  }
  // Inside one domain nothing crosses, so nothing is split.
  const ServingLayout node{.tp = 1, .pp = 1, .ep = 8, .dp = 8};
  const StepBatch prompts{.prompt_tokens = 8192, .chunk = 1024, .finishing = 8};
  EXPECT_GT(shipped()
                .step("deepseek-v3", "h200-sxm", "fp8", node, "sglang")
                .parts(prompts, shipped().constants)
                .communication,
            Seconds());
}

TEST(StepSoftwareTest, ACardWithLessPowerRunsTheSameSiliconAtALowerClock) {
  const auto chip = [](const char* name) { return **shipped().catalog.find_accelerator(name); };
  const auto kernels = [](const catalog::AcceleratorSpec& spec) {
    return *shipped().hardware.kernels(spec);
  };
  EXPECT_FALSE(kernels(chip("h100-sxm"))->lender());
  const auto card = chip("h100-pcie");
  // The same card, allowed what the chip of its table draws: its table as it is.
  auto powered = card;
  powered.name = "h100-pcie with 700 W";
  powered.power.rated = Watts::from_base(700);
  ASSERT_TRUE(kernels(card)->lender());
  EXPECT_FALSE(kernels(powered)->lender());
  const auto* model = *shipped().catalog.find_model("llama-3.1-8b");
  const auto& engine = shipped().traits("vllm-v1");
  const auto products = [&](const catalog::AcceleratorSpec& spec, const StepBatch& batch) {
    const StepModel step({model,
                          &spec,
                          kernels(spec),
                          *shipped().hardware.network(spec, true),
                          &engine,
                          choose_precision("bf16", *model, spec).kernels,
                          {},
                          false});
    return step.parts(batch, shipped().constants).products;
  };
  // Above what idles, power grows with the cube of the clock. Products of a long prompt keep to it
  // but for the share of their time that memory decides; other kernels leave them some of the
  // power.
  const auto* load = kernels(card)->held({cost::KernelClass::kGemm, catalog::Dtype::kBf16});
  ASSERT_NE(load, nullptr);
  const double idle = kernels(card)->power()->idle.base();
  const double full = load->draw.compute.base();
  const double slow = std::cbrt((350 - idle) / full);
  const double fast = std::min(1.0, std::cbrt((700 - idle) / (full * 989 / 756)));
  const StepBatch prompts{.prompt_tokens = 8192, .chunk = 8192, .finishing = 1};
  const double longer = products(card, prompts) / products(powered, prompts);
  EXPECT_GT(longer, 1 + 0.5 * (fast / slow - 1));
  EXPECT_LE(longer, fast / slow + 1e-9);
  // Reading weights for one sequence waits for memory, which keeps its clock.
  const StepBatch one{.sequences = 1, .context = 512};
  EXPECT_NEAR(products(card, one) / products(powered, one), 1.0, 0.02);
}

TEST(StepSoftwareTest, ExpertsWhoseRowsLieTogetherRunAsDenseProducts) {
  const ServingLayout wide{.tp = 1, .pp = 1, .ep = 32, .dp = 32};
  const StepBatch prompts{.prompt_tokens = 16384, .chunk = 4096, .finishing = 4};
  EngineTraits grouped = shipped().traits("sglang"), apart = grouped;
  const auto before = changed("deepseek-v3", "h100-sxm", "fp8", wide, grouped, [](EngineTraits& t) {
    t.rows_by_expert = false;
    t.exchange_overlap = 0;
  });
  const auto after = changed("deepseek-v3", "h100-sxm", "fp8", wide, apart,
                             [](EngineTraits& t) { t.exchange_overlap = 0; });
  const Constants& c = shipped().constants;
  const double seconds = after.parts(prompts, c).experts.base();
  EXPECT_LT(seconds, before.parts(prompts, c).experts.base());
  // 58 layers in which a rank computes as many rows of 8 experts as it sends: three products of
  // 7168 by 2048 for each row. Dense products of that size hold 0.4 to 0.7 of 1979 TFLOP/s.
  const double flops = 58.0 * 16384 * 8 * 3 * 2 * 7168 * 2048;
  const double share =
      flops * c[Constant::kImbalance] / c[Constant::kExpertRate8] / seconds / 1979e12;
  EXPECT_GT(share, 0.4);
  EXPECT_LT(share, 0.7);
  // Where nothing is exchanged there is nothing to lay out.
  EngineTraits one = shipped().traits("sglang"), other = one;
  const auto whole =
      changed("deepseek-v3", "h200-sxm", "fp8", {.tp = 8}, one, [](EngineTraits&) {});
  const auto plain = changed("deepseek-v3", "h200-sxm", "fp8", {.tp = 8}, other,
                             [](EngineTraits& t) { t.rows_by_expert = false; });
  EXPECT_EQ(whole.parts(prompts, c).experts, plain.parts(prompts, c).experts);
}

TEST(StepSoftwareTest, HostsOfTheBusBeforeTakeLonger) {
  const auto host = [](const char* chip) {
    return shipped()
        .step("llama-3.1-8b", chip, "bf16")
        .parts({.sequences = 1, .context = 128}, shipped().constants)
        .host.base();
  };
  // One engine's work of one step, by the constant of old hosts and no other.
  const double old = shipped().constants[Constant::kOldHost];
  EXPECT_NEAR(host("a100-80gb-sxm") / host("h100-sxm"), old, 1e-9);
  EXPECT_NEAR(host("rtx-4090") / host("rtx-5090"), old, 1e-9);
  EXPECT_NEAR(host("l40s") / host("h100-sxm"), 1.0, 1e-9);
}

TEST(StepSoftwareTest, TheFasterOfTwoSiblingsIsNotTheSlower) {
  for (const char* model : {"llama-3.1-8b", "llama-3.1-70b", "mixtral-8x7b"}) {
    for (const char* precision : {"bf16", "fp8"}) {
      for (const double tokens : {512.0, 8192.0}) {
        const StepBatch prompts{.prompt_tokens = tokens, .chunk = 512, .finishing = 1};
        const auto on = [&](const char* chip) {
          return shipped()
              .step(model, chip, precision, {}, "vllm-rocm")
              .duration(prompts, shipped().constants);
        };
        EXPECT_LE(on("mi355x"), on("mi350x")) << model << " " << precision << " " << tokens;
      }
    }
  }
}

}  // namespace
}  // namespace loadfactor::serving
