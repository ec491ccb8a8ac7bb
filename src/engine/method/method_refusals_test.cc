// Post-training that cannot be, refused where it is written.
#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/testing/sound.h"
#include "engine/method/answers.h"
#include "engine/method/rollouts.h"
#include "engine/method/testing/small_run.h"

namespace loadfactor::engine {
namespace {

using Kind = MethodPhase::Kind;
using testing::answered;
using testing::grpo;
using testing::refused;
using testing::shipped;
using testing::time_of;

TEST(MethodTest, ADegreeThatDoesNotDivideIsRefusedWhereItIsWritten) {
  const auto asked = config::testing::sound(
      "loadfactor: 1\nname: reasoning\ntrain:\n  model: qwen2.5-7b\n  method:\n    kind: grpo\n"
      "    prompts: 8\n    answer_tokens: 200\n    rollout: {tp: 3}\nhardware: [h100-sxm]\n"
      "limits: {gpus: 8}\n");
  Diagnostics diagnostics;
  EXPECT_FALSE(train_by_method(shipped(), {.train = {.scenario = asked}}, diagnostics));
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_EQ(diagnostics.errors().front().code, lf::kNotDivisible);
  EXPECT_EQ(diagnostics.errors().front().where.line, 9);
}

TEST(MethodTest, TextsLongerThanTheModelAreRefused) {
  const auto scenario = config::testing::sound(
      "loadfactor: 1\nname: reasoning\ntrain:\n  model: llama-3.2-1b\n"
      "  method: {kind: grpo, prompts: 8, prompt_tokens: 100000, answer_tokens: 100000}\n"
      "hardware: [h100-sxm]\nlimits: {gpus: 8}\n");
  Diagnostics diagnostics;
  EXPECT_FALSE(train_by_method(shipped(), {.train = {.scenario = scenario}}, diagnostics));
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_EQ(diagnostics.errors().front().code, lf::kContextTooLong);
}

TEST(MethodTest, AJudgeThatCannotReadTheAnswersIsRefusedAtItsLine) {
  const auto deaf = refused(grpo(", reward: {model: whisper-large-v3}"));
  EXPECT_EQ(deaf.code, lf::kContradictoryKeys);
  EXPECT_EQ(deaf.where.line, 5);
  const auto brief = refused(grpo(", answer_most: 2000, reward: {model: bert-base}"));
  EXPECT_EQ(brief.code, lf::kContextTooLong);
  EXPECT_EQ(brief.where.line, 5);
  EXPECT_GT(time_of(answered(grpo(", reward: {model: bge-reranker-v2-m3}")), Kind::kReward),
            Seconds());
}

TEST(MethodTest, ARunWithoutANumberOfGpusIsRefused) {
  Diagnostics diagnostics;
  const auto scenario = config::testing::sound(
      "loadfactor: 1\nname: reasoning\ntrain:\n  model: llama-3.2-1b\n"
      "  method: {kind: grpo, prompts: 8, group: 4, answer_tokens: 200}\nhardware: [h100-sxm]\n");
  EXPECT_FALSE(train_by_method(shipped(), {.train = {.scenario = scenario}}, diagnostics));
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_EQ(diagnostics.errors().front().code, lf::kMissingKey);
}

TEST(MethodTest, ARunWhoseGpusCannotBeSharedIsToldSo) {
  const auto alone = refused(config::testing::sound(
      "loadfactor: 1\nname: reasoning\ntrain:\n  model: llama-3.2-1b\n"
      "  method: {kind: grpo, prompts: 8, group: 4, answer_tokens: 200, placement: split}\n"
      "hardware: [h100-sxm]\nlimits: {gpus: 1}\n"));
  EXPECT_EQ(alone.code, lf::kDoesNotFit);
  EXPECT_NE(alone.message.find("1 GPU cannot be shared"), std::string::npos) << alone.message;
}

TEST(MethodTest, MoreGpusThanTheLimitAreRefusedAtTheirLine) {
  const auto many = refused(config::testing::sound(
      "loadfactor: 1\nname: reasoning\ntrain:\n  model: llama-3.2-1b\n  layout: {gpus: 8}\n"
      "  method: {kind: grpo, prompts: 8, group: 4, answer_tokens: 200, rollout: {gpus: 4}}\n"
      "hardware: [h100-sxm]\nlimits: {gpus: 8}\n"));
  EXPECT_EQ(many.code, lf::kInconsistentFigures);
  EXPECT_EQ(many.where.line, 6);
}

// Who asks for plain training gets the one resolver, which names the verbs that answer.
TEST(MethodTest, VerbsThatKnowNoPhasesRefuseTheMethodByName) {
  Diagnostics diagnostics;
  EXPECT_FALSE(shipped().train({.scenario = grpo()}, diagnostics));
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_EQ(diagnostics.errors().front().code, lf::kContradictoryKeys);
  EXPECT_NE(diagnostics.errors().front().hint.find("train --search"), std::string::npos);
}

}  // namespace
}  // namespace loadfactor::engine
