// What GPUs leave on their host has to have room there.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "engine/testing/shipped_core.h"

namespace loadfactor {
namespace {

TrainInputs on_cards(const std::string& model, const std::string& train) {
  return {.scenario = config::testing::sound(
              "loadfactor: 1\nname: cards\ntrain:\n  model: " + model + "\n" + train)};
}

TrainAnswer trained(const TrainInputs& asked) {
  Diagnostics diagnostics;
  const auto answer = engine::testing::shipped().train(asked, diagnostics);
  EXPECT_TRUE(answer) << render(diagnostics);
  return answer.value_or(TrainAnswer{});
}

std::string full_tuning(const std::string& layout) {
  return "  sequence: 2048\n  global_batch: 64\n  layout: {gpus: 8, zero: 3" + layout +
         "}\nhardware: [rtx-4090]\n";
}

bool says(const TrainAnswer& answer, const std::string& id) {
  return std::any_of(answer.notices.begin(), answer.notices.end(),
                     [&id](const Notice& notice) { return notice.id == id; });
}

constexpr const char* kAllAway = ", recompute: none, offload: [optimizer, parameters, activations]";

// Each card would leave the activations of 32 layers and 8 sequences on a host of 512 GB for eight.
TEST(HostMemoryTest, ActivationsThatTheHostCannotHoldDoNotFit) {
  const auto large =
      trained(on_cards("llama-3.1-8b", full_tuning(std::string(", micro_batch: 8") + kAllAway)));
  EXPECT_FALSE(large.fits);
  EXPECT_TRUE(says(large, "host-too-small"));
  const auto small =
      trained(on_cards("llama-3.1-8b", full_tuning(std::string(", micro_batch: 1") + kAllAway)));
  EXPECT_TRUE(small.fits);
  EXPECT_FALSE(says(small, "host-too-small"));
}

TEST(HostMemoryTest, ASearchLeavesOutWhatTheHostCannotHold) {
  SearchInputs asked;
  asked.train = on_cards("llama-3.1-8b", full_tuning(std::string(", micro_batch: 8") + kAllAway));
  Diagnostics diagnostics;
  const auto none = engine::testing::shipped().search(asked, diagnostics);
  ASSERT_TRUE(none) << render(diagnostics);
  EXPECT_TRUE(none->plans.empty());
  asked.train = on_cards("llama-3.1-8b", full_tuning(""));
  const auto found = engine::testing::shipped().search(asked, diagnostics);
  ASSERT_TRUE(found && !found->plans.empty()) << render(diagnostics);
  for (const SearchPlan& plan : found->plans) {
    TrainInputs again = asked.train;
    again.scenario = again.scenario.with(plan.train.layout_edits);
    EXPECT_TRUE(trained(again).fits) << plan.train.layout_keys;
  }
}

// Adapters are small: whole copies of them leave the frozen weights where they are.
TEST(HostMemoryTest, AFasterCardIsFasterWithAdaptersToo) {
  const auto rate = [](const std::string& card) {
    const auto answer = trained(on_cards(
        "llama-3.1-8b",
        "  method: {kind: qlora}\n  sequence: 2048\n  global_batch: 64\n  layout: {gpus: 8}\n"
        "hardware: [" +
            card + "]\n"));
    EXPECT_TRUE(answer.fits) << card;
    EXPECT_EQ(answer.layout.dp, 8) << card;
    return answer.tokens_per_s.value();
  };
  EXPECT_GT(rate("rtx-4090"), 1.3 * rate("rtx-3090"));
}

// Nine layers of the fullest of four stages, six operations for each weight and token, at the share
// of the peak that large products sustain, and two copies through the host for every micro-batch.
TEST(HostMemoryTest, AllWeightsOnConsumerCardsTakeWhatArithmeticSays) {
  constexpr double kTokens = 2048, kHidden = 4096, kMicroBatches = 2048;
  constexpr double kLayer = 2 * kHidden * kHidden + 2 * kHidden * 1024 + 3 * kHidden * 14336;
  constexpr double kRate = 0.64 * 165.2e12, kCopies = 1.6e9;
  const double products = 9 * kLayer * 6 * kTokens / kRate;
  const double sends = 2 * kTokens * kHidden * 2 / kCopies;
  const double hand = kMicroBatches * (products + sends);
  const auto deep = trained(on_cards(
      "llama-3.1-8b",
      "  sequence: 2048\n  global_batch: 4096\n  stack: {framework: megatron-lm}\n"
      "  layout: {gpus: 8, pp: 4, dp: 2, first_layers: 7, last_layers: 7, micro_batch: 1, zero: 1, "
      "recompute: none, schedule: 1f1b, offload: [optimizer]}\nhardware: [rtx-4090]\n"));
  ASSERT_TRUE(deep.fits);
  EXPECT_GT(deep.step_time.value().base(), hand);
  // Attention, norms, the update and the ends of the pipeline are the rest.
  EXPECT_LT(deep.step_time.value().base(), 1.35 * hand);
  const auto usual =
      trained(on_cards("llama-3.1-8b",
                       "  sequence: 2048\n  global_batch: 64\n  layout: {gpus: 8}\nhardware: "
                       "[rtx-4090]\n"));
  EXPECT_LT(usual.mfu.value(), 0.1 * deep.mfu.value());
}

}  // namespace
}  // namespace loadfactor
