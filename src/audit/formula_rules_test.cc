// Rules that are no products, each checked against a sum done by hand.
#include <gtest/gtest.h>

#include "audit/audit.h"
#include "audit/testing/stated_claim.h"

namespace loadfactor::audit {
namespace {

using testing::expect_finding;
using testing::StatedClaim;
using F = Figure;

constexpr double kHour = 3600;
constexpr double kDay = 24 * kHour;

// 1,200 ÷ (8 × 4) are 37 replicas and a half.
TEST(FormulaRuleTest, GpusDivideIntoWholeReplicas) {
  StatedClaim claim;
  claim.states(F::kGpus, 1200).states(F::kTp, 8).states(F::kPp, 4);
  expect_finding(claim.formula("whole-replicas"), Verdict::kInconsistent, 37.5 / 37);
  claim.states(F::kGpus, 1216);
  expect_finding(claim.formula("whole-replicas"), Verdict::kConsistent, 1);
  claim.states(F::kDp, 38);  // Then the product says more.
  EXPECT_FALSE(claim.formula("whole-replicas").has_value());
}

TEST(FormulaRuleTest, HeadsDivideAndStagesHaveLayers) {
  StatedClaim claim;
  claim.states(F::kHeads, 64).states(F::kTp, 8).states(F::kLayers, 80).states(F::kPp, 3);
  EXPECT_EQ(claim.formula("tp-divides")->verdict, Verdict::kConsistent);
  expect_finding(claim.product("pp-layers"), Verdict::kConsistent, 3.0 / 80);  // Uneven stages.
  claim.states(F::kTp, 12).states(F::kPp, 96);
  EXPECT_EQ(claim.formula("tp-divides")->verdict, Verdict::kInconsistent);
  expect_finding(claim.product("pp-layers"), Verdict::kInconsistent, 96.0 / 80);
}

// 70 B × 16 B are 1.12 TB; over 8 GPUs 140 GB each, by ZeRO-3 over 64 ranks of tp 8 2.19 GB.
TEST(FormulaRuleTest, TrainingStateFitsAsItsStageSpreadsIt) {
  StatedClaim claim;
  claim.states(F::kParameters, 70e9).states(F::kTp, 8).states(F::kGpus, 512);
  claim.knows(F::kUsableMemory, 80e9);
  claim.claim.zero = 0;
  expect_finding(claim.formula("state-fits"), Verdict::kInconsistent, 140.0 / 80);
  claim.claim.zero = 3;
  expect_finding(claim.formula("state-fits"), Verdict::kConsistent, 70e9 * 16 / 64 / 8 / 80e9);
  claim.claim.zero = 1;  // The 12 bytes of the optimizer alone are spread.
  expect_finding(claim.formula("state-fits"), Verdict::kConsistent,
                 70e9 * (4 + 12.0 / 64) / 8 / 80e9);
}

TEST(FormulaRuleTest, WeightsFitOrDoNotAsTheClaimSays) {
  StatedClaim claim;
  claim.states(F::kParameters, 175e9).knows(F::kBytesPerParameter, 2).knows(F::kUsableMemory, 80e9);
  claim.claim.fits = true;
  expect_finding(claim.formula("weights-fit"), Verdict::kInconsistent, 350.0 / 80);
  claim.claim.fits = false;
  expect_finding(claim.formula("weights-fit"), Verdict::kConsistent, 350.0 / 80);
  claim.states(F::kGpus, 8);
  expect_finding(claim.formula("weights-fit"), Verdict::kInconsistent, 350.0 / 640);
}

// 1,200 × 989 TFLOP/s × 40 % × 30 days over 6 × 500 B are 0.41 T tokens; 10 T were needed.
TEST(FormulaRuleTest, TimeBuysTokensAndConvergenceNeedsMany) {
  StatedClaim claim;
  claim.states(F::kParameters, 500e9).states(F::kGpus, 1200).states(F::kDuration, 30 * kDay);
  claim.knows(F::kChipPeak, 989e12).states(F::kMfu, 0.4).knows(F::kOptimalTokens, 20);
  EXPECT_FALSE(claim.formula("token-budget").has_value());
  claim.claim.converged = true;
  const double tokens = 1200 * 989e12 * 0.4 * 30 * kDay / (6 * 500e9);
  expect_finding(claim.formula("token-budget"), Verdict::kInconsistent, tokens / 10e12);
  claim.states(F::kGpus, 60000);
  expect_finding(claim.formula("token-budget"), Verdict::kConsistent, 50 * tokens / 10e12);
}

// Four stages and eight micro-batches idle 3 of 11 slots: 72.7 % are busy at most.
TEST(FormulaRuleTest, ABubbleIsNotBusy) {
  StatedClaim claim;
  claim.states(F::kPp, 4).states(F::kMicroBatches, 8).states(F::kBusyShare, 8.0 / 11);
  expect_finding(claim.formula("busy-share"), Verdict::kConsistent, 1);
  claim.states(F::kBusyShare, 0.9);
  expect_finding(claim.formula("busy-share"), Verdict::kInconsistent, 0.9 * 11 / 8);
  claim.states(F::kBusyShare, 0.7).states(F::kCommunicationShare, 0.1);
  expect_finding(claim.formula("busy-share"), Verdict::kInconsistent, 0.7 / (8.0 / 11 - 0.1));
}

// 2 × 140 GB ÷ 32 at 50 GB/s are 0.175 s, 17.5 % of a step of a second.
TEST(FormulaRuleTest, GradientsTravelBetweenNodes) {
  StatedClaim claim;
  claim.states(F::kParameters, 70e9).states(F::kTp, 8).states(F::kPp, 4);
  claim.states(F::kScaleOut, 50e9).states(F::kStepTime, 1).states(F::kCommunicationShare, 0.2);
  expect_finding(claim.formula("gradient-traffic"), Verdict::kConsistent, 0.2 / 0.175);
  claim.states(F::kCommunicationShare, 0.05);
  expect_finding(claim.formula("gradient-traffic"), Verdict::kUnsupported, 0.05 / 0.175);
}

// 30,000 USD used to 60 % cost 50,000 for a whole one's work; 40,000 used to 90 % 44,444.
TEST(FormulaRuleTest, TheCheaperMachineIsTheOneThatWorks) {
  StatedClaim claim;
  claim.states(F::kSystemPrice, 30000).states(F::kUtilisation, 0.6);
  claim.states(F::kRivalPrice, 40000).states(F::kRivalUtilisation, 0.9);
  claim.claim.cheaper = true;
  expect_finding(claim.formula("price-per-use"), Verdict::kInconsistent, 50000 / (40000 / 0.9));
  claim.claim.cheaper = false;
  expect_finding(claim.formula("price-per-use"), Verdict::kConsistent, 50000 / (40000 / 0.9));
}

// Half a year of four lost makes 2 USD/h cost 2.29.
TEST(FormulaRuleTest, ADelayIsPaidForByTheMonthsThatRemain) {
  constexpr double kYear = 8760 * kHour;
  StatedClaim claim;
  claim.states(F::kPricePerGpuHour, 2 / kHour).states(F::kRivalPricePerGpuHour, 2.2 / kHour);
  claim.states(F::kDelay, 0.5 * kYear).states(F::kLife, 4 * kYear);
  claim.claim.cheaper = true;
  expect_finding(claim.formula("delay"), Verdict::kInconsistent, 2 * 4 / 3.5 / 2.2);
  claim.states(F::kRivalPricePerGpuHour, 3 / kHour);
  expect_finding(claim.formula("delay"), Verdict::kConsistent, 2 * 4 / 3.5 / 3);
  claim.states(F::kDelay, 5 * kYear);  // Never used at all: nothing to compare.
  EXPECT_FALSE(claim.formula("delay").has_value());
}

// Sixteen-bit gradients of 70 B over 50 GB/s take 5.6 s; 30 hops of 5 µs do not show.
TEST(FormulaRuleTest, LatencyMattersForSmallExchangesAlone) {
  StatedClaim claim;
  claim.states(F::kParameters, 70e9).states(F::kGpus, 16).states(F::kScaleOut, 50e9);
  claim.states(F::kLatencyNeeded, 5e-6);
  const double data = 2 * 15.0 / 16 * 2 * 70e9 / 50e9;
  expect_finding(claim.formula("latency-needed"), Verdict::kInconsistent, 30 * 5e-6 / data);
  claim.states(F::kParameters, 1e6);
  expect_finding(claim.formula("latency-needed"), Verdict::kConsistent,
                 30 * 5e-6 / (data * 1e6 / 70e9));
  claim.states(F::kGpus, 1);  // Nothing is exchanged.
  EXPECT_FALSE(claim.formula("latency-needed").has_value());
}

TEST(FormulaRuleTest, ASiteDrawsMoreThanItsRacksAndLessThanTheWorstOverhead) {
  StatedClaim claim;
  claim.states(F::kRacks, 30).states(F::kRackPower, 30e3).knows(F::kWorstPue, 2);
  claim.states(F::kSitePower, 1.2e6);
  expect_finding(claim.formula("site-power"), Verdict::kConsistent, 1.2 / 0.9);
  claim.states(F::kSitePower, 3.6e6);
  expect_finding(claim.formula("site-power"), Verdict::kInconsistent, 4);
  claim.states(F::kSitePower, 0.5e6);
  expect_finding(claim.formula("site-power"), Verdict::kInconsistent, 0.5 / 0.9);
}

TEST(FormulaRuleTest, WaitingAQuarterAsLongAsComputingLeavesFourFifths) {
  StatedClaim claim;
  claim.states(F::kExposedOverCompute, 0.25).states(F::kSpeed, 0.8);
  expect_finding(claim.formula("exposed-communication"), Verdict::kConsistent, 1);
  claim.states(F::kSpeed, 0.95);
  expect_finding(claim.formula("exposed-communication"), Verdict::kInconsistent, 0.95 / 0.8);
}

// A step of 32 sequences reads 16 GB of weights and 32 × 8,192 × 128 KB of cache at 3.35 TB/s.
TEST(FormulaRuleTest, TokensOfAllUsersAreBoundedByWhatAStepReads) {
  StatedClaim claim;
  claim.states(F::kParameters, 8e9).knows(F::kBytesPerParameter, 2).states(F::kGpus, 1);
  claim.states(F::kConcurrency, 32).states(F::kContext, 8192).knows(F::kKvPerToken, 128e3);
  claim.knows(F::kChipBandwidth, 3.35e12).states(F::kServedPerGpu, 3000);
  const double step = (16e9 + 32 * 8192 * 128e3) / 3.35e12;
  expect_finding(claim.formula("decode-bound"), Verdict::kInconsistent, 32.0 / 3000 / step);
  claim.states(F::kServedPerGpu, 1500);
  expect_finding(claim.formula("decode-bound"), Verdict::kConsistent, 32.0 / 1500 / step);
  claim.claim.speculative = true;
  EXPECT_FALSE(claim.formula("decode-bound").has_value());
}

// 24 ranks, a batch of 100: four sequences and a sixth each.
TEST(FormulaRuleTest, BatchesAndExpertsFillTheirRanks) {
  StatedClaim claim;
  claim.states(F::kGpus, 192).states(F::kTp, 8).states(F::kPp, 1).states(F::kGlobalBatch, 100);
  EXPECT_EQ(claim.formula("whole-micro-batches")->verdict, Verdict::kInconsistent);
  claim.states(F::kGlobalBatch, 96).states(F::kExperts, 16).states(F::kEp, 24);
  EXPECT_EQ(claim.formula("whole-micro-batches")->verdict, Verdict::kConsistent);
  expect_finding(claim.formula("ep-experts"), Verdict::kInconsistent, 24.0 / 16);
  expect_finding(claim.formula("ep-ranks"), Verdict::kConsistent, 1);
  claim.states(F::kServedPerGpu, 100);  // Served, an expert may have copies.
  EXPECT_FALSE(claim.formula("ep-experts").has_value());
}

TEST(VerdictTest, OneBrokenRuleBreaksTheClaimAndNoneSupportsNothing) {
  EXPECT_EQ(verdict_of({}), Verdict::kUnsupported);
  Finding fine;
  Finding doubtful;
  doubtful.verdict = Verdict::kUnsupported;
  Finding broken;
  broken.verdict = Verdict::kInconsistent;
  EXPECT_EQ(verdict_of({fine}), Verdict::kConsistent);
  EXPECT_EQ(verdict_of({fine, doubtful}), Verdict::kUnsupported);
  EXPECT_EQ(verdict_of({broken, fine, doubtful}), Verdict::kInconsistent);
}

TEST(VerdictTest, TheGravestComesFirstThenTheEarliestLine) {
  const auto finding = [](Verdict verdict, std::uint32_t line) {
    Finding made;
    made.verdict = verdict;
    made.line = line;
    return made;
  };
  std::vector<Finding> findings{
      finding(Verdict::kConsistent, 1), finding(Verdict::kInconsistent, 9),
      finding(Verdict::kUnsupported, 2), finding(Verdict::kInconsistent, 4)};
  sort_findings(findings);
  std::vector<std::uint32_t> lines;
  for (const Finding& sorted : findings) lines.push_back(sorted.line);
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{4, 9, 2, 1}));
}

}  // namespace
}  // namespace loadfactor::audit
