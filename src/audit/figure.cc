#include "audit/figure.h"

#include <array>

#include "base/check.h"

namespace loadfactor::audit {
namespace {

constexpr Dimension kTime{.time = 1};
constexpr Dimension kData{.data = 1};
constexpr Dimension kBandwidth{.time = -1, .data = 1};
constexpr Dimension kFlopRate{.time = -1, .work = 1};
constexpr Dimension kPower{.time = -1, .energy = 1};
constexpr Dimension kMoney{.money = 1};
constexpr Dimension kToken{.token = 1};
constexpr Dimension kTokenRate{.time = -1, .token = 1};
constexpr Dimension kRent{.time = -1, .money = 1, .gpu = -1};
constexpr Dimension kPerToken{.money = 1, .token = -1};
constexpr Dimension kWork{.work = 1};
constexpr auto kQ = Expect::kQuantity;
constexpr auto kC = Expect::kCount;
constexpr auto kR = Expect::kRatio;

// In the order of the enumeration; row_of() relies on it and a test checks it.
constexpr std::array<FigureRow, kNumFigures> kRows{{
    {Figure::kParameters, Section::kModel, "params", kNone, kC},
    {Figure::kActiveParameters, Section::kModel, "active", kNone, kC},
    {Figure::kWeights, Section::kModel, "weights", kData, kQ},
    {Figure::kHeads, Section::kModel, "heads", kNone, kC},
    {Figure::kLayers, Section::kModel, "layers", kNone, kC},
    {Figure::kExperts, Section::kModel, "experts", kNone, kC},
    {Figure::kKvHeads, Section::kModel, "kv_heads", kNone, kC},
    {Figure::kHeadDim, Section::kModel, "head_dim", kNone, kC},
    {Figure::kGpus, Section::kHardware, "gpus", kNone, kC},
    {Figure::kNodes, Section::kHardware, "nodes", kNone, kC},
    {Figure::kRacks, Section::kHardware, "racks", kNone, kC},
    {Figure::kGpusPerNode, Section::kHardware, "gpus_per_node", kNone, kC},
    {Figure::kGpusPerRack, Section::kHardware, "gpus_per_rack", kNone, kC},
    {Figure::kNodesPerRack, Section::kHardware, "nodes_per_rack", kNone, kC},
    {Figure::kGpuMemory, Section::kHardware, "memory", kData, kQ},
    {Figure::kGpuPeak, Section::kHardware, "peak", kFlopRate, kQ},
    {Figure::kGpuBandwidth, Section::kHardware, "memory_bandwidth", kBandwidth, kQ},
    {Figure::kYear, Section::kHardware, "year", kNone, kC},
    {Figure::kHostMemory, Section::kHardware, "host_memory", kData, kQ},
    {Figure::kTensorSpeedup, Section::kHardware, "tensor_speedup", kNone, kC},
    {Figure::kNvlinkGeneration, Section::kNetwork, "nvlink_generation", kNone, kC},
    {Figure::kScaleUp, Section::kNetwork, "scale_up", kBandwidth, kQ},
    {Figure::kScaleOut, Section::kNetwork, "scale_out", kBandwidth, kQ},
    {Figure::kLineRate, Section::kNetwork, "line_rate", kBandwidth, kQ},
    {Figure::kLinkBandwidth, Section::kNetwork, "bandwidth", kBandwidth, kQ},
    {Figure::kLinkLatency, Section::kNetwork, "latency", kTime, kQ},
    {Figure::kLatencyNeeded, Section::kNetwork, "latency_needed", kTime, kQ},
    {Figure::kTp, Section::kLayout, "tp", kNone, kC},
    {Figure::kPp, Section::kLayout, "pp", kNone, kC},
    {Figure::kCp, Section::kLayout, "cp", kNone, kC},
    {Figure::kDp, Section::kLayout, "dp", kNone, kC},
    {Figure::kEp, Section::kLayout, "ep", kNone, kC},
    {Figure::kVirtualStages, Section::kLayout, "virtual_stages", kNone, kC},
    {Figure::kMicroBatch, Section::kLayout, "micro_batch", kNone, kC},
    {Figure::kMicroBatches, Section::kLayout, "micro_batches", kNone, kC},
    {Figure::kGlobalBatch, Section::kLayout, "global_batch", kNone, kC},
    {Figure::kSequence, Section::kLayout, "sequence", kToken, kC},
    {Figure::kTokens, Section::kTraining, "tokens", kToken, kC},
    {Figure::kSteps, Section::kTraining, "steps", kNone, kC},
    {Figure::kCompute, Section::kTraining, "compute", kWork, kQ},
    {Figure::kDuration, Section::kTraining, "duration", kTime, kQ},
    {Figure::kMfu, Section::kTraining, "mfu", kNone, kR},
    {Figure::kHfu, Section::kTraining, "hfu", kNone, kR},
    {Figure::kBusyShare, Section::kTraining, "utilisation", kNone, kR},
    {Figure::kCommunicationShare, Section::kTraining, "communication", kNone, kR},
    {Figure::kGoodput, Section::kTraining, "goodput", kNone, kR},
    {Figure::kRatePerGpu, Section::kTraining, "rate_per_gpu", kFlopRate, kQ},
    {Figure::kAggregateRate, Section::kTraining, "aggregate_rate", kFlopRate, kQ},
    {Figure::kStepTime, Section::kTraining, "step_time", kTime, kQ},
    {Figure::kTokensPerSecond, Section::kTraining, "tokens_per_s", kTokenRate, kQ},
    {Figure::kTokensPerGpuSecond, Section::kTraining, "tokens_per_s_per_gpu", kTokenRate, kQ},
    {Figure::kWeightsPerGpu, Section::kTraining, "weights_per_gpu", kData, kQ},
    {Figure::kMemoryPerGpu, Section::kTraining, "memory_per_gpu", kData, kQ},
    {Figure::kSpeed, Section::kTraining, "speed", kNone, kR},
    {Figure::kExposedOverCompute, Section::kTraining, "exposed_over_compute", kNone, kR},
    {Figure::kCheckpoint, Section::kTraining, "checkpoint", kData, kQ},
    {Figure::kCheckpointBandwidth, Section::kTraining, "checkpoint_bandwidth", kBandwidth, kQ},
    {Figure::kCheckpointTime, Section::kTraining, "checkpoint_time", kTime, kQ},
    {Figure::kGpuMtbf, Section::kTraining, "gpu_mtbf", kTime, kQ},
    {Figure::kJobMtbf, Section::kTraining, "job_mtbf", kTime, kQ},
    {Figure::kServedPerGpu, Section::kServing, "tokens_per_s_per_gpu", kTokenRate, kQ},
    {Figure::kServedTotal, Section::kServing, "tokens_per_s", kTokenRate, kQ},
    {Figure::kInputPerGpu, Section::kServing, "input_tokens_per_s_per_gpu", kTokenRate, kQ},
    {Figure::kCacheHit, Section::kServing, "cache_hit", kNone, kR, true},
    {Figure::kConcurrency, Section::kServing, "concurrency", kNone, kC},
    {Figure::kContext, Section::kServing, "context", kToken, kC},
    {Figure::kKvTokens, Section::kServing, "kv_tokens", kToken, kC},
    {Figure::kKvMemoryPerGpu, Section::kServing, "kv_memory_per_gpu", kData, kQ},
    {Figure::kTimePerToken, Section::kServing, "tpot", kTime, kQ},
    {Figure::kTimeToFirstToken, Section::kServing, "ttft", kTime, kQ},
    {Figure::kPrompt, Section::kServing, "prompt", kToken, kC},
    {Figure::kGpuPower, Section::kPower, "gpu", kPower, kQ},
    {Figure::kGpuAveragePower, Section::kPower, "gpu_average", kPower, kQ},
    {Figure::kNodePower, Section::kPower, "node", kPower, kQ},
    {Figure::kRackPower, Section::kPower, "rack", kPower, kQ},
    {Figure::kGpuPowerTotal, Section::kPower, "gpus_total", kPower, kQ},
    {Figure::kItPower, Section::kPower, "it", kPower, kQ},
    {Figure::kSitePower, Section::kPower, "site", kPower, kQ},
    {Figure::kPue, Section::kPower, "pue", kNone, kC},
    {Figure::kEnergy, Section::kPower, "energy", Dimension{.energy = 1}, kQ},
    {Figure::kPricePerGpuHour, Section::kMoney, "price_per_gpu_hour", kRent, kQ},
    {Figure::kGpuHours, Section::kMoney, "gpu_hours", kNone, kC},
    {Figure::kRunCost, Section::kMoney, "run_cost", kMoney, kQ},
    {Figure::kCapex, Section::kMoney, "capex", kMoney, kQ},
    {Figure::kCapexPerGpu, Section::kMoney, "capex_per_gpu", kMoney, kQ},
    {Figure::kElectricity, Section::kMoney, "electricity", Dimension{.energy = -1, .money = 1}, kQ},
    {Figure::kEnergyCost, Section::kMoney, "energy_cost", kMoney, kQ},
    {Figure::kApiPrice, Section::kMoney, "api_price", kPerToken, kQ},
    {Figure::kCostPerToken, Section::kMoney, "cost_per_token", kPerToken, kQ},
    {Figure::kUtilisation, Section::kMoney, "utilisation", kNone, kR},
    {Figure::kBreakEven, Section::kMoney, "break_even", kNone, kR},
    {Figure::kDuty, Section::kMoney, "duty", kNone, kR},
    {Figure::kCostMultiple, Section::kMoney, "cost_multiple", kNone, kC},
    {Figure::kSystemPrice, Section::kMoney, "system_price", kMoney, kQ},
    {Figure::kRivalPrice, Section::kMoney, "rival_price", kMoney, kQ},
    {Figure::kRivalUtilisation, Section::kMoney, "rival_utilisation", kNone, kR},
    {Figure::kRivalPricePerGpuHour, Section::kMoney, "rival_price_per_gpu_hour", kRent, kQ},
    {Figure::kDelay, Section::kMoney, "delay", kTime, kQ},
    {Figure::kLife, Section::kMoney, "life", kTime, kQ},
    {Figure::kBytesPerParameter, Section::kNone, "", kNone, kC},
    {Figure::kChipMemory, Section::kNone, "", kData, kQ},
    {Figure::kChipPeak, Section::kNone, "", kFlopRate, kQ},
    {Figure::kChipFp32Peak, Section::kNone, "", kFlopRate, kQ},
    {Figure::kChipMatmul, Section::kNone, "", kFlopRate, kQ},
    {Figure::kChipBandwidth, Section::kNone, "", kBandwidth, kQ},
    {Figure::kChipPower, Section::kNone, "", kPower, kQ},
    {Figure::kChipIdlePower, Section::kNone, "", kPower, kQ},
    {Figure::kChipScaleUp, Section::kNone, "", kBandwidth, kQ},
    {Figure::kChipScaleOut, Section::kNone, "", kBandwidth, kQ},
    {Figure::kChipNvlinkGeneration, Section::kNone, "", kNone, kC},
    {Figure::kChipDomain, Section::kNone, "", kNone, kC},
    {Figure::kChipYear, Section::kNone, "", kNone, kC},
    {Figure::kNodeGpus, Section::kNone, "", kNone, kC},
    {Figure::kNodeRating, Section::kNone, "", kPower, kQ},
    {Figure::kCoolingLimit, Section::kNone, "", kPower, kQ},
    {Figure::kNamedLinkBandwidth, Section::kNone, "", kBandwidth, kQ},
    {Figure::kNamedLinkLatency, Section::kNone, "", kTime, kQ},
    {Figure::kBestMfu, Section::kNone, "", kNone, kR},
    {Figure::kWorstPue, Section::kNone, "", kNone, kC},
    {Figure::kOptimalTokens, Section::kNone, "", kNone, kC},
    {Figure::kLowestRent, Section::kNone, "", kRent, kQ},
    {Figure::kHighestRent, Section::kNone, "", kRent, kQ},
    {Figure::kLowestCapex, Section::kNone, "", kMoney, kQ},
    {Figure::kHighestCapex, Section::kNone, "", kMoney, kQ},
    {Figure::kLowestElectricity, Section::kNone, "", Dimension{.energy = -1, .money = 1}, kQ},
    {Figure::kHighestElectricity, Section::kNone, "", Dimension{.energy = -1, .money = 1}, kQ},
    {Figure::kPeakLimit, Section::kNone, "", kFlopRate, kQ},
    {Figure::kUsableMemory, Section::kNone, "", kData, kQ},
    {Figure::kKvPerToken, Section::kNone, "", Dimension{.data = 1, .token = -1}, kQ},
    {Figure::kTokenParameters, Section::kNone, "", kNone, kC},
    {Figure::kReplicas, Section::kNone, "", kNone, kC},
    {Figure::kShare, Section::kNone, "", kNone, kC},
    {Figure::kWeightShare, Section::kNone, "", kNone, kC},
    {Figure::kGradientShare, Section::kNone, "", kNone, kC},
    {Figure::kOptimizerShare, Section::kNone, "", kNone, kC},
    {Figure::kStateShare, Section::kNone, "", kNone, kC},
    {Figure::kStatePerGpu, Section::kNone, "", kData, kQ},
    {Figure::kReaders, Section::kNone, "", kNone, kC},
    {Figure::kKvHeld, Section::kNone, "", kData, kQ},
    {Figure::kStepBytes, Section::kNone, "", kData, kQ},
    {Figure::kWaitingStages, Section::kNone, "", kNone, kC},
    {Figure::kChunks, Section::kNone, "", kNone, kC},
    {Figure::kPipelineSlots, Section::kNone, "", kNone, kC},
    {Figure::kBubble, Section::kNone, "", kNone, kR},
    {Figure::kAttention, Section::kNone, "", kNone, kC},
    {Figure::kTokensBought, Section::kNone, "", kToken, kC},
    {Figure::kGradientTime, Section::kNone, "", kTime, kQ},
    {Figure::kRingTime, Section::kNone, "", kTime, kQ},
    {Figure::kRingWait, Section::kNone, "", kTime, kQ},
    {Figure::kRingShare, Section::kNone, "", kNone, kR},
    {Figure::kPricePerUse, Section::kNone, "", kMoney, kQ},
    {Figure::kRivalPricePerUse, Section::kNone, "", kMoney, kQ},
    {Figure::kUsefulLife, Section::kNone, "", kTime, kQ},
}};

}  // namespace

std::span<const FigureRow> figures() {
  return kRows;
}

const FigureRow& row_of(Figure figure) {
  const FigureRow& row = kRows[static_cast<std::size_t>(figure)];
  LF_CHECK(row.figure == figure);
  return row;
}

}  // namespace loadfactor::audit
