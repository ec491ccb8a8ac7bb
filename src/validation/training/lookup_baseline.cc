#include "validation/training/lookup_baseline.h"

#include <algorithm>
#include <array>

#include "base/statistics.h"
#include "training/step/model_work.h"

namespace loadfactor::validation {

namespace {

double peak(const PublishedRun& run) {
  const auto& rates = run.chip.arithmetic;
  return std::max(rates.rate(catalog::Dtype::kBf16).base(),
                  rates.rate(catalog::Dtype::kFp16).base());
}

double work(const PublishedRun& run) {
  return training::training_work_per_token(run.model, run.job.sequence,
                                           training::AttentionCount::kFull)
      .base();
}

std::array<std::string, 4> keys(const PublishedRun& run) {
  const std::string kind = run.moe ? "moe" : "dense";
  const auto width =
      std::to_string(static_cast<int>(training::width_of(run.job.precision.compute)));
  return {run.chip.name + "|" + width + "|" + kind, run.chip.name + "|" + kind, kind, ""};
}

}  // namespace

LookupBaseline::LookupBaseline(std::span<const PublishedRun* const> known) {
  for (const PublishedRun* run : known) {
    if (run->measured <= 0) continue;
    const double efficiency = run->measured * work(*run) / peak(*run);
    for (const std::string& key : keys(*run)) by_key_[key].emplace_back(run->row.id, efficiency);
  }
}

double LookupBaseline::predict(const PublishedRun& run) const {
  for (const std::string& key : keys(run)) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) continue;
    std::vector<double> others;
    for (const auto& [id, efficiency] : found->second) {
      if (id != run.row.id) others.push_back(efficiency);
    }
    if (others.empty()) continue;
    return quantile_nearest_rank(others, 0.5) * peak(run) / work(run);
  }
  return 0.0;
}

}  // namespace loadfactor::validation
