// Every figure a claim may state, and every figure the catalogue knows of what it names.
//
// Rules relate figures to one another and know nothing of where they came from, so a figure that
// is mended in a claim changes exactly the rules it stands in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
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
  kMicroBatch,
  kMicroBatches,
  kGlobalBatch,
  kSequence,
  // The run.
  kTokens,
  kDuration,
  kMfu,
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
  kTimePerToken,
  kTimeToFirstToken,
  kPrompt,
  // Power.
  kGpuPower,
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
  kCount,
};
inline constexpr std::size_t kNumFigures = static_cast<std::size_t>(Figure::kCount);

struct FigureRow {
  Figure figure;
  std::string_view section;  // Section of a claim file; empty for what only the catalogue states.
  std::string_view key;
  std::string_view title;  // Inside a sum: "GPUs per rack".
  Dimension dimension;
  Expect expect = Expect::kCount;
};

std::span<const FigureRow> figures();
const FigureRow& row_of(Figure figure);

// The value as people read it: "1,200", "3.6 MW", "78 %".
std::string shown(Figure figure, double value);

}  // namespace loadfactor::audit
