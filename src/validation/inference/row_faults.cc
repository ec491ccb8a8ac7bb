#include "validation/inference/row_faults.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "validation/row_text.h"

namespace loadfactor::validation {
namespace {

// Tokens or requests per second and milliseconds alike: a microsecond to eleven days, a token a
// day to a billion a second.
constexpr double kLeastValue = 1e-5;
constexpr double kMostValue = 1e9;

bool names_a_set(const InferenceRow& row, const serving::ServingCalibration& calibration) {
  return std::any_of(calibration.sets.begin(), calibration.sets.end(),
                     [&](const auto& set) { return mentions(row.notes, set.words); });
}

// Whether the row measures prompts or answers alone: one length is enough, in whichever column.
bool is_one_phase(const InferenceRow& row) {
  return row.load == "prefill" || row.load == "decode";
}

}  // namespace

std::optional<std::string> find_row_fault(const InferenceRow& row,
                                          const serving::ServingCalibration& calibration) {
  if (row.value && *row.value > 0 && (*row.value < kLeastValue || *row.value > kMostValue))
    return fmt::format("value {:g} is nothing that is measured: {:g} to {:g} are taken", *row.value,
                       kLeastValue, kMostValue);
  if (mentions(row.source, "pruned") || mentions(row.notes, "pruned"))
    return fmt::format("'{}': pruned layers", row.model);
  if (!row.input && !names_a_set(row, calibration) && !is_one_phase(row)) return "isl is missing";
  return std::nullopt;
}

std::optional<std::string> find_degree_fault(const InferenceRow& row,
                                             const catalog::ModelSpec& model) {
  if (!row.tp || *row.tp < 1 || row.cores_per_chip.value_or(1) > 1) return std::nullopt;
  if (*row.tp != std::floor(*row.tp) || *row.tp > 1e6)
    return fmt::format("tp {:g} is no count of GPUs", *row.tp);
  const int tp = static_cast<int>(*row.tp);
  for (const auto& kind : model.kinds) {
    const auto& a = kind.attention;
    if (a.kind != catalog::AttentionKind::kStandard || a.kv_heads <= 0) continue;
    if (a.heads % tp == 0 && (a.kv_heads % tp == 0 || tp % a.kv_heads == 0)) continue;
    return fmt::format("tp {} divides neither the {} heads nor the {} key-value heads of {}", tp,
                       a.heads, a.kv_heads, model.name);
  }
  return std::nullopt;
}

}  // namespace loadfactor::validation
