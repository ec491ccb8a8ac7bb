// Serving against the dense peak, the memory bandwidth and the users.
#include <algorithm>
#include <array>

#include "audit/rule.h"

namespace loadfactor::audit {
namespace {

using F = Figure;

// A forward pass: two operations per parameter and token.
constexpr double kForward = 2;
constexpr double kBound = 0.01;

// GPUs that read weights for the same token at the same time. Stages of a pipeline take turns.
void find_readers(const Claim& claim, const Values& values, Working& working) {
  const double pp = values.value_or(F::kPp, 1);
  const double gpus = values.find(F::kGpus)->value;
  double readers = gpus / pp;
  if (!claim[F::kEp]) {
    if (claim[F::kTp])
      readers = claim[F::kTp]->value;
    else if (claim[F::kDp])
      readers = gpus / pp / claim[F::kDp]->value;
  }
  working.assume(F::kReaders, std::min(readers, gpus));
}

// The weights that a token meets, and the cache of all sequences that are decoded at once, are
// read for every token.
std::optional<Finding> decode_bound(const Claim& claim, const Values& values) {
  const bool asks = have(values, {F::kTimePerToken, F::kTokenParameters, F::kBytesPerParameter,
                                  F::kGpus, F::kChipBandwidth});
  if (!asks || claim.speculative.value_or(false)) return std::nullopt;
  Working working(claim, values);
  find_readers(claim, values, working);
  working.product(F::kStepBytes, 1, {{F::kTokenParameters}, {F::kBytesPerParameter}});
  const bool is_one_replica = !claim[F::kPp] && !claim[F::kDp];
  if (is_one_replica && have(values, {F::kConcurrency, F::kContext, F::kKvPerToken}) &&
      (!claim[F::kTp] || claim[F::kTp]->value == values.find(F::kGpus)->value)) {
    Working with_cache(claim, values);
    find_readers(claim, values, with_cache);
    with_cache.product(F::kWeights, 1, {{F::kTokenParameters}, {F::kBytesPerParameter}});
    with_cache.product(F::kKvHeld, 1, {{F::kConcurrency}, {F::kContext}, {F::kKvPerToken}});
    with_cache.sum(F::kStepBytes, 0, {{F::kWeights}, {F::kKvHeld}});
    working = std::move(with_cache);
  }
  working.product(F::kTimePerToken, 1,
                  {{F::kStepBytes}, {F::kReaders, -1}, {F::kChipBandwidth, -1}});
  return working.compare(Check::kDecodeBound, F::kTimePerToken, Relation::kAtLeast,
                         Ground::kPhysics, kBound);
}

// Tokens of a prompt that come from a cache are not computed.
void find_computed_share(const Claim& claim, Working& working) {
  const double hit = claim[F::kCacheHit] ? claim[F::kCacheHit]->value : 0;
  working.assume(F::kShare, 1 - hit);
}

std::optional<Finding> prefill_bound(const Claim& claim, const Values& values) {
  const bool asks = have(
      values, {F::kTimeToFirstToken, F::kTokenParameters, F::kPrompt, F::kGpus, F::kPeakLimit});
  if (!asks) return std::nullopt;
  Working working(claim, values);
  find_computed_share(claim, working);
  working.product(
      F::kTimeToFirstToken, kForward,
      {{F::kTokenParameters}, {F::kPrompt}, {F::kShare}, {F::kGpus, -1}, {F::kPeakLimit, -1}});
  return working.compare(Check::kPrefillBound, F::kTimeToFirstToken, Relation::kAtLeast,
                         Ground::kPhysics, kBound);
}

// Where nothing is said of a cache, a rate above the peak may be due to one.
std::optional<Finding> input_bound(const Claim& claim, const Values& values) {
  const bool cached = claim[F::kCacheHit] && claim[F::kCacheHit]->value >= 1;
  if (!have(values, {F::kInputPerGpu, F::kTokenParameters, F::kPeakLimit}) || cached)
    return std::nullopt;
  Working working(claim, values);
  find_computed_share(claim, working);
  working.product(F::kInputPerGpu, 1 / kForward,
                  {{F::kPeakLimit}, {F::kTokenParameters, -1}, {F::kShare, -1}});
  return working.compare(Check::kInputBound, F::kInputPerGpu, Relation::kAtMost, Ground::kPhysics,
                         kBound,
                         claim[F::kCacheHit] ? Verdict::kInconsistent : Verdict::kUnsupported);
}

constexpr std::array<FormulaRule, 3> kServing{decode_bound, prefill_bound, input_bound};

}  // namespace

void add_serving_rules(std::vector<ProductRule>& rules) {
  rules.push_back({.check = Check::kServedProduct,
                   .target = F::kServedTotal,
                   .factors = {{F::kServedPerGpu}, {F::kGpus}}});
  rules.push_back({.check = Check::kServedBound,
                   .target = F::kServedPerGpu,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kPeakLimit}, {F::kTokenParameters, -1}},
                   .scale = 1 / kForward,
                   .tolerance = kBound});
  rules.push_back({.check = Check::kServedUsers,
                   .target = F::kServedTotal,
                   .relation = Relation::kAtMost,
                   .factors = {{F::kConcurrency}, {F::kTimePerToken, -1}},
                   .when = {F::kTimePerToken}});
}

std::span<const FormulaRule> serving_formulas() {
  return kServing;
}

}  // namespace loadfactor::audit
