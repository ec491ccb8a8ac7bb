// What shared state and split sequences cost, from arithmetic: who sends how many bytes to whom,
// and how often.
#include "training/step/collective_time.h"
#include "training/step/step_fixture.h"

namespace loadfactor::training {
namespace {

// Nothing hides, nothing starts late and no sum is kept beside the products, so that what is left
// is bytes over rates.
struct Sharing : StepFixture {
  Sharing() {
    stack.dp_overlap = false;
    stack.gather_overlap = false;
    stack.fp32_main_grad = true;
    stack.gradient_bytes = 2;
    job.layout.gpus = 64;
    job.layout.dp = 64;
    job.global_batch = 256;
    for (const Constant c : {Constant::kStartUp, Constant::kStartOut, Constant::kTpSkew})
      calibration.shared[c] = 0.0;
    calibration.shared[Constant::kFsdpHidden] = 0.0;
  }
  StepScene scene() const {
    const ChipConstants* constants = calibration.find(chip);
    return make_scene(job, calibration.shared, *constants, calibration.families[constants->family]);
  }
  Seconds ring(double bytes, const RankGroup& group) const {
    const StepScene of = scene();
    return ring_time(of.machine, calibration.shared, Bytes::from_base(bytes), group);
  }
  double held() const { return rank_parameters(job).total(); }
  double reductions() const { return step()[Part::kDp].base(); }
};

TEST_F(Sharing, ReplicatedGradientsAreAllReducedOnce) {
  job.layout.sharding = Sharding::kNone;
  EXPECT_NEAR(reductions(), 2.0 * ring(2.0 * held(), {64, 1}).base(), 1e-12);
}

TEST_F(Sharing, ZeroTwoScattersAtEveryMicroBatchAndZeroOneAtTheLast) {
  const double one = ring(2.0 * held(), {64, 1}).base();
  job.layout.sharding = Sharding::kOptimizer;
  EXPECT_NEAR(reductions(), 2.0 * one, 1e-12);
  job.layout.sharding = Sharding::kGradients;
  EXPECT_NEAR(reductions(), (4.0 + 1.0) * one, 1e-12);  // 256 sequences on 64 ranks.
}

TEST_F(Sharing, AGroupOfEightScattersInsideAndReducesItsEighthsAcross) {
  job.layout.sharding = Sharding::kOptimizer;
  job.layout.shard_group = 8;
  const double bytes = 2.0 * held();
  const Seconds inside = ring(bytes, {8, 1});
  const Seconds across = ring(bytes / 8.0, {8, 8});
  EXPECT_NEAR(reductions(), (2.0 * inside + 2.0 * across).base(), 1e-12);
}

// In a group of eight ranks two hold the same experts where four share them.
TEST_F(Sharing, AGroupSharesItsExpertsAmongThoseThatHoldTheSame) {
  const catalog::ModelSpec sparse = sparse_transformer(32, 4096);
  job.model = &sparse;
  job.layout.ep = 4;
  job.layout.sharding = Sharding::kOptimizer;
  job.layout.shard_group = 8;
  const RankParameters p = rank_parameters(job);
  const double dense = 2.0 * (p.dense + p.embedding);
  const double experts = 2.0 * p.experts;
  const Seconds of_dense = 2.0 * ring(dense, {8, 1}) + 2.0 * ring(dense / 8.0, {8, 8});
  const Seconds of_experts = 2.0 * ring(experts, {2, 4}) + 2.0 * ring(experts / 2.0, {8, 8});
  EXPECT_NEAR(reductions(), (of_dense + of_experts).base(), 1e-12);
}

// Two factors of rank r for a matrix as wide as the model, in fp32, and five passes over gradients.
TEST_F(Sharing, PowerSgdSendsFactorsAndPaysForThem) {
  job.layout.sharding = Sharding::kNone;
  job.precision.compression = Compression::kPowerSgd;
  job.precision.compression_rank = 4;
  const double sent = 4.0 * 2 * 4 / job.model->hidden * held();
  const double passes = 5 * 4.0 * held() / scene().machine.memory.base();
  EXPECT_NEAR(reductions(), 2.0 * ring(sent, {64, 1}).base() + passes, 1e-9);
}

TEST_F(Sharing, SignsAreAnEighthOfAByteAndCompressionOnlyPaysOverASlowNetwork) {
  job.layout.sharding = Sharding::kNone;
  const auto gain = [&](double rate) {
    job.fabric.scale_out = BytesPerSecond::from_base(rate);
    job.precision.compression = Compression::kNone;
    const double plain = reductions();
    job.precision.compression = Compression::kOneBit;
    return plain / reductions();
  };
  EXPECT_GT(gain(1e9), 4.0);
  EXPECT_GT(gain(1e9), 2 * gain(50e9)) << "the passes over gradients stay, however fast it is";
}

TEST_F(Sharing, AThinnerNetworkAndASlowerTransportTakeLonger) {
  job.layout.sharding = Sharding::kNone;
  const double plain = reductions();
  job.fabric.transport_share = 0.5;
  EXPECT_NEAR(reductions(), 2.0 * plain, 0.01 * plain);
  job.fabric.transport_share = 1;
  job.fabric.leaf_gpus = 8;
  job.fabric.oversubscription = 4;
  EXPECT_GT(reductions(), 2.0 * plain) << "every node leaves its leaf";
  job.fabric.leaf_gpus = 64;
  EXPECT_NEAR(reductions(), plain, 1e-12) << "all ranks are below one leaf";
}

// Tokens go out in one byte and come back in two: three quarters of the bytes.
TEST_F(Sharing, Fp8DispatchSavesAQuarterOfTheExchange) {
  const catalog::ModelSpec sparse = sparse_transformer(32, 4096);
  job.model = &sparse;
  job.layout.ep = 16;
  const double plain = step()[Part::kEp].base();
  job.routing.dispatched_bytes = 1;
  EXPECT_NEAR(step()[Part::kEp].base(), 0.75 * plain, 0.01 * plain);
}

TEST_F(Sharing, RanksThatHoldEveryExpertAreNeverUneven) {
  const catalog::ModelSpec sparse = sparse_transformer(32, 4096);
  job.model = &sparse;
  job.layout.ep = 1;
  const double even = step().total().base();
  job.routing.imbalance = 4;
  EXPECT_DOUBLE_EQ(step().total().base(), even);
}

TEST_F(Sharing, UnevenExpertsTakeLongerUpToTheirCapacity) {
  const catalog::ModelSpec sparse = sparse_transformer(32, 4096);
  job.model = &sparse;
  job.layout.ep = 8;
  const double even = step().total().base();
  job.routing.imbalance = 1.5;
  const double uneven = step().total().base();
  job.routing.capacity = 1.2;
  const double bounded = step().total().base();
  EXPECT_GT(uneven, bounded);
  EXPECT_GT(bounded, even);
}

TEST_F(Sharing, WholeTensorsPayEveryRankOfTheGroupForEachOfThem) {
  job.layout.sharding = Sharding::kOptimizer;
  const double flat = reductions();
  stack.shards_tensors = true;
  calibration.shared[Constant::kRingHop] = 5e-6;
  // Seven tensors of 32 layers go to their owner and come back, past 63 ranks each time.
  EXPECT_NEAR(reductions() - flat, 2.0 * 7 * 32 * 63 * 5e-6, 1e-9);
}

TEST_F(Sharing, SumsOfGradientsAreReadAndWrittenAtEveryMicroBatch) {
  job.layout.sharding = Sharding::kOptimizer;
  const Seconds fused = step()[Part::kOptimizer];
  stack.fp32_main_grad = false;
  const double memory = scene().machine.memory.base();
  const auto sums = [&] { return (step()[Part::kOptimizer] - fused).base(); };
  EXPECT_NEAR(sums(), 4.0 * 6.0 * held() / memory, 1e-9);
  stack.adds_apart = true;
  EXPECT_NEAR(sums(), 4.0 * 10.0 * held() / memory, 1e-9);
  job.layout.sharding = Sharding::kGradients;  // A shard of the sum is next to nothing.
  EXPECT_NEAR(sums(), 0.0, 1e-9);
}

TEST_F(Sharing, ExpertsAreGatheredOverTheRanksThatHoldThem) {
  const catalog::ModelSpec sparse = sparse_transformer(32, 4096);
  job.model = &sparse;
  job.layout.ep = 8;
  job.layout.sharding = Sharding::kFull;
  const StepScene of = scene();
  const BlockTime block = block_time(of, block_key(of, job.layout));
  const RankParameters p = rank_parameters(job);
  // Experts fill a domain of eight, so those alike lie one in each and meet over the NICs alone.
  const Seconds expected = ring(2.0 * p.dense / 32, {64, 1}) + ring(2.0 * p.experts / 32, {8, 8});
  EXPECT_NEAR(gather_time(of, block, job.layout).forward.base(), expected.base(), 1e-12);
}

TEST_F(Sharing, FrozenWeightsAreGatheredAsTheyRestAndHaveNoGradients) {
  job.layout.sharding = Sharding::kFull;
  const auto backward = [&] {
    const StepScene of = scene();
    return gather_time(of, block_time(of, block_key(of, job.layout)), job.layout).backward.base();
  };
  const double dense = rank_parameters(job).dense / 32;
  const double width = stack.shard_gradient_bytes;
  const auto traffic = [&](double weight, double gradient) {
    return (ring(weight * dense, {64, 1}) + ring(gradient * dense, {64, 1})).base();
  };
  EXPECT_NEAR(backward(), traffic(2, width), 1e-12);
  job.trainable_share = 0.01;
  EXPECT_NEAR(backward(), traffic(2, 0.01 * width), 1e-12);
  job.precision.frozen_weight = 0.5;
  EXPECT_NEAR(backward(), traffic(0.5, 0.01 * width), 1e-12);
}

// Nothing is hidden here, so the two passes differ by the bytes of a layer's gradients alone.
TEST_F(Sharing, ShardedGradientsTravelAsNarrowAsTheJobSays) {
  job.layout.sharding = Sharding::kFull;
  const auto backward = [&] {
    const StepScene of = scene();
    return gather_time(of, block_time(of, block_key(of, job.layout)), job.layout).backward.base();
  };
  ASSERT_EQ(stack.shard_gradient_bytes, 4.0);
  const double wide = backward();
  job.precision.wire_gradient = 2;
  const double layer = rank_parameters(job).dense / model.num_layers();
  EXPECT_NEAR(wide - backward(), ring(2.0 * layer, {64, 1}).base(), 1e-9);
}

TEST_F(Sharing, ChunksOfASequenceRunShorterKernels) {
  const StepScene of = scene();
  const KernelContext context = of.kernel_context();
  AttentionShape shape{4096, 2048, 4096, 32, 128, 128};
  const double gap = calibration.shared[Constant::kKernelGap];
  const double whole = attention_time(context, shape).forward.base() - gap;
  shape.chunks = 8;
  const double cut = attention_time(context, shape).forward.base() - 8.0 * gap;
  const double half = of.machine.attention_half;
  EXPECT_NEAR(cut / whole, (1.0 + half / 512.0) / (1.0 + half / 4096.0), 1e-9);
}

TEST_F(Sharing, EightRanksOnAShortSequenceAreNotFree) {
  job.layout.dp = 8;
  job.layout.cp = 8;
  const StepTime split = step();
  job.layout.cp = 1;
  job.layout.dp = 64;
  const StepTime whole = step();
  EXPECT_GT(split[Part::kCp], Seconds{});
  EXPECT_GT(split[Part::kAttention] / whole[Part::kAttention], 1.3);
  EXPECT_GT(split.total(), whole.total());
}

// With eight pieces in order the last rank meets 7.5 of keys and the mean one four.
TEST_F(Sharing, PiecesInOrderLeaveMostOfACausalMaskToTheLastRank) {
  job.layout.dp = 8;
  job.layout.cp = 8;
  const StepTime even = step();
  stack.context = ContextExchange::kRing;
  const StepTime uneven = step();
  EXPECT_NEAR(uneven[Part::kAttention] / even[Part::kAttention], 7.5 / 4.0, 1e-9);
  job.layout.dp = 64;
  job.layout.cp = 1;
  const StepTime whole = step();
  stack.context = ContextExchange::kZigzag;
  EXPECT_EQ(step().total(), whole.total());
}

// 2048 tokens a rank trade queries, keys, values and outputs of 32 heads of 128, in 16 bit.
TEST_F(Sharing, TokensTradedForHeadsKeepWholeSequencesAndShowTheirTraffic) {
  job.sequence = 16384;
  job.layout.dp = 8;
  job.layout.cp = 8;
  stack.context = ContextExchange::kHeads;
  const StepTime traded = step();
  const StepScene of = scene();
  const Seconds one = all_to_all_time(of.machine, calibration.shared,
                                      Bytes::from_base(2.0 * 2048 * 4 * 4096), 8, 1);
  const double passes = 256.0 / 8 * 32 * 2;  // Micro-batches, layers, forward and backward.
  EXPECT_NEAR(traded[Part::kCp] / one, passes, 1e-6);
  job.layout.dp = 64;
  job.layout.cp = 1;
  const StepTime whole = step();
  const double gap = calibration.shared[Constant::kKernelGap];
  // As much attention on every rank, in eight times as many micro-batches of an eighth.
  const double gaps = 3.0 * gap * 32 * (256.0 / 8 - 256.0 / 64);
  EXPECT_NEAR(traded[Part::kAttention].base() - gaps, whole[Part::kAttention].base(), 1e-9);
}

TEST_F(Sharing, ABoundaryThatIsNotSplitIsSentByEveryRank) {
  job.layout.tp = 4;
  job.layout.pp = 4;
  job.layout.dp = 4;
  const auto hop = [&] {
    const StepScene of = scene();
    return block_time(of, block_key(of, job.layout)).hop;
  };
  const Seconds split = hop();
  stack.splits_sends = false;
  EXPECT_NEAR(hop() / split, 4.0, 1e-9);
}

TEST_F(Sharing, NormsRotationsAndGatesOfSingleKernelsAreCounted) {
  stack.pointwise = PointwiseClass::kEager;
  const double eager = step()[Part::kPointwise].base();
  stack.pointwise = PointwiseClass::kComposite;
  // Per token: two norms of 16, queries and keys of 8, a gate of 2 elements; forward and backward.
  const double elements = 2 * 16.0 * 4096 + 8.0 * 2 * 4096 + 2.0 * 4 * 4096;
  const double tokens = 4.0 * 4096;
  const double expected = 3.0 * 32 * tokens * elements * 2.0 / scene().machine.memory.base();
  EXPECT_NEAR(step()[Part::kPointwise].base() - eager, expected, 1e-9);
}

TEST_F(Sharing, SoftwareThatIsSlowerThanItsTermsSayIsSlowerInEveryPart) {
  const StepTime plain = step();
  stack.family = "sluggish";
  calibration.shared.levels = {{"sluggish", 0.8}};
  const StepTime slow = step();
  EXPECT_NEAR(slow.total() / plain.total(), 1.25, 1e-9);
  EXPECT_NEAR(slow[Part::kGemm] / plain[Part::kGemm], 1.25, 1e-9);
}

}  // namespace
}  // namespace loadfactor::training
