// Pieces of a step that were kept give what fresh ones give; and what the options of a job do.
#include <vector>

#include "training/memory/memory_plan_pieces.h"
#include "training/memory/memory_plan_resolve.h"
#include "training/step/machine.h"
#include "training/step/step_fixture.h"
#include "training/step/step_time.h"

namespace loadfactor::training {
namespace {

struct Pieces : StepFixture {
  catalog::ModelSpec mixed = two_kinds();

  // Three dense layers, then sparse ones; 31 of them, which few pipelines divide.
  static catalog::ModelSpec two_kinds() {
    catalog::ModelSpec model = sparse_transformer(31, 4096);
    model.kinds.push_back(plain_transformer(1, 4096).kinds[0]);
    for (std::size_t i = 0; i < 3; ++i) model.layers[i] = 1;
    return model;
  }

  StepScene scene_of(const TrainingJob& one) const {
    const ChipConstants* constants = calibration.find(*one.chip);
    return make_scene(one, calibration.shared, *constants, calibration.families[constants->family]);
  }

  // Every schedule, sharding and offload over the same few blocks.
  std::vector<TrainingJob> jobs() const {
    std::vector<TrainingJob> result;
    for (const auto* of : {&model, &mixed}) {
      for (const Schedule schedule :
           {Schedule::kGpipe, Schedule::k1F1B, Schedule::kInterleaved, Schedule::kZeroBubble,
            Schedule::kZeroBubbleV, Schedule::kDualPipe}) {
        for (const Sharding sharding :
             {Sharding::kNone, Sharding::kOptimizer, Sharding::kGradients, Sharding::kFull}) {
          for (const bool offload : {false, true}) {
            TrainingJob one = job;
            one.model = of;
            one.layout.gpus = 64;
            one.layout.tp = 2;
            one.layout.pp = 4;
            one.layout.vp = schedule == Schedule::kInterleaved ? 2 : 1;
            one.layout.dp = 8;
            one.layout.schedule = schedule;
            one.layout.sharding = sharding;
            one.layout.offload.optimizer = offload;
            one.layout.offload.activations = offload;
            one.global_batch = 128;
            result.push_back(one);
          }
        }
      }
    }
    return result;
  }
};

// A small model on one device, its layers compiled, Adam as separate kernels.
TrainingJob small_step(StepFixture& of, const catalog::ModelSpec& model, std::int64_t sequences) {
  of.stack.host = HostClass::kCompiled;
  of.stack.fused_optimizer = false;
  TrainingJob one = of.job;
  one.model = &model;
  one.sequence = 1024;
  one.layout = Layout{};
  one.layout.gpus = 1;
  one.layout.micro_batch = sequences;
  one.global_batch = sequences;
  one.step_alone = true;
  return one;
}

TEST_F(Pieces, AHostThatIsAheadHidesTheLaunchesOfTheOptimizer) {
  const catalog::ModelSpec small = plain_transformer(12, 768);
  // Eager launches of twelve layers: what the update takes when the host is the slower one.
  const Seconds host = Seconds::from_base(12 * calibration.shared[Constant::kHostEager]);
  const Seconds waits = step(small_step(*this, small, 1))[Part::kOptimizer];
  const Seconds hidden = step(small_step(*this, small, 64))[Part::kOptimizer];
  EXPECT_GT(waits, 0.5 * host);
  EXPECT_LE(waits, host);
  EXPECT_LT(hidden, 0.9 * waits);
}

TEST_F(Pieces, LogitsLetTheHostCatchUpAndNeverMakeTheWaitNegative) {
  catalog::ModelSpec small = plain_transformer(12, 768);
  Seconds before = Seconds::from_base(1.0);
  for (const int vocab : {100, 30000, 300000}) {
    small.embedding.vocab = vocab;
    const Seconds wait = step(small_step(*this, small, 4))[Part::kHost];
    EXPECT_GE(wait, Seconds{});
    EXPECT_LE(wait, before);
    before = wait;
  }
}

// A block is remembered by the degrees that cut it, and by no others.
TEST_F(Pieces, ABlockIsAnotherWhereADegreeCutsIt) {
  const TrainingJob one = jobs().front();
  const StepScene scene = scene_of(one);
  const BlockKey key = block_key(scene, one.layout);
  for (const DegreeRow& row : kDegrees) {
    Layout layout = one.layout;
    layout.*row.degree *= 2;
    EXPECT_EQ(block_key(scene, layout) != key, row.cuts_block) << row.key;
  }
}

TEST_F(Pieces, KeptPiecesGiveTheBytesOfFreshOnes) {
  PipelineWorkspace workspace;
  std::vector<BlockTime> blocks;
  for (const TrainingJob& one : jobs()) {
    const StepScene scene = scene_of(one);
    const BlockKey key = block_key(scene, one.layout);
    const BlockTime* kept = nullptr;
    for (const BlockTime& block : blocks) {
      if (block.key == key) kept = &block;
    }
    if (kept == nullptr || one.model != &model) {
      blocks.push_back(block_time(scene, key));
      kept = &blocks.back();
    }
    const double batches = micro_batches(one.global_batch, one.layout);
    const PipelineKey line =
        pipeline_key(one.layout, batches, gather_time(scene, *kept, one.layout));
    const PipelineTime pipeline = pipeline_time(scene, *kept, line, workspace);
    const StepQuestion question{one.layout, one.global_batch};
    const SharingTime sharing = sharing_time(scene, *kept, question);
    const StepTime pieced = finish_step(scene, {*kept, pipeline, sharing}, question);
    EXPECT_EQ(pieced.parts, step(one).parts);
    const Seconds even = least_even_work(scene, *kept, batches, one.layout.pp) + sharing.gathers;
    const Seconds line_work =
        one.layout.pp > 1 ? least_pipeline_work(scene, *kept, line, workspace) : Seconds{};
    const Seconds work = work_of(scene, pieced);
    EXPECT_LE(even * kBoundSlack, work);
    EXPECT_LE(line_work * kBoundSlack, work);
    const LeastTotals totals(scene, *kept, question, sharing.reductions);
    for (const Seconds least : {even, line_work, work}) {
      EXPECT_LE(totals.total(least, one.layout), pieced.total());
      EXPECT_LE(totals.plain(least, one.layout.offload.optimizer), pieced.total());
      EXPECT_LE(least_total(scene, least), pieced.total());
    }
  }
}

TEST_F(Pieces, TheNeedOfAPlanIsThatOfThePlan) {
  for (const TrainingJob& one : jobs()) {
    const MemoryQuestion question = memory_question(one);
    const MemoryStages stages =
        memory_stages(question, memory_block(question), find_stage_shapes(question));
    const MemoryPlan plan = plan_memory(question);
    EXPECT_EQ(memory_need(question, stages).needed, plan.needed);
    EXPECT_EQ(memory_need(question, stages).verdict, plan.verdict);
    const MemoryStages least = least_stages(question, memory_block(question));
    EXPECT_LE(memory_need(question, least).needed * kBoundSlack, plan.needed);
  }
}

TEST_F(Pieces, SplitGradientsLeaveASmallerBubbleWhereStagesAreEven) {
  model.embedding.vocab = 1000;  // A head that weighs little.
  job.layout.gpus = 8;
  job.layout.pp = 8;
  const auto bubble = [&](Schedule schedule) {
    TrainingJob one = job;
    one.layout.schedule = schedule;
    return step(one)[Part::kBubble];
  };
  const Seconds plain = bubble(Schedule::k1F1B);
  EXPECT_LT(bubble(Schedule::kZeroBubble), plain * 0.7);
  EXPECT_LT(bubble(Schedule::kZeroBubbleV), plain * 0.7);
  EXPECT_LT(bubble(Schedule::kDualPipe), plain * 0.8);
}

TEST_F(Pieces, MoreMemoryIsNeverSlower) {
  job.layout.gpus = 8;
  job.layout.dp = 8;
  job.layout.sharding = Sharding::kOptimizer;
  job.layout.recompute.kind = RecomputeKind::kUnknown;
  double before = 1e9;
  for (const double gigabytes : {100.0, 120.0, 160.0, 200.0, 300.0, 600.0}) {
    MemoryQuestion question = memory_question(job);
    question.capacity = Bytes::from_base(gigabytes * 1e9);
    const ResolvedMemory resolved = resolve_memory(question);
    if (resolved.plan.verdict == Verdict::kDoesNotFit) continue;
    TrainingJob one = job;
    one.layout = resolved.layout;
    const double now = step(one).total().base();
    EXPECT_LE(now, before) << gigabytes;
    before = now;
  }
  EXPECT_LT(before, 1e9);
}

TEST_F(Pieces, AFormatTheChipLacksIsNeverFasterThanTheNextWiderOne) {
  for (auto dtype : {catalog::Dtype::kFp8, catalog::Dtype::kMxfp8, catalog::Dtype::kNvfp4}) {
    catalog::AcceleratorSpec old = chip;
    for (auto narrow : {catalog::Dtype::kFp8, catalog::Dtype::kMxfp8}) {
      old.arithmetic.dense[static_cast<std::size_t>(narrow)] = FlopsPerSecond();
    }
    TrainingJob one = job;
    one.chip = &old;
    one.layout.gpus = 64;
    one.layout.dp = 64;
    const Seconds wide = step(one).total();
    one.precision.compute = dtype;
    EXPECT_GE(step(one).total(), wide) << static_cast<int>(dtype);
  }
}

TEST_F(Pieces, NarrowGradientsOnTheWireSaveTimeWhereTheWireIsTheLimit) {
  stack.dp_overlap = false;
  stack.gradient_bytes = 4;
  job.layout.gpus = 64;
  job.layout.dp = 64;
  job.global_batch = 64;
  const Seconds wide = step()[Part::kDp];
  job.precision.wire_gradient = 2;
  const Seconds half = step()[Part::kDp];
  job.precision.wire_gradient = 1;
  EXPECT_LT(half, wide);
  EXPECT_LT(step()[Part::kDp], half);
  job.precision.wire_gradient = 8;  // Wider than what is sent anyhow: nothing happens.
  EXPECT_EQ(step()[Part::kDp], wide);
}

TEST_F(Pieces, ALoaderThatIsTooSlowIsWaitedFor) {
  const Seconds alone = step().total();
  const double tokens = 64.0 * 4096.0;
  job.loader = Tokens::from_base(tokens) / (alone * 2.0);
  EXPECT_NEAR(step().total() / alone, 2.0, 1e-9);
  EXPECT_NEAR(step()[Part::kData] / alone, 1.0, 1e-9);
  job.loader = Tokens::from_base(tokens) / (alone * 0.9);
  EXPECT_EQ(step().total(), alone);
}

TEST_F(Pieces, OffloadTakesTimeAndAFasterLinkLess) {
  const Seconds without = step().total();
  job.layout.offload.activations = true;
  job.fabric.offload = BytesPerSecond::from_base(10e9);
  const Seconds slow = step().total();
  EXPECT_GT(slow, without);
  // 32 layers keep 4096 · 4096 elements of 16 bit each, both ways, for 64 sequences.
  const double bytes = 32.0 * 4096 * 4096 * 2 * 64;
  EXPECT_LE((slow - without).base(), 2 * bytes / 10e9);
  job.fabric.offload = BytesPerSecond::from_base(400e9);
  EXPECT_LT(step().total(), slow);
  job.layout.offload = Offload{};
  job.layout.offload.parameters = true;
  EXPECT_GT(step()[Part::kOffload].base(), 0.0);
}

}  // namespace
}  // namespace loadfactor::training
