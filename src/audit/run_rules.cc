// Products that tie the rate, the work and the time of a training run to one another.
#include "audit/rule.h"
#include "base/calendar.h"

namespace loadfactor::audit {
namespace {

using F = Figure;

// A second forward pass in the backward one: a third more work than 6 N D.
constexpr double kRecomputed = 4.0 / 3;

void add_checkpoints(std::vector<ProductRule>& rules) {
  rules.push_back({.check = Check::kCheckpointTime,
                   .target = F::kCheckpointTime,
                   .factors = {{F::kCheckpoint}, {F::kCheckpointBandwidth, -1}}});
  rules.push_back({.check = Check::kJobFailures,
                   .target = F::kJobMtbf,
                   .factors = {{F::kGpuMtbf}, {F::kGpus, -1}}});
}

void add_rates(std::vector<ProductRule>& rules) {
  rules.push_back(
      {.check = Check::kRateMfu, .target = F::kRatePerGpu, .factors = {{F::kMfu}, {F::kChipPeak}}});
  rules.push_back({.check = Check::kAggregateRate,
                   .target = F::kAggregateRate,
                   .factors = {{F::kRatePerGpu}, {F::kGpus}}});
  rules.push_back({.check = Check::kAggregateMfu,
                   .target = F::kAggregateRate,
                   .factors = {{F::kMfu}, {F::kChipPeak}, {F::kGpus}},
                   .unless = {F::kRatePerGpu}});
  rules.push_back({.check = Check::kRatePeak,
                   .target = F::kRatePerGpu,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kPeakLimit}},
                   .tolerance = kExact});
  rules.push_back({.check = Check::kTokensPerGpu,
                   .target = F::kTokensPerSecond,
                   .factors = {{F::kTokensPerGpuSecond}, {F::kGpus}}});
  rules.push_back({.check = Check::kTokensPerStep,
                   .target = F::kTokensPerSecond,
                   .factors = {{F::kGlobalBatch}, {F::kSequence}, {F::kStepTime, -1}}});
  rules.push_back(
      {.check = Check::kTokensPerStep,
       .target = F::kTokensPerGpuSecond,
       .factors = {{F::kGlobalBatch}, {F::kSequence}, {F::kStepTime, -1}, {F::kGpus, -1}},
       .unless = {F::kTokensPerSecond}});
  rules.push_back({.check = Check::kTokensOfSteps,
                   .target = F::kTokens,
                   .factors = {{F::kSteps}, {F::kGlobalBatch}, {F::kSequence}}});
}

void add_times(std::vector<ProductRule>& rules) {
  rules.push_back({.check = Check::kDurationRate,
                   .target = F::kDuration,
                   .factors = {{F::kTokens}, {F::kTokensPerSecond, -1}},
                   .unless = {F::kGoodput}});
  rules.push_back({.check = Check::kDurationRate,
                   .target = F::kDuration,
                   .factors = {{F::kTokens}, {F::kTokensPerSecond, -1}, {F::kGoodput, -1}}});
  rules.push_back({.check = Check::kDurationRate,
                   .target = F::kDuration,
                   .relation = Relation::kAtLeast,
                   .factors = {{F::kSteps}, {F::kStepTime}}});
}

void add_shares(std::vector<ProductRule>& rules) {
  for (const F share : {F::kMfu, F::kHfu, F::kBusyShare, F::kGoodput, F::kCommunicationShare})
    rules.push_back({.check = Check::kWholeShare,
                     .target = share,
                     .relation = Relation::kAtMost,
                     .tolerance = kExact});
  for (const F share : {F::kMfu, F::kHfu})
    rules.push_back({.check = Check::kMatrixCeiling,
                     .target = share,
                     .relation = Relation::kAtMost,
                     .ground = Ground::kPhysics,
                     .factors = {{F::kChipMatmul}, {F::kChipPeak, -1}},
                     .tolerance = kExact});
  rules.push_back({.check = Check::kRecordMfu,
                   .target = F::kMfu,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kRecord,
                   .factors = {{F::kBestMfu}},
                   .tolerance = 0.03});
  rules.push_back({.check = Check::kHfuLow,
                   .target = F::kHfu,
                   .relation = Relation::kAtLeast,
                   .factors = {{F::kMfu}},
                   .tolerance = 0.02});
  rules.push_back({.check = Check::kHfuHigh,
                   .target = F::kHfu,
                   .relation = Relation::kAtMost,
                   .factors = {{F::kMfu}},
                   .scale = kRecomputed});
}

// No MFU need be stated: the whole dense peak bounds every run, and what anyone has reached bounds
// what may be believed.
void add_compute_bounds(std::vector<ProductRule>& rules) {
  constexpr double kBound = 0.01;
  const std::vector<Factor> hours{{F::kTokenParameters}, {F::kTokens}, {F::kPeakLimit, -1}};
  rules.push_back({.check = Check::kComputeHours,
                   .target = F::kGpuHours,
                   .relation = Relation::kAtLeast,
                   .ground = Ground::kPhysics,
                   .factors = hours,
                   .scale = kWorkPerToken / kHour.base(),
                   .tolerance = kBound});
  std::vector<Factor> record = hours;
  record.push_back({F::kBestMfu, -1});
  rules.push_back({.check = Check::kRecordHours,
                   .target = F::kGpuHours,
                   .relation = Relation::kAtLeast,
                   .ground = Ground::kRecord,
                   .factors = record,
                   .scale = kWorkPerToken / kHour.base(),
                   .tolerance = kEmbedding,
                   .broken = Verdict::kUnsupported});
  rules.push_back({.check = Check::kComputeWork,
                   .target = F::kGpuHours,
                   .relation = Relation::kAtLeast,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kCompute}, {F::kPeakLimit, -1}},
                   .scale = 1 / kHour.base(),
                   .tolerance = kBound});
  rules.push_back({.check = Check::kComputeTokens,
                   .target = F::kTokensPerGpuSecond,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kPeakLimit}, {F::kTokenParameters, -1}},
                   .scale = 1 / kWorkPerToken,
                   .tolerance = kBound});
  rules.push_back({.check = Check::kRecordTokens,
                   .target = F::kTokensPerGpuSecond,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kRecord,
                   .factors = {{F::kPeakLimit}, {F::kBestMfu}, {F::kTokenParameters, -1}},
                   .scale = 1 / kWorkPerToken,
                   .tolerance = kEmbedding,
                   .broken = Verdict::kUnsupported});
}

// What a stated share of the peak, a stated rate or a stated sum of work has to cover at least.
void add_work(std::vector<ProductRule>& rules) {
  const auto covers = [&rules](Check check, F target, std::vector<Factor> factors, double scale,
                               std::vector<F> unless = {}) {
    rules.push_back({.check = check,
                     .target = target,
                     .relation = Relation::kAtLeast,
                     .factors = std::move(factors),
                     .scale = scale,
                     .tolerance = kEmbedding,
                     .unless = std::move(unless)});
  };
  const std::vector<Factor> of_rate{
      {F::kTokenParameters}, {F::kTokensPerGpuSecond}, {F::kChipPeak, -1}};
  covers(Check::kMfuTokens, F::kMfu, of_rate, kWorkPerToken);
  covers(Check::kHfuTokens, F::kHfu, of_rate, kWorkPerToken, {F::kMfu});
  covers(Check::kRateWork, F::kRatePerGpu, {{F::kTokenParameters}, {F::kTokensPerGpuSecond}},
         kWorkPerToken);
  covers(Check::kWorkOfTokens, F::kCompute, {{F::kTokenParameters}, {F::kTokens}}, kWorkPerToken);
  rules.push_back({.check = Check::kWorkOfTokensAtMost,
                   .target = F::kCompute,
                   .relation = Relation::kAtMost,
                   .factors = {{F::kTokenParameters}, {F::kTokens}},
                   .scale = kWorkPerToken * kRecomputed,
                   .tolerance = 0.3});  // Attention at long sequences.
  const std::vector<Factor> work{
      {F::kTokenParameters}, {F::kTokens}, {F::kGpus, -1}, {F::kChipPeak, -1}, {F::kMfu, -1}};
  covers(Check::kDurationWork, F::kDuration, work, kWorkPerToken, {F::kTokensPerSecond});
  // A run may stand still, so that taking longer is no contradiction.
  rules.push_back({.check = Check::kDurationWorkAtMost,
                   .target = F::kDuration,
                   .relation = Relation::kAtMost,
                   .factors = work,
                   .scale = kWorkPerToken,
                   .tolerance = 0.6,
                   .broken = Verdict::kUnsupported,
                   .unless = {F::kTokensPerSecond}});
  covers(Check::kHoursWork, F::kGpuHours,
         {{F::kTokenParameters}, {F::kTokens}, {F::kChipPeak, -1}, {F::kMfu, -1}},
         kWorkPerToken / kHour.base(), {F::kDuration});
}

}  // namespace

void add_run_rules(std::vector<ProductRule>& rules) {
  add_checkpoints(rules);
  add_rates(rules);
  add_times(rules);
  add_shares(rules);
  add_compute_bounds(rules);
  add_work(rules);
}

}  // namespace loadfactor::audit
