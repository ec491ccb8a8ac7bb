#include "sweep/look/idle_axes.h"

#include <functional>
#include <variant>

namespace loadfactor::sweep {
namespace {

constexpr std::size_t kMostGroups = 20'000;  // Cases that are held for comparing, of each axis.

void mix(std::size_t& digest, const CellValue& cell) {
  constexpr std::size_t kSpread = 0x9e3779b97f4a7c15;
  digest ^= std::hash<CellValue>{}(cell) + kSpread + (digest << 6) + (digest >> 2);
}

}  // namespace

IdleAxes::IdleAxes(const Identity& identity, const std::vector<SeenAxis>& axes,
                   const Echoes& echoes) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!axes[i].varies() || axes[i].follows) continue;
    Axis axis{.column = axes[i].column};
    for (std::size_t other = 0; other < axes.size(); ++other)
      if (other != i && !axes[other].follows) axis.fixed.push_back(axes[other].column);
    const auto echo = echoes.find(axis.column);
    for (std::size_t column = 0; column < identity.columns.size(); ++column) {
      const bool repeats = echo != echoes.end() && echo->second.contains(column);
      if (identity.columns[column].kind == ColumnKind::kFigure && !repeats)
        axis.figures.push_back(column);
    }
    axes_.push_back(std::move(axis));
  }
}

std::size_t IdleAxes::figures_of(const CaseRow& row, const Axis& axis) {
  std::size_t digest = std::hash<std::string>{}(row.error) + static_cast<std::size_t>(row.status);
  for (const std::size_t column : axis.figures) mix(digest, row.cells[column]);
  return digest;
}

void IdleAxes::take(const CaseRow& row) {
  for (Axis& axis : axes_) {
    if (axis.has_effect) continue;
    std::size_t key = 0;
    for (const std::size_t column : axis.fixed) mix(key, row.cells[column]);
    const std::size_t figures = figures_of(row, axis);
    const auto known = axis.groups.find(key);
    if (known == axis.groups.end()) {
      if (axis.groups.size() < kMostGroups) axis.groups[key] = {row.cells[axis.column], figures};
      continue;
    }
    if (known->second.value == row.cells[axis.column]) continue;
    axis.was_compared = axis.was_compared || row.status == CaseStatus::kAnswer;
    axis.has_effect = known->second.figures != figures;
    if (axis.has_effect) axis.groups.clear();
  }
}

std::vector<std::size_t> IdleAxes::finish() const {
  std::vector<std::size_t> out;
  for (const Axis& axis : axes_)
    if (axis.was_compared && !axis.has_effect) out.push_back(axis.column);
  return out;
}

}  // namespace loadfactor::sweep
