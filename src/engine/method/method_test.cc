// Laws of post-training: what a step is made of, and what each part is equal to.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "engine/method/answers.h"
#include "engine/method/learning.h"
#include "engine/method/rollouts.h"
#include "engine/method/testing/small_run.h"

namespace loadfactor::engine {
namespace {

using Kind = MethodPhase::Kind;
using testing::answered;
using testing::grpo;
using testing::shipped;
using testing::time_of;

TEST(MethodTest, ASynchronousStepIsTheSumOfItsPhases) {
  const auto answer = answered(grpo());
  Seconds sum;
  for (const MethodPhase& phase : answer.phases) sum += phase.time.value();
  EXPECT_NEAR(answer.step.value().base(), sum.base(), 1e-9 * sum.base());
  EXPECT_EQ(answer.answers, 32);
  EXPECT_EQ(answer.gpus, 8);
}

TEST(MethodTest, RolloutsTakeWhatTheSimulatorSays) {
  const auto scenario = grpo();
  const auto answer = answered(scenario);
  const Answers answers = answers_of(*scenario.train->method, 131072, 1);
  Diagnostics diagnostics;
  const auto simulated = shipped().simulate(
      {.scenario = rollout_scenario(scenario, answers, 1, 4), .files = {{}, answers.trace()}},
      diagnostics);
  ASSERT_TRUE(simulated) << render(diagnostics);
  EXPECT_NEAR(time_of(answer, Kind::kRollout).base(), simulated->duration.base(),
              1e-9 * simulated->duration.base());
}

TEST(MethodTest, LearningTakesWhatTrainSays) {
  const auto scenario = grpo();
  const auto answer = answered(scenario);
  const Answers answers = answers_of(*scenario.train->method, 131072, 1);
  const Lessons lessons{.texts = answers.count(),
                        .tokens = std::llround(answers.prompt_tokens + answers.mean()),
                        .longest = answers.prompt_tokens + answers.longest(),
                        .steps = 100};
  Diagnostics diagnostics;
  const auto trained =
      shipped().train({.scenario = learning_scenario(scenario, lessons, 4)}, diagnostics);
  ASSERT_TRUE(trained) << render(diagnostics);
  EXPECT_NEAR(time_of(answer, Kind::kTraining).base(), trained->step_time.value().base(),
              1e-9 * trained->step_time.value().base());
}

// Nothing is written and nothing is read: what is left is training on twice as many texts as pairs.
TEST(MethodTest, WithoutRolloutsAndReadersItIsPlainTraining) {
  const std::string head =
      "loadfactor: 1\nname: pairs\ntrain:\n  model: llama-3.2-1b\n  sequence: 1024\n"
      "  layout: {gpus: 4}\n";
  const auto pairs = answered(config::testing::sound(
      head +
      "  global_batch: 16\n  method: {kind: dpo, reference: false}\nhardware: [h100-sxm]\n"));
  Diagnostics diagnostics;
  const auto plain = shipped().train(
      {.scenario = config::testing::sound(head + "  global_batch: 32\nhardware: [h100-sxm]\n")},
      diagnostics);
  ASSERT_TRUE(plain) << render(diagnostics);
  ASSERT_EQ(pairs.phases.size(), 1U);
  EXPECT_NEAR(pairs.step.value().base(), plain->step_time.value().base(),
              1e-9 * plain->step_time.value().base());
}

// Where learning is hidden behind writing, a step takes what serving takes, and the way of the
// weights.
TEST(MethodTest, BesideAFastTrainerAStepIsServing) {
  const auto answer = answered(grpo(", off_policy: 1, reference: false, answer_most: 4000"));
  const Seconds serving = time_of(answer, Kind::kRollout) + time_of(answer, Kind::kTransfer);
  EXPECT_NEAR(answer.step.value().base(), serving.base(), 1e-9 * serving.base());
}

TEST(MethodTest, OlderAnswersNeverMakeAStepLonger) {
  Seconds before = answered(grpo()).step.value();
  for (const int steps : {1, 2, 4}) {
    const auto answer = answered(grpo(", off_policy: " + std::to_string(steps)));
    EXPECT_LE(answer.step.value().base(), before.base() * (1 + 1e-12)) << steps;
    before = answer.step.value();
  }
}

TEST(MethodTest, TheSlowestAnswersDecideASynchronousStep) {
  const auto even = answered(grpo(", answer_spread: 0"));
  const auto uneven = answered(grpo(", answer_spread: 1"));
  EXPECT_GT(time_of(uneven, Kind::kRollout), 1.5 * time_of(even, Kind::kRollout));
  EXPECT_GT(uneven.idle_tail, even.idle_tail);
}

TEST(MethodTest, PhasesThatAreNotAskedForAreNotThere) {
  EXPECT_EQ(time_of(answered(grpo(", reference: false")), Kind::kReference), Seconds());
  EXPECT_EQ(time_of(answered(grpo()), Kind::kReward), Seconds());
  const auto judged = answered(grpo(", reward: {model: llama-3.2-3b}"));
  EXPECT_GT(time_of(judged, Kind::kReward), time_of(judged, Kind::kReference));
}

TEST(MethodTest, AValueModelReadsAndLearnsAsTheModelDoes) {
  const auto answer = answered(config::testing::sound(
      "loadfactor: 1\nname: ppo\ntrain:\n  model: llama-3.2-1b\n"
      "  method: {kind: ppo, prompts: 32, prompt_tokens: 100, answer_tokens: 200, placement: "
      "split, "
      "rollout: {gpus: 4, tp: 1}}\nhardware: [h100-sxm]\nlimits: {gpus: 8}\n"));
  EXPECT_EQ(time_of(answer, Kind::kValueTraining), time_of(answer, Kind::kTraining));
  // A value is one number of a token, and its probability is one of all words.
  EXPECT_LT(time_of(answer, Kind::kValues), time_of(answer, Kind::kLogProbs));
}

// The frozen copy holds its weights, a value model all that its training holds.
TEST(MethodTest, ModelsBesideTheTrainerTakeMemory) {
  const auto ppo = [](const std::string& more) {
    return answered(config::testing::sound(
        "loadfactor: 1\nname: ppo\ntrain:\n  model: llama-3.2-1b\n"
        "  method: {kind: ppo, prompts: 32, prompt_tokens: 100, answer_tokens: 200, placement: "
        "split, rollout: {gpus: 4, tp: 1}" +
        more + "}\nhardware: [h100-sxm]\nlimits: {gpus: 8}\n"));
  };
  const auto plain = answered(grpo(", reference: false"));
  EXPECT_EQ(plain.beside, Bytes());
  const auto compared = answered(grpo());
  constexpr double kParameters = 1'235'814'400;  // Llama 3.2 1B, its head tied.
  EXPECT_NEAR(compared.beside.base(), 2 * kParameters, 0.02 * 2 * kParameters);
  const auto valued = ppo(", reference: false");
  const auto both = ppo("");
  EXPECT_GT(valued.beside.base(), 4 * kParameters);
  EXPECT_NEAR((both.beside - valued.beside).base(), compared.beside.base(), 1);
  EXPECT_EQ(time_of(both, Kind::kSwap), Seconds());
}

TEST(MethodTest, WhatHasNoRoomBesideTheTrainerWaitsOnTheHost) {
  const auto pairs = [](const std::string& model) {
    return answered(
        config::testing::sound("loadfactor: 1\nname: pairs\ntrain:\n  model: " + model +
                               "\n  sequence: 4096\n  global_batch: 64\n  method: {kind: dpo}\n"
                               "hardware: [a100-40gb-sxm]\nlimits: {gpus: 8}\n"));
  };
  const auto small = pairs("llama-3.2-1b");
  EXPECT_EQ(small.on_host, Bytes());
  EXPECT_EQ(time_of(small, Kind::kSwap), Seconds());
  const auto large = pairs("llama-3.1-8b");
  EXPECT_GT(large.on_host, Bytes());
  EXPECT_LE(large.on_host, large.beside);
  EXPECT_GT(time_of(large, Kind::kSwap), Seconds());
}

TEST(MethodTest, ABestShareIsNoWorseThanAnyThatWasTried) {
  const auto scenario = config::testing::sound(
      "loadfactor: 1\nname: reasoning\ntrain:\n  model: llama-3.2-1b\n"
      "  method: {kind: grpo, prompts: 8, group: 4, answer_tokens: 200, placement: split, "
      "rollout: {tp: 1}}\nhardware: [h100-sxm]\nlimits: {gpus: 8}\n");
  const auto answer = answered(scenario);
  EXPECT_GT(answer.splits.size(), 2U);
  for (const MethodSplit& split : answer.splits)
    EXPECT_GE(split.step.base(), answer.step.value().base() * (1 - 1e-12));
}

TEST(MethodTest, IdleTimeIsAShareAndItsPartsSumToIt) {
  const auto answer = answered(grpo());
  EXPECT_GE(answer.idle_tail, 0);
  EXPECT_GE(answer.idle_pool, 0);
  EXPECT_LE(answer.idle, 1);
  EXPECT_NEAR(answer.idle_tail + answer.idle_pool, answer.idle, 1e-12);
}

TEST(MethodTest, AnswersLieAtTheQuantilesOfTheirLengths) {
  const auto scenario = grpo(", answer_spread: 0.5");
  const Answers answers = answers_of(*scenario.train->method, 131072, 1);
  EXPECT_EQ(answers.count(), 32);
  EXPECT_NEAR(answers.mean(), 200, 6);
  EXPECT_EQ(answers.lengths, answers_of(*scenario.train->method, 131072, 1).lengths);
  EXPECT_LE(answers_of(*scenario.train->method, 180, 1).longest(), 80);
}

// The rollout of so many prompts on so many replicas, simulated in full or of a sample.
Seconds written(int prompts, int replicas, std::int64_t most, const std::string& lengths) {
  const auto scenario = config::testing::sound(
      "loadfactor: 1\nname: reasoning\ntrain:\n  model: llama-3.2-1b\n  method: {kind: grpo, "
      "prompts: " +
      std::to_string(prompts) + ", group: 8, prompt_tokens: 100, " + lengths +
      "}\nhardware: [h100-sxm]\nlimits: {gpus: 8}\n");
  Diagnostics diagnostics;
  const Answers answers = answers_of(*scenario.train->method, 131072, 1);
  const auto bench = RolloutBench::make(shipped(), scenario, {}, answers, 1, diagnostics);
  EXPECT_TRUE(bench) << render(diagnostics);
  if (!bench) return {};
  bench->simulate_at_most(most);
  return bench->write(replicas).time;
}

TEST(MethodTest, ASampleOfTheAnswersTakesAsLongAsAllOfThem) {
  for (const char* lengths : {"answer_tokens: 400", "answer_tokens: 400, answer_spread: 0.3",
                              "answer_tokens: 200, answer_spread: 1, answer_most: 4000"})
    for (const int replicas : {1, 4, 32})
      for (const int prompts : {400, 1000}) {
        const double all = written(prompts, replicas, 1 << 20, lengths).base();
        const double sample = written(prompts, replicas, 1024, lengths).base();
        EXPECT_NEAR(sample / all, 1, kSampledWithin)
            << lengths << " " << replicas << " " << prompts;
      }
}

// Ten million prompts are as soon answered as ten thousand, and take a thousand times as long.
TEST(MethodTest, ManyPromptsAreSimulatedByASample) {
  const auto run = [](const std::string& prompts) {
    return answered(config::testing::sound(
        "loadfactor: 1\nname: reasoning\ntrain:\n  model: llama-3.2-1b\n  method: {kind: grpo, "
        "prompts: " +
        prompts +
        ", group: 16, prompt_tokens: 100, answer_tokens: 200}\nhardware: [h100-sxm]\n"
        "limits: {gpus: 8}\n"));
  };
  const auto some = run("10000");
  const auto many = run("10000000");
  EXPECT_EQ(many.answers, 160'000'000);
  EXPECT_LT(many.simulated_answers, 40'000);
  EXPECT_NEAR(many.step.value() / some.step.value(), 1000, 50);
  EXPECT_LT(some.step.low(), some.step.value());
}

std::vector<Notice> notices_of(const config::Scenario& scenario) {
  Diagnostics diagnostics;
  const auto answer = train_by_method(shipped(), {.train = {.scenario = scenario}}, diagnostics);
  EXPECT_TRUE(answer) << render(diagnostics);
  return answer ? answer->notices : std::vector<Notice>();
}

bool has(const std::vector<Notice>& notices, std::string_view id) {
  return std::any_of(notices.begin(), notices.end(),
                     [id](const Notice& notice) { return notice.id == id; });
}

TEST(MethodTest, AnswersThatAreCutAreSaid) {
  EXPECT_FALSE(has(notices_of(grpo(", answer_spread: 0.3")), "cut-answers"));
  EXPECT_TRUE(has(notices_of(grpo(", answer_spread: 1, answer_most: 400")), "cut-answers"));
  EXPECT_FALSE(has(notices_of(grpo()), "sampled-answers"));
}

// What is hidden behind the writing widens no interval.
TEST(MethodTest, TheIntervalOfAStepIsThatOfThePhasesThatDecideIt) {
  const auto answer = answered(grpo(", off_policy: 1, answer_most: 4000"));
  EstimateOf<Seconds> rollout, transfer;
  for (const MethodPhase& phase : answer.phases) {
    if (phase.kind == Kind::kRollout) rollout = phase.time;
    if (phase.kind == Kind::kTransfer) transfer = phase.time;
  }
  EXPECT_NEAR(answer.step.low().base(), (rollout.low() + transfer.low()).base(), 1e-9);
  EXPECT_GE(answer.step.high().base(), (rollout.high() + transfer.high()).base() - 1e-9);
  EXPECT_LE(answer.step.low(), answer.step.value());
  EXPECT_GE(answer.step.high(), answer.step.value());
}

// A GPU that writes stops the run as one that learns does.
TEST(MethodTest, FailuresAreThoseOfAllGpusOfTheRun) {
  const auto run = [](std::int64_t all, std::int64_t writing) {
    Diagnostics diagnostics;
    const auto asked = grpo().with({{"limits.gpus", all},
                                    {"train.layout.gpus", all - writing},
                                    {"train.method.rollout.gpus", writing}});
    auto answer = train_by_method(shipped(), {.train = {.scenario = asked}}, diagnostics);
    EXPECT_TRUE(answer && answer->method && answer->goodput) << render(diagnostics);
    return answer.value_or(TrainAnswer{});
  };
  const auto few = run(8, 4);
  const auto many = run(32, 28);
  ASSERT_TRUE(few.goodput && many.goodput && !many.options.empty());
  EXPECT_EQ(few.layout.gpus, many.layout.gpus);
  EXPECT_NEAR(few.goodput->mtbf / many.goodput->mtbf, 4, 0.5);
  EXPECT_LT(many.goodput->value.value(), few.goodput->value.value());
  for (const RunOption& way : many.options) EXPECT_GE(way.gpus, 32);
}

TEST(MethodTest, ADeadlineIsOfTheWholeRunAndNotOfItsTrainer) {
  Diagnostics diagnostics;
  const auto answer = [&](const config::Scenario& scenario) {
    const auto longer = scenario.with({{"train.method.steps", std::int64_t{10'000}}});
    return train_by_method(shipped(), {.train = {.scenario = longer}}, diagnostics);
  };
  const auto run = answer(grpo());
  ASSERT_TRUE(run && run->duration && run->method->duration) << render(diagnostics);
  EXPECT_TRUE(run->missed.empty());
  const double trainer = run->duration->value().base(), all = run->method->duration->value().base();
  ASSERT_LT(1.1 * trainer, all);
  const auto late = answer(grpo({}, fmt::format("  deadline: {} s\n", std::sqrt(trainer * all))));
  ASSERT_TRUE(late) << render(diagnostics);
  ASSERT_EQ(late->missed.size(), 1U);
  EXPECT_EQ(late->missed[0].key, MissedLimit::Key::kDeadline);
}

config::Scenario largest(int gpus) {
  return config::testing::sound(
      "loadfactor: 1\nname: largest\ntrain:\n  model: llama-3.1-405b\n"
      "  method: {kind: grpo, prompts: 32, group: 8, prompt_tokens: 400, answer_tokens: 500}\n"
      "hardware: [h100-sxm]\nlimits: {gpus: " +
      std::to_string(gpus) + "}\n");
}

// Weights of 810 GB in 16 bits do not fit on one node of eight times 80 GB.
TEST(MethodTest, AModelThatNoNodeHoldsIsWrittenByReplicasOverSeveral) {
  const auto answer = answered(largest(512));
  EXPECT_EQ(answer.rollout_tp, 16);
  EXPECT_EQ(answer.gpus, 512);
}

// What the usual layouts of a trainer do not hold, some layout may.
TEST(MethodTest, ATrainerThatOnlyASearchFitsIsFoundWithoutAsking) {
  Diagnostics diagnostics;
  const SearchInputs search;
  const auto searched = train_by_method(
      shipped(), {.train = {.scenario = largest(128)}, .search = &search}, diagnostics);
  ASSERT_TRUE(searched) << render(diagnostics);
  const auto answer = answered(largest(128));
  EXPECT_LE(answer.gpus, 128);
  ASSERT_TRUE(searched->method);
  EXPECT_LE(answer.step.value(), searched->method->step.value() * 1.1);
}

TEST(MethodTest, NoWrittenDegreeOfTheEngineIsFasterThanTheOneThatIsFound) {
  const std::string head =
      "loadfactor: 1\nname: reasoning\ntrain:\n  model: llama-3.1-8b\n"
      "  method: {kind: grpo, prompts: 64, group: 8, prompt_tokens: 400, answer_tokens: 1500, "
      "answer_most: 8192, placement: colocated";
  const std::string tail = "}\nhardware: [h100-sxm]\nlimits: {gpus: 8}\n";
  const auto open = answered(config::testing::sound(head + tail));
  for (const int tp : {1, 2, 4, 8}) {
    const auto written =
        answered(config::testing::sound(head + fmt::format(", rollout: {{tp: {}}}", tp) + tail));
    EXPECT_LE(open.step.value(), written.step.value()) << tp;
  }
}

// Nobody writes to a teacher, so that the host keeps its copy.
TEST(MethodTest, FrozenWeightsComeFromTheHostAndDoNotGoThere) {
  const auto answer = answered(config::testing::sound(
      "loadfactor: 1\nname: taught\ntrain:\n  model: llama-3.1-8b\n"
      "  method: {kind: distillation, teacher: {model: llama-3.3-70b, precision: fp8}}\n"
      "  sequence: 4096\n  global_batch: 128\n  layout: {gpus: 8}\nhardware: [h100-sxm]\n"));
  const auto chip = shipped().catalog().find_accelerator("h100-sxm");
  ASSERT_TRUE(chip);
  const auto node = shipped().catalog().find_node((*chip)->node);
  ASSERT_TRUE(node);
  const BytesPerSecond link = (*node)->shared_link((*chip)->host->bandwidth, 8);
  ASSERT_GT(answer.on_host, Bytes());
  EXPECT_NEAR(time_of(answer, Kind::kSwap) / (answer.on_host / link), 1.0, 1e-9);
}

TEST(MethodTest, MoreGpusNeverMakeAStepLonger) {
  Seconds before = Seconds::from_base(1e9);
  for (const int gpus : {2, 4, 8, 16, 32, 64}) {
    const auto answer = answered(config::testing::sound(
        "loadfactor: 1\nname: reasoning\ntrain:\n  model: llama-3.2-1b\n"
        "  method: {kind: grpo, prompts: 64, group: 8, prompt_tokens: 100, answer_tokens: 300}\n"
        "hardware: [h100-sxm]\nlimits: {gpus: " +
        std::to_string(gpus) + "}\n"));
    EXPECT_LE(answer.step.value(), before) << gpus;
    before = answer.step.value();
  }
}

// Layouts of the trainer, and sequences at once of the engine, are tried beside the shares.
TEST(MethodTest, ASearchIsNeverSlowerThanTheUsualLayoutsAndSettings) {
  const auto scenario = config::testing::sound(
      "loadfactor: 1\nname: reasoning\ntrain:\n  model: llama-3.2-1b\n"
      "  method: {kind: grpo, prompts: 500, group: 16, prompt_tokens: 100, answer_tokens: 300}\n"
      "hardware: [a100-80gb-sxm]\nlimits: {gpus: 8}\n");
  const auto usual = answered(scenario);
  Diagnostics diagnostics;
  const SearchInputs search;
  LayoutCounts counts;
  const MethodInputs inputs{.train = {.scenario = scenario}, .search = &search, .counts = &counts};
  const auto searched = train_by_method(shipped(), inputs, diagnostics);
  ASSERT_TRUE(searched && searched->method) << render(diagnostics);
  EXPECT_LE(searched->method->step.value(), usual.step.value());
  EXPECT_GT(counts.evaluated, 10);
  EXPECT_NE(searched->method->rollout_max_seqs, usual.rollout_max_seqs);
}

Seconds grpo_step(int gpus, const std::string& method = {}) {
  return answered(config::testing::sound(
                      "loadfactor: 1\nname: reasoning\ntrain:\n  model: llama-3.1-8b\n"
                      "  method: {kind: grpo, prompts: 64, group: 8, prompt_tokens: 400, "
                      "answer_tokens: 300" +
                      method + "}\nhardware: [h100-sxm]\nlimits: {gpus: " + std::to_string(gpus) +
                      "}\n"))
      .step.value();
}

// A limit is a bound: numbers that share badly leave GPUs unused.
TEST(MethodTest, NoLimitMakesAStepLongerThanASmallerOne) {
  Seconds before = Seconds::from_base(1e9);
  for (const int gpus : {4, 5, 7, 8, 9, 15, 16, 17}) {
    const Seconds step = grpo_step(gpus);
    EXPECT_LE(step, before * (1 + 1e-6)) << gpus;
    before = step;
  }
}

// Answers may be older, and need not be: writing and learning in turns stay candidates.
TEST(MethodTest, NumbersOfGpusThatAreLaidOutOddlyDoNotHideRounderOnes) {
  const auto step = [](int gpus) {
    return answered(config::testing::sound(fmt::format(
                        "loadfactor: 1\nname: reasoning\ntrain:\n  model: qwen3-30b-a3b\n"
                        "  method: {{kind: grpo, prompts: 16, group: 4, prompt_tokens: 100, "
                        "answer_tokens: 200}}\nhardware: [h200-sxm]\nlimits: {{gpus: {}}}\n",
                        gpus)))
        .step.value();
  };
  EXPECT_LE(step(5), step(4));
  EXPECT_LE(step(7), step(6));
}

TEST(MethodTest, AMicroBatchHoldsTheLongestTextAndSharesOutAllOfThem) {
  const config::Scenario asked = grpo();
  const auto at_once = [&](std::int64_t texts, std::int64_t longest) {
    const Lessons lessons{.texts = texts, .tokens = 1000, .longest = longest};
    return learning_scenario(asked, lessons, 4).train->layout->micro_batch->value;
  };
  EXPECT_EQ(at_once(64, 3500), 4);
  EXPECT_EQ(at_once(64, 4001), 8);
  EXPECT_EQ(at_once(75, 3900), 5);
  EXPECT_EQ(at_once(21, 3900), 7);
  EXPECT_EQ(at_once(67, 3900), 1);  // Nothing else shares out a prime number.
}

TEST(MethodTest, AnOddNumberOfAnswersIsAnswered) {
  const auto answer = answered(config::testing::sound(
      "loadfactor: 1\nname: reasoning\ntrain:\n  model: llama-3.2-1b\n  method: {kind: grpo, "
      "prompts: 25, group: 3, prompt_tokens: 100, answer_tokens: 1000}\nhardware: [h100-sxm]\n"
      "limits: {gpus: 8}\n"));
  EXPECT_EQ(answer.answers, 75);
}

TEST(MethodTest, OneTextIsReadByOneCopy) {
  const auto reading = [](int gpus) {
    const auto answer = answered(config::testing::sound(fmt::format(
        "loadfactor: 1\nname: pairs\ntrain:\n  model: llama-3.1-8b\n  sequence: 2048\n"
        "  global_batch: 1\n  tokens: 1 M\n  layout: {{gpus: {}}}\n  method: {{kind: dpo}}\n"
        "hardware: [h100-sxm]\n",
        gpus)));
    return time_of(answer, Kind::kReference);
  };
  EXPECT_NEAR(reading(8) / reading(2), 1.0, 1e-9);
}

TEST(MethodTest, LeaveForOlderAnswersNeverMakesAStepLonger) {
  const std::string brief = ", answer_spread: 0, answer_most: 400";
  for (const int gpus : {2, 4, 8})
    EXPECT_LE(grpo_step(gpus, brief + ", off_policy: 1"), grpo_step(gpus, brief) * (1 + 1e-9))
        << gpus;
}

// A larger micro-batch is faster and takes the room of the reference: neither is worse than open.
TEST(MethodTest, NoWrittenMicroBatchIsFasterThanTheOneThatIsFound) {
  const auto pairs = [](const std::string& layout) {
    return answered(config::testing::sound(
                        "loadfactor: 1\nname: pairs\ntrain:\n  model: llama-3.1-8b\n"
                        "  method: dpo\n  sequence: 2048\n  global_batch: 64\n  layout: {gpus: 8" +
                        layout + "}\nhardware: [h100-sxm]\n"))
        .step.value();
  };
  const Seconds open = pairs("");
  for (const int texts : {1, 2})
    EXPECT_LE(open, pairs(fmt::format(", micro_batch: {}", texts))) << texts;
}

// Texts of 500 tokens in sequences of 2,000 make four times the steps and their time. What runs
// lose beyond steps and failures grows with their length, so that time and money are a little more.
TEST(MethodTest, FillingIsCountedInStepsTimeAndMoney) {
  const auto pairs = [](const std::string& examples) {
    return answered(config::testing::sound(
        "loadfactor: 1\nname: pairs\ntrain:\n  model: llama-3.2-1b\n  sequence: 2000\n"
        "  global_batch: 16\n  tokens: 64 M\n  layout: {gpus: 4}\n  method: dpo\n" +
        examples + "hardware: [h100-sxm]\nmoney: {options: [on-demand]}\n"));
  };
  const auto packed = pairs("  examples: {tokens: 500, packing: true}\n");
  const auto filled = pairs("  examples: {tokens: 500, packing: false}\n");
  ASSERT_TRUE(packed.steps && filled.steps && packed.duration && filled.duration);
  ASSERT_TRUE(packed.cost && filled.cost);
  EXPECT_EQ(*filled.steps, 4 * *packed.steps);
  const double longer = filled.duration->value() / packed.duration->value();
  EXPECT_GE(longer, 4);
  EXPECT_LT(longer, 4.01);
  EXPECT_NEAR(filled.cost->value() / packed.cost->value() / longer, 1, 1e-9);
}

}  // namespace
}  // namespace loadfactor::engine
