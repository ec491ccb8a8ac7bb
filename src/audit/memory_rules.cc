// What must fit into memory: training state, weights, cache.
#include <algorithm>
#include <array>

#include "audit/rule.h"

namespace loadfactor::audit {
namespace {

using F = Figure;

// Bytes per parameter that training keeps: weights and gradients in 16 bits, a master copy in 32,
// and what the optimizer remembers.
struct StateBytes {
  double weights = 2;
  double gradients = 2;
  double optimizer = 12;
};

StateBytes state_of(const Claim& claim) {
  constexpr double kMaster = 4;
  StateBytes state;
  switch (claim.optimizer.value_or(Optimizer::kAdam)) {
    case Optimizer::kAdam:
      state.optimizer = kMaster + 8;  // Two moments in 32 bits.
      break;
    case Optimizer::kAdam8Bit:
      state.optimizer = kMaster + 2;
      break;
    case Optimizer::kLion:
    case Optimizer::kMuon:
    case Optimizer::kSgd:
      state.optimizer = kMaster + 4;  // One moment.
      break;
    case Optimizer::kAdafactor:
      state.optimizer = kMaster;  // Its moments are rows and columns.
      break;
  }
  if (catalog::bytes_per_element(claim.dtype) < 2) {
    state.weights = catalog::bytes_per_element(claim.dtype);
    if (!claim.optimizer) state.optimizer = kMaster + 4;  // Two moments in 16 bits.
  }
  return state;
}

bool leaves_gpu(const Claim& claim) {
  return claim.offload && *claim.offload != Offload::kNone;
}

// GPUs over which a layer's weights are spread before any sharding of data-parallel ranks. Where
// the layout does not say, the ranks of data parallelism do.
double split_of(const Claim& claim, const Values& values) {
  const double gpus = values.find(F::kGpus)->value;
  if (!(claim[F::kTp] && claim[F::kPp]) && claim[F::kDp])
    return std::max(1.0, gpus / (claim[F::kDp]->value * values.value_or(F::kCp, 1)));
  return values.value_or(F::kTp, 1) * values.value_or(F::kPp, 1);
}

// Each parameter's bytes on one GPU. Sharding that is not stated counts as the most favourable one:
// everything over all GPUs. Experts are spread over their ranks too; as many parameters as there
// are may be theirs.
void spread_state(const Claim& claim, const Values& values, Working& working) {
  const StateBytes state = state_of(claim);
  const double gpus = values.find(F::kGpus)->value;
  const bool is_dense = claim[F::kActiveParameters] && claim[F::kParameters] &&
                        claim[F::kActiveParameters]->value >= claim[F::kParameters]->value;
  const double experts = is_dense ? 1 : values.value_or(F::kEp, 1);
  const double split = std::min(gpus, split_of(claim, values) * experts);
  const int zero = claim.zero.value_or(3);
  const auto on_gpu = [&](double bytes, int from) { return bytes / (zero >= from ? gpus : split); };
  working.assume(F::kWeightShare, on_gpu(state.weights, 3));
  working.assume(F::kGradientShare, on_gpu(state.gradients, 2));
  working.assume(F::kOptimizerShare, on_gpu(state.optimizer, 1));
  working.sum(F::kStateShare, 0, {{F::kWeightShare}, {F::kGradientShare}, {F::kOptimizerShare}});
}

// A finding about parameters whose last line must fit the chip.
Finding fits_chip(Working& working, Check check, const Values& values) {
  Finding finding = working.finding(check, F::kParameters);
  const double memory = values.find(F::kUsableMemory)->value;
  finding.ground = Ground::kPhysics;
  finding.relation = Relation::kAtMost;
  finding.ratio = finding.computed / memory;
  if (finding.computed > memory) finding.verdict = Verdict::kInconsistent;
  return finding;
}

// Weights, gradients and optimizer must fit before the first activation is kept.
std::optional<Finding> state_fits(const Claim& claim, const Values& values) {
  if (!trains(claim) || leaves_gpu(claim)) return std::nullopt;
  if (!have(values, {F::kParameters, F::kUsableMemory, F::kGpus})) return std::nullopt;
  Working working(claim, values);
  spread_state(claim, values, working);
  working.product(F::kStatePerGpu, 1, {{F::kParameters}, {F::kStateShare}});
  return fits_chip(working, Check::kStateFits, values);
}

// GPUs over which the weights of one served copy lie, at most.
double holders_of(const Claim& claim, const Values& values) {
  const double gpus = values.find(F::kGpus)->value;
  if (claim[F::kEp]) return gpus;
  if (claim[F::kTp] && claim[F::kPp])
    return std::min(gpus, claim[F::kTp]->value * claim[F::kPp]->value);
  if (claim[F::kDp]) return gpus / claim[F::kDp]->value;
  return gpus;
}

std::optional<Finding> weights_held(const Claim& claim, const Values& values) {
  if (!serves(claim) || leaves_gpu(claim) || claim.fits) return std::nullopt;
  if (!have(values, {F::kParameters, F::kUsableMemory, F::kGpus, F::kBytesPerParameter}))
    return std::nullopt;
  Working working(claim, values);
  working.assume(F::kReaders, holders_of(claim, values));
  working.product(F::kWeightsPerGpu, 1,
                  {{F::kParameters}, {F::kBytesPerParameter}, {F::kReaders, -1}});
  return fits_chip(working, Check::kWeightsHeld, values);
}

// The cache of everyone beside one copy of the weights, in the memory of all GPUs.
std::optional<Finding> cache_held(const Claim& claim, const Values& values) {
  const bool counted = have(values, {F::kConcurrency, F::kContext});
  if (leaves_gpu(claim) || !(counted || values.stated(F::kKvTokens))) return std::nullopt;
  if (!have(values,
            {F::kParameters, F::kUsableMemory, F::kGpus, F::kBytesPerParameter, F::kKvPerToken}))
    return std::nullopt;
  Working working(claim, values);
  working.product(F::kWeightsPerGpu, 1,
                  {{F::kParameters}, {F::kBytesPerParameter}, {F::kGpus, -1}});
  if (counted)
    working.product(F::kKvMemoryPerGpu, 1,
                    {{F::kConcurrency}, {F::kContext}, {F::kKvPerToken}, {F::kGpus, -1}});
  else
    working.product(F::kKvMemoryPerGpu, 1, {{F::kKvTokens}, {F::kKvPerToken}, {F::kGpus, -1}});
  working.sum(F::kMemoryPerGpu, 0, {{F::kWeightsPerGpu}, {F::kKvMemoryPerGpu}});
  return fits_chip(working, Check::kCacheHeld, values);
}

// "It fits", "it does not": weights against memory.
std::optional<Finding> weights_fit(const Claim& claim, const Values& values) {
  if (!claim.fits || !have(values, {F::kParameters, F::kUsableMemory, F::kBytesPerParameter}))
    return std::nullopt;
  Working working(claim, values);
  if (values.find(F::kGpus) == nullptr) working.assume(F::kGpus, 1);
  working.product(F::kWeightsPerGpu, 1,
                  {{F::kParameters}, {F::kBytesPerParameter}, {F::kGpus, -1}});
  Finding finding = fits_chip(working, Check::kWeightsFit, values);
  finding.relation = Relation::kAgrees;
  finding.says = *claim.fits;
  const bool fits = finding.verdict == Verdict::kConsistent;
  finding.verdict = fits == *claim.fits ? Verdict::kConsistent : Verdict::kInconsistent;
  return finding;
}

constexpr std::array<FormulaRule, 4> kMemory{state_fits, weights_held, cache_held, weights_fit};

}  // namespace

std::span<const FormulaRule> memory_rules() {
  return kMemory;
}

}  // namespace loadfactor::audit
