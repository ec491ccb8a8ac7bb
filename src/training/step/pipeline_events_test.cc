#include "training/step/pipeline_events.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include <gtest/gtest.h>

namespace loadfactor::training {
namespace {

Seconds sec(double value) {
  return Seconds::from_base(value);
}

PipelineShape even(Schedule schedule, int ranks, std::int64_t count, int chunks = 1) {
  PipelineShape shape{ranks, chunks, count, schedule, {}, {}};
  const double part = 1.0 / chunks;
  shape.times.assign(static_cast<std::size_t>(ranks * chunks),
                     {sec(1.0 * part), sec(1.0 * part), sec(1.0 * part)});
  return shape;
}

double makespan(const PipelineShape& shape) {
  return run_pipeline(shape).makespan.base();
}

TEST(PipelineEventsTest, OneRankRunsEverythingInTurn) {
  EXPECT_DOUBLE_EQ(makespan(even(Schedule::k1F1B, 1, 5)), 15.0);
  EXPECT_DOUBLE_EQ(makespan(even(Schedule::kZeroBubble, 1, 5)), 15.0);
}

TEST(PipelineEventsTest, GpipeAndOneForwardOneBackwardWaitForAllOtherStagesOnce) {
  for (const int ranks : {2, 3, 4, 8}) {
    for (const std::int64_t count : {1, 3, 8, 17}) {
      const double expected = 3.0 * static_cast<double>(count + ranks - 1);
      EXPECT_DOUBLE_EQ(makespan(even(Schedule::kGpipe, ranks, count)), expected);
      EXPECT_DOUBLE_EQ(makespan(even(Schedule::k1F1B, ranks, count)), expected);
    }
  }
}

TEST(PipelineEventsTest, InterleavingDividesTheBubbleByTheChunks) {
  for (const int ranks : {2, 4, 8}) {
    for (const int chunks : {2, 3, 4}) {
      for (const int rounds : {1, 2, 5}) {
        const std::int64_t count = std::int64_t{ranks} * rounds;
        const double expected = 3.0 * static_cast<double>(count) + 3.0 * (ranks - 1) / chunks;
        EXPECT_NEAR(makespan(even(Schedule::kInterleaved, ranks, count, chunks)), expected, 1e-9)
            << ranks << " ranks, " << chunks << " chunks, " << count;
      }
    }
  }
}

TEST(PipelineEventsTest, InterleavingTakesAnyNumberOfMicroBatches) {
  for (const int ranks : {2, 3, 4, 5, 8}) {
    for (const int chunks : {2, 3, 5}) {
      for (std::int64_t count = 1; count <= 3 * ranks + 1; ++count) {
        const double time = makespan(even(Schedule::kInterleaved, ranks, count, chunks));
        // Never less than work and the filling of the pipeline, never more than all in turn.
        EXPECT_GE(time, 3.0 * static_cast<double>(count) + 3.0 * (ranks - 1) / chunks - 1e-9);
        EXPECT_LE(time, 3.0 * static_cast<double>(count + 2 * ranks)) << ranks << ' ' << count;
      }
    }
  }
}

TEST(PipelineEventsTest, ZeroBubbleHidesTwoThirdsOfTheBubble) {
  // (p - 1) · (forward + input gradient - weight gradient) [Qi 2023, Table 2].
  for (const int ranks : {2, 4, 8}) {
    const std::int64_t count = 4 * std::int64_t{ranks};
    const double expected = 3.0 * static_cast<double>(count) + (ranks - 1);
    EXPECT_NEAR(makespan(even(Schedule::kZeroBubble, ranks, count)), expected, 1e-9) << ranks;
  }
}

TEST(PipelineEventsTest, TheSlowestStageSetsThePace) {
  auto shape = even(Schedule::k1F1B, 4, 100);
  shape.times[2] = {sec(2), sec(2), sec(2)};
  // Two stages to it, one second for the last stage's first gradient, 100 micro-batches, two back.
  EXPECT_NEAR(makespan(shape), 2 + 1 + 100 * 6.0 + 4, 1e-9);
}

TEST(PipelineEventsTest, SendsLengthenTheFillAlone) {
  auto shape = even(Schedule::kGpipe, 3, 10);
  shape.send = sec(0.5);
  // Two hops forward, two back.
  EXPECT_DOUBLE_EQ(makespan(shape), 3.0 * 12 + 4 * 0.5);
}

TEST(PipelineEventsTest, EveryPassRunsOnceAndNoRankDoesTwoThingsAtOnce) {
  for (const Schedule schedule : {Schedule::kGpipe, Schedule::k1F1B, Schedule::kInterleaved,
                                  Schedule::kZeroBubble, Schedule::kDualPipe}) {
    const int chunks = schedule == Schedule::kInterleaved ? 3 : 1;
    const auto shape = even(schedule, 4, 11, chunks);
    const auto run = run_pipeline(shape);
    std::map<int, Seconds> free;
    std::map<int, double> busy;
    for (const auto& event : run.events) {
      EXPECT_GE(event.start, free[event.rank]);
      free[event.rank] = event.end;
      busy[event.rank] += (event.end - event.start).base();
    }
    for (const auto& [rank, time] : busy) EXPECT_NEAR(time, 33.0, 1e-9) << rank;
  }
}

TEST(PipelineEventsTest, AFasterStageIsNeverSlower) {
  for (const Schedule schedule : {Schedule::kGpipe, Schedule::k1F1B, Schedule::kInterleaved}) {
    const int chunks = schedule == Schedule::kInterleaved ? 2 : 1;
    auto shape = even(schedule, 4, 10, chunks);
    const double before = makespan(shape);
    shape.times[1].forward = sec(0.3);
    EXPECT_LE(makespan(shape), before);
  }
}

}  // namespace
}  // namespace loadfactor::training
