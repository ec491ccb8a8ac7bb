// Laws of PPO's value model: what it is equal to, and what a smaller one saves.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/testing/sound.h"
#include "engine/method/answers.h"
#include "engine/method/learning.h"
#include "engine/method/testing/small_run.h"
#include "engine/method/trainers.h"

namespace loadfactor::engine {
namespace {

using Kind = MethodPhase::Kind;
using testing::refused;
using testing::shipped;
using testing::time_of;

struct Asked {
  std::string model = "llama-3.2-1b";
  std::string value;  // Blank: none is written.
  std::string method = "placement: split, rollout: {gpus: 4, tp: 1}";
  std::string train;
  int gpus = 8;
};

config::Scenario ppo(const Asked& asked) {
  const std::string value = asked.value.empty() ? "" : ",\n    value: {model: " + asked.value + "}";
  return config::testing::sound(fmt::format(
      "loadfactor: 1\nname: judged\ntrain:\n  model: {}\n{}  method: {{kind: ppo, prompts: 64, "
      "prompt_tokens: 100, answer_tokens: 200, steps: 10,\n    {}{}}}\nhardware: [h100-sxm]\n"
      "limits: {{gpus: {}}}\n",
      asked.model, asked.train, asked.method, value, asked.gpus));
}

TrainAnswer answered(const config::Scenario& scenario) {
  Diagnostics diagnostics;
  const auto answer = train_by_method(shipped(), {.train = {.scenario = scenario}}, diagnostics);
  EXPECT_TRUE(answer && answer->method) << render(diagnostics);
  TrainAnswer failed;
  failed.method.emplace();
  return answer && answer->method ? *answer : failed;
}

TEST(ValueModelTest, OneOfTheModelsOwnSizeIsTheDefault) {
  const auto usual = *answered(ppo({})).method;
  const auto written = *answered(ppo({.value = "llama-3.2-1b"})).method;
  EXPECT_EQ(written.step.value(), usual.step.value());
  EXPECT_EQ(written.beside, usual.beside);
  EXPECT_EQ(written.on_host, usual.on_host);
  ASSERT_EQ(written.phases.size(), usual.phases.size());
  for (std::size_t i = 0; i < usual.phases.size(); ++i)
    EXPECT_EQ(written.phases[i].time.value(), usual.phases[i].time.value())
        << name_of(usual.phases[i].kind);
}

TEST(ValueModelTest, ASmallerOneNeverMakesAStepLongerAndTakesLessMemory) {
  for (const char* method : {"placement: split", "placement: colocated"})
    for (const int gpus : {8, 16}) {
      Seconds step = answered(ppo({.model = "llama-3.1-8b", .method = method, .gpus = gpus}))
                         .method->step.value();
      Bytes beside = Bytes::from_base(1e15);
      for (const char* value : {"llama-3.1-8b", "llama-3.2-3b", "llama-3.2-1b"}) {
        const auto smaller = *answered(ppo({"llama-3.1-8b", value, method, "", gpus})).method;
        EXPECT_LE(smaller.step.value(), step * (1 + 1e-12)) << method << gpus << value;
        // Rates per GPU, so that a step on the same number of them is compared.
        const Bytes all = smaller.beside * static_cast<double>(smaller.training_gpus);
        EXPECT_LE(all, beside * (1 + 1e-12)) << method << gpus << value;
        step = smaller.step.value();
        beside = all;
      }
    }
}

TEST(ValueModelTest, ItLearnsInWhatTrainSaysOfIt) {
  const auto scenario = ppo({.model = "llama-3.1-8b", .value = "llama-3.2-1b"});
  const auto answer = *answered(scenario).method;
  const Answers answers = answers_of(*scenario.train->method, 131072, 1);
  const Lessons lessons{.texts = answers.count(),
                        .tokens = std::llround(answers.prompt_tokens + answers.mean()),
                        .longest = answers.prompt_tokens + answers.longest(),
                        .steps = 10};
  Diagnostics diagnostics;
  const auto plain = learning_scenario(value_scenario(scenario, false), lessons, 4);
  const auto trained = shipped().train({.scenario = plain}, diagnostics);
  ASSERT_TRUE(trained) << render(diagnostics);
  EXPECT_EQ(trained->model, "llama-3.2-1b");
  EXPECT_NEAR(time_of(answer, Kind::kValueTraining) / trained->step_time.value(), 1.0, 1e-9);
  EXPECT_LT(time_of(answer, Kind::kValueTraining), 0.5 * time_of(answer, Kind::kTraining));
  EXPECT_LT(time_of(answer, Kind::kValues), 0.5 * time_of(answer, Kind::kLogProbs));
}

// Beside the trainer stand the weights of the frozen copy and all that the value model learns with.
TEST(ValueModelTest, WhatItTakesBesideTheTrainerIsItsOwnState) {
  const Asked alone{"llama-3.1-8b", "llama-3.2-1b",
                    "placement: split, reference: false, rollout: {gpus: 4, tp: 1}"};
  const auto scenario = ppo(alone);
  const auto answer = *answered(scenario).method;
  constexpr double kParameters = 1'235'814'400;  // Llama 3.2 1B, its head tied.
  // Mixed precision keeps 12 to 18 bytes of each, and no more of it than all of it is on a GPU.
  EXPECT_GT(answer.beside.base(), 12 * kParameters / 4);
  EXPECT_LT(answer.beside.base(), 18 * kParameters);
}

// A layout for 32 layers on eight GPUs is none for 16 on four: the value model has its own then.
TEST(ValueModelTest, WhereTheWrittenLayoutHoldsItNotItHasItsOwn) {
  const Asked deep{.model = "llama-3.1-8b",
                   .value = "llama-3.2-1b",
                   .method = "placement: colocated",
                   .train = "  layout: {pp: 4, vp: 8}\n"};
  const auto answer = answered(ppo(deep));
  EXPECT_EQ(answer.layout.vp, 8);
  EXPECT_GT(time_of(*answer.method, Kind::kValueTraining), Seconds());
  const auto said = std::find_if(answer.notices.begin(), answer.notices.end(),
                                 [](const Notice& notice) { return notice.id == "value-model"; });
  ASSERT_NE(said, answer.notices.end());
  EXPECT_EQ(said->arguments.front().text, "Llama 3.2 1B");
}

TEST(ValueModelTest, OneThatCannotLearnFromTheAnswersIsRefusedAtItsLine) {
  for (const char* value : {"whisper-large-v3", "llama-9", "llama-3.2-1b, precision: int3"}) {
    const auto error = refused(ppo({.value = value}));
    EXPECT_EQ(error.where.line, 7) << value << error.message;
  }
  const auto brief = refused(ppo({.value = "bert-base"}));
  EXPECT_EQ(brief.code, lf::kContextTooLong);
  EXPECT_EQ(brief.where.line, 7);
}

TEST(ValueModelTest, OneThatDoesNotFitIsRefusedAtItsLine) {
  const auto error = refused(ppo({.value = "llama-3.1-405b"}));
  EXPECT_EQ(error.code, lf::kDoesNotFit);
  EXPECT_EQ(error.where.line, 7) << error.message;
}

}  // namespace
}  // namespace loadfactor::engine
