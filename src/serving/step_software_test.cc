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
  using cost::KernelClass;
  const cost::KernelKey product{KernelClass::kGemm, catalog::Dtype::kBf16};
  const auto kernels = [](const char* name) {
    return *shipped().hardware.kernels(**shipped().catalog.find_accelerator(name));
  };
  EXPECT_DOUBLE_EQ(kernels("h100-sxm")->power_share(product), 1.0);
  EXPECT_DOUBLE_EQ(kernels("h20")->power_share(product), 1.0);  // It draws little of its 400 W.
  // Above what idles and what the memory takes, a clock's power grows with its cube.
  const auto* card = kernels("h100-pcie");
  const auto* load = card->held(product);
  ASSERT_NE(load, nullptr);
  const double idle = card->power()->idle.base(), memory = load->draw.memory.base();
  const double full = load->draw.compute.base() * 989 / 756;  // What the 700 W part draws.
  const double slow = std::cbrt((350 - idle - memory) / load->draw.compute.base());
  const double fast = std::min(1.0, std::cbrt((700 - idle - memory) / full));
  EXPECT_NEAR(card->power_share(product), slow / fast, 1e-6);
  EXPECT_LT(card->power_share(product), 0.9);
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
