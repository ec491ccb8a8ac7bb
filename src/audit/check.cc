#include "audit/check.h"

#include <array>
#include <cstddef>

#include "base/check.h"

namespace loadfactor::audit {
namespace {

struct CheckRow {
  Check check;
  std::string_view id;
};

// In the order of the enumeration.
constexpr std::array<CheckRow, static_cast<std::size_t>(Check::kCount)> kRows{{
    {Check::kGpusInRacks, "gpus-in-racks"},
    {Check::kGpusInNodes, "gpus-in-nodes"},
    {Check::kNodesInRacks, "nodes-in-racks"},
    {Check::kLayoutProduct, "layout-product"},
    {Check::kGlobalBatch, "global-batch"},
    {Check::kWholeReplicas, "whole-replicas"},
    {Check::kHeadsDivide, "tp-divides"},
    {Check::kStagesOfLayers, "pp-layers"},
    {Check::kBatchOfRanks, "batch-ranks"},
    {Check::kWholeMicroBatches, "whole-micro-batches"},
    {Check::kRanksOfExperts, "ep-experts"},
    {Check::kRanksForExperts, "ep-ranks"},
    {Check::kTpDomain, "tp-domain"},
    {Check::kChipMemory, "chip-memory"},
    {Check::kChipPeak, "chip-peak"},
    {Check::kChipBandwidth, "chip-bandwidth"},
    {Check::kChipPower, "chip-power"},
    {Check::kLinkGeneration, "link-generation"},
    {Check::kScaleUp, "scale-up"},
    {Check::kScaleOut, "scale-out"},
    {Check::kLinkBandwidth, "link-bandwidth"},
    {Check::kLinkLineRate, "link-line-rate"},
    {Check::kLinkLatency, "link-latency"},
    {Check::kTensorSpeedup, "tensor-speedup"},
    {Check::kReleased, "released"},
    {Check::kWeights, "weights"},
    {Check::kWeightsPerGpu, "weights-per-gpu"},
    {Check::kMemoryUsed, "memory-used"},
    {Check::kStateFits, "state-fits"},
    {Check::kWeightsFit, "weights-fit"},
    {Check::kWeightsHeld, "weights-held"},
    {Check::kCacheHeld, "cache-held"},
    {Check::kCacheRoom, "cache-room"},
    {Check::kCheckpointTime, "checkpoint-time"},
    {Check::kJobFailures, "job-failures"},
    {Check::kRateMfu, "rate-mfu"},
    {Check::kAggregateRate, "aggregate-rate"},
    {Check::kAggregateMfu, "aggregate-mfu"},
    {Check::kRatePeak, "rate-peak"},
    {Check::kTokensPerGpu, "tokens-per-gpu"},
    {Check::kTokensPerStep, "tokens-per-step"},
    {Check::kTokensOfSteps, "tokens-of-steps"},
    {Check::kDurationRate, "duration-rate"},
    {Check::kWholeShare, "whole-share"},
    {Check::kMatrixCeiling, "matrix-ceiling"},
    {Check::kRecordMfu, "record-mfu"},
    {Check::kRecordHours, "record-hours"},
    {Check::kRecordTokens, "record-tokens"},
    {Check::kComputeHours, "compute-hours"},
    {Check::kComputeTokens, "compute-tokens"},
    {Check::kComputeWork, "compute-work"},
    {Check::kWorkOfTokens, "work-of-tokens"},
    {Check::kWorkOfTokensAtMost, "work-of-tokens-at-most"},
    {Check::kRateWork, "rate-work"},
    {Check::kRateWorkAtMost, "rate-work-at-most"},
    {Check::kMfuTokens, "mfu-tokens"},
    {Check::kMfuTokensAtMost, "mfu-tokens-at-most"},
    {Check::kHfuTokens, "hfu-tokens"},
    {Check::kHfuLow, "hfu-low"},
    {Check::kHfuHigh, "hfu-high"},
    {Check::kDurationWork, "duration-work"},
    {Check::kDurationWorkAtMost, "duration-work-at-most"},
    {Check::kHoursWork, "hours-work"},
    {Check::kTokenBudget, "token-budget"},
    {Check::kBusyShare, "busy-share"},
    {Check::kGradientTraffic, "gradient-traffic"},
    {Check::kLatencyNeeded, "latency-needed"},
    {Check::kExposedCommunication, "exposed-communication"},
    {Check::kGpuPowerTotal, "gpu-power-total"},
    {Check::kItPowerRacks, "it-power-racks"},
    {Check::kItPowerNodes, "it-power-nodes"},
    {Check::kItPowerGpus, "it-power-gpus"},
    {Check::kRackPowerNodes, "rack-power-nodes"},
    {Check::kRackPowerGpus, "rack-power-gpus"},
    {Check::kRackHeat, "rack-heat"},
    {Check::kRackCooling, "rack-cooling"},
    {Check::kSitePower, "site-power"},
    {Check::kSitePowerSpare, "site-power-spare"},
    {Check::kSitePowerIt, "site-power-it"},
    {Check::kSitePowerGpus, "site-power-gpus"},
    {Check::kSiteOverhead, "site-power"},
    {Check::kPueLow, "pue-low"},
    {Check::kPueHigh, "pue-high"},
    {Check::kEnergy, "energy"},
    {Check::kEnergyIt, "energy-it"},
    {Check::kEnergyHours, "energy-hours"},
    {Check::kEnergyDraw, "energy-draw"},
    {Check::kGpuHours, "gpu-hours"},
    {Check::kRunCost, "run-cost"},
    {Check::kRunCostDuration, "run-cost-duration"},
    {Check::kPurchase, "purchase"},
    {Check::kEnergyCost, "energy-cost"},
    {Check::kDutyMultiple, "duty-multiple"},
    {Check::kCostPerToken, "cost-per-token"},
    {Check::kCostPerTokenFull, "cost-per-token-full"},
    {Check::kBreakEven, "break-even"},
    {Check::kRentLow, "rent-low"},
    {Check::kRentHigh, "rent-high"},
    {Check::kCapexLow, "capex-low"},
    {Check::kCapexHigh, "capex-high"},
    {Check::kElectricityLow, "electricity-low"},
    {Check::kElectricityHigh, "electricity-high"},
    {Check::kPricePerUse, "price-per-use"},
    {Check::kDelay, "delay"},
    {Check::kServedProduct, "served-product"},
    {Check::kServedBound, "served-bound"},
    {Check::kServedUsers, "served-users"},
    {Check::kInputBound, "input-bound"},
    {Check::kPrefillBound, "prefill-bound"},
    {Check::kDecodeBound, "decode-bound"},
    {Check::kModelMfu, "model-mfu"},
    {Check::kModelTokens, "model-tokens_per_s_per_gpu"},
    {Check::kModelMemory, "model-memory"},
}};

}  // namespace

std::string_view id_of(Check check) {
  const CheckRow& row = kRows[static_cast<std::size_t>(check)];
  LF_CHECK(row.check == check);
  return row.id;
}

}  // namespace loadfactor::audit
