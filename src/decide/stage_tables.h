// What the hours of a stage cost beyond commitments, as tables over the capacity committed to.
#pragma once

#include <vector>

#include "decide/capacity_grid.h"

namespace loadfactor::decide {

class StageTables {
 public:
  // Without machines only the API is left.
  StageTables(const Stage& stage, const CapacityGrid& grid, bool machines = true);

  const std::vector<double>& cost() const { return cost_; }
  // Replica time that is needed above the capacity there.
  const std::vector<double>& above() const { return above_; }
  double time() const { return time_; }

  // The cheapest way through all hours with so much there: rentals, rent, API.
  StageChoice choice(Capacity there) const;

 private:
  struct Cell {
    int replicas = 0;
    int nodes = 0;
    double api = kImpossible;  // Price of one replica's share of the hour.
    double time = 0;
  };
  // What an hour lacks, and how it is best had: some to the API, the rest rented.
  struct Gap {
    int nodes = 0;
    int replicas = 0;
  };
  Gap gap(const Cell& cell, Capacity there) const;
  std::vector<double> least(const Cell& cell) const;
  void add(const Cell& cell);

  const CapacityGrid& grid_;
  std::vector<Way> rentals_;
  std::vector<Step> rental_steps_;
  std::vector<double> rent_;  // [nodes, replicas]: the least for so much by the hour.
  std::vector<Cell> cells_;   // The load-duration curve.
  std::vector<double> cost_;
  std::vector<double> above_;
  double time_ = 0;
};

}  // namespace loadfactor::decide
