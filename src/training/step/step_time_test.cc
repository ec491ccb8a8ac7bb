// Laws of the step model: what must hold for any job, whatever the constants.
#include "training/step/step_time.h"

#include <vector>

#include "base/random.h"
#include "training/step/machine.h"
#include "training/step/model_work.h"
#include "training/step/step_fixture.h"
#include "workload/layer_weights.h"

namespace loadfactor::training {
namespace {

// Layouts over 64 chips that divide everything, dense and sparse, with every kind of sharding.
struct Laws : StepFixture {
  catalog::ModelSpec sparse = sparse_transformer(32, 4096);

  std::vector<TrainingJob> jobs() const {
    std::vector<TrainingJob> result;
    for (const int tp : {1, 2, 8}) {
      for (const int pp : {1, 4}) {
        for (const int cp : {1, 2}) {
          for (const Sharding sharding : {Sharding::kNone, Sharding::kOptimizer, Sharding::kFull}) {
            if (sharding == Sharding::kFull && pp > 1) continue;
            add(result, tp, pp, cp, sharding);
          }
        }
      }
    }
    return result;
  }

  void add(std::vector<TrainingJob>& result, int tp, int pp, int cp, Sharding sharding) const {
    TrainingJob one = job;
    one.layout.gpus = 64;
    one.layout.tp = tp;
    one.layout.pp = pp;
    one.layout.vp = pp > 1 ? 2 : 1;
    one.layout.cp = cp;
    one.layout.dp = 64 / (tp * pp * cp);
    one.layout.sharding = sharding;
    one.layout.sequence_parallel = tp > 1;
    one.global_batch = 512;
    result.push_back(one);
    one.model = &sparse;
    one.layout.ep = one.layout.dp;
    one.layout.recompute.kind = RecomputeKind::kFull;
    one.precision.compute = catalog::Dtype::kFp8;
    result.push_back(one);
  }

  Seconds total_on(const catalog::AcceleratorSpec& other, TrainingJob one) const {
    one.chip = &other;
    return step(one).total();
  }
};

TEST_F(Laws, TheBreakdownSumsToTheStepAndNoPartIsNegative) {
  for (const TrainingJob& one : jobs()) {
    const StepTime time = step(one);
    double sum = 0;
    for (const Seconds part : time.parts) {
      EXPECT_GE(part.base(), 0.0);
      sum += part.base();
    }
    EXPECT_DOUBLE_EQ(sum, time.total().base());
  }
}

TEST_F(Laws, AFasterChipMemoryOrLinkIsNeverSlower) {
  for (const TrainingJob& one : jobs()) {
    const double before = step(one).total().base();
    catalog::AcceleratorSpec better = chip;
    for (auto& rate : better.arithmetic.dense) rate = rate * 1.3;
    EXPECT_LE(total_on(better, one).base(), before);
    better = chip;
    better.memory.bandwidth = chip.memory.bandwidth * 1.3;
    EXPECT_LE(total_on(better, one).base(), before);
    better = chip;
    better.scale_up.bandwidth = chip.scale_up.bandwidth * 1.3;
    EXPECT_LE(total_on(better, one).base(), before);
    better = chip;
    better.scale_out->bandwidth = chip.scale_out->bandwidth * 1.3;
    EXPECT_LE(total_on(better, one).base(), before);
  }
}

TEST_F(Laws, NoStepBeatsTheRooflineAndMfuIsBelowOne) {
  for (const TrainingJob& one : jobs()) {
    const StepTime time = step(one);
    const Seconds bound =
        time.hardware_work / (peak_rate(chip, one.precision.compute) * one.layout.gpus);
    EXPECT_GT(time.total(), bound);
    EXPECT_LE(time.model_work, time.hardware_work);
  }
}

TEST_F(StepFixture, OneGpuHasNoCommunicationAndNoBubble) {
  const StepTime time = step();
  for (const Part part : {Part::kTp, Part::kCp, Part::kEp, Part::kFsdp, Part::kDp, Part::kP2p,
                          Part::kBubble, Part::kImbalance, Part::kStraggler}) {
    EXPECT_EQ(time[part].base(), 0.0) << name(part);
  }
}

// 64 micro-batches go forward and back over copies that nothing hides.
TEST_F(StepFixture, SendsThroughTheHostShowWhole) {
  chip.scale_up.domain = 1;
  chip.staged = catalog::Link{};
  chip.staged->bandwidth = BytesPerSecond::from_base(4e9);
  job.fabric.host_gpus = 4;
  job.layout.gpus = 4;
  job.layout.pp = 4;
  const double copy = 4096.0 * 4096 * 2 / 4e9;
  EXPECT_GE(step()[Part::kP2p].base(), 64 * 2 * copy);
}

// Half of the cards of a host have twice the rate each, which their own links bound.
TEST_F(StepFixture, FewerCardsShareTheCopiesThroughTheHost) {
  chip.scale_up.domain = 1;
  chip.staged = catalog::Link{};
  chip.staged->bandwidth = BytesPerSecond::from_base(2e9);
  job.fabric.host_gpus = 4;
  job.layout.gpus = 4;
  job.layout.pp = 4;
  const double all = step()[Part::kP2p].base();
  job.fabric.host_gpus = 8;
  EXPECT_NEAR(step()[Part::kP2p].base() / all, 0.5, 0.05);
  chip.scale_up.bandwidth = BytesPerSecond::from_base(1e9);
  EXPECT_NEAR(step()[Part::kP2p].base() / all, 1.0, 0.05);
}

// Their network cards are for other hosts.
TEST_F(StepFixture, WithoutLinksTheRanksOfAHostMeetOnItsBus) {
  chip.scale_up.domain = 1;
  chip.scale_up.topology = catalog::Topology::kNone;
  chip.host = catalog::Link{};
  chip.host->bandwidth = BytesPerSecond::from_base(32e9);
  job.layout.gpus = job.layout.tp = 8;
  job.fabric.host_gpus = 8;
  job.fabric.scale_out = BytesPerSecond::from_base(50e9);
  const Seconds fast = step().total();
  job.fabric.scale_out = BytesPerSecond::from_base(5e9);
  EXPECT_EQ(step().total(), fast);
  job.fabric.host_gpus = 4;
  EXPECT_GT(step().total(), fast);
}

TEST_F(StepFixture, ShardingOverOneRankIsOneGpu) {
  const double plain = step().total().base();
  job.layout.sharding = Sharding::kFull;
  EXPECT_DOUBLE_EQ(step().total().base(), plain);
  job.layout.sharding = Sharding::kOptimizer;
  EXPECT_DOUBLE_EQ(step().total().base(), plain);
}

TEST_F(StepFixture, DoublingTheLayersDoublesTheMiddle) {
  const StepTime once = step();
  const catalog::ModelSpec deep = plain_transformer(64, 4096);
  job.model = &deep;
  const StepTime twice = step();
  for (const Part part : {Part::kGemm, Part::kAttention, Part::kPointwise}) {
    EXPECT_NEAR(twice[part] / once[part], 2.0, 1e-9) << name(part);
  }
  EXPECT_DOUBLE_EQ(twice[Part::kHead].base(), once[Part::kHead].base());
}

TEST_F(StepFixture, RanksThatShareAnExpertShareItsWorkAndGatherItsTokens) {
  catalog::ModelSpec mixture = plain_transformer(32, 4096);
  mixture.kinds[0].mlp = {};
  mixture.kinds[0].moe.experts = 8;
  mixture.kinds[0].moe.top_k = 2;
  mixture.kinds[0].moe.width = 14336;
  job.model = &mixture;
  job.layout.gpus = 8;
  job.layout.tp = 4;
  job.layout.dp = 2;
  job.layout.ep = 2;
  const StepTime whole = step();
  job.layout.etp = 4;
  const StepTime shared = step();
  // A quarter of the width for four times the tokens.
  EXPECT_GT(shared[Part::kGemm], 0.9 * whole[Part::kGemm]);
  EXPECT_LT(shared[Part::kGemm], 1.3 * whole[Part::kGemm]);
  EXPECT_GT(shared[Part::kEp], whole[Part::kEp]);
}

TEST_F(StepFixture, FullRecomputationRepeatsTheForwardPass) {
  const StepTime without = step();
  job.layout.recompute.kind = RecomputeKind::kFull;
  const StepTime with = step();
  // The forward pass is a third of the products: recomputation adds about a third.
  const double added = with[Part::kRecompute] / without[Part::kGemm];
  EXPECT_GT(added, 0.3);
  EXPECT_LT(added, 0.5);
  EXPECT_GT(with.hardware_work, without.hardware_work);
  EXPECT_EQ(with.model_work, without.model_work);
}

TEST_F(StepFixture, AStateSpaceMixerMultipliesByItsWeightsAndScans) {
  catalog::ModelSpec hybrid = plain_transformer(32, 4096);
  auto& mixer = hybrid.kinds[0].attention;
  mixer = {};
  mixer.kind = catalog::AttentionKind::kMamba2;
  mixer.value_heads = 64;
  mixer.value_dim = 128;
  mixer.key_dim = 128;
  mixer.groups = 8;
  const Seconds plain = step()[Part::kGemm];
  const double before = workload::layer_weights(model, model.kinds[0]).dense();
  job.model = &hybrid;
  const StepTime time = step();
  // Three matrices of 8,192 and two of 1,024 for four of 4,096, beside an MLP of three of 16,384.
  const double after = workload::layer_weights(hybrid, hybrid.kinds[0]).dense();
  EXPECT_NEAR(after / before, (3 * 8192 + 2 * 1024 + 64 + 3 * 16384) / 65536.0, 1e-12);
  EXPECT_NEAR(time[Part::kGemm] / plain, after / before, 0.05);
  EXPECT_GT(time[Part::kAttention], Seconds{});
}

TEST_F(StepFixture, AModuleRecomputedByNameRepeatsItsProducts) {
  Recompute& recompute = job.layout.recompute;
  const Seconds products = step()[Part::kGemm];
  recompute.kind = RecomputeKind::kModules;
  recompute.norms = recompute.activation = true;
  const Seconds light = step()[Part::kRecompute];
  recompute.mlp = true;
  const Seconds wide = step()[Part::kRecompute];
  recompute = {RecomputeKind::kFull};
  EXPECT_LT(wide, step()[Part::kRecompute]);
  // The MLP has three quarters of a layer's weights, a forward pass a third of its products.
  EXPECT_NEAR((wide - light) / products, 0.25, 0.02);
}

TEST_F(StepFixture, ExpertsRecomputedByNameAreSentAgain) {
  catalog::ModelSpec mixture = sparse_transformer(32, 4096);
  job.model = &mixture;
  job.layout.gpus = job.layout.dp = job.layout.ep = 8;
  Recompute& recompute = job.layout.recompute;
  recompute.kind = RecomputeKind::kModules;
  const Seconds light = step()[Part::kRecompute];
  recompute.experts = true;
  const StepTime wide = step();
  recompute = {RecomputeKind::kFull};
  EXPECT_GT(wide[Part::kRecompute] - light, 0.5 * wide[Part::kEp]);
  EXPECT_LT(wide[Part::kRecompute], step()[Part::kRecompute]);
}

TEST_F(StepFixture, FrozenWeightsSaveTheWeightGradients) {
  const StepTime all = step();
  job.trainable_share = 0.01;
  const StepTime adapter = step();
  EXPECT_NEAR(adapter[Part::kGemm] / all[Part::kGemm], 2.0 / 3.0, 0.02);
}

TEST_F(StepFixture, AdaptersTakeAsLongAsTheirWideEndsTakeToMove) {
  job.trainable_share = 0.001;
  const StepTime thin = step();
  job.adapted_widths = 32 * 4 * 2 * 4096.0;  // Four products of the attention in each of 32 layers.
  const StepTime wide = step();
  EXPECT_GT(wide[Part::kGemm], thin[Part::kGemm]);
  job.layout.recompute.kind = RecomputeKind::kFull;
  const StepTime again = step();
  EXPECT_GT(again[Part::kGemm], wide[Part::kGemm]);
}

TEST_F(StepFixture, AttentionHasNoWeightsThatCouldBeFrozen) {
  const StepTime all = step();
  const double attention =
      forward_attention_per_token(*job.model, job.sequence, AttentionCount::kCausal).base();
  const double products = forward_products_per_token(*job.model).base();
  job.trainable_share = 0.01;
  EXPECT_NEAR(step().model_work / all.model_work,
              (2 * products + 3 * attention) / (3 * products + 3 * attention), 1e-12);
}

TEST_F(StepFixture, MoreMicroBatchesShrinkTheShareOfTheBubble) {
  job.layout.gpus = 8;
  job.layout.pp = 8;
  job.global_batch = 8;
  const StepTime few = step();
  job.global_batch = 64;
  const StepTime many = step();
  // (p − 1) / m of the work: the bubble stays while the work grows eightfold.
  EXPECT_NEAR(many[Part::kGemm] / few[Part::kGemm], 8.0, 1e-9);
  EXPECT_NEAR(few[Part::kBubble] / many[Part::kBubble], 1.0, 1e-9);
}

TEST_F(StepFixture, ModelWorkIsSixTimesParametersAndTokensForShortSequences) {
  job.sequence = 128;
  const double parameters = 32 * (4.0 + 12.0) * 4096 * 4096 + 32000.0 * 4096;
  const double tokens = 64 * 128;
  EXPECT_NEAR(step().model_work.base() / (6.0 * parameters * tokens), 1.0, 0.01);
}

}  // namespace
}  // namespace loadfactor::training
