#include "decide/capacity_grid.h"

#include <algorithm>
#include <cstdint>

namespace loadfactor::decide {

double Way::units_cost(int count) const {
  if (count == 0) return 0;
  const int spares = unit.spare_every ? (count + *unit.spare_every - 1) / *unit.spare_every : 0;
  return fixed + cost * (count + spares);
}

CapacityGrid::CapacityGrid(const PaymentQuestion& question)
    : replica_(question.replica), node_(question.node) {
  int gpus = 0;
  int wide = 0;
  for (const Stage& stage : question.stages)
    for (const AlikeHours& hours : stage.hours) {
      gpus = std::max(gpus, hours.gpus);
      wide = std::max(wide, hours.wide);
    }
  end_ = {(wide + node_ - 1) / node_, replicas_for(gpus)};
}

Capacity CapacityGrid::after(Capacity at, Capacity step, int count) const {
  const auto moved = [count](int from, int by, int end) {
    return static_cast<int>(
        std::min<std::int64_t>(end, from + static_cast<std::int64_t>(count) * by));
  };
  return {moved(at.nodes, step.nodes, end_.nodes),
          moved(at.replicas, step.replicas, end_.replicas)};
}

int CapacityGrid::most_units(const Way& way) const {
  const auto units = [](int end, int by) { return by > 0 ? (end + by - 1) / by : 0; };
  const int useful =
      std::max(units(end_.replicas, way.step.replicas), units(end_.nodes, way.step.nodes));
  return way.unit.most ? std::min(*way.unit.most, useful) : useful;
}

Capacity CapacityGrid::step(int gpus) const {
  return {has_wide() ? gpus / node_ : 0, gpus / replica_};
}

Way CapacityGrid::way(const Commitment& commitment) const {
  return {commitment, step(commitment.gpus), commitment.cost.base(), commitment.fixed.base()};
}

Way CapacityGrid::way(const Rental& rental) const {
  return {rental, step(rental.gpus), rental.price.base(), rental.fixed.base()};
}

namespace {

// Every count is tried: the price of a unit depends on how many there are.
void buy_counted(std::vector<double>& best, const Way& way, const CapacityGrid& grid,
                 std::vector<int>* count) {
  const std::vector<double> before = best;
  const Capacity end = grid.end();
  for (int k = 1; k <= grid.most_units(way); ++k) {
    const double price = way.units_cost(k);
    for (int q = 0; q <= end.nodes; ++q)
      for (int c = 0; c <= end.replicas; ++c) {
        const std::size_t here = grid.index({q, c});
        const double trial = price + before[grid.index(grid.after({q, c}, way.step, k))];
        if (!(trial < best[here])) continue;
        best[here] = trial;
        if (count) (*count)[here] = k;
      }
  }
}

// One more unit, or stop here: the point that a unit leads to is done before.
void buy_plain(std::vector<double>& best, const Way& way, const CapacityGrid& grid,
               std::vector<int>* count) {
  const Capacity end = grid.end();
  for (int c = end.replicas; c >= 0; --c)
    for (int q = end.nodes; q >= 0; --q) {
      const std::size_t here = grid.index({q, c});
      const std::size_t there = grid.index(grid.after({q, c}, way.step, 1));
      const double more = way.cost + best[there];
      if (!(more < best[here])) continue;
      best[here] = more;
      if (count) (*count)[here] = (*count)[there] + 1;
    }
}

}  // namespace

void buy(std::vector<double>& best, const std::vector<Way>& ways, const CapacityGrid& grid,
         std::vector<Step>* steps) {
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (ways[i].step.replicas == 0) continue;  // A replica does not fit into the unit.
    std::vector<int>* count = nullptr;
    if (steps) {
      steps->push_back({i, std::vector<int>(grid.size(), 0)});
      count = &steps->back().count;
    }
    if (ways[i].plain())
      buy_plain(best, ways[i], grid, count);
    else
      buy_counted(best, ways[i], grid, count);
  }
}

std::vector<int> units_on_path(const std::vector<Step>& steps, const std::vector<Way>& ways,
                               const CapacityGrid& grid, Capacity& at) {
  std::vector<int> units(ways.size(), 0);
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const int count = step->count[grid.index(at)];
    units[step->way] = count;
    at = grid.after(at, ways[step->way].step, count);
  }
  return units;
}

}  // namespace loadfactor::decide
