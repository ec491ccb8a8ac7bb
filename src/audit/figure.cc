#include "audit/figure.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

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
constexpr auto kQ = Expect::kQuantity;
constexpr auto kC = Expect::kCount;
constexpr auto kR = Expect::kRatio;

// In the order of the enumeration; row_of() relies on it and a test checks it.
constexpr std::array<FigureRow, kNumFigures> kRows{{
    {Figure::kParameters, "model", "params", "parameters", kNone, kC},
    {Figure::kActiveParameters, "model", "active", "active parameters", kNone, kC},
    {Figure::kWeights, "model", "weights", "weights", kData, kQ},
    {Figure::kHeads, "model", "heads", "attention heads", kNone, kC},
    {Figure::kLayers, "model", "layers", "layers", kNone, kC},
    {Figure::kGpus, "hardware", "gpus", "GPUs", kNone, kC},
    {Figure::kNodes, "hardware", "nodes", "nodes", kNone, kC},
    {Figure::kRacks, "hardware", "racks", "racks", kNone, kC},
    {Figure::kGpusPerNode, "hardware", "gpus_per_node", "GPUs per node", kNone, kC},
    {Figure::kGpusPerRack, "hardware", "gpus_per_rack", "GPUs per rack", kNone, kC},
    {Figure::kNodesPerRack, "hardware", "nodes_per_rack", "nodes per rack", kNone, kC},
    {Figure::kGpuMemory, "hardware", "memory", "memory of a GPU", kData, kQ},
    {Figure::kGpuPeak, "hardware", "peak", "dense peak of a GPU", kFlopRate, kQ},
    {Figure::kGpuBandwidth, "hardware", "memory_bandwidth", "memory bandwidth", kBandwidth, kQ},
    {Figure::kYear, "hardware", "year", "year", kNone, kC},
    {Figure::kHostMemory, "hardware", "host_memory", "host memory of a node", kData, kQ},
    {Figure::kTensorSpeedup, "hardware", "tensor_speedup", "matrix units over fp32", kNone, kC},
    {Figure::kNvlinkGeneration, "network", "nvlink_generation", "NVLink generation", kNone, kC},
    {Figure::kScaleUp, "network", "scale_up", "scale-up link, one direction", kBandwidth, kQ},
    {Figure::kScaleOut, "network", "scale_out", "fabric per GPU", kBandwidth, kQ},
    {Figure::kLineRate, "network", "line_rate", "line rate", kBandwidth, kQ},
    {Figure::kLinkBandwidth, "network", "bandwidth", "bandwidth, one direction", kBandwidth, kQ},
    {Figure::kLinkLatency, "network", "latency", "latency", kTime, kQ},
    {Figure::kLatencyNeeded, "network", "latency_needed", "latency needed", kTime, kQ},
    {Figure::kTp, "layout", "tp", "TP", kNone, kC},
    {Figure::kPp, "layout", "pp", "PP", kNone, kC},
    {Figure::kCp, "layout", "cp", "CP", kNone, kC},
    {Figure::kDp, "layout", "dp", "DP", kNone, kC},
    {Figure::kMicroBatch, "layout", "micro_batch", "micro-batch", kNone, kC},
    {Figure::kMicroBatches, "layout", "micro_batches", "micro-batches", kNone, kC},
    {Figure::kGlobalBatch, "layout", "global_batch", "global batch", kNone, kC},
    {Figure::kSequence, "layout", "sequence", "tokens of a sequence", kToken, kC},
    {Figure::kTokens, "training", "tokens", "tokens", kToken, kC},
    {Figure::kDuration, "training", "duration", "duration", kTime, kQ},
    {Figure::kMfu, "training", "mfu", "MFU", kNone, kR},
    {Figure::kBusyShare, "training", "utilisation", "busy share", kNone, kR},
    {Figure::kCommunicationShare, "training", "communication", "communication share", kNone, kR},
    {Figure::kGoodput, "training", "goodput", "goodput", kNone, kR},
    {Figure::kRatePerGpu, "training", "rate_per_gpu", "rate per GPU", kFlopRate, kQ},
    {Figure::kAggregateRate, "training", "aggregate_rate", "aggregate rate", kFlopRate, kQ},
    {Figure::kStepTime, "training", "step_time", "step", kTime, kQ},
    {Figure::kTokensPerSecond, "training", "tokens_per_s", "tokens per second", kTokenRate, kQ},
    {Figure::kTokensPerGpuSecond, "training", "tokens_per_s_per_gpu", "tokens per second and GPU",
     kTokenRate, kQ},
    {Figure::kWeightsPerGpu, "training", "weights_per_gpu", "weights per GPU", kData, kQ},
    {Figure::kMemoryPerGpu, "training", "memory_per_gpu", "memory used per GPU", kData, kQ},
    {Figure::kSpeed, "training", "speed", "share of full speed", kNone, kR},
    {Figure::kExposedOverCompute, "training", "exposed_over_compute",
     "exposed communication over computing", kNone, kR},
    {Figure::kCheckpoint, "training", "checkpoint", "checkpoint", kData, kQ},
    {Figure::kCheckpointBandwidth, "training", "checkpoint_bandwidth", "storage bandwidth",
     kBandwidth, kQ},
    {Figure::kCheckpointTime, "training", "checkpoint_time", "checkpoint time", kTime, kQ},
    {Figure::kGpuMtbf, "training", "gpu_mtbf", "time between failures of a GPU", kTime, kQ},
    {Figure::kJobMtbf, "training", "job_mtbf", "time between failures of the job", kTime, kQ},
    {Figure::kServedPerGpu, "serving", "tokens_per_s_per_gpu", "tokens served per second and GPU",
     kTokenRate, kQ},
    {Figure::kTimePerToken, "serving", "tpot", "time per token", kTime, kQ},
    {Figure::kTimeToFirstToken, "serving", "ttft", "time to first token", kTime, kQ},
    {Figure::kPrompt, "serving", "prompt", "prompt tokens", kToken, kC},
    {Figure::kGpuPower, "power", "gpu", "power of a GPU", kPower, kQ},
    {Figure::kNodePower, "power", "node", "power of a node", kPower, kQ},
    {Figure::kRackPower, "power", "rack", "power of a rack", kPower, kQ},
    {Figure::kGpuPowerTotal, "power", "gpus_total", "power of all GPUs", kPower, kQ},
    {Figure::kItPower, "power", "it", "IT power", kPower, kQ},
    {Figure::kSitePower, "power", "site", "site power", kPower, kQ},
    {Figure::kPue, "power", "pue", "PUE", kNone, kC},
    {Figure::kEnergy, "power", "energy", "energy", Dimension{.energy = 1}, kQ},
    {Figure::kPricePerGpuHour, "money", "price_per_gpu_hour", "price of a GPU-hour", kRent, kQ},
    {Figure::kGpuHours, "money", "gpu_hours", "GPU-hours", kNone, kC},
    {Figure::kRunCost, "money", "run_cost", "cost of the run", kMoney, kQ},
    {Figure::kCapex, "money", "capex", "purchase", kMoney, kQ},
    {Figure::kCapexPerGpu, "money", "capex_per_gpu", "purchase per GPU", kMoney, kQ},
    {Figure::kElectricity, "money", "electricity", "electricity price",
     Dimension{.energy = -1, .money = 1}, kQ},
    {Figure::kEnergyCost, "money", "energy_cost", "cost of energy", kMoney, kQ},
    {Figure::kApiPrice, "money", "api_price", "API price", kPerToken, kQ},
    {Figure::kCostPerToken, "money", "cost_per_token", "cost per token", kPerToken, kQ},
    {Figure::kUtilisation, "money", "utilisation", "utilisation", kNone, kR},
    {Figure::kBreakEven, "money", "break_even", "break-even utilisation", kNone, kR},
    {Figure::kDuty, "money", "duty", "duty", kNone, kR},
    {Figure::kCostMultiple, "money", "cost_multiple", "cost multiple", kNone, kC},
    {Figure::kSystemPrice, "money", "system_price", "price of the system", kMoney, kQ},
    {Figure::kRivalPrice, "money", "rival_price", "price of the rival", kMoney, kQ},
    {Figure::kRivalUtilisation, "money", "rival_utilisation", "utilisation of the rival", kNone,
     kR},
    {Figure::kRivalPricePerGpuHour, "money", "rival_price_per_gpu_hour", "GPU-hour of the rival",
     kRent, kQ},
    {Figure::kDelay, "money", "delay", "delay", kTime, kQ},
    {Figure::kLife, "money", "life", "life", kTime, kQ},
    {Figure::kBytesPerParameter, "", "", "bytes per parameter", kNone, kC},
    {Figure::kChipMemory, "", "", "memory of the chip", kData, kQ},
    {Figure::kChipPeak, "", "", "dense peak of the chip", kFlopRate, kQ},
    {Figure::kChipFp32Peak, "", "", "fp32 peak of the chip", kFlopRate, kQ},
    {Figure::kChipMatmul, "", "", "best measured matrix product", kFlopRate, kQ},
    {Figure::kChipBandwidth, "", "", "memory bandwidth of the chip", kBandwidth, kQ},
    {Figure::kChipPower, "", "", "rated power of the chip", kPower, kQ},
    {Figure::kChipScaleUp, "", "", "scale-up link of the chip", kBandwidth, kQ},
    {Figure::kChipScaleOut, "", "", "NIC of its nodes, per GPU", kBandwidth, kQ},
    {Figure::kChipNvlinkGeneration, "", "", "NVLink generation of the chip", kNone, kC},
    {Figure::kChipDomain, "", "", "scale-up domain", kNone, kC},
    {Figure::kChipYear, "", "", "year of release", kNone, kC},
    {Figure::kNodeGpus, "", "", "GPUs of its node", kNone, kC},
    {Figure::kNodeRating, "", "", "rated power of its node, per GPU", kPower, kQ},
    {Figure::kCoolingLimit, "", "", "limit of the cooling", kPower, kQ},
    {Figure::kNamedLinkBandwidth, "", "", "bandwidth of the link", kBandwidth, kQ},
    {Figure::kNamedLinkLatency, "", "", "latency of the link", kTime, kQ},
    {Figure::kBestMfu, "", "", "best published MFU of its class", kNone, kR},
    {Figure::kWorstPue, "", "", "worst PUE on record", kNone, kC},
    {Figure::kOptimalTokens, "", "", "tokens per parameter, compute-optimal", kNone, kC},
    {Figure::kLowestRent, "", "", "lowest rent in the catalogue", kRent, kQ},
    {Figure::kHighestRent, "", "", "highest rent in the catalogue", kRent, kQ},
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

std::string shown(Figure figure, double value) {
  const FigureRow& row = row_of(figure);
  const bool is_year = figure == Figure::kYear || figure == Figure::kChipYear;
  if (is_year) return fmt::format("{:.0f}", value);
  if (row.expect == Expect::kRatio) return fmt::format("{:.3g} %", 100.0 * value);
  if (row.dimension == kNone) {
    const bool whole = value == std::round(value) && std::abs(value) < 1e6;
    if (whole) return format_count(std::llround(value));
    return std::abs(value) >= 1e6 ? format_short_count(value) : fmt::format("{:.4g}", value);
  }
  return format_display({value, row.dimension}, 4);
}

}  // namespace loadfactor::audit
