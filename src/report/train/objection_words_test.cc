#include <gtest/gtest.h>

#include "report/train/reason_words.h"

namespace loadfactor::report {
namespace {

TEST(ObjectionWords, PowerIsThatOfTheSiteOrOfARack) {
  PowerObjection objection{
      .drawn = Watts::from_base(80e3), .limit = Watts::from_base(40e3), .gpus = 64, .fed = 28};
  EXPECT_EQ(words_of(objection), "draws 80 kW of the 40 kW that the site has, which feed 28");
  objection.has_spares = true;
  EXPECT_TRUE(words_of(objection).starts_with("with spares, 64 GPUs in all, it draws"));
  objection.is_of_rack = true;
  EXPECT_EQ(words_of(objection), "one node draws 80 kW of the 40 kW that a rack has");
}

TEST(ObjectionWords, AStallSaysWhatTakesTheTimeAndWhatHelps) {
  const RunStall stall{.cause = RunStall::Cause::kRepairs,
                       .in_repair = 6.6,
                       .waiting = 0.97,
                       .best_spares = 16,
                       .with_spares = 0.9,
                       .remedies = {RunStall::Remedy::kMoreSpares, RunStall::Remedy::kFewerGpus}};
  EXPECT_EQ(
      stall_words(stall),
      "6.6 nodes are in repair on average and none is spare: 97.0 % of the time the job waits "
      "for one");
  EXPECT_EQ(remedy_words(stall),
            "16 spare nodes instead of 0 (train.failures.spares), which leave a goodput of 90.0 %, "
            "fewer GPUs");
}

TEST(ObjectionWords, MachinesAreLeftOutForOneReason) {
  using Kind = MachineObjection::Kind;
  EXPECT_EQ(words_of(MachineObjection{.kind = Kind::kGpuLimit, .limit = 64}, 128),
            "limits.gpus allows 64");
  EXPECT_EQ(
      words_of(MachineObjection{.kind = Kind::kUndivided, .fixed = {"tp 3"}, .global_batch = 128},
               1000000),
      "no legal tp × pp × cp × dp with tp 3 as written makes 1,000,000 GPUs of a batch of 128 "
      "sequences, which dp must divide; another number of GPUs or train.global_batch may");
}

TEST(ObjectionWords, LossesSpeakOfTheirLayout) {
  TrainAnswer answer;
  answer.layout.pp = 8;
  answer.layout.micro_batches = 16;
  answer.layout.tp = 16;
  answer.reasons = {{"bubble", 0.3}, {"tp", 0.2, 8}};
  const auto words = step_loss_words(answer);
  ASSERT_EQ(words.size(), 2U);
  EXPECT_TRUE(words[0].starts_with(
      "30.0 %: the pipeline fills and drains: 16 micro-batches over 8 stages;"))
      << words[0];
  EXPECT_EQ(
      words[1],
      "20.0 %: tensor parallelism over 16 GPUs leaves the scale-up domain of 8; keep tp within "
      "it");
}

TEST(ObjectionWords, TheFrontNamesWhatNothingBeatsAPlanIn) {
  EXPECT_EQ(front_words({FrontFigure::kDays, FrontFigure::kPower}), "days, power");
}

}  // namespace
}  // namespace loadfactor::report
