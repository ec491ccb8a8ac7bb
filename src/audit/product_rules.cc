// The relations that are products of figures, by subject.
#include "audit/rule.h"
#include "base/calendar.h"

namespace loadfactor::audit {
namespace {

using F = Figure;
constexpr double kExact = 1e-6;  // Counts are exact.
// Looking a token up in a table costs no product, so 6 N D counts the embedding table in excess.
constexpr double kEmbedding = 0.15;

void add_counts(std::vector<ProductRule>& rules) {
  rules.push_back({.id = "gpus-in-racks",
                   .target = F::kGpus,
                   .factors = {{F::kRacks}, {F::kGpusPerRack}},
                   .why = "the racks hold another number",
                   .tolerance = kExact});
  rules.push_back({.id = "gpus-in-nodes",
                   .target = F::kGpus,
                   .factors = {{F::kNodes}, {F::kGpusPerNode}},
                   .why = "the nodes hold another number",
                   .tolerance = kExact});
  rules.push_back({.id = "nodes-in-racks",
                   .target = F::kNodes,
                   .factors = {{F::kRacks}, {F::kNodesPerRack}},
                   .why = "the racks hold another number",
                   .tolerance = kExact});
  rules.push_back({.id = "layout-product",
                   .target = F::kGpus,
                   .factors = {{F::kTp}, {F::kPp}, {F::kDp}},
                   .why = "the layout uses another number of GPUs",
                   .tolerance = kExact,
                   .unless = {F::kCp}});
  rules.push_back({.id = "layout-product",
                   .target = F::kGpus,
                   .factors = {{F::kTp}, {F::kPp}, {F::kCp}, {F::kDp}},
                   .why = "the layout uses another number of GPUs",
                   .tolerance = kExact});
  rules.push_back({.id = "global-batch",
                   .target = F::kGlobalBatch,
                   .factors = {{F::kMicroBatch}, {F::kMicroBatches}, {F::kDp}},
                   .why = "micro-batches and ranks give another batch",
                   .tolerance = kExact});
}

void add_chip(std::vector<ProductRule>& rules) {
  const auto same = [&rules](std::string_view id, F target, F known, std::string_view why) {
    rules.push_back({.id = id,
                     .target = target,
                     .ground = Ground::kCatalogue,
                     .factors = {{known}},
                     .why = why});
  };
  same("chip-memory", F::kGpuMemory, F::kChipMemory, "the chip is sold with another size");
  same("chip-peak", F::kGpuPeak, F::kChipPeak, "the dense rate is another; twice is sparse");
  same("chip-bandwidth", F::kGpuBandwidth, F::kChipBandwidth, "the datasheet says otherwise");
  same("chip-power", F::kGpuPower, F::kChipPower, "the datasheet says otherwise");
  same("link-generation", F::kNvlinkGeneration, F::kChipNvlinkGeneration,
       "the chip has another generation of NVLink");
  same("scale-up", F::kScaleUp, F::kChipScaleUp, "one direction of the chip's links is another");
  same("scale-out", F::kScaleOut, F::kChipScaleOut, "nodes of this chip ship with another fabric");
  same("link-bandwidth", F::kLinkBandwidth, F::kNamedLinkBandwidth,
       "one direction of this link carries another rate");
  rules.push_back({.id = "link-line-rate",
                   .target = F::kLinkBandwidth,
                   .factors = {{F::kLineRate}},
                   .why = "a byte has eight bits"});
  rules.push_back({.id = "link-latency",
                   .target = F::kLinkLatency,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kCatalogue,
                   .factors = {{F::kNamedLinkLatency}},
                   .why = "the link answers far sooner",
                   .scale = 10});
  rules.push_back({.id = "tensor-speedup",
                   .target = F::kTensorSpeedup,
                   .ground = Ground::kCatalogue,
                   .factors = {{F::kChipPeak}, {F::kChipFp32Peak, -1}},
                   .why = "the datasheet's rates have another ratio",
                   .tolerance = 0.1});
  rules.push_back({.id = "released",
                   .target = F::kYear,
                   .relation = Relation::kAtLeast,
                   .ground = Ground::kCatalogue,
                   .factors = {{F::kChipYear}},
                   .why = "the chip was not for sale then",
                   .tolerance = kExact});
  rules.push_back({.id = "tp-domain",
                   .target = F::kTp,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kChipDomain}},
                   .why = "tensor parallelism would leave the fast links",
                   .tolerance = kExact,
                   .broken = Verdict::kUnsupported});
}

void add_memory(std::vector<ProductRule>& rules) {
  rules.push_back({.id = "weights",
                   .target = F::kWeights,
                   .factors = {{F::kParameters}, {F::kBytesPerParameter}},
                   .why = "parameters times their size is another figure"});
  rules.push_back(
      {.id = "weights-per-gpu",
       .target = F::kWeightsPerGpu,
       .factors = {{F::kParameters}, {F::kBytesPerParameter}, {F::kTp, -1}, {F::kPp, -1}},
       .why = "a stage's share of the parameters has another size",
       .tolerance = 0.15});
  rules.push_back({.id = "memory-used",
                   .target = F::kMemoryPerGpu,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kChipMemory}},
                   .why = "the chip has less"});
  rules.push_back({.id = "checkpoint-time",
                   .target = F::kCheckpointTime,
                   .factors = {{F::kCheckpoint}, {F::kCheckpointBandwidth, -1}},
                   .why = "size over bandwidth is another time"});
  rules.push_back({.id = "job-failures",
                   .target = F::kJobMtbf,
                   .factors = {{F::kGpuMtbf}, {F::kGpus, -1}},
                   .why = "that many GPUs fail more often or less"});
}

void add_rates(std::vector<ProductRule>& rules) {
  rules.push_back({.id = "rate-mfu",
                   .target = F::kRatePerGpu,
                   .factors = {{F::kMfu}, {F::kChipPeak}},
                   .why = "that share of the dense peak is another rate"});
  rules.push_back({.id = "aggregate-rate",
                   .target = F::kAggregateRate,
                   .factors = {{F::kRatePerGpu}, {F::kGpus}},
                   .why = "all GPUs together give another rate"});
  rules.push_back({.id = "aggregate-mfu",
                   .target = F::kAggregateRate,
                   .factors = {{F::kMfu}, {F::kChipPeak}, {F::kGpus}},
                   .why = "all GPUs together give another rate",
                   .unless = {F::kRatePerGpu}});
  rules.push_back({.id = "tokens-per-gpu",
                   .target = F::kTokensPerSecond,
                   .factors = {{F::kTokensPerGpuSecond}, {F::kGpus}},
                   .why = "all GPUs together give another rate"});
  rules.push_back({.id = "tokens-per-step",
                   .target = F::kTokensPerSecond,
                   .factors = {{F::kGlobalBatch}, {F::kSequence}, {F::kStepTime, -1}},
                   .why = "a batch per step is another rate"});
  rules.push_back({.id = "duration-rate",
                   .target = F::kDuration,
                   .factors = {{F::kTokens}, {F::kTokensPerSecond, -1}},
                   .why = "that rate takes another time",
                   .unless = {F::kGoodput}});
  rules.push_back({.id = "duration-rate",
                   .target = F::kDuration,
                   .factors = {{F::kTokens}, {F::kTokensPerSecond, -1}, {F::kGoodput, -1}},
                   .why = "that rate takes another time"});
  rules.push_back({.id = "matrix-ceiling",
                   .target = F::kMfu,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kChipMatmul}, {F::kChipPeak, -1}},
                   .why = "not even a large matrix product runs that fast",
                   .tolerance = kExact});
  rules.push_back({.id = "record-mfu",
                   .target = F::kMfu,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kRecord,
                   .factors = {{F::kBestMfu}},
                   .why = "above every published result of this class",
                   .tolerance = 0.03});
}

void add_work_rate(std::vector<ProductRule>& rules, F parameters, std::vector<F> unless) {
  const std::vector<Factor> work{{parameters}, {F::kTokensPerGpuSecond}};
  rules.push_back({.id = "rate-work",
                   .target = F::kRatePerGpu,
                   .relation = Relation::kAtLeast,
                   .factors = work,
                   .why = "the tokens alone need a higher rate",
                   .scale = 6,
                   .tolerance = kEmbedding,
                   .unless = unless});
  rules.push_back({.id = "rate-work-at-most",
                   .target = F::kRatePerGpu,
                   .relation = Relation::kAtMost,
                   .factors = work,
                   .why = "the tokens need far less",
                   .scale = 6,
                   .tolerance = 0.6,
                   .unless = unless});
}

// 6 N D counts no attention, so a run takes at least that long, and seldom twice as long.
void add_duration(std::vector<ProductRule>& rules, F parameters, std::vector<F> unless) {
  unless.push_back(F::kTokensPerSecond);
  const std::vector<Factor> work{
      {parameters}, {F::kTokens}, {F::kGpus, -1}, {F::kChipPeak, -1}, {F::kMfu, -1}};
  rules.push_back({.id = "duration-work",
                   .target = F::kDuration,
                   .relation = Relation::kAtLeast,
                   .factors = work,
                   .why = "6 FLOP per parameter and token take longer",
                   .scale = 6,
                   .tolerance = kEmbedding,
                   .unless = unless});
  rules.push_back({.id = "duration-work-at-most",
                   .target = F::kDuration,
                   .relation = Relation::kAtMost,
                   .factors = work,
                   .why = "the work is done much sooner at that MFU",
                   .scale = 6,
                   .tolerance = 0.6,
                   .unless = unless});
}

void add_power(std::vector<ProductRule>& rules) {
  rules.push_back({.id = "gpu-power-total",
                   .target = F::kGpuPowerTotal,
                   .factors = {{F::kGpus}, {F::kGpuPower}},
                   .why = "all GPUs together draw another power"});
  rules.push_back({.id = "it-power-racks",
                   .target = F::kItPower,
                   .factors = {{F::kRacks}, {F::kRackPower}},
                   .why = "the racks together draw another power"});
  rules.push_back({.id = "it-power-nodes",
                   .target = F::kItPower,
                   .factors = {{F::kNodes}, {F::kNodePower}},
                   .why = "the nodes together draw another power",
                   .unless = {F::kRackPower}});
  rules.push_back({.id = "rack-power-nodes",
                   .target = F::kRackPower,
                   .factors = {{F::kNodesPerRack}, {F::kNodePower}},
                   .why = "the nodes of a rack together draw another power"});
  rules.push_back({.id = "site-power",
                   .target = F::kSitePower,
                   .factors = {{F::kRacks}, {F::kRackPower}, {F::kPue}},
                   .why = "the racks with that PUE draw another power"});
  rules.push_back({.id = "site-power-it",
                   .target = F::kSitePower,
                   .factors = {{F::kItPower}, {F::kPue}},
                   .why = "the IT load with that PUE is another power",
                   .unless = {F::kRackPower}});
  rules.push_back({.id = "site-power-gpus",
                   .target = F::kSitePower,
                   .relation = Relation::kAtLeast,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kGpus}, {F::kChipPower}},
                   .why = "the GPUs alone draw more",
                   .unless = {F::kRackPower}});
  rules.push_back({.id = "rack-power-gpus",
                   .target = F::kRackPower,
                   .relation = Relation::kAtLeast,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kGpusPerRack}, {F::kNodeRating}},
                   .why = "the nodes of a rack are rated higher"});
  rules.push_back({.id = "rack-cooling",
                   .target = F::kRackPower,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kCoolingLimit}},
                   .why = "the cooling does not carry that much"});
  rules.push_back({.id = "energy",
                   .target = F::kEnergy,
                   .factors = {{F::kSitePower}, {F::kDuration}},
                   .why = "that power over that time is another energy"});
}

void add_rack_heat(std::vector<ProductRule>& rules) {
  rules.push_back({.id = "rack-heat",
                   .target = F::kGpusPerRack,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kRackPower}, {F::kChipPower, -1}},
                   .why = "the GPUs alone draw more than a rack has",
                   .unless = {}});
}

void add_money(std::vector<ProductRule>& rules) {
  rules.push_back({.id = "gpu-hours",
                   .target = F::kGpuHours,
                   .factors = {{F::kGpus}, {F::kDuration}},
                   .why = "that many GPUs over that time are another number of hours",
                   .scale = 1 / kHour.base()});
  rules.push_back({.id = "run-cost",
                   .target = F::kRunCost,
                   .factors = {{F::kGpuHours}, {F::kPricePerGpuHour}},
                   .why = "hours times price is another sum",
                   .scale = kHour.base()});
  rules.push_back({.id = "run-cost-duration",
                   .target = F::kRunCost,
                   .factors = {{F::kGpus}, {F::kDuration}, {F::kPricePerGpuHour}},
                   .why = "GPUs times time times price is another sum",
                   .unless = {F::kGpuHours}});
  rules.push_back({.id = "purchase",
                   .target = F::kCapex,
                   .factors = {{F::kGpus}, {F::kCapexPerGpu}},
                   .why = "GPUs times their price is another sum"});
  rules.push_back({.id = "energy-cost",
                   .target = F::kEnergyCost,
                   .factors = {{F::kEnergy}, {F::kElectricity}},
                   .why = "energy times its price is another sum"});
  rules.push_back({.id = "duty-multiple",
                   .target = F::kCostMultiple,
                   .factors = {{F::kDuty, -1}},
                   .why = "an hour that carries work costs one over the duty",
                   .tolerance = 0.06});
  rules.push_back(
      {.id = "cost-per-token",
       .target = F::kCostPerToken,
       .factors = {{F::kPricePerGpuHour}, {F::kServedPerGpu, -1}, {F::kUtilisation, -1}},
       .why = "price over work is another figure"});
  rules.push_back({.id = "break-even",
                   .target = F::kBreakEven,
                   .factors = {{F::kPricePerGpuHour}, {F::kApiPrice, -1}, {F::kServedPerGpu, -1}},
                   .why = "the floor lies elsewhere at this price and rate",
                   .tolerance = 0.1});
  rules.push_back({.id = "rent-low",
                   .target = F::kPricePerGpuHour,
                   .relation = Relation::kAtLeast,
                   .ground = Ground::kRecord,
                   .factors = {{F::kLowestRent}},
                   .why = "cheaper than any rent on record",
                   .tolerance = 0.02,
                   .broken = Verdict::kUnsupported});
  rules.push_back({.id = "rent-high",
                   .target = F::kPricePerGpuHour,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kRecord,
                   .factors = {{F::kHighestRent}},
                   .why = "dearer than any rent on record",
                   .tolerance = 0.02,
                   .broken = Verdict::kUnsupported});
}

void add_serving(std::vector<ProductRule>& rules) {
  rules.push_back({.id = "prefill-bound",
                   .target = F::kTimeToFirstToken,
                   .relation = Relation::kAtLeast,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kParameters}, {F::kPrompt}, {F::kGpus, -1}, {F::kChipPeak, -1}},
                   .why = "faster than the dense peak allows",
                   .scale = 2,
                   .unless = {F::kActiveParameters}});
  rules.push_back({.id = "decode-bound",
                   .target = F::kTimePerToken,
                   .relation = Relation::kAtLeast,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kParameters},
                               {F::kBytesPerParameter},
                               {F::kGpus, -1},
                               {F::kChipBandwidth, -1}},
                   .why = "the weights cannot be read in that time",
                   .unless = {F::kActiveParameters}});
  rules.push_back({.id = "served-bound",
                   .target = F::kServedPerGpu,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kChipPeak}, {F::kParameters, -1}},
                   .why = "faster than the dense peak allows",
                   .scale = 0.5,
                   .unless = {F::kActiveParameters}});
}

std::vector<ProductRule> all_rules() {
  std::vector<ProductRule> rules;
  add_counts(rules);
  add_chip(rules);
  add_memory(rules);
  add_rates(rules);
  add_work_rate(rules, Figure::kParameters, {Figure::kActiveParameters});
  add_work_rate(rules, Figure::kActiveParameters, {});
  add_duration(rules, Figure::kParameters, {Figure::kActiveParameters});
  add_duration(rules, Figure::kActiveParameters, {});
  add_power(rules);
  add_rack_heat(rules);
  add_money(rules);
  add_serving(rules);
  return rules;
}

}  // namespace

const std::vector<ProductRule>& product_rules() {
  static const std::vector<ProductRule> kRules = all_rules();
  return kRules;
}

}  // namespace loadfactor::audit
