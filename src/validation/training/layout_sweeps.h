// Sweeps: many layouts of one model on one machine. Do we rank them as they were measured?
#pragma once

#include <span>
#include <string>
#include <vector>

namespace loadfactor::validation {

// One layout of a sweep; any unit, the higher the better.
struct SweepPoint {
  std::string sweep;  // Points that agree in it are compared.
  double measured = 0;
  double predicted = 0;
};

struct SweepFigures {
  std::string name;
  int rows = 0;
  int pairs = 0;   // Pairs whose measured rates differ by more than the noise.
  double tau = 0;  // Concordant less discordant pairs, over the pairs; a predicted tie is neither.
  double regret = 0;  // Percent of the best rate that our pick falls short of it.
};

struct SweepSummary {
  std::vector<SweepFigures> sweeps;  // Ordered by name.
  double median_tau = 0;
  double lowest_tau = 0;
  double median_regret = 0;  // Percent.
  double worst_regret = 0;
};

// Rates closer than this are the same to a measurement.
inline constexpr double kRateNoise = 0.06;
inline constexpr int kFewestLayouts = 8;

// Sweeps with fewer layouts, or without a pair to compare, are left out.
SweepSummary rank_sweeps(std::span<const SweepPoint> points);

}  // namespace loadfactor::validation
