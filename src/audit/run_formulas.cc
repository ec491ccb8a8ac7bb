// Relations of a training run that are no products: bubbles, exchanges, and how much work beside
// 6 N D may be counted.
#include <array>
#include <cmath>

#include "audit/rule.h"

namespace loadfactor::audit {
namespace {

using F = Figure;

// Work per token with attention, over 6 N. A token attends to a sequence in every layer with the
// width of the model: 12 × layers × width × sequence. The width follows from 12 × layers × width²
// parameters. Where layers or sequence are not known, sequences of common length are meant.
double attention_factor(const Values& values) {
  constexpr double kUnknown = 1.25;
  if (!have(values, {F::kLayers, F::kSequence})) return kUnknown;
  const double n = values.find(F::kTokenParameters)->value;
  const double layers = values.find(F::kLayers)->value;
  const double width = std::sqrt(n / (12 * layers));
  return 1 + 12 * layers * width * values.find(F::kSequence)->value / (6 * n);
}

// Published shares of the peak sometimes count the recomputed forward pass. Beside a stated HFU
// they do not.
double recomputation_factor(const Claim& claim) {
  return claim[F::kHfu] ? 1 : 4.0 / 3;
}

std::optional<Finding> mfu_at_most(const Claim& claim, const Values& values) {
  const bool asks = values.stated(F::kMfu) &&
                    have(values, {F::kTokenParameters, F::kTokensPerGpuSecond, F::kChipPeak});
  if (!asks) return std::nullopt;
  Working working(claim, values);
  working.assume(F::kAttention, 6 * attention_factor(values) * recomputation_factor(claim));
  working.product(
      F::kMfu, 1,
      {{F::kAttention}, {F::kTokenParameters}, {F::kTokensPerGpuSecond}, {F::kChipPeak, -1}});
  constexpr double kRounding = 0.05;
  return working.compare(Check::kMfuTokensAtMost, F::kMfu, Relation::kAtMost, Ground::kArithmetic,
                         kRounding);
}

std::optional<Finding> rate_at_most(const Claim& claim, const Values& values) {
  const bool asks =
      values.stated(F::kRatePerGpu) && have(values, {F::kTokenParameters, F::kTokensPerGpuSecond});
  if (!asks) return std::nullopt;
  Working working(claim, values);
  working.assume(F::kAttention, 6 * attention_factor(values) * 4.0 / 3);
  working.product(F::kRatePerGpu, 1,
                  {{F::kAttention}, {F::kTokenParameters}, {F::kTokensPerGpuSecond}});
  constexpr double kRounding = 0.05;
  return working.compare(Check::kRateWorkAtMost, F::kRatePerGpu, Relation::kAtMost,
                         Ground::kArithmetic, kRounding);
}

// A run to convergence sees as many tokens as a model of its size is trained on.
std::optional<Finding> converges(const Claim& claim, const Values& values) {
  const bool asks = claim.converged && have(values, {F::kParameters, F::kGpus, F::kDuration,
                                                     F::kChipPeak, F::kMfu, F::kOptimalTokens});
  if (!asks) return std::nullopt;
  Working working(claim, values);
  working.product(F::kTokensBought, 1.0 / 6,
                  {{F::kGpus}, {F::kChipPeak}, {F::kMfu}, {F::kDuration}, {F::kParameters, -1}});
  working.product(F::kTokens, 1, {{F::kOptimalTokens}, {F::kParameters}});
  working.product(F::kDuration, 1, {{F::kDuration}, {F::kTokens}, {F::kTokensBought, -1}});
  return working.compare(Check::kTokenBudget, F::kDuration, Relation::kAtLeast, Ground::kArithmetic,
                         0);
}

// What is busy cannot also wait in a bubble or for a link.
std::optional<Finding> busy_share(const Claim& claim, const Values& values) {
  if (!have(values, {F::kBusyShare, F::kPp, F::kMicroBatches})) return std::nullopt;
  Working working(claim, values);
  if (values.find(F::kCommunicationShare) == nullptr) working.assume(F::kCommunicationShare, 0);
  working.sum(F::kWaitingStages, -1, {{F::kPp}});
  working.product(F::kChunks, 1, {{F::kMicroBatches}, {F::kVirtualStages}});
  working.sum(F::kPipelineSlots, 0, {{F::kChunks}, {F::kWaitingStages}});
  working.product(F::kBubble, 1, {{F::kWaitingStages}, {F::kPipelineSlots, -1}});
  working.sum(F::kBusyShare, 1, {{F::kBubble, -1}, {F::kCommunicationShare, -1}});
  constexpr double kSlack = 0.02;
  return working.compare(Check::kBusyShare, F::kBusyShare, Relation::kAtMost, Ground::kArithmetic,
                         kSlack);
}

std::optional<Finding> gradient_traffic(const Claim& claim, const Values& values) {
  const bool asks = values.stated(F::kCommunicationShare) &&
                    have(values, {F::kParameters, F::kTp, F::kPp, F::kScaleOut, F::kStepTime});
  if (!asks) return std::nullopt;
  Working working(claim, values);
  // 16-bit gradients are sent and received.
  working.product(F::kGradientTime, 4,
                  {{F::kParameters}, {F::kTp, -1}, {F::kPp, -1}, {F::kScaleOut, -1}});
  working.product(F::kCommunicationShare, 1, {{F::kGradientTime}, {F::kStepTime, -1}});
  return working.compare(Check::kGradientTraffic, F::kCommunicationShare, Relation::kAtLeast,
                         Ground::kPhysics, 0, Verdict::kUnsupported);
}

// Large gradients wait for bandwidth, not for latency.
std::optional<Finding> latency_matters(const Claim& claim, const Values& values) {
  const bool asks =
      values.stated(F::kLatencyNeeded) && have(values, {F::kParameters, F::kGpus, F::kScaleOut});
  if (!asks) return std::nullopt;
  const double n = values.find(F::kGpus)->value;
  if (n <= 1) return std::nullopt;  // One alone exchanges nothing.
  Working working(claim, values);
  working.product(F::kRingTime, 4 * (n - 1) / n, {{F::kParameters}, {F::kScaleOut, -1}});
  working.product(F::kRingWait, 2 * (n - 1), {{F::kLatencyNeeded}});
  working.product(F::kRingShare, 1, {{F::kRingWait}, {F::kRingTime, -1}});
  Finding finding = working.finding(Check::kLatencyNeeded, F::kLatencyNeeded);
  finding.ground = Ground::kPhysics;
  finding.relation = Relation::kAtLeast;
  finding.ratio = finding.computed;
  constexpr double kNoticeableShare = 0.05;
  if (finding.ratio < kNoticeableShare) finding.verdict = Verdict::kInconsistent;
  return finding;
}

std::optional<Finding> exposed_time(const Claim& claim, const Values& values) {
  if (!have(values, {F::kSpeed, F::kExposedOverCompute})) return std::nullopt;
  Working working(claim, values);
  working.sum(F::kShare, 1, {{F::kExposedOverCompute}});
  working.product(F::kSpeed, 1, {{F::kShare, -1}});
  constexpr double kSlack = 0.05;
  return working.compare(Check::kExposedCommunication, F::kSpeed, Relation::kEquals,
                         Ground::kArithmetic, kSlack);
}

constexpr std::array<FormulaRule, 7> kRun{mfu_at_most, rate_at_most,     converges,
                                          busy_share,  gradient_traffic, latency_matters,
                                          exposed_time};

}  // namespace

std::span<const FormulaRule> run_formulas() {
  return kRun;
}

}  // namespace loadfactor::audit
