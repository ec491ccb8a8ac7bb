// A layout as keys of a scenario: what is printed can be written back, whatever stood there before.
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/spec/model_spec.h"
#include "resolve/train/train_layout.h"

namespace loadfactor::engine {
namespace {

using training::DegreeRow;
using training::kDegrees;
using training::Layout;
using training::RecomputeKind;
using training::Schedule;
using training::Sharding;

catalog::ModelSpec dense() {
  catalog::ModelSpec model;
  model.kinds.resize(1);
  model.layers.assign(16, 0);
  return model;
}

catalog::ModelSpec sparse() {
  catalog::ModelSpec model = dense();
  model.kinds[0].moe.experts = 64;
  return model;
}

training::TrainingJob job_of(const catalog::ModelSpec& model, const Layout& layout) {
  training::TrainingJob job;
  job.model = &model;
  job.layout = layout;
  return job;
}

std::string keys_of(const catalog::ModelSpec& model, const Layout& layout) {
  return keys_text(layout_keys(job_of(model, layout)));
}

// Any layout that a search might end with.
Layout any_layout(std::mt19937& random) {
  const auto below = [&](unsigned bound) { return static_cast<int>(random() % bound); };
  Layout layout;
  layout.tp = 1 << below(4);
  layout.pp = 1 << below(3);
  layout.cp = 1 << below(2);
  layout.dp = 1 << below(4);
  layout.ep = 1 << below(3);
  layout.etp = 1 << below(2);
  layout.gpus = layout.tp * layout.pp * layout.cp * layout.dp;
  layout.vp = layout.pp > 1 ? 1 + below(3) : 1;
  if (below(2) == 0) layout.first_layers = layout.last_layers = 1 + below(4);
  layout.sharding = static_cast<Sharding>(below(5));
  if (layout.sharding == Sharding::kHybrid) layout.shard_group = 8;
  layout.micro_batch = 1 + below(8);
  layout.recompute.kind = below(2) == 0 ? RecomputeKind::kNone : RecomputeKind::kFull;
  if (layout.recompute.kind == RecomputeKind::kFull) layout.recompute.layers_per_stage = below(3);
  layout.schedule = static_cast<Schedule>(1 + below(6));
  layout.sequence_parallel = below(2) == 0;
  layout.offload.optimizer = below(2) == 0;
  layout.offload.activations = below(2) == 0;
  return layout;
}

TEST(LayoutKeysTest, APlainLayoutSaysItsDegreesAndNoMore) {
  Layout layout;
  layout.gpus = layout.dp = 8;
  EXPECT_EQ(keys_of(dense(), layout),
            "gpus: 8, tp: 1, pp: 1, dp: 8, zero: 0, micro_batch: 1, recompute: none");
  layout.ep = 4;
  EXPECT_EQ(keys_of(sparse(), layout),
            "gpus: 8, tp: 1, pp: 1, ep: 4, dp: 8, zero: 0, micro_batch: 1, recompute: none");
}

TEST(LayoutKeysTest, APipelineSaysHowItIsCut) {
  Layout layout;
  layout.gpus = 64;
  layout.tp = 2;
  layout.pp = 4;
  layout.vp = 2;
  layout.cp = 2;
  layout.dp = 4;
  layout.etp = 2;
  layout.first_layers = 3;
  layout.last_layers = 5;
  layout.schedule = Schedule::kInterleaved;
  layout.sharding = Sharding::kHybrid;
  layout.shard_group = 4;
  layout.recompute.kind = RecomputeKind::kFull;
  layout.recompute.layers_per_stage = 2;
  EXPECT_EQ(keys_of(dense(), layout),
            "gpus: 64, tp: 2, pp: 4, vp: 2, first_layers: 3, last_layers: 5, cp: 2, etp: 2, "
            "dp: 4, zero: 3, shard_group: 4, micro_batch: 1, recompute: {layers: 2}, "
            "schedule: interleaved, sequence_parallel: false");
}

// The table of degrees and the keys of a scenario are two lists of the same things.
TEST(LayoutKeysTest, EveryDegreeIsAKeyOfAScenario) {
  for (const DegreeRow& row : kDegrees) {
    const std::string path = "train.layout." + std::string(row.key);
    const auto scenario = config::Scenario().with({{path, std::int64_t{4}}});
    ASSERT_TRUE(scenario.train && scenario.train->layout) << path;
    EXPECT_EQ(keys_text(written_keys(*scenario.train->layout)), std::string(row.key) + ": 4");
  }
}

TEST(LayoutKeysTest, EditsGiveAScenarioThisLayoutWhateverItHad) {
  std::mt19937 random(11);
  const catalog::ModelSpec models[] = {dense(), sparse()};
  for (int i = 0; i < 200; ++i) {
    const auto& model = models[i % 2];
    const Layout before = any_layout(random), after = any_layout(random);
    const auto had = config::Scenario().with(layout_edits(job_of(model, before)));
    const auto has = had.with(layout_edits(job_of(model, after)));
    ASSERT_TRUE(has.train && has.train->layout);
    EXPECT_EQ(keys_text(written_keys(*has.train->layout)), keys_of(model, after)) << i;
    const auto fresh = config::Scenario().with(layout_edits(job_of(model, after)));
    EXPECT_EQ(keys_text(written_keys(*fresh.train->layout)),
              keys_text(written_keys(*has.train->layout)));
  }
}

TEST(LayoutKeysTest, WhatSaysHowTheSoftwareComputesStays) {
  const auto scenario = config::Scenario().with({{"train.layout.gradients", std::string("fp32")},
                                                 {"train.layout.moments", std::string("bf16")},
                                                 {"train.layout.moe.imbalance", 1.2},
                                                 {"train.layout.cp", std::int64_t{4}}});
  Layout layout;
  layout.gpus = layout.dp = 8;
  const auto model = dense();
  const auto after = scenario.with(layout_edits(job_of(model, layout)));
  EXPECT_EQ(after.value("train.layout.gradients"), scenario.value("train.layout.gradients"));
  EXPECT_EQ(after.value("train.layout.moments"), scenario.value("train.layout.moments"));
  EXPECT_EQ(after.value("train.layout.moe.imbalance"), config::AnyValue(1.2));
  EXPECT_EQ(after.value("train.layout.cp"), config::AnyValue()) << "the layout has no need of it";
  EXPECT_EQ(keys_text(written_keys(*scenario.train->layout)), "cp: 4");
}

TEST(LayoutKeysTest, AnEmptyListOfWhatMayLeaveIsNoPartOfALayout) {
  const auto written = [](std::vector<std::string> words) {
    const auto scenario = config::Scenario().with({{"train.layout.offload", std::move(words)}});
    return keys_text(written_keys(*scenario.train->layout));
  };
  EXPECT_EQ(written({}), "");
  EXPECT_EQ(written({"activations", "optimizer"}), "offload: [optimizer, activations]");
}

}  // namespace
}  // namespace loadfactor::engine
