// The relations that are products of figures: counts, chips, links and memory. The others stand by
// subject in files of their own.
#include "audit/rule.h"

namespace loadfactor::audit {
namespace {

using F = Figure;

void add_counts(std::vector<ProductRule>& rules) {
  const auto exactly = [&rules](Check check, F target, std::vector<Factor> factors) {
    rules.push_back(
        {.check = check, .target = target, .factors = std::move(factors), .tolerance = kExact});
  };
  exactly(Check::kGpusInRacks, F::kGpus, {{F::kRacks}, {F::kGpusPerRack}});
  exactly(Check::kGpusInNodes, F::kGpus, {{F::kNodes}, {F::kGpusPerNode}});
  exactly(Check::kNodesInRacks, F::kNodes, {{F::kRacks}, {F::kNodesPerRack}});
  exactly(Check::kLayoutProduct, F::kGpus, {{F::kTp}, {F::kPp}, {F::kCp}, {F::kDp}});
  exactly(Check::kGlobalBatch, F::kGlobalBatch, {{F::kMicroBatch}, {F::kMicroBatches}, {F::kDp}});
  rules.push_back({.check = Check::kStagesOfLayers,
                   .target = F::kPp,
                   .relation = Relation::kAtMost,
                   .factors = {{F::kLayers}, {F::kVirtualStages, -1}},
                   .tolerance = kExact});
  rules.push_back({.check = Check::kBatchOfRanks,
                   .target = F::kGlobalBatch,
                   .relation = Relation::kAtLeast,
                   .factors = {{F::kDp}},
                   .tolerance = kExact});
}

void add_chip(std::vector<ProductRule>& rules) {
  const auto same = [&rules](Check check, F target, F known) {
    rules.push_back(
        {.check = check, .target = target, .ground = Ground::kCatalogue, .factors = {{known}}});
  };
  same(Check::kChipMemory, F::kGpuMemory, F::kChipMemory);
  same(Check::kChipPeak, F::kGpuPeak, F::kChipPeak);
  same(Check::kChipBandwidth, F::kGpuBandwidth, F::kChipBandwidth);
  same(Check::kChipPower, F::kGpuPower, F::kChipPower);
  same(Check::kLinkGeneration, F::kNvlinkGeneration, F::kChipNvlinkGeneration);
  same(Check::kScaleUp, F::kScaleUp, F::kChipScaleUp);
  same(Check::kScaleOut, F::kScaleOut, F::kChipScaleOut);
  same(Check::kLinkBandwidth, F::kLinkBandwidth, F::kNamedLinkBandwidth);
  rules.push_back(
      {.check = Check::kLinkLineRate, .target = F::kLinkBandwidth, .factors = {{F::kLineRate}}});
  rules.push_back({.check = Check::kLinkLatency,
                   .target = F::kLinkLatency,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kCatalogue,
                   .factors = {{F::kNamedLinkLatency}},
                   .scale = 10});
  rules.push_back({.check = Check::kTensorSpeedup,
                   .target = F::kTensorSpeedup,
                   .ground = Ground::kCatalogue,
                   .factors = {{F::kChipPeak}, {F::kChipFp32Peak, -1}},
                   .tolerance = 0.1});
  rules.push_back({.check = Check::kReleased,
                   .target = F::kYear,
                   .relation = Relation::kAtLeast,
                   .ground = Ground::kCatalogue,
                   .factors = {{F::kChipYear}},
                   .tolerance = kExact});
  rules.push_back({.check = Check::kTpDomain,
                   .target = F::kTp,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kChipDomain}},
                   .tolerance = kExact,
                   .broken = Verdict::kUnsupported});
}

void add_memory(std::vector<ProductRule>& rules) {
  rules.push_back({.check = Check::kWeights,
                   .target = F::kWeights,
                   .factors = {{F::kParameters}, {F::kBytesPerParameter}}});
  rules.push_back(
      {.check = Check::kWeightsPerGpu,
       .target = F::kWeightsPerGpu,
       .factors = {{F::kParameters}, {F::kBytesPerParameter}, {F::kTp, -1}, {F::kPp, -1}},
       .tolerance = 0.15});
  rules.push_back({.check = Check::kMemoryUsed,
                   .target = F::kMemoryPerGpu,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kUsableMemory}},
                   .tolerance = kExact});
  rules.push_back({.check = Check::kCacheRoom,
                   .target = F::kKvTokens,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kKvMemoryPerGpu}, {F::kGpus}, {F::kKvPerToken, -1}},
                   .tolerance = 0.02});
}

std::vector<ProductRule> all_rules() {
  std::vector<ProductRule> rules;
  add_counts(rules);
  add_chip(rules);
  add_memory(rules);
  add_run_rules(rules);
  add_power_rules(rules);
  add_money_rules(rules);
  add_serving_rules(rules);
  return rules;
}

}  // namespace

const std::vector<ProductRule>& product_rules() {
  static const std::vector<ProductRule> kRules = all_rules();
  return kRules;
}

}  // namespace loadfactor::audit
