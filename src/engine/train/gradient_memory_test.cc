// Gradients take what the layout says that they are summed in.
#include <string>

#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "engine/testing/shipped_core.h"

namespace loadfactor {
namespace {

// Gradients of a GPU, in bytes for each parameter that it holds; `layout`: beside tp 2.
double gradient_width(const std::string& framework, const std::string& layout) {
  constexpr double kParameters = 8.03e9 / 2;
  const TrainInputs asked{.scenario = config::testing::sound(
                              "loadfactor: 1\nname: wide\ntrain:\n  model: llama-3.1-8b\n"
                              "  sequence: 4096\n  global_batch: 64\n  stack: {framework: " +
                              framework + "}\n  layout: {gpus: 8, tp: 2, micro_batch: 1" + layout +
                              "}\nhardware: [h100-sxm]\n")};
  Diagnostics diagnostics;
  const auto answer = engine::testing::shipped().train(asked, diagnostics);
  EXPECT_TRUE(answer) << render(diagnostics);
  if (!answer) return 0;
  for (const auto& line : answer->lines)
    if (line.use == MemoryUse::kGradients) return line.bytes.value().base() / kParameters;
  return 0;
}

TEST(GradientMemoryTest, WhatTheLayoutSaysHoldsForTheBufferThatTravels) {
  constexpr double kNear = 0.25;  // Norms are whole on every rank.
  for (const char* framework : {"megatron-core-2026", "megatron-lm"}) {
    EXPECT_NEAR(gradient_width(framework, ", gradients: fp32"), 4, kNear) << framework;
    EXPECT_LT(gradient_width(framework, ", gradients: bf16"), 4 - kNear) << framework;
  }
}

TEST(GradientMemoryTest, WhatIsNotSaidIsAsTheStackHasIt) {
  EXPECT_NEAR(gradient_width("megatron-lm", ""), 4, 0.25);
  EXPECT_LT(gradient_width("megatron-core-2026", ""), 4 - 0.25);
}

}  // namespace
}  // namespace loadfactor
