#include "economics/hourly_mix.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <CbcModel.hpp>
#include <CoinPackedMatrix.hpp>
#include <OsiClpSolverInterface.hpp>

#include "base/calendar.h"
#include "base/error_codes.h"

namespace loadfactor::economics {
namespace {

// Columns: one per committed tier, then one per hourly tier and distinct demand.
struct Programme {
  std::vector<double> levels;   // Distinct demands, rising.
  std::vector<double> weights;  // Share of the time of each.
  std::span<const MixTier> tiers;

  int column(std::size_t tier, std::size_t level) const {
    int at = 0;
    for (std::size_t i = 0; i < tier; ++i)
      at += tiers[i].committed ? 1 : static_cast<int>(levels.size());
    return tiers[tier].committed ? at : at + static_cast<int>(level);
  }
};

Programme programme_of(std::span<const double> demand, std::span<const MixTier> tiers) {
  std::map<double, double> shares;
  for (const double level : demand) shares[level] += 1.0 / static_cast<double>(demand.size());
  Programme programme{.levels = {}, .weights = {}, .tiers = tiers};
  for (const auto& [level, share] : shares) {
    programme.levels.push_back(level);
    programme.weights.push_back(share);
  }
  return programme;
}

void add_columns(const Programme& programme, OsiClpSolverInterface& solver) {
  for (const MixTier& tier : programme.tiers) {
    const std::size_t count = tier.committed ? 1 : programme.levels.size();
    for (std::size_t level = 0; level < count; ++level) {
      const double weight = tier.committed ? 1.0 : programme.weights[level];
      solver.addCol(0, nullptr, nullptr, 0.0, std::floor(tier.max_gpus / tier.unit + 1e-9),
                    tier.price.base() * kHour.base() * tier.unit * weight);
      solver.setInteger(solver.getNumCols() - 1);
    }
  }
}

void add_rows(const Programme& programme, OsiClpSolverInterface& solver) {
  for (std::size_t level = 0; level < programme.levels.size(); ++level) {
    std::vector<int> columns;
    std::vector<double> units;
    for (std::size_t tier = 0; tier < programme.tiers.size(); ++tier) {
      columns.push_back(programme.column(tier, level));
      units.push_back(programme.tiers[tier].unit);
    }
    solver.addRow(static_cast<int>(columns.size()), columns.data(), units.data(),
                  programme.levels[level], solver.getInfinity());
  }
}

HourlyMix mix_of(const Programme& programme, const double* solution,
                 std::span<const double> demand) {
  HourlyMix mix;
  const std::size_t tiers = programme.tiers.size();
  mix.peak.assign(tiers, 0.0);
  mix.by_hour.assign(tiers, std::vector<double>(demand.size(), 0.0));
  for (std::size_t tier = 0; tier < tiers; ++tier) {
    const MixTier& row = programme.tiers[tier];
    double mean = 0;
    for (std::size_t hour = 0; hour < demand.size(); ++hour) {
      const auto at =
          std::lower_bound(programme.levels.begin(), programme.levels.end(), demand[hour]) -
          programme.levels.begin();
      const int column = programme.column(tier, static_cast<std::size_t>(at));
      const double gpus = std::round(solution[column]) * row.unit;
      mix.by_hour[tier][hour] = gpus;
      mix.peak[tier] = std::max(mix.peak[tier], gpus);
      mean += gpus / static_cast<double>(demand.size());
    }
    mix.cost += row.price * mean;
  }
  return mix;
}

}  // namespace

Result<HourlyMix> cheapest_mix(std::span<const double> demand, std::span<const MixTier> tiers) {
  const double peak = demand.empty() ? 0.0 : *std::max_element(demand.begin(), demand.end());
  double most = 0;
  for (const MixTier& tier : tiers)
    most += std::floor(tier.max_gpus / tier.unit + 1e-9) * tier.unit;
  if (most < peak)
    return Error{.code = lf::kMixTooSmall,
                 .message = "the ways to pay together carry " + std::to_string(std::lround(most)) +
                            " GPUs; demand peaks at " + std::to_string(std::lround(peak))};
  const Programme programme = programme_of(demand, tiers);
  OsiClpSolverInterface solver;
  solver.messageHandler()->setLogLevel(0);
  add_columns(programme, solver);
  add_rows(programme, solver);
  CbcModel model(solver);
  model.setLogLevel(0);
  model.branchAndBound();
  if (!model.isProvenOptimal())
    return Error{.code = lf::kInternal, .message = "the mix could not be solved"};
  return mix_of(programme, model.bestSolution(), demand);
}

}  // namespace loadfactor::economics
