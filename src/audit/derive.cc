// What follows from stated figures at once, so that a bound sees it however it was written.
#include <algorithm>
#include <cmath>
#include <utility>

#include "audit/rule.h"
#include "audit/values.h"
#include "base/calendar.h"
#include "loadfactor/estimate.h"

namespace loadfactor::audit {
namespace {

using F = Figure;

struct Derivation {
  F target;
  std::vector<Factor> factors;
  double scale = 1;
  bool is_count = false;  // Holds only where the result is a whole number.
};

const std::vector<Derivation>& derivations() {
  static const std::vector<Derivation> kDerivations{
      {F::kTokenParameters, {{F::kActiveParameters}}},
      {F::kTokenParameters, {{F::kParameters}}},
      {F::kGpus, {{F::kNodes}, {F::kGpusPerNode}}},
      {F::kGpus, {{F::kRacks}, {F::kGpusPerRack}}},
      {F::kGpus, {{F::kTp}, {F::kPp}, {F::kCp}, {F::kDp}}},
      {F::kGpusPerRack, {{F::kNodesPerRack}, {F::kGpusPerNode}}},
      {F::kGpusPerRack, {{F::kNodesPerRack}, {F::kNodeGpus}}},
      {F::kGpusPerRack, {{F::kGpus}, {F::kRacks, -1}}, 1, true},
      {F::kDp, {{F::kGpus}, {F::kTp, -1}, {F::kPp, -1}, {F::kCp, -1}}, 1, true},
      {F::kTokens, {{F::kSteps}, {F::kGlobalBatch}, {F::kSequence}}},
      {F::kTokensPerSecond, {{F::kTokensPerGpuSecond}, {F::kGpus}}},
      {F::kTokensPerSecond, {{F::kGlobalBatch}, {F::kSequence}, {F::kStepTime, -1}}},
      {F::kTokensPerGpuSecond, {{F::kTokensPerSecond}, {F::kGpus, -1}}},
      {F::kServedTotal, {{F::kServedPerGpu}, {F::kGpus}}},
      {F::kServedPerGpu, {{F::kServedTotal}, {F::kGpus, -1}}},
      // Whoever is served at once gets a token each in the time of one.
      {F::kTimePerToken, {{F::kConcurrency}, {F::kServedTotal, -1}}},
      {F::kRatePerGpu, {{F::kAggregateRate}, {F::kGpus, -1}}},
      {F::kGpuHours, {{F::kGpus}, {F::kDuration}}, 1 / kHour.base()},
      {F::kPricePerGpuHour, {{F::kRunCost}, {F::kGpuHours, -1}}, 1 / kHour.base()},
      {F::kCapexPerGpu, {{F::kCapex}, {F::kGpus, -1}}},
      {F::kElectricity, {{F::kEnergyCost}, {F::kEnergy, -1}}},
  };
  return kDerivations;
}

// Nothing where a factor is not known.
std::optional<Value> derived(const Derivation& derivation, const Values& values) {
  Value result{.value = derivation.scale};
  for (const Factor& factor : derivation.factors) {
    const Value* value = values.find(factor.figure);
    if (value == nullptr) return std::nullopt;
    result.value *= std::pow(value->value, factor.power);
    result.source = merged_sources(result.source, value->source);
    if (value->stated) result.from.push_back(factor.figure);
    result.from.insert(result.from.end(), value->from.begin(), value->from.end());
  }
  if (derivation.is_count && result.value != std::round(result.value)) return std::nullopt;
  return result;
}

}  // namespace

void derive_values(Values& values) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (const Derivation& derivation : derivations()) {
      if (values.find(derivation.target) != nullptr) continue;
      auto value = derived(derivation, values);
      if (!value) continue;
      values.set(derivation.target, *std::move(value));
      changed = true;
    }
  }
}

}  // namespace loadfactor::audit
