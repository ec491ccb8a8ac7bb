// Every figure a claim may state, and every figure the catalogue knows of what it names.
//
// Rules relate figures to one another and know nothing of where they came from, so a figure that
// is mended in a claim changes exactly the rules it stands in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/quantity_text.h"
#include "loadfactor/quantity.h"

namespace loadfactor::audit {

enum class Figure : std::uint8_t {
  // The model.
  kParameters,
  kActiveParameters,
  kWeights,
  kHeads,
  kLayers,
  kExperts,
  kKvHeads,
  kHeadDim,
  // The machines.
  kGpus,
  kNodes,
  kRacks,
  kGpusPerNode,
  kGpusPerRack,
  kNodesPerRack,
  kGpuMemory,
  kGpuPeak,
  kGpuBandwidth,
  kYear,
  kHostMemory,
  kTensorSpeedup,
  // The links.
  kNvlinkGeneration,
  kScaleUp,
  kScaleOut,
  kLineRate,
  kLinkBandwidth,
  kLinkLatency,
  kLatencyNeeded,
  // The layout.
  kTp,
  kPp,
  kCp,
  kDp,
  kEp,
  kVirtualStages,
  kMicroBatch,
  kMicroBatches,
  kGlobalBatch,
  kSequence,
  // The run.
  kTokens,
  kSteps,
  kCompute,
  kDuration,
  kMfu,
  kHfu,
  kBusyShare,
  kCommunicationShare,
  kGoodput,
  kRatePerGpu,
  kAggregateRate,
  kStepTime,
  kTokensPerSecond,
  kTokensPerGpuSecond,
  kWeightsPerGpu,
  kMemoryPerGpu,
  kSpeed,
  kExposedOverCompute,
  // Checkpoints and failures.
  kCheckpoint,
  kCheckpointBandwidth,
  kCheckpointTime,
  kGpuMtbf,
  kJobMtbf,
  // Serving.
  kServedPerGpu,
  kServedTotal,
  kInputPerGpu,
  kCacheHit,
  kConcurrency,
  kContext,
  kKvTokens,
  kKvMemoryPerGpu,
  kTimePerToken,
  kTimeToFirstToken,
  kPrompt,
  // Power.
  kGpuPower,
  kGpuAveragePower,
  kNodePower,
  kRackPower,
  kGpuPowerTotal,
  kItPower,
  kSitePower,
  kPue,
  kEnergy,
  // Money.
  kPricePerGpuHour,
  kGpuHours,
  kRunCost,
  kCapex,
  kCapexPerGpu,
  kElectricity,
  kEnergyCost,
  kApiPrice,
  kCostPerToken,
  kUtilisation,
  kBreakEven,
  kDuty,
  kCostMultiple,
  kSystemPrice,
  kRivalPrice,
  kRivalUtilisation,
  kRivalPricePerGpuHour,
  kDelay,
  kLife,
  // What the catalogue knows of the named chip, node, link and dtype.
  kBytesPerParameter,
  kChipMemory,
  kChipPeak,
  kChipFp32Peak,
  kChipMatmul,
  kChipBandwidth,
  kChipPower,
  kChipIdlePower,
  kChipScaleUp,
  kChipScaleOut,
  kChipNvlinkGeneration,
  kChipDomain,
  kChipYear,
  kNodeGpus,
  kNodeRating,
  kCoolingLimit,
  kNamedLinkBandwidth,
  kNamedLinkLatency,
  kBestMfu,
  kWorstPue,
  kOptimalTokens,
  kLowestRent,
  kHighestRent,
  kLowestCapex,
  kHighestCapex,
  kLowestElectricity,
  kHighestElectricity,
  kPeakLimit,
  kUsableMemory,
  kKvPerToken,
  // What follows from the others on the way to a verdict.
  kTokenParameters,
  kReplicas,
  kShare,
  kWeightShare,
  kGradientShare,
  kOptimizerShare,
  kStateShare,
  kStatePerGpu,
  kReaders,
  kKvHeld,
  kStepBytes,
  kWaitingStages,
  kChunks,
  kPipelineSlots,
  kBubble,
  kAttention,
  kTokensBought,
  kGradientTime,
  kRingTime,
  kRingWait,
  kRingShare,
  kPricePerUse,
  kRivalPricePerUse,
  kUsefulLife,
  kCount,
};
inline constexpr std::size_t kNumFigures = static_cast<std::size_t>(Figure::kCount);

// Sections of a claim file; none for what only the catalogue states or what is derived.
enum class Section : std::uint8_t {
  kNone,
  kModel,
  kHardware,
  kNetwork,
  kLayout,
  kTraining,
  kServing,
  kPower,
  kMoney,
};
inline constexpr std::array<std::string_view, 9> kSectionNames{
    "", "model", "hardware", "network", "layout", "training", "serving", "power", "money"};
constexpr std::string_view name(Section section) {
  return kSectionNames[static_cast<std::size_t>(section)];
}

struct FigureRow {
  Figure figure;
  Section section;
  std::string_view key;
  Dimension dimension;
  Expect expect = Expect::kCount;
  bool may_be_zero = false;
};

std::span<const FigureRow> figures();
const FigureRow& row_of(Figure figure);

}  // namespace loadfactor::audit
