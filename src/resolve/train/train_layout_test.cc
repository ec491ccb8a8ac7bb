// Which layout a run gets where it leaves some of it open.
#include "resolve/train/train_layout.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "resolve/train/testing/trained.h"
#include "resolve/train/unkept_keys.h"

namespace loadfactor::engine {
namespace {

using testing::chosen;
using testing::RunText;
using testing::trained;
using training::Sharding;

// What any choice must keep: the product of the degrees, whole batches, and what was written.
void expect_sound(const ChosenLayout& choice, const config::Layout& asked) {
  const auto& layout = choice.job.layout;
  EXPECT_EQ(layout.tp * layout.pp * layout.cp * layout.dp, layout.gpus);
  EXPECT_EQ(choice.job.global_batch % (layout.dp * layout.micro_batch), 0);
  if (layout.vp > 1) {
    EXPECT_EQ(choice.job.global_batch / (layout.dp * layout.micro_batch) % layout.pp, 0);
  }
  const auto keeps = [](const auto& given, int value) { return !given || given->value == value; };
  EXPECT_TRUE(keeps(asked.gpus, layout.gpus));
  EXPECT_TRUE(keeps(asked.tp, layout.tp));
  EXPECT_TRUE(keeps(asked.pp, layout.pp));
  EXPECT_TRUE(keeps(asked.dp, layout.dp));
  EXPECT_TRUE(keeps(asked.cp, layout.cp));
  EXPECT_TRUE(keeps(asked.vp, layout.vp));
}

std::optional<ChosenLayout> layout_of(const RunText& run) {
  const auto found = trained(run);
  EXPECT_TRUE(found.setup) << found.refusal();
  if (!found.setup) return std::nullopt;
  auto choice = chosen(found);
  if (choice) expect_sound(*choice, found.setup->asked_layout());
  return choice;
}

TEST(TrainLayoutTest, WhatIsWrittenIsKeptAndTheRestDivides) {
  for (const char* layout :
       {"gpus: 8", "gpus: 16, tp: 2", "gpus: 16, pp: 4", "gpus: 16, tp: 2, pp: 2, dp: 4",
        "tp: 2, pp: 2, dp: 4", "gpus: 16, cp: 2", "gpus: 8, pp: 4, vp: 2", "gpus: 24, dp: 3",
        "gpus: 6", "tp: 4, pp: 2, dp: 1, cp: 2"}) {
    const auto choice = layout_of({.layout = layout});
    ASSERT_TRUE(choice) << layout;
    EXPECT_TRUE(choice->fits()) << layout;
    EXPECT_GT(choice->considered, 0) << layout;
  }
  EXPECT_EQ(layout_of({.layout = "tp: 2, pp: 2, dp: 4"})->job.layout.gpus, 16);
  EXPECT_EQ(layout_of({.layout = "tp: 4, pp: 2, dp: 1, cp: 2"})->job.layout.gpus, 16);
}

TEST(TrainLayoutTest, AnOpenSizeIsTheSmallestThatFitsInDoublings) {
  const auto choice = layout_of({.model = "llama-3.1-70b"});
  ASSERT_TRUE(choice);
  EXPECT_TRUE(choice->fits());
  const int gpus = choice->job.layout.gpus;
  EXPECT_EQ(gpus & (gpus - 1), 0);
  const auto half =
      layout_of({.layout = "gpus: " + std::to_string(gpus / 2), .model = "llama-3.1-70b"});
  EXPECT_TRUE(!half || !half->fits());
  EXPECT_EQ(layout_of({.layout = "tp: 4, pp: 3"})->job.layout.gpus % 12, 0);
}

TEST(TrainLayoutTest, ALimitIsFilledAsFarAsItDivides) {
  const auto limited = [](int gpus, const std::string& layout) {
    return layout_of({.layout = layout, .more = "limits: {gpus: " + std::to_string(gpus) + "}\n"});
  };
  EXPECT_EQ(limited(16, "")->job.layout.gpus, 16);
  EXPECT_EQ(limited(19, "tp: 8")->job.layout.gpus, 16);
  EXPECT_EQ(limited(1000, "tp: 8, pp: 4")->job.layout.gpus, 992);
  EXPECT_EQ(limited(1, "")->job.layout.gpus, 1);
  EXPECT_FALSE(limited(7, "tp: 8"));
}

// 32 layers: depths that divide them or leave two slots, and powers of two of two layers each.
TEST(TrainLayoutTest, OpenDepthsAreThoseThatPeopleUseUnlessNoneIsLegal) {
  EXPECT_EQ(layout_of({.layout = "gpus: 7, tp: 1, dp: 1"})->job.layout.pp, 7);  // None is usual.
  EXPECT_EQ(layout_of({.layout = "gpus: 16, tp: 1, dp: 1"})->job.layout.pp, 16);
  EXPECT_EQ(layout_of({.layout = "gpus: 11, tp: 1, dp: 1"})->job.layout.pp, 11);  // 33 slots.
  EXPECT_FALSE(layout_of({.layout = "gpus: 64, tp: 1, dp: 1"}));  // More than layers.
}

TEST(TrainLayoutTest, TensorParallelismEndsWithTheLinksUnlessItIsWritten) {
  const auto wide = layout_of({.layout = "gpus: 16, pp: 1, dp: 1"});
  EXPECT_FALSE(wide);  // 16 ranks of tp.
  EXPECT_EQ(layout_of({.layout = "gpus: 16, tp: 16"})->job.layout.tp, 16);
}

TEST(TrainLayoutTest, AStackWithoutADegreeLeavesItAtOne) {
  const auto by = [](const char* framework, const std::string& layout) {
    return layout_of({.layout = layout,
                      .keys = std::string("  stack: {framework: ") + framework + "}\n",
                      .model = "llama-3.2-1b"});
  };
  const auto ddp = by("pytorch-ddp", "gpus: 8");
  ASSERT_TRUE(ddp);
  EXPECT_EQ(ddp->job.layout.tp, 1);
  EXPECT_EQ(ddp->job.layout.pp, 1);
  EXPECT_EQ(ddp->job.layout.dp, 8);
  const auto fsdp = by("fsdp2", "gpus: 8");
  EXPECT_EQ(fsdp->job.layout.pp, 1);
  EXPECT_EQ(fsdp->job.layout.sharding, Sharding::kFull);
}

TEST(TrainLayoutTest, ShardingIsAsWrittenAndNoneOfOneRank) {
  const auto sharding = [](const std::string& layout) {
    return layout_of({.layout = layout})->job.layout.sharding;
  };
  EXPECT_EQ(sharding("gpus: 8, tp: 2, pp: 1, zero: 0"), Sharding::kNone);
  EXPECT_EQ(sharding("gpus: 8, tp: 2, pp: 1, zero: 1"), Sharding::kOptimizer);
  EXPECT_EQ(sharding("gpus: 8, tp: 2, pp: 1, zero: 2"), Sharding::kGradients);
  EXPECT_EQ(sharding("gpus: 8, tp: 2, pp: 1, zero: 3"), Sharding::kFull);
  EXPECT_EQ(sharding("gpus: 8, tp: 2, pp: 1"), Sharding::kOptimizer);  // What is usual.
  EXPECT_EQ(sharding("gpus: 8, tp: 8, pp: 1"), Sharding::kNone);
  // Ranks of a context have shards of the same optimizer.
  EXPECT_EQ(sharding("gpus: 8, tp: 4, pp: 1, cp: 2"), Sharding::kOptimizer);
}

TEST(TrainLayoutTest, GroupsOfShardsAreSeveral) {
  const auto grouped = [](int group) {
    return layout_of({.layout = "gpus: 8, tp: 1, zero: 3, shard_group: " + std::to_string(group),
                      .keys = "  stack: {framework: fsdp2}\n",
                      .model = "llama-3.2-1b"});
  };
  const auto two = grouped(4);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->job.layout.sharding, Sharding::kHybrid);
  EXPECT_EQ(two->job.layout.shard_group, 4);
  EXPECT_FALSE(grouped(8));
  EXPECT_FALSE(grouped(3));
}

TEST(TrainLayoutTest, ChunksAreTriedWhereTheyFitTheLayers) {
  const auto layout = [](const std::string& keys) {
    const auto choice = layout_of({.layout = "gpus: 4, tp: 1, pp: 4, " + keys,
                                   .keys = "  global_batch: 64\n",
                                   .model = "llama-3.2-1b"});
    return choice ? std::optional(choice->job.layout) : std::nullopt;
  };
  const auto open = layout("zero: 0");
  EXPECT_TRUE(open->vp == 1 || open->vp == 2 || open->vp == 4);  // Sixteen layers in four stages.
  EXPECT_EQ(layout("vp: 2")->vp, 2);
  EXPECT_EQ(layout("vp: 2")->schedule, training::Schedule::kInterleaved);
  EXPECT_EQ(layout("vp: 1")->schedule, training::Schedule::k1F1B);
  EXPECT_FALSE(layout("vp: 8"));  // 32 slots for sixteen layers.
  EXPECT_EQ(layout("schedule: 1f1b")->vp, 1);
  EXPECT_GT(layout("schedule: interleaved")->vp, 1);
}

TEST(TrainLayoutTest, OneEndAloneLeavesEqualStages) {
  const auto ends = [](const std::string& keys) {
    const auto choice = layout_of({.layout = "gpus: 4, tp: 1, pp: 4, vp: 1, " + keys,
                                   .model = "llama-3.2-1b"});  // 16 layers.
    return choice ? std::pair(choice->job.layout.first_layers, choice->job.layout.last_layers)
                  : std::pair(-1, -1);
  };
  EXPECT_EQ(ends("first_layers: 1"), std::pair(1, 5));
  EXPECT_EQ(ends("last_layers: 1"), std::pair(5, 1));
  EXPECT_EQ(ends("first_layers: 3, last_layers: 3"), std::pair(3, 3));
  EXPECT_EQ(ends("first_layers: 2"), std::pair(-1, -1));  // 14 in three.
  EXPECT_EQ(ends("zero: 0"), std::pair(0, 0));
}

TEST(TrainLayoutTest, ExpertsAreSpreadAsFarAsLinksRanksAndTheyAllow) {
  const auto spread = [](const std::string& layout) {
    return layout_of({.layout = layout, .model = "mixtral-8x7b"})->job.layout;
  };
  EXPECT_EQ(spread("gpus: 64, tp: 1, pp: 1").ep, 8);
  EXPECT_EQ(spread("gpus: 16, tp: 1, pp: 4").ep, 4);
  EXPECT_EQ(spread("gpus: 64, tp: 1, pp: 1, ep: 2").ep, 2);
  EXPECT_EQ(spread("gpus: 64, tp: 1, pp: 1, etp: 2").ep, 8);
  EXPECT_EQ(spread("gpus: 16, tp: 2, pp: 4, etp: 2").ep, 2);
  EXPECT_EQ(layout_of({.layout = "gpus: 8"})->job.layout.ep, 1);
}

TEST(TrainLayoutTest, SequenceParallelismNeedsEqualParts) {
  const auto is_parallel = [](const char* sequence, const std::string& layout) {
    return layout_of({.layout = layout, .model = "llama-3.2-1b", .sequence = sequence})
        ->job.layout.sequence_parallel;
  };
  EXPECT_TRUE(is_parallel("4096", "gpus: 8, tp: 8"));
  EXPECT_FALSE(is_parallel("4100", "gpus: 8, tp: 8"));
  EXPECT_FALSE(is_parallel("4096", "gpus: 8, tp: 1"));
  EXPECT_FALSE(is_parallel("4096", "gpus: 8, tp: 8, sequence_parallel: false"));
}

TEST(TrainLayoutTest, LayersThatAreKeptOrSentAwayAreAtMostThoseOfAStage) {
  const auto layout = [](const std::string& keys) {
    return layout_of({.layout = "gpus: 4, tp: 1, pp: 4, vp: 1, " + keys,
                      .model = "llama-3.2-1b"})  // Four layers a stage.
        ->job.layout;
  };
  EXPECT_EQ(layout("recompute: {layers: 3}").recompute.layers_per_stage, 3);
  EXPECT_EQ(layout("recompute: {layers: 4}").recompute.layers_per_stage, 0);  // All.
  EXPECT_EQ(layout("recompute: {layers: 9}").recompute.layers_per_stage, 0);
  EXPECT_EQ(layout("offload: [activations], offload_layers: 3").offload.activation_layers, 3);
  EXPECT_EQ(layout("offload: [activations], offload_layers: 9").offload.activation_layers, 4);
}

TEST(TrainLayoutTest, ABatchIsUsualAndDividesTheGpus) {
  // 4,194,304 tokens in sequences of 4,096 are 1,024; 1,022 and 1,029 divide by seven.
  const auto choice = layout_of({.layout = "gpus: 7"});
  EXPECT_EQ(choice->job.global_batch % 7, 0);
  EXPECT_NEAR(static_cast<double>(choice->job.global_batch), 1024, 4);
  const auto run = trained({.keys = "  tokens: 1 M\n"});
  EXPECT_EQ(usual_batch_tokens(*run.setup), 1e6);
  EXPECT_EQ(usual_batch_tokens(*trained({}).setup), kUsualBatchTokens);
  EXPECT_EQ(usual_batch_tokens(*trained({.keys = "  tokens: 1 T\n"}).setup), kUsualBatchTokens);
  EXPECT_EQ(layout_of({.layout = "gpus: 8", .keys = "  global_batch: 24\n"})->job.global_batch, 24);
}

TEST(TrainLayoutTest, KeysReadBackGiveTheSameLayout) {
  for (const char* asked : {"gpus: 8, tp: 2, pp: 4, vp: 2, recompute: {layers: 1}",
                            "gpus: 8, tp: 8, recompute: selective, offload: [activations]",
                            "gpus: 4, tp: 1, pp: 4, vp: 1, first_layers: 7, last_layers: 7"}) {
    const auto first = layout_of({.layout = asked, .keys = "  global_batch: 64\n"});
    ASSERT_TRUE(first) << asked;
    const std::string keys = keys_text(layout_keys(first->job));
    const auto again = layout_of({.layout = keys, .keys = "  global_batch: 64\n"});
    ASSERT_TRUE(again) << keys;
    EXPECT_EQ(keys_text(layout_keys(again->job)), keys);
  }
  const auto run = trained({.layout = "gpus: 8, tp: 2, recompute: [mlp]"});
  EXPECT_EQ(keys_text(written_keys(run->asked_layout())), "gpus: 8, tp: 2, recompute: [mlp]");
  EXPECT_EQ(keys_text(written_keys(trained({.layout = "gpus: 8"})->asked_layout())), "gpus: 8");
}

// A layout of one GPU that no run of this size fits; what changes is told key by key.
TEST(TrainLayoutTest, TheNearestLayoutThatFitsGivesUpTheCheapestWishesFirst) {
  const auto nearest = [](const std::string& layout, const std::string& more = "",
                          const std::string& model = "llama-3.1-8b") {
    return nearest_that_fits(*trained({.layout = layout, .model = model, .more = more}).setup);
  };
  const auto recomputed = nearest("gpus: 8, tp: 1, zero: 3, micro_batch: 16, recompute: none");
  EXPECT_NE(recomputed.keys, "");
  EXPECT_NE(recomputed.keys.find("gpus: 8"), std::string::npos);
  EXPECT_EQ(recomputed.changes.find("other than written: "), 0U);
  EXPECT_EQ(recomputed.changes.find("gpus"), std::string::npos);
  const auto as_is = nearest("gpus: 8, tp: 2");
  EXPECT_EQ(as_is.changes, "");
  const auto grown = nearest("gpus: 1, tp: 1");
  EXPECT_NE(grown.changes.find("gpus"), std::string::npos);
  EXPECT_NE(grown.changes.find("offload to the host"), std::string::npos);
  EXPECT_EQ(nearest("gpus: 1, tp: 1, offload: [activations]").changes.find("offload to the host"),
            std::string::npos);
  const auto limited = nearest("gpus: 2", "limits: {gpus: 2}\n", "llama-3.1-70b");
  EXPECT_EQ(limited.keys, "");
  EXPECT_NE(limited.changes.find("limits.gpus: 2"), std::string::npos);
}

TEST(TrainLayoutTest, KeysThatCannotBeKeptAreThoseWithoutWhichItIsLegal) {
  const auto unkept = [](const std::string& layout, const auto& is_legal) {
    const auto run = trained({.layout = layout});
    std::vector<std::string> keys;
    for (const auto& key : unkept_keys(run->asked_layout(), is_legal)) keys.push_back(key.key);
    return keys;
  };
  using Keys = std::vector<std::string>;
  const std::string both = "gpus: 8, pp: 4, vp: 2, schedule: interleaved";
  EXPECT_EQ(unkept(both, [](const config::Layout& open) { return !open.vp; }), Keys{"vp"});
  EXPECT_EQ(unkept(both, [](const config::Layout& open) { return !open.vp && !open.schedule; }),
            (Keys{"schedule", "vp"}));
  EXPECT_EQ(unkept(both, [](const config::Layout&) { return false; }), Keys{});
  EXPECT_EQ(unkept("gpus: 8, pp: 4, vp: 2",
                   [](const config::Layout& open) { return !open.zero && !open.vp && open.pp; }),
            Keys{"vp"});
  EXPECT_EQ(unkept("gpus: 8, pp: 4, schedule: 1f1b",
                   [](const config::Layout& open) { return !open.gpus; }),
            Keys{});
}

}  // namespace
}  // namespace loadfactor::engine
