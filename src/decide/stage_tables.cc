#include "decide/stage_tables.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace loadfactor::decide {

StageTables::StageTables(const Stage& stage, const CapacityGrid& grid, bool machines)
    : grid_(grid), cost_(grid.size(), 0.0), above_(grid.size(), 0.0) {
  if (machines)
    for (const Rental& rental : stage.rentals) rentals_.push_back(grid.way(rental));
  // Buying leads up to the end of the grid: so much lacks there as is to be rented from here.
  std::vector<double> upwards(grid.size(), kImpossible);
  upwards.back() = 0;
  buy(upwards, rentals_, grid, &rental_steps_);
  rent_.assign(upwards.rbegin(), upwards.rend());

  std::map<std::tuple<int, int, double>, double> alike;
  for (const AlikeHours& hours : stage.hours) {
    const int replicas = grid.replicas_for(hours.gpus);
    const double api = hours.api ? hours.api->base() / std::max(1, replicas) : kImpossible;
    alike[{replicas, grid.nodes_for(hours.wide), api}] += hours.time.base();
  }
  for (const auto& [kind, time] : alike) {
    if (time <= 0) continue;
    const auto& [replicas, nodes, api] = kind;
    cells_.push_back({.replicas = replicas, .nodes = nodes, .api = api, .time = time});
    add(cells_.back());
  }
}

StageTables::Gap StageTables::gap(const Cell& cell, Capacity there) const {
  Gap gap{.nodes = std::max(0, cell.nodes - there.nodes),
          .replicas = std::max(0, cell.replicas - there.replicas)};
  if (grid_.has_wide()) gap.replicas = std::max(gap.replicas, gap.nodes * grid_.node());
  return gap;
}

// [nodes, replicas]: the least for so much, with the part of it that is best sent to the API there.
std::vector<double> StageTables::least(const Cell& cell) const {
  std::vector<double> least = rent_;
  if (cell.api == kImpossible) return least;
  const Capacity end = grid_.end();
  for (int q = 0; q <= end.nodes; ++q)
    for (int c = 0; c <= end.replicas; ++c) {
      double& here = least[grid_.index({q, c})];
      if (c > 0) here = std::min(here, least[grid_.index({q, c - 1})] + cell.api);
      if (q > 0 && c >= grid_.node())
        here =
            std::min(here, least[grid_.index({q - 1, c - grid_.node()})] + cell.api * grid_.node());
    }
  return least;
}

void StageTables::add(const Cell& cell) {
  const std::vector<double> table = least(cell);
  const Capacity end = grid_.end();
  for (int q = 0; q <= end.nodes; ++q)
    for (int c = 0; c <= end.replicas; ++c) {
      const Gap lacks = gap(cell, {q, c});
      const std::size_t here = grid_.index({q, c});
      cost_[here] += cell.time * table[grid_.index({lacks.nodes, lacks.replicas})];
      above_[here] += cell.time * lacks.replicas;
    }
  time_ += cell.time;
}

StageChoice StageTables::choice(Capacity there) const {
  StageChoice choice;
  choice.rentals.assign(rentals_.size(), Seconds{});
  double sent = 0;
  double needed = 0;
  for (const Cell& cell : cells_) {
    needed += cell.time * cell.replicas;
    const Gap lacks = gap(cell, there);
    const std::vector<double> table = least(cell);
    Capacity rented{lacks.nodes, lacks.replicas};
    // Back along the table: to the API as long as that is why a point is as cheap as it is.
    while (rented.replicas > 0 && table[grid_.index(rented)] < rent_[grid_.index(rented)]) {
      const double single = table[grid_.index({rented.nodes, rented.replicas - 1})] + cell.api;
      if (single <= table[grid_.index(rented)]) {
        --rented.replicas;
      } else {
        --rented.nodes;
        rented.replicas -= grid_.node();
      }
    }
    const int to_api = lacks.replicas - rented.replicas;
    sent += cell.time * to_api;
    if (to_api > 0) choice.api += Dollars::from_base(cell.time * to_api * cell.api);
    choice.rent += Dollars::from_base(cell.time * rent_[grid_.index(rented)]);
    Capacity at{grid_.end().nodes - rented.nodes, grid_.end().replicas - rented.replicas};
    const std::vector<int> units = units_on_path(rental_steps_, rentals_, grid_, at);
    for (std::size_t i = 0; i < units.size(); ++i)
      choice.rentals[i] += Seconds::from_base(cell.time * units[i]);
  }
  choice.api_share = needed > 0 ? sent / needed : 0;
  return choice;
}

}  // namespace loadfactor::decide
