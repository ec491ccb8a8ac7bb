#include "sweep/look/influence.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace loadfactor::sweep {

InfluenceMaker::InfluenceMaker(const Wishes& wishes, const Identity& identity)
    : over_(wishes.saltelli), points_(wishes.saltelli_points) {
  const std::int64_t cases = identity.cases;
  for (std::size_t i = 0; i < identity.columns.size(); ++i)
    if (identity.columns[i].unit == "s") times_.insert(i);
  if (over_.empty() || points_ < 1) return;
  if (wishes.goal) columns_.insert(wishes.goal->column);
  for (const Aim& aim : wishes.pareto) columns_.insert(aim.column);
  slices_.resize(static_cast<std::size_t>(
      std::clamp<std::int64_t>(cases / points_, 0, points_ > 0 ? kMostSlices : 0)));
  is_whole_ = cases == points_;
  left_out_ = cases / points_ - std::ssize(slices_);
}

void InfluenceMaker::take(const CaseRow& row) {
  const std::int64_t at = points_ > 0 ? row.number / points_ : 0;
  if (row.number < 0 || at >= std::ssize(slices_)) return;
  Slice& slice = slices_[static_cast<std::size_t>(at)];
  ++slice.done;
  if (!slice.first) slice.first = LookRow{row.number, row.cells};
  for (const std::size_t column : columns_) {
    // A queue that grows without end has no time to wait in it.
    const bool is_endless = row.status == CaseStatus::kInfeasible && times_.contains(column);
    const auto number = is_endless ? std::nullopt : number_in(row.cells[column]);
    if (!number) ++slice.without[column];
    auto& values = slice.values[column];
    values.resize(static_cast<std::size_t>(points_), std::numeric_limits<double>::quiet_NaN());
    if (number) values[static_cast<std::size_t>(row.number % points_)] = *number;
  }
}

std::int64_t InfluenceMaker::open() const {
  std::int64_t out = 0;
  for (const Slice& slice : slices_) out += points_ - slice.done;
  return out;
}

std::int64_t InfluenceMaker::without_figure() const {
  std::int64_t most = 0;
  for (const Slice& slice : slices_)
    for (const auto& [column, count] : slice.without) most = std::max(most, count);
  return most;
}

std::vector<Influence> InfluenceMaker::finish() const {
  std::vector<Influence> out;
  for (const Slice& slice : slices_)
    for (const auto& [column, values] : slice.values) {
      if (slice.without.contains(column)) continue;  // The rest of the sample is no fair one.
      SobolIndices indices = sobol_indices(values, over_.size());
      constexpr std::size_t kFewest = 2;
      if (indices.rows >= kFewest)
        out.push_back({column, over_, std::move(indices), is_whole_ ? std::nullopt : slice.first});
    }
  return out;
}

}  // namespace loadfactor::sweep
