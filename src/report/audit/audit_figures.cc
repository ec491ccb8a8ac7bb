// The figures of a claim as people read them.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "base/quantity_text.h"
#include "report/audit/audit_words.h"

namespace loadfactor::report {
namespace {

using audit::Figure;

struct Title {
  Figure figure;
  std::string_view text;  // Inside a sum: "GPUs per rack".
};

// In the order of the enumeration.
constexpr std::array<Title, audit::kNumFigures> kTitles{{
    {Figure::kParameters, "parameters"},
    {Figure::kActiveParameters, "active parameters"},
    {Figure::kWeights, "weights"},
    {Figure::kHeads, "attention heads"},
    {Figure::kLayers, "layers"},
    {Figure::kExperts, "routed experts"},
    {Figure::kKvHeads, "key/value heads"},
    {Figure::kHeadDim, "elements of a head"},
    {Figure::kGpus, "GPUs"},
    {Figure::kNodes, "nodes"},
    {Figure::kRacks, "racks"},
    {Figure::kGpusPerNode, "GPUs per node"},
    {Figure::kGpusPerRack, "GPUs per rack"},
    {Figure::kNodesPerRack, "nodes per rack"},
    {Figure::kGpuMemory, "memory of a GPU"},
    {Figure::kGpuPeak, "dense peak of a GPU"},
    {Figure::kGpuBandwidth, "memory bandwidth"},
    {Figure::kYear, "year"},
    {Figure::kHostMemory, "host memory of a node"},
    {Figure::kTensorSpeedup, "matrix units over fp32"},
    {Figure::kNvlinkGeneration, "NVLink generation"},
    {Figure::kScaleUp, "scale-up link, one direction"},
    {Figure::kScaleOut, "fabric per GPU"},
    {Figure::kLineRate, "line rate"},
    {Figure::kLinkBandwidth, "bandwidth, one direction"},
    {Figure::kLinkLatency, "latency"},
    {Figure::kLatencyNeeded, "latency needed"},
    {Figure::kTp, "TP"},
    {Figure::kPp, "PP"},
    {Figure::kCp, "CP"},
    {Figure::kDp, "DP"},
    {Figure::kEp, "EP"},
    {Figure::kVirtualStages, "chunks per stage"},
    {Figure::kMicroBatch, "micro-batch"},
    {Figure::kMicroBatches, "micro-batches"},
    {Figure::kGlobalBatch, "global batch"},
    {Figure::kSequence, "tokens of a sequence"},
    {Figure::kTokens, "tokens"},
    {Figure::kSteps, "steps"},
    {Figure::kCompute, "work of the run"},
    {Figure::kDuration, "duration"},
    {Figure::kMfu, "MFU"},
    {Figure::kHfu, "HFU"},
    {Figure::kBusyShare, "busy share"},
    {Figure::kCommunicationShare, "communication share"},
    {Figure::kGoodput, "goodput"},
    {Figure::kRatePerGpu, "rate per GPU"},
    {Figure::kAggregateRate, "aggregate rate"},
    {Figure::kStepTime, "step"},
    {Figure::kTokensPerSecond, "tokens per second"},
    {Figure::kTokensPerGpuSecond, "tokens per second and GPU"},
    {Figure::kWeightsPerGpu, "weights per GPU"},
    {Figure::kMemoryPerGpu, "memory used per GPU"},
    {Figure::kSpeed, "share of full speed"},
    {Figure::kExposedOverCompute, "exposed communication over computing"},
    {Figure::kCheckpoint, "checkpoint"},
    {Figure::kCheckpointBandwidth, "storage bandwidth"},
    {Figure::kCheckpointTime, "checkpoint time"},
    {Figure::kGpuMtbf, "time between failures of a GPU"},
    {Figure::kJobMtbf, "time between failures of the job"},
    {Figure::kServedPerGpu, "tokens served per second and GPU"},
    {Figure::kServedTotal, "tokens served per second"},
    {Figure::kInputPerGpu, "prompt tokens per second and GPU"},
    {Figure::kCacheHit, "share of prompts in the cache"},
    {Figure::kConcurrency, "sequences at once"},
    {Figure::kContext, "tokens of each sequence"},
    {Figure::kKvTokens, "tokens in the cache"},
    {Figure::kKvMemoryPerGpu, "memory for the cache per GPU"},
    {Figure::kTimePerToken, "time per token"},
    {Figure::kTimeToFirstToken, "time to first token"},
    {Figure::kPrompt, "prompt tokens"},
    {Figure::kGpuPower, "power of a GPU"},
    {Figure::kGpuAveragePower, "average draw of a GPU"},
    {Figure::kNodePower, "power of a node"},
    {Figure::kRackPower, "power of a rack"},
    {Figure::kGpuPowerTotal, "power of all GPUs"},
    {Figure::kItPower, "IT power"},
    {Figure::kSitePower, "site power"},
    {Figure::kPue, "PUE"},
    {Figure::kEnergy, "energy"},
    {Figure::kPricePerGpuHour, "price of a GPU-hour"},
    {Figure::kGpuHours, "GPU-hours"},
    {Figure::kRunCost, "cost of the run"},
    {Figure::kCapex, "purchase"},
    {Figure::kCapexPerGpu, "purchase per GPU"},
    {Figure::kElectricity, "electricity price"},
    {Figure::kEnergyCost, "cost of energy"},
    {Figure::kApiPrice, "API price"},
    {Figure::kCostPerToken, "cost per token"},
    {Figure::kUtilisation, "utilisation"},
    {Figure::kBreakEven, "break-even utilisation"},
    {Figure::kDuty, "duty"},
    {Figure::kCostMultiple, "cost multiple"},
    {Figure::kSystemPrice, "price of the system"},
    {Figure::kRivalPrice, "price of the rival"},
    {Figure::kRivalUtilisation, "utilisation of the rival"},
    {Figure::kRivalPricePerGpuHour, "GPU-hour of the rival"},
    {Figure::kDelay, "delay"},
    {Figure::kLife, "life"},
    {Figure::kBytesPerParameter, "bytes per parameter"},
    {Figure::kChipMemory, "memory of the chip"},
    {Figure::kChipPeak, "dense peak of the chip"},
    {Figure::kChipFp32Peak, "fp32 peak of the chip"},
    {Figure::kChipMatmul, "best measured matrix product"},
    {Figure::kChipBandwidth, "memory bandwidth of the chip"},
    {Figure::kChipPower, "rated power of the chip"},
    {Figure::kChipIdlePower, "least power of the chip when it is idle"},
    {Figure::kChipScaleUp, "scale-up link of the chip"},
    {Figure::kChipScaleOut, "NIC of its nodes, per GPU"},
    {Figure::kChipNvlinkGeneration, "NVLink generation of the chip"},
    {Figure::kChipDomain, "scale-up domain"},
    {Figure::kChipYear, "year of release"},
    {Figure::kNodeGpus, "GPUs of its node"},
    {Figure::kNodeRating, "rated power of its node, per GPU"},
    {Figure::kCoolingLimit, "limit of the cooling"},
    {Figure::kNamedLinkBandwidth, "bandwidth of the link"},
    {Figure::kNamedLinkLatency, "latency of the link"},
    {Figure::kBestMfu, "best published MFU of its class"},
    {Figure::kWorstPue, "worst PUE on record"},
    {Figure::kOptimalTokens, "tokens per parameter, compute-optimal"},
    {Figure::kLowestRent, "lowest rent in the catalogue"},
    {Figure::kHighestRent, "highest rent in the catalogue"},
    {Figure::kLowestCapex, "lowest purchase price in the catalogue"},
    {Figure::kHighestCapex, "highest purchase price in the catalogue"},
    {Figure::kLowestElectricity, "lowest electricity price in the catalogue"},
    {Figure::kHighestElectricity, "highest electricity price in the catalogue"},
    {Figure::kPeakLimit, "highest dense peak of the chip for this format"},
    {Figure::kUsableMemory, "memory of the chip as the driver has it"},
    {Figure::kKvPerToken, "cache of a token"},
    {Figure::kTokenParameters, "parameters that a token meets"},
    {Figure::kReplicas, "replicas"},
    {Figure::kShare, "for each"},
    {Figure::kWeightShare, "bytes of a weight on a GPU"},
    {Figure::kGradientShare, "bytes of its gradient"},
    {Figure::kOptimizerShare, "bytes of its optimizer state"},
    {Figure::kStateShare, "bytes of each parameter on a GPU"},
    {Figure::kStatePerGpu, "state on a GPU"},
    {Figure::kReaders, "GPUs that read at the same time"},
    {Figure::kKvHeld, "cache of all sequences"},
    {Figure::kStepBytes, "read for one token of each"},
    {Figure::kWaitingStages, "stages that wait"},
    {Figure::kChunks, "chunks that a stage works on"},
    {Figure::kPipelineSlots, "slots of a step"},
    {Figure::kBubble, "bubble"},
    {Figure::kAttention, "work of a token with attention"},
    {Figure::kTokensBought, "tokens that the time buys"},
    {Figure::kGradientTime, "time of the gradient exchange"},
    {Figure::kRingTime, "time of the data in a ring"},
    {Figure::kRingWait, "time of waiting in a ring"},
    {Figure::kRingShare, "share of the exchange that is waiting"},
    {Figure::kPricePerUse, "price per unit of work"},
    {Figure::kRivalPricePerUse, "price per unit of work of the rival"},
    {Figure::kUsefulLife, "life that is left"},
}};

}  // namespace

std::string_view title_of(Figure figure) {
  const Title& title = kTitles[static_cast<std::size_t>(figure)];
  LF_CHECK(title.figure == figure);
  return title.text;
}

std::string shown(Figure figure, double value) {
  const audit::FigureRow& row = audit::row_of(figure);
  const bool is_year = figure == Figure::kYear || figure == Figure::kChipYear;
  if (is_year) return fmt::format("{:.0f}", value);
  if (row.expect == Expect::kRatio) return fmt::format("{:.3g} %", 100.0 * value);
  if (row.dimension == Dimension{}) {
    const bool whole = value == std::round(value) && std::abs(value) < 1e6;
    if (whole) return format_count(std::llround(value));
    if (std::abs(value) >= 1e6) return format_short_count(value);
    return std::abs(value) >= 1e3 ? format_count(std::llround(value))
                                  : fmt::format("{:.4g}", value);
  }
  return format_display({value, row.dimension}, 4);
}

}  // namespace loadfactor::report
