// The fast ways to a makespan against the recurrence over every pass, on random pipelines.
#include "training/step/pipeline_time.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace loadfactor::training {
namespace {

Seconds sec(double value) {
  return Seconds::from_base(value);
}

constexpr Schedule kSchedules[] = {Schedule::kGpipe,       Schedule::k1F1B,
                                   Schedule::kInterleaved, Schedule::kZeroBubble,
                                   Schedule::kZeroBubbleV, Schedule::kDualPipe};

int chunks_of(Schedule schedule, int interleaved) {
  if (schedule == Schedule::kInterleaved) return interleaved;
  return schedule == Schedule::kZeroBubbleV ? 2 : 1;
}

struct Pipelines : ::testing::Test {
  RandomStream random{20, "pipelines"};
  PipelineWorkspace workspace;

  double between(double low, double high) { return low + (high - low) * random.uniform(); }
  int one_of(int low, int high) {
    return std::min(high, static_cast<int>(between(low, high + 1.0)));
  }

  PipelineShape random_shape(Schedule schedule) {
    PipelineShape shape;
    shape.schedule = schedule;
    shape.ranks = one_of(2, 9);
    shape.chunks = chunks_of(schedule, one_of(2, 4));
    shape.micro_batches = one_of(1, 40);
    for (int i = 0; i < shape.ranks * shape.chunks; ++i) {
      shape.times.push_back({sec(between(0.5, 2)), sec(between(0.5, 2)), sec(between(0.5, 2))});
    }
    return shape;
  }

  // Equal layers, embedding on the first stage, head on the last.
  PipelineShape even_shape(Schedule schedule, double head) {
    PipelineShape shape;
    shape.schedule = schedule;
    shape.ranks = one_of(2, 9);
    shape.chunks = chunks_of(schedule, one_of(2, 4));
    shape.micro_batches = std::int64_t{shape.ranks} * one_of(1, 6);
    const double back = between(0.5, 1.5);
    const ChunkTimes layer{sec(1), sec(back), sec(between(0.3, 1.2))};
    shape.times.assign(static_cast<std::size_t>(shape.ranks * shape.chunks), layer);
    shape.times.front().forward += sec(head * 0.1);
    shape.times.front().input_gradient += sec(head * 0.1);
    shape.times.back().forward += sec(head);
    shape.times.back().input_gradient += sec(head);
    shape.times.back().weight_gradient += sec(head);
    return shape;
  }

  void expect_same(const PipelineShape& shape) {
    const double exact = run_pipeline(shape).makespan.base();
    EXPECT_NEAR(makespan(shape.form(), shape.times, workspace).base(), exact, 1e-11 * exact)
        << static_cast<int>(shape.schedule) << ": " << shape.ranks << " ranks, " << shape.chunks
        << " chunks, " << shape.micro_batches;
    EXPECT_LE(least_makespan(shape.form(), shape.times).base(), exact);
  }
};

TEST_F(Pipelines, AnyStageTimesGiveTheMakespanOfTheEvents) {
  for (const Schedule schedule : kSchedules) {
    for (int i = 0; i < 300; ++i) expect_same(random_shape(schedule));
  }
}

TEST_F(Pipelines, EvenStagesWithEmbeddingAndHeadGiveTheMakespanOfTheEvents) {
  for (const Schedule schedule : kSchedules) {
    for (int i = 0; i < 300; ++i) {
      expect_same(even_shape(schedule, i % 3 == 0 ? 0.0 : between(0, 3)));
    }
  }
}

// Cut short by its repetitions and unrolled again, an order is the one planned pass by pass.
TEST_F(Pipelines, AnOrderWithoutItsRepetitionsIsTheWholeOrder) {
  int repeated = 0;
  for (int i = 0; i < 60; ++i) {
    PipelineForm form;
    form.schedule = Schedule::kInterleaved;
    form.ranks = one_of(2, 9);
    form.chunks = one_of(2, 4);
    form.micro_batches = std::int64_t{form.ranks} * one_of(1, 30) + (i % 4 == 0 ? 1 : 0);
    const CyclicOrder order = plan_cyclic_order(form);
    ASSERT_TRUE(order.serves(form.micro_batches));
    EXPECT_EQ(unrolled(order, form.micro_batches), plan_order(form));
    if (order.shift == 0) continue;
    ++repeated;
    form.micro_batches += 3 * order.shift;
    EXPECT_EQ(unrolled(order, form.micro_batches), plan_order(form));
  }
  EXPECT_GT(repeated, 30);
}

// Long enough that most of it is left out, with stages that differ.
TEST_F(Pipelines, ManyMicroBatchesGiveTheMakespanOfTheEvents) {
  for (const Schedule schedule : kSchedules) {
    for (int i = 0; i < 40; ++i) {
      PipelineShape shape = i % 2 == 0 ? random_shape(schedule) : even_shape(schedule, 1.7);
      shape.micro_batches = std::int64_t{shape.ranks} * one_of(20, 60) + (i % 5 == 0 ? 1 : 0);
      expect_same(shape);
      shape.micro_batches += std::int64_t{shape.ranks} * 4;
      expect_same(shape);
    }
  }
}

TEST_F(Pipelines, AWorkspaceUsedBeforeChangesNothing) {
  for (const Schedule schedule : kSchedules) {
    const PipelineShape shape = random_shape(schedule);
    PipelineWorkspace fresh;
    EXPECT_EQ(makespan(shape.form(), shape.times, workspace),
              makespan(shape.form(), shape.times, fresh));
  }
}

TEST_F(Pipelines, AShortPipelineAfterALongOneFindsRoom) {
  for (const Schedule small : kSchedules) {
    PipelineWorkspace used;
    PipelineShape lengthy = random_shape(Schedule::k1F1B);
    lengthy.ranks = 64;
    lengthy.times.assign(64, {sec(1), sec(1), sec(1)});
    lengthy.times.front() = {sec(3), sec(3), sec(3)};  // So that no formula serves.
    makespan(lengthy.form(), lengthy.times, used);
    PipelineShape brief = random_shape(small);
    brief.ranks = 2;
    brief.micro_batches = 3;
    brief.times.assign(static_cast<std::size_t>(2 * brief.chunks), {sec(1), sec(1), sec(1)});
    brief.times.front() = {sec(3), sec(3), sec(3)};
    PipelineWorkspace fresh;
    EXPECT_EQ(makespan(brief.form(), brief.times, used),
              makespan(brief.form(), brief.times, fresh));
  }
}

TEST_F(Pipelines, SplitGradientsAndTwoStagesPerRankIdleLess) {
  for (const int ranks : {2, 4, 8}) {
    const std::int64_t count = 4 * std::int64_t{ranks};
    const auto idle = [&](Schedule schedule, double part) {
      PipelineShape shape;
      shape.schedule = schedule;
      shape.ranks = ranks;
      shape.chunks = chunks_of(schedule, 1);
      shape.micro_batches = count;
      shape.times.assign(static_cast<std::size_t>(ranks * shape.chunks),
                         {sec(part), sec(part), sec(part)});
      return run_pipeline(shape).makespan.base() - 3.0 * static_cast<double>(count);
    };
    const double plain = idle(Schedule::k1F1B, 1);
    const double h1 = idle(Schedule::kZeroBubble, 1);
    EXPECT_NEAR(plain, 3.0 * (ranks - 1), 1e-9);
    EXPECT_NEAR(h1, ranks - 1.0, 1e-9);
    // Half a stage at a time fills and drains twice as fast.
    EXPECT_LE(idle(Schedule::kZeroBubbleV, 0.5), h1);
    // (p/2 − 1) · (F&B + B − 3 W) with passes of one, two and three units [DeepSeek 2024].
    EXPECT_NEAR(idle(Schedule::kDualPipe, 1), ranks - 2.0, 1e-9);
  }
}

}  // namespace
}  // namespace loadfactor::training
