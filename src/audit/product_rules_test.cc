// Rules that are products, each checked against a sum done by hand.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "audit/rule.h"
#include "audit/testing/stated_claim.h"

namespace loadfactor::audit {
namespace {

using testing::expect_finding;
using testing::StatedClaim;
using F = Figure;

constexpr double kHour = 3600;
constexpr double kDay = 24 * kHour;

TEST(ProductRuleTest, RacksHoldWhatTheyHoldExactly) {
  StatedClaim claim;
  claim.states(F::kGpus, 1200).states(F::kRacks, 30).states(F::kGpusPerRack, 40);
  expect_finding(claim.product("gpus-in-racks"), Verdict::kConsistent, 1);
  claim.states(F::kGpus, 1201);  // Counts have no rounding to hide behind.
  expect_finding(claim.product("gpus-in-racks"), Verdict::kInconsistent, 1201.0 / 1200);
}

TEST(ProductRuleTest, TheLayoutUsesTpTimesPpTimesDp) {
  StatedClaim claim;
  claim.states(F::kGpus, 512).states(F::kTp, 8).states(F::kPp, 4).states(F::kDp, 16);
  expect_finding(claim.product("layout-product"), Verdict::kConsistent, 1);
  claim.states(F::kCp, 2);  // The sharper rule takes over: 8 × 4 × 2 × 16 are 1,024.
  expect_finding(claim.product("layout-product"), Verdict::kInconsistent, 0.5);
}

TEST(ProductRuleTest, ABatchIsMicroBatchesOfAllRanks) {
  StatedClaim claim;
  claim.states(F::kGlobalBatch, 1024).states(F::kMicroBatch, 1);
  claim.states(F::kMicroBatches, 64).states(F::kDp, 16);
  expect_finding(claim.product("global-batch"), Verdict::kConsistent, 1);
}

// 70 B parameters of 2 bytes over 8 × 4 GPUs are 4.375 GB.
TEST(ProductRuleTest, WeightsAreParametersTimesTheirSize) {
  StatedClaim claim;
  claim.states(F::kParameters, 70e9).knows(F::kBytesPerParameter, 2).states(F::kWeights, 140e9);
  expect_finding(claim.product("weights"), Verdict::kConsistent, 1);
  claim.states(F::kTp, 8).states(F::kPp, 4).states(F::kWeightsPerGpu, 8.75e9);
  expect_finding(claim.product("weights-per-gpu"), Verdict::kInconsistent, 2);
}

TEST(ProductRuleTest, ACheckpointTakesItsSizeOverTheBandwidth) {
  StatedClaim claim;
  claim.states(F::kCheckpoint, 1e12).states(F::kCheckpointBandwidth, 50e9);
  claim.states(F::kCheckpointTime, 20);
  expect_finding(claim.product("checkpoint-time"), Verdict::kConsistent, 1);
  claim.states(F::kCheckpointTime, 2);
  expect_finding(claim.product("checkpoint-time"), Verdict::kInconsistent, 0.1);
}

// One GPU in 50,000 h: of 16,384 one fails every 3.05 h.
TEST(ProductRuleTest, AJobFailsAsOftenAsItsGpusTogether) {
  StatedClaim claim;
  claim.states(F::kGpuMtbf, 50000 * kHour).states(F::kGpus, 16384);
  claim.states(F::kJobMtbf, 3 * kHour);
  expect_finding(claim.product("job-failures"), Verdict::kConsistent, 3 * 16384 / 50000.0);
  claim.states(F::kJobMtbf, 30 * kHour);
  expect_finding(claim.product("job-failures"), Verdict::kInconsistent, 30 * 16384 / 50000.0);
}

// 40 % of 989 TFLOP/s are 395.6.
TEST(ProductRuleTest, ARateIsAShareOfTheDensePeak) {
  StatedClaim claim;
  claim.states(F::kMfu, 0.4).knows(F::kChipPeak, 989e12).states(F::kRatePerGpu, 395.6e12);
  expect_finding(claim.product("rate-mfu"), Verdict::kConsistent, 1);
  claim.states(F::kGpus, 1000).states(F::kAggregateRate, 395.6e15);
  expect_finding(claim.product("aggregate-rate"), Verdict::kConsistent, 1);
  EXPECT_FALSE(claim.product("aggregate-mfu").has_value());  // The stated rate is sharper.
}

// 6 × 70 B × 1 T FLOP on 512 × 989 TFLOP/s at 40 % take 24.0 days.
TEST(ProductRuleTest, ARunTakesAtLeastSixFlopsPerParameterAndToken) {
  const double days = 6 * 70e9 * 1e12 / (512 * 989e12 * 0.4) / kDay;
  StatedClaim claim;
  claim.states(F::kParameters, 70e9).states(F::kTokens, 1e12).states(F::kGpus, 512);
  claim.knows(F::kChipPeak, 989e12).states(F::kMfu, 0.4).states(F::kDuration, days * kDay);
  expect_finding(claim.product("duration-work"), Verdict::kConsistent, 1);
  claim.states(F::kDuration, 10 * kDay);
  expect_finding(claim.product("duration-work"), Verdict::kInconsistent, 10 / days);
  claim.states(F::kDuration, 60 * kDay);
  expect_finding(claim.product("duration-work"), Verdict::kConsistent, 60 / days);
  expect_finding(claim.product("duration-work-at-most"), Verdict::kUnsupported, 60 / days);
}

// A mixture computes with its active parameters alone.
TEST(ProductRuleTest, ActiveParametersReplaceAllOfThem) {
  StatedClaim claim;
  claim.states(F::kParameters, 671e9).states(F::kActiveParameters, 37e9);
  claim.states(F::kTokensPerGpuSecond, 1000).states(F::kRatePerGpu, 6 * 37e9 * 1000);
  const auto finding = claim.product("rate-work");
  expect_finding(finding, Verdict::kConsistent, 1);
  const auto& figures = finding->figures;
  EXPECT_NE(std::find(figures.begin(), figures.end(), F::kActiveParameters), figures.end());
  EXPECT_EQ(std::find(figures.begin(), figures.end(), F::kParameters), figures.end());
}

// 30 racks of 30 kW at a PUE of 1.3 draw 1.17 MW.
TEST(ProductRuleTest, ASiteDrawsWhatItsRacksDrawTimesItsOverhead) {
  StatedClaim claim;
  claim.states(F::kRacks, 30).states(F::kRackPower, 30e3).states(F::kPue, 1.3);
  claim.states(F::kSitePower, 1.17e6);
  expect_finding(claim.product("site-power"), Verdict::kConsistent, 1);
  claim.states(F::kSitePower, 3.6e6);
  expect_finding(claim.product("site-power"), Verdict::kConsistent, 3.6 / 1.17);
  expect_finding(claim.product("site-power-spare"), Verdict::kInconsistent, 3.6 / 1.17);
  claim.states(F::kSitePower, 1e6);
  expect_finding(claim.product("site-power"), Verdict::kInconsistent, 1 / 1.17);
}

TEST(ProductRuleTest, EnergyIsPowerOverTimeAndCostsItsPrice) {
  StatedClaim claim;
  claim.states(F::kSitePower, 1e6).states(F::kDuration, 30 * kDay);
  claim.states(F::kEnergy, 1e6 * 30 * kDay).states(F::kElectricity, 0.1 / 3.6e6);
  claim.states(F::kEnergyCost, 72000);  // 720 MWh at 10 cents.
  expect_finding(claim.product("energy"), Verdict::kConsistent, 1);
  expect_finding(claim.product("energy-cost"), Verdict::kConsistent, 1);
}

TEST(ProductRuleTest, ARunCostsItsHoursTimesTheirPrice) {
  StatedClaim claim;
  claim.states(F::kGpus, 512).states(F::kDuration, 10 * kDay).states(F::kGpuHours, 512 * 240);
  claim.states(F::kPricePerGpuHour, 2.0 / kHour).states(F::kRunCost, 245760);
  expect_finding(claim.product("gpu-hours"), Verdict::kConsistent, 1);
  expect_finding(claim.product("run-cost"), Verdict::kConsistent, 1);
  EXPECT_FALSE(claim.product("run-cost-duration").has_value());
}

// 2 USD/h over 1,000 tokens/s at half load are 1.11 USD per million tokens.
TEST(ProductRuleTest, ATokenCostsThePriceOverTheWork) {
  StatedClaim claim;
  claim.states(F::kPricePerGpuHour, 2.0 / kHour).states(F::kServedPerGpu, 1000);
  claim.states(F::kUtilisation, 0.5).states(F::kCostPerToken, 2.0 / kHour / 500);
  expect_finding(claim.product("cost-per-token"), Verdict::kConsistent, 1);
  claim.states(F::kApiPrice, 1e-6).states(F::kBreakEven, 2.0 / kHour / 1e-3);
  expect_finding(claim.product("break-even"), Verdict::kConsistent, 1);
}

TEST(ProductRuleTest, AnHourThatIsUsedTwoFifthsOfTheTimeCostsTwoAndAHalf) {
  StatedClaim claim;
  claim.states(F::kDuty, 0.4).states(F::kCostMultiple, 2.5);
  expect_finding(claim.product("duty-multiple"), Verdict::kConsistent, 1);
  claim.states(F::kCostMultiple, 1.4);
  expect_finding(claim.product("duty-multiple"), Verdict::kInconsistent, 0.56);
}

// 140 GB on one chip of 3.35 TB/s take 41.8 ms, however few tokens they make.
TEST(ProductRuleTest, WeightsCannotBeReadFasterThanTheMemory) {
  StatedClaim claim;
  claim.states(F::kParameters, 70e9).knows(F::kBytesPerParameter, 2).states(F::kGpus, 1);
  claim.knows(F::kChipBandwidth, 3.35e12).states(F::kTimePerToken, 0.05);
  expect_finding(claim.formula("decode-bound"), Verdict::kConsistent, 0.05 / (140e9 / 3.35e12));
  claim.states(F::kTimePerToken, 0.02);
  expect_finding(claim.formula("decode-bound"), Verdict::kInconsistent, 0.02 / (140e9 / 3.35e12));
}

// 6 × 70 B × 1 T FLOP take 118,000 hours of a whole dense peak of 989 TFLOP/s, however few are
// used.
TEST(ProductRuleTest, TheDensePeakBoundsARunWithoutAnyMfu) {
  const double hours = 6 * 70e9 * 1e12 / 989e12 / kHour;
  StatedClaim claim;
  claim.states(F::kParameters, 70e9).states(F::kTokens, 1e12).states(F::kGpus, 512);
  claim.knows(F::kPeakLimit, 989e12).knows(F::kBestMfu, 0.7);
  claim.states(F::kDuration, 0.9 * hours / 512 * kHour);
  expect_finding(claim.product("compute-hours"), Verdict::kInconsistent, 0.9);
  claim.states(F::kDuration, 1.2 * hours / 512 * kHour);
  expect_finding(claim.product("compute-hours"), Verdict::kConsistent, 1.2);
  expect_finding(claim.product("record-hours"), Verdict::kUnsupported, 1.2 * 0.7);
}

TEST(ProductRuleTest, APriceOutsideTheRecordIsUnsupportedNotWrong) {
  StatedClaim claim;
  claim.knows(F::kLowestRent, 1.5 / kHour).knows(F::kHighestRent, 12 / kHour);
  claim.states(F::kPricePerGpuHour, 0.5 / kHour);
  expect_finding(claim.product("rent-low"), Verdict::kUnsupported, 1.0 / 3);
  EXPECT_EQ(severity(*claim.product("rent-low")), "caution");
  claim.states(F::kPricePerGpuHour, 24 / kHour);
  expect_finding(claim.product("rent-high"), Verdict::kUnsupported, 2);
}

TEST(ProductRuleTest, AFindingPointsAtTheLineOfItsTarget) {
  StatedClaim claim;
  claim.states(F::kRacks, 30).states(F::kGpusPerRack, 40).states(F::kGpus, 1200);
  const auto finding = claim.product("gpus-in-racks");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->line, 3U);
  EXPECT_EQ(finding->ground, Ground::kArithmetic);
}

TEST(ProductRuleTest, NothingIsAskedWhereAFactorIsMissing) {
  for (const ProductRule& rule : product_rules()) {
    if (rule.factors.empty()) continue;  // Held against one.
    StatedClaim claim;
    claim.states(rule.target, 1);
    const auto finding = apply(rule, claim.claim, claim.values);
    EXPECT_FALSE(finding.has_value()) << id_of(rule.check);
  }
}

// Whatever a rule relates: its own product passes, and a tenfold one fails on the side it bounds.
TEST(ProductRuleTest, EveryRulePassesItsOwnProductAndFailsATenfoldOne) {
  for (const ProductRule& rule : product_rules()) {
    StatedClaim claim;
    double product = rule.scale;
    double factor = 2;
    for (const Factor& part : rule.factors) {
      claim.states(part.figure, factor);
      product *= std::pow(factor, part.power);
      factor += 1;
    }
    for (const Figure figure : rule.when) {
      if (!claim.claim[figure]) claim.states(figure, 1);
    }
    claim.states(rule.target, product);
    expect_finding(apply(rule, claim.claim, claim.values), Verdict::kConsistent, 1);
    const double off = rule.relation == Relation::kAtLeast ? 0.1 : 10;
    claim.states(rule.target, off * product);
    const Verdict broken = rule.absurd ? Verdict::kInconsistent : rule.broken;
    expect_finding(apply(rule, claim.claim, claim.values), broken, off);
  }
}

// 1,000 GPUs of 700 W for 100 h: half of the rating takes 35 MWh, a quarter 17.5.
TEST(ProductRuleTest, EnergyOfGpusThatWorkHasAFloor) {
  const auto of_energy = [](double mwh) {
    StatedClaim claim;
    claim.states(F::kGpuHours, 1e5).knows(F::kChipPower, 700).knows(F::kChipIdlePower, 49);
    claim.states(F::kEnergy, mwh * 1e6 * kHour);
    return claim;
  };
  expect_finding(of_energy(36).product("energy-low"), Verdict::kConsistent, 36 / 70.0);
  expect_finding(of_energy(8.1).product("energy-low"), Verdict::kUnsupported, 8.1 / 70);
  auto run = of_energy(8.1);
  run.states(F::kTokens, 1e12);
  expect_finding(run.product("energy-low"), Verdict::kInconsistent, 8.1 / 70);
  expect_finding(of_energy(8.1).product("energy-idle"), Verdict::kConsistent, 8.1 / 4.9);
  expect_finding(of_energy(4).product("energy-idle"), Verdict::kInconsistent, 4 / 4.9);
}

// 6 × 70 B × 1 T FLOP at 989 TFLOP/s and 700 W are 82.6 MWh; at half of the watts 41.3.
TEST(ProductRuleTest, ArithmeticTakesEnergyHoweverManyHoursItIsSpreadOver) {
  const double rated = 6 * 70e9 * 1e12 / 989e12 * 700;
  StatedClaim claim;
  claim.states(F::kParameters, 70e9).states(F::kTokens, 1e12);
  claim.knows(F::kChipPower, 700).knows(F::kPeakLimit, 989e12).states(F::kEnergy, 0.6 * rated);
  expect_finding(claim.product("energy-work"), Verdict::kConsistent, 0.6);
  claim.states(F::kEnergy, 0.4 * rated);
  expect_finding(claim.product("energy-work"), Verdict::kInconsistent, 0.4);
}

TEST(ProductRuleTest, ADrawThatWasMeasuredIsNotBelowIdle) {
  StatedClaim claim;
  claim.knows(F::kChipPower, 700).knows(F::kChipIdlePower, 49).states(F::kGpuAveragePower, 81);
  expect_finding(claim.product("draw-low"), Verdict::kUnsupported, 81 / 700.0);
  expect_finding(claim.product("draw-idle"), Verdict::kConsistent, 81 / 49.0);
  claim.states(F::kGpuAveragePower, 40);
  expect_finding(claim.product("draw-idle"), Verdict::kInconsistent, 40 / 49.0);
  claim.states(F::kGpuAveragePower, 81).states(F::kTokens, 1e12);
  expect_finding(claim.product("draw-low"), Verdict::kInconsistent, 81 / 700.0);
}

}  // namespace
}  // namespace loadfactor::audit
