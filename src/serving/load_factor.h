// How full a fleet is over a demand that comes and goes, in the fluid limit: no queue outlives a
// window, so that what comes beyond the fleet's capacity is lost to it.
//
// The empty share has five parts that add up to it, in shares of the capacity paid for:
//   demand    replicas that even the peak does not need,
//   rounding  the last replica, where only a part of it is needed,
//   slo       batches kept small so that answers keep their time,
//   headroom  the peak within the busiest hour,
//   shape     all other hours.
#pragma once

#include <span>
#include <vector>

#include "loadfactor/quantity.h"
#include "serving/slo_misses.h"

namespace loadfactor::serving {

// More than anyone runs of one service; a demand that needs more is a slip of the pen.
inline constexpr int kMostReplicas = 1'000'000;

// Mean rates of equal windows, in requests per second; a window below zero is missing. A view of
// raw numbers, which sizing walks over by the million: rates become quantities on the way out.
class WindowRates {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a view of either.
  WindowRates(const std::vector<double>& per_second) : per_second_(per_second) {}
  WindowRates(std::span<const double> per_second) : per_second_(per_second) {}
  // NOLINTEND(google-explicit-constructor)

  std::span<const double> per_second() const { return per_second_; }

 private:
  std::span<const double> per_second_;
};

// What one replica can do.
struct ReplicaCapacity {
  Hertz saturated;  // Requests per second when it is never idle.
  Hertz at_slo;     // The most within the SLO at a steady rate; at most `saturated`.
  int gpus = 1;
  MissCurve misses = {};  // Where nothing is known, all is kept up to `at_slo` and nothing beyond.
  AllowedMisses allowed = {};
};

struct FillLosses {
  double demand = 0;
  double shape = 0;
  double headroom = 0;
  double slo = 0;
  double rounding = 0;

  double sum() const { return demand + shape + headroom + slo + rounding; }
};

struct FluidLoad {
  double load_factor = 0;      // Work done over what the fleet could do saturated.
  FillLosses losses;           // They and the load factor sum to 1.
  Hertz offered;               // Mean rate that arrives.
  Hertz served;                // Mean rate within the saturated capacity.
  double within_slo = 1;       // Share of the requests that keep every bound.
  double replicas_needed = 0;  // What the peak needs; need not be whole.
};

// Missing windows are left out; `windows_per_hour` may be a fraction. `replicas` need not be whole.
FluidLoad fluid_load(WindowRates rates, double windows_per_hour, const ReplicaCapacity& replica,
                     double replicas);

// The rate up to which windows hold at least `share` of the requests: the peak for a share of 1.
Hertz level_for(WindowRates rates, double share);
// The fewest replicas, not whole, with which no more requests miss a bound over all windows than
// may; where the capacity has no misses, with which `share` of them come within the SLO.
double least_replicas(WindowRates rates, const ReplicaCapacity& replica, double share);
// How full a fleet of just as many replicas is.
double fullest_load(WindowRates rates, const ReplicaCapacity& replica, double share);

// The same in whole replicas; kMostReplicas + 1 where it would be more.
int replicas_for(WindowRates rates, const ReplicaCapacity& replica, double share);

}  // namespace loadfactor::serving
