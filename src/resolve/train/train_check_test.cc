// Layouts that cannot be, each refused with the nearest that can.
#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "resolve/train/testing/trained.h"

namespace loadfactor::engine {
namespace {

using testing::checked;
using testing::RunText;

RunText written(const std::string& layout, const std::string& keys = "") {
  return {.layout = layout, .keys = keys};
}
bool is_refused(const testing::Trained& run, const std::string& nearest) {
  EXPECT_FALSE(run.problems.empty());
  return run.refusal().find(nearest) != std::string::npos;
}

// 32 layers, 32 heads, 8 of keys and values; sequences of 4,096 tokens.

TEST(TrainCheckTest, HeadsDivideByTpOrTheNearestThatDoesIsNamed) {
  EXPECT_EQ(checked(written("gpus: 8, tp: 4")).code(), 0);
  const auto odd = checked(written("gpus: 30, tp: 3"));
  EXPECT_EQ(odd.code(), lf::kNotDivisible);
  EXPECT_TRUE(is_refused(odd, "tp: 2") || is_refused(odd, "tp: 4"));
}

TEST(TrainCheckTest, SequencesAreCutIntoEqualPartsOverTpAndCp) {
  const auto with_sequence = [](const char* tokens, const std::string& layout) {
    RunText run = written(layout);
    run.sequence = tokens;
    return checked(run);
  };
  // 8 ranks: 4,100 leaves 4 over, and 4,104 is the next that divides.
  const auto caution = with_sequence("4100", "gpus: 8, tp: 8");
  EXPECT_EQ(caution.code(), 0);
  EXPECT_EQ(caution.told("no-sequence-parallelism", "nearest"), "4104");
  EXPECT_EQ(caution.told("no-sequence-parallelism", "ranks"), "8");
  const auto wanted = with_sequence("4100", "gpus: 8, tp: 8, sequence_parallel: true");
  EXPECT_EQ(wanted.code(), lf::kNotDivisible);
  EXPECT_TRUE(is_refused(wanted, "sequence: 4104"));
  const auto unwanted = with_sequence("4100", "gpus: 8, tp: 8, sequence_parallel: false");
  EXPECT_EQ(unwanted.code(), 0);
  EXPECT_FALSE(unwanted.notes("no-sequence-parallelism"));
  EXPECT_FALSE(with_sequence("4096", "gpus: 8, tp: 8").notes("no-sequence-parallelism"));
  EXPECT_FALSE(with_sequence("4100", "gpus: 8, tp: 1").notes("no-sequence-parallelism"));
  EXPECT_EQ(
      with_sequence("4104", "gpus: 16, tp: 8, cp: 2").told("no-sequence-parallelism", "nearest"),
      "4112");
  EXPECT_TRUE(with_sequence("4096", "gpus: 8, tp: 1, sequence_parallel: true")
                  .notes("no-sequence-parallelism"));
}

TEST(TrainCheckTest, StagesHoldEqualLayersButForTwoSlots) {
  EXPECT_FALSE(checked(written("gpus: 8, tp: 1, pp: 4")).notes("uneven-stages"));
  // Eleven stages of three hold 33.
  const auto one = checked(written("gpus: 11, tp: 1, pp: 11"));
  EXPECT_EQ(one.code(), 0);
  EXPECT_EQ(one.told("uneven-stages", "empty"), "1 slot");
  // Six of six hold 36: four are empty. Of the stages that divide 32 layers, the nearest is four.
  const auto four = checked(written("gpus: 6, tp: 1, pp: 6"));
  EXPECT_EQ(four.code(), 0);
  EXPECT_EQ(four.told("uneven-stages", "nearest"), "pp: 2");  // Of six GPUs.
  const auto chunks = checked(written("gpus: 12, tp: 1, pp: 4, vp: 3"));
  EXPECT_EQ(chunks.code(), lf::kNotDivisible);  // 12 · 3 = 36.
  EXPECT_TRUE(is_refused(chunks, "pp: 4, vp: 2") || is_refused(chunks, "pp: 4, vp: 4"));
  EXPECT_EQ(checked(written("gpus: 8, tp: 1, pp: 4, vp: 2")).code(), 0);
  EXPECT_EQ(checked(written("gpus: 64, tp: 1, pp: 64")).code(), lf::kNotDivisible);
}

TEST(TrainCheckTest, ChunksTakeTurnsInWholeRounds) {
  // 16 sequences over dp 2 are 8 micro-batches: two rounds of pp 4.
  EXPECT_EQ(checked(written("gpus: 8, tp: 1, pp: 4, vp: 2", "  global_batch: 16\n")).code(), 0);
  // 20 are ten: none.
  const auto odd = checked(written("gpus: 8, tp: 1, pp: 4, vp: 2", "  global_batch: 20\n"));
  EXPECT_EQ(odd.code(), lf::kNotDivisible);
  EXPECT_TRUE(is_refused(odd, "global_batch: 16 and 24"));
  const auto few = checked(written("gpus: 8, tp: 1, pp: 4, vp: 2", "  global_batch: 6\n"));
  EXPECT_TRUE(is_refused(few, "global_batch: 8;"));
  EXPECT_EQ(checked(written("gpus: 8, tp: 1, pp: 4", "  global_batch: 20\n")).code(), 0);
  const auto micro =
      checked(written("gpus: 8, tp: 1, pp: 4, vp: 2, micro_batch: 2", "  global_batch: 24\n"));
  EXPECT_TRUE(is_refused(micro, "global_batch: 16 and 32"));  // Six of two.
  EXPECT_EQ(checked(written("gpus: 8, tp: 1, pp: 4, schedule: interleaved", "  global_batch: 20\n"))
                .code(),
            lf::kNotDivisible);
}

TEST(TrainCheckTest, EndsLeaveEqualStagesBetween) {
  // 7 + 9 · 2 + 7 of 32.
  EXPECT_EQ(checked(written("gpus: 4, tp: 1, pp: 4, first_layers: 7, last_layers: 7")).code(), 0);
  const auto odd = checked(written("gpus: 4, tp: 1, pp: 4, first_layers: 7, last_layers: 6"));
  EXPECT_EQ(odd.code(), lf::kNotDivisible);  // 19 in two.
  EXPECT_TRUE(is_refused(odd, "first_layers: 6, last_layers: 6") ||
              is_refused(odd, "first_layers: 7, last_layers: 5") ||
              is_refused(odd, "first_layers: 7, last_layers: 7") ||
              is_refused(odd, "first_layers: 8, last_layers: 6"));
  // One end alone: the other stages share the rest, 24 in three of eight.
  EXPECT_EQ(checked(written("gpus: 4, tp: 1, pp: 4, first_layers: 8")).code(), 0);
  EXPECT_EQ(checked(written("gpus: 4, tp: 1, pp: 4, first_layers: 5")).code(), 0);
  const auto one = checked(written("gpus: 4, tp: 1, pp: 4, first_layers: 7"));
  EXPECT_TRUE(is_refused(one, "first_layers: 8, last_layers: 8"));
  const auto last = checked(written("gpus: 4, tp: 1, pp: 4, last_layers: 6"));
  EXPECT_TRUE(is_refused(last, "first_layers: 9, last_layers: 5"));
}

TEST(TrainCheckTest, ExpertsAreSpreadOverRanksThatThereAre) {
  const auto mixture = [](const std::string& layout) {
    RunText run = written(layout);
    run.model = "mixtral-8x7b";  // Eight experts.
    return checked(run);
  };
  EXPECT_EQ(mixture("gpus: 8, tp: 1, pp: 1, ep: 8").code(), 0);
  const auto three = mixture("gpus: 6, tp: 1, pp: 1, ep: 3");
  EXPECT_EQ(three.code(), lf::kNotDivisible);
  EXPECT_TRUE(is_refused(three, "ep: 2") || is_refused(three, "ep: 4"));
  const auto wide = mixture("gpus: 12, tp: 1, pp: 1, ep: 8");
  EXPECT_EQ(wide.code(), lf::kNotDivisible);  // Twelve ranks, groups of eight.
  EXPECT_EQ(mixture("gpus: 8, tp: 1, pp: 1, ep: 4, etp: 2").code(), 0);
  EXPECT_EQ(checked(written("gpus: 8, tp: 1, ep: 2")).code(), lf::kContradictoryKeys);
  EXPECT_EQ(checked(written("gpus: 8, tp: 1, ep: 1")).code(), 0);
  EXPECT_EQ(mixture("gpus: 8, tp: 1, moe: {padded: true}").code(), lf::kMissingKey);
  EXPECT_EQ(mixture("gpus: 8, tp: 1, moe: {padded: true, capacity_factor: 1.25}").code(), 0);
  EXPECT_EQ(mixture("gpus: 8, tp: 1, moe: {capacity_factor: 1.25}").code(), 0);
  EXPECT_EQ(checked(written("gpus: 8, tp: 1, moe: {imbalance: 1.1}")).code(),
            lf::kContradictoryKeys);
}

TEST(TrainCheckTest, GroupsOfShardsAreSeveralOfTheRanks) {
  const auto grouped = [](int group) {
    RunText run = written("gpus: 24, tp: 1, pp: 1, zero: 3, shard_group: " + std::to_string(group),
                          "  stack: {framework: fsdp2}\n");
    return checked(run);
  };
  EXPECT_EQ(grouped(8).code(), 0);
  EXPECT_TRUE(is_refused(grouped(10), "shard_group: 12") ||
              is_refused(grouped(10), "shard_group: 8"));
  EXPECT_TRUE(is_refused(grouped(7), "shard_group: 6") || is_refused(grouped(7), "shard_group: 8"));
  EXPECT_TRUE(is_refused(grouped(24), "shard_group: 12"));
}

TEST(TrainCheckTest, WhatIsRecomputedMustBeThere) {
  EXPECT_EQ(checked(written("gpus: 8, tp: 1, recompute: [mlp]")).code(), 0);
  EXPECT_EQ(checked(written("gpus: 8, tp: 1, recompute: [experts]")).code(),
            lf::kContradictoryKeys);
  EXPECT_EQ(checked(written("gpus: 8, tp: 1, recompute: [latent-up]")).code(),
            lf::kContradictoryKeys);
}

TEST(TrainCheckTest, OnlyShardsOfParametersLeaveTheDevice) {
  const auto offloaded = [](const std::string& layout) {
    return checked(written(layout, "  stack: {framework: deepspeed}\n")).code();
  };
  EXPECT_EQ(offloaded("gpus: 8, tp: 1, pp: 1, zero: 2, offload: [parameters]"),
            lf::kContradictoryKeys);
  EXPECT_EQ(offloaded("gpus: 8, tp: 1, pp: 1, zero: 3, offload: [parameters]"), 0);
  EXPECT_EQ(offloaded("gpus: 8, tp: 1, pp: 1, zero: 2, offload: [optimizer]"), 0);
  EXPECT_EQ(offloaded("gpus: 1, tp: 1, pp: 1, zero: 2, offload: [parameters]"), 0);  // Alone.
}

TEST(TrainCheckTest, GpusAreTheProductOfTheDegrees) {
  // 12 GPUs are no multiple of five stages; four below and six above are.
  const auto five = checked(written("gpus: 12, tp: 1, pp: 5"));
  EXPECT_EQ(five.code(), lf::kNotDivisible);
  EXPECT_TRUE(is_refused(five, "pp: 4 and 6"));
  const auto beyond = checked(written("gpus: 7, tp: 1, pp: 5"));
  EXPECT_TRUE(is_refused(beyond, "pp: 1 and 7"));
  const auto most = checked(written("gpus: 47, tp: 1, pp: 5"));
  EXPECT_TRUE(is_refused(most, "nearest that does: pp: 1"));  // 47 stages are more than layers.
  EXPECT_EQ(checked(written("gpus: 16, dp: 16, tp: 1")).code(), 0);
}

TEST(TrainCheckTest, LimitsOfGpusHoldForWhatIsWritten) {
  const auto limited = [](const std::string& layout) {
    RunText run = written(layout);
    run.more = "limits: {gpus: 16}\n";
    return checked(run);
  };
  EXPECT_EQ(limited("gpus: 16, tp: 1").code(), 0);
  EXPECT_EQ(limited("tp: 4, pp: 2, dp: 2").code(), 0);
  EXPECT_EQ(limited("tp: 4, pp: 2, dp: 3").code(), lf::kInconsistentFigures);
  EXPECT_TRUE(is_refused(limited("tp: 4, pp: 8"), "32 or more GPUs"));
  EXPECT_EQ(limited("tp: 2, pp: 4, cp: 4").code(), lf::kInconsistentFigures);
}

TEST(TrainCheckTest, ABatchIsWholeMicroBatchesOnEveryRank) {
  const auto batch = [](const std::string& layout, int sequences) {
    return checked(written(layout, "  global_batch: " + std::to_string(sequences) + "\n"));
  };
  EXPECT_EQ(batch("gpus: 8, tp: 1, pp: 1", 24).code(), 0);
  EXPECT_TRUE(is_refused(batch("gpus: 8, tp: 1, pp: 1", 20), "16 and 24"));
  EXPECT_TRUE(is_refused(batch("gpus: 8, tp: 1, pp: 1", 5), "nearest that is: 8"));
  EXPECT_TRUE(is_refused(batch("gpus: 8, tp: 2, pp: 2, micro_batch: 3", 20), "18 and 24"));
  EXPECT_EQ(batch("gpus: 8, tp: 1", 20).code(), 0);                // dp is still open.
  EXPECT_EQ(batch("gpus: 8, tp: 2, pp: 2, cp: 2", 21).code(), 0);  // One replica.
}

TEST(TrainCheckTest, DegreesBeyondTheLinksAreAdvisedAgainst) {
  EXPECT_EQ(checked(written("gpus: 32, tp: 16")).told("tp-beyond-domain", "nearest"), "8");
  EXPECT_FALSE(checked(written("gpus: 32, tp: 8")).notes("tp-beyond-domain"));
}

TEST(TrainCheckTest, SoftwareIsAskedForWhatItCan) {
  const auto by = [](const char* framework, const std::string& layout,
                     const std::string& hardware = "h100-sxm") {
    RunText run = written(layout, std::string("  stack: {framework: ") + framework + "}\n");
    run.hardware = hardware;
    return checked(run);
  };
  const auto pipeline = by("pytorch-ddp", "gpus: 8, tp: 1, pp: 2");
  EXPECT_EQ(pipeline.code(), lf::kContradictoryKeys);
  EXPECT_TRUE(is_refused(pipeline, "pp: 1"));
  EXPECT_EQ(by("pytorch-ddp", "gpus: 8, tp: 1, pp: 1").code(), 0);
  EXPECT_TRUE(is_refused(by("pytorch-ddp", "gpus: 8, tp: 2"), "tp: 1"));
  EXPECT_EQ(by("megatron-2021", "gpus: 8, tp: 1, recompute: [mlp]").code(), lf::kContradictoryKeys);
  EXPECT_EQ(by("megatron-2021", "gpus: 8, tp: 1, recompute: full").code(), 0);
  EXPECT_EQ(by("megatron-2021", "gpus: 8, tp: 1, zero: 1").code(), lf::kContradictoryKeys);
  EXPECT_EQ(by("megatron-2021", "gpus: 8, tp: 1, zero: 0").code(), 0);
  // Stacks that are named as able run on the chip.
  const auto hint = by("pytorch-ddp", "gpus: 8, tp: 2").refusal();
  EXPECT_NE(hint.find("megatron"), std::string::npos);
  EXPECT_EQ(hint.find("neuron"), std::string::npos);
  EXPECT_EQ(by("neuron", "gpus: 8, tp: 1").code(), lf::kContradictoryKeys);
}

TEST(TrainCheckTest, WhatASearchLeavesOutIsWhatIsOpenAndTheSoftwareCannot) {
  const auto left_out = [](const char* framework, const std::string& layout) {
    const auto run =
        testing::trained(written(layout, std::string("  stack: {framework: ") + framework + "}\n"));
    const auto notice = note_abilities(*run.setup);
    if (!notice) return std::string("nothing");
    return notice->arguments.back().text;
  };
  using training::Ability;
  const auto has = [](const std::string& text, Ability ability) {
    return text.find(training::words_of(ability)) != std::string::npos;
  };
  const auto open = left_out("megatron-2021", "gpus: 8");
  EXPECT_TRUE(has(open, Ability::kZero3)) << open;
  EXPECT_TRUE(has(open, Ability::kContextParallel)) << open;
  EXPECT_FALSE(has(open, Ability::kTensorParallel)) << open;
  EXPECT_FALSE(has(open, Ability::kExpertParallel)) << open;  // No experts to spread.
  const auto written_out = left_out("megatron-2021", "gpus: 8, zero: 0, cp: 1");
  EXPECT_FALSE(has(written_out, Ability::kZero3)) << written_out;
  EXPECT_FALSE(has(written_out, Ability::kContextParallel)) << written_out;
}

}  // namespace
}  // namespace loadfactor::engine
