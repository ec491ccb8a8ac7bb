#include "training/memory/stage_split.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "training/memory/memory_plan_stages.h"
#include "training/step/step_fixture.h"

namespace loadfactor::training {
namespace {

Layout pipeline(int pp, int vp = 1, Schedule schedule = Schedule::k1F1B) {
  Layout layout;
  layout.pp = pp;
  layout.vp = vp;
  layout.schedule = vp > 1 ? Schedule::kInterleaved : schedule;
  return layout;
}

Layout with_ends(Layout layout, int first, int last) {
  layout.first_layers = first;
  layout.last_layers = last;
  return layout;
}

std::vector<int> chunks_of(int layers, const Layout& layout) {
  const StageSplit split(layers, layout);
  std::vector<int> held;
  for (int chunk = 0; chunk < split.chunks; ++chunk) held.push_back(split.held(chunk));
  return held;
}

using Held = std::vector<int>;

TEST(StageSplit, WhereLayersDivideAllStagesHoldAsMany) {
  EXPECT_EQ(chunks_of(12, pipeline(4)), (Held{3, 3, 3, 3}));
}

TEST(StageSplit, WhatIsMissingStandsBesideEmbeddingAndHead) {
  EXPECT_EQ(chunks_of(10, pipeline(4)), (Held{2, 3, 3, 2}));
  EXPECT_EQ(chunks_of(9, pipeline(4)), (Held{2, 3, 3, 1}));
  EXPECT_EQ(chunks_of(14, pipeline(4, 2)), (Held{1, 2, 2, 2, 2, 2, 2, 1}));
}

TEST(StageSplit, EndsThatAreWrittenAreKeptAndThoseBetweenHoldAsMany) {
  EXPECT_EQ(chunks_of(12, with_ends(pipeline(4), 2, 2)), (Held{2, 4, 4, 2}));
  EXPECT_EQ(chunks_of(12, with_ends(pipeline(4), 3, 1)), (Held{3, 4, 4, 1}));
  EXPECT_EQ(chunks_of(12, with_ends(pipeline(2), 7, 5)), (Held{7, 5}));
}

TEST(StageSplit, EveryRoundOfChunksIsSplitAlike) {
  EXPECT_EQ(chunks_of(24, with_ends(pipeline(4, 2), 4, 4)), (Held{2, 4, 4, 2, 2, 4, 4, 2}));
}

TEST(StageSplit, EndsAreLegalWhereTheRestComesOutEqualAndInWholeChunks) {
  EXPECT_EQ(middle_layers(12, with_ends(pipeline(4), 2, 2)), 4);
  EXPECT_EQ(middle_layers(12, with_ends(pipeline(4), 2, 3)), 0);
  EXPECT_EQ(middle_layers(12, with_ends(pipeline(4), 6, 6)), 0);
  EXPECT_EQ(middle_layers(24, with_ends(pipeline(4, 2), 4, 4)), 8);
  EXPECT_EQ(middle_layers(24, with_ends(pipeline(4, 2), 5, 3)), 0);
  EXPECT_EQ(middle_layers(12, with_ends(pipeline(1), 6, 6)), 0);
}

// All pipelines of a model, with the ends of the rule and with all others.
template <class Visit>
void visit_pipelines(int layers, const Visit& visit) {
  constexpr Schedule kSchedules[] = {Schedule::kGpipe, Schedule::k1F1B, Schedule::kZeroBubble,
                                     Schedule::kZeroBubbleV, Schedule::kDualPipe};
  for (int pp = 1; pp <= layers; ++pp) {
    for (const Schedule schedule : kSchedules) {
      if (schedule == Schedule::kZeroBubbleV && 2 * pp > layers) continue;
      visit(pipeline(pp, 1, schedule));
    }
    for (int vp = 1; vp * pp <= layers; ++vp) {
      visit(pipeline(pp, vp));
      for (int first = 1; first < layers; ++first)
        for (int last = 1; last + first <= layers; ++last)
          if (middle_layers(layers, with_ends(pipeline(pp, vp), first, last)) > 0)
            visit(with_ends(pipeline(pp, vp), first, last));
    }
  }
}

std::string words(const Layout& l) {
  return fmt::format("pp {} vp {} schedule {} ends {}+{}", l.pp, l.vp, int(l.schedule),
                     l.first_layers, l.last_layers);
}

TEST(StageSplit, StagesSumToTheLayersAndFollowEachOther) {
  int seen = 0;
  for (const int layers : {4, 7, 12, 18, 25}) {
    visit_pipelines(layers, [&](const Layout& layout) {
      const StageSplit split(layers, layout);
      EXPECT_EQ(split.begin(0), 0) << words(layout);
      int sum = 0;
      for (int chunk = 0; chunk < split.chunks; ++chunk) {
        EXPECT_GE(split.held(chunk), 0) << words(layout);
        EXPECT_EQ(split.begin(chunk), sum) << words(layout);
        sum += split.held(chunk);
      }
      EXPECT_EQ(sum, layers) << words(layout);
      int stages = 0;
      for (int rank = 0; rank < layout.pp; ++rank) stages += stage_layers(split, layout, rank);
      EXPECT_EQ(stages, layers) << words(layout);
      if (layout.first_layers > 0) {
        EXPECT_EQ(stage_layers(split, layout, 0), layout.first_layers);
        EXPECT_EQ(stage_layers(split, layout, layout.pp - 1), layout.last_layers);
      }
      ++seen;
    });
  }
  EXPECT_GT(seen, 1000);
}

// Every layer takes a second forward and nothing else does, so a stage takes as many seconds as it
// has layers: those for which the memory plan holds weights and activations.
TEST_F(StepFixture, MemoryAndTimeCountTheSameLayersOnEveryRank) {
  int seen = 0;
  for (const int mtp : {0, 1}) {
    model = plain_transformer(13, 1024);
    model.kinds.push_back(model.kinds[0]);
    model.layers[0] = 1;
    model.mtp_layers = mtp;
    const auto* constants = calibration.find(chip);
    const StepScene scene =
        make_scene(job, calibration.shared, *constants, calibration.families[constants->family]);
    BlockTime block;
    block.kinds[0].forward = block.kinds[1].forward = Seconds::from_base(1);
    visit_pipelines(13, [&](const Layout& layout) {
      MemoryQuestion question = memory_question(job);
      question.layout = layout;
      question.micro_batches = 26;
      const PipelineKey key = pipeline_key(layout, 26, {});
      const PipelineForm form = pipeline_form(scene, key);
      std::vector<ChunkTimes> times;
      set_stage_times(scene, block, key, form, times);
      const auto at = [&](int stage) {
        return times[static_cast<std::size_t>(stage)].forward.base();
      };
      double all = 0;
      for (int stage = 0; stage < form.stages(); ++stage) all += at(stage);
      EXPECT_EQ(all, 13 + mtp) << words(layout);
      const StageShapes shapes = find_stage_shapes(question);
      for (std::size_t i = 0; i < shapes.count; ++i) {
        const int rank = shapes.shapes[i].rank;
        double held = at(rank);
        for (int stage = rank + layout.pp; has_free_ends(layout.schedule) && stage < form.stages();
             stage += layout.pp)
          held += at(stage);
        if (!has_free_ends(layout.schedule) && layout.pp > 1) held += at(form.stages() - 1 - rank);
        EXPECT_EQ(held, shapes.shapes[i].layers) << words(layout) << " rank " << rank;
        ++seen;
      }
    });
  }
  EXPECT_GT(seen, 500);
}

}  // namespace
}  // namespace loadfactor::training
