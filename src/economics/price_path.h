// Where a rent may go: flat, along a curve, or a random walk back to a falling mean, with jumps.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "loadfactor/quantity.h"

namespace loadfactor::economics {

// A price as a factor on today's, at times from now; between points it moves in proportion.
class PriceCurve {
 public:
  // A flat price.
  PriceCurve() = default;
  // Factors after 1, 2, … years; after the last the price stays.
  static PriceCurve yearly(std::vector<double> factors);
  // Factors after 1, 2, … months; a month keeps the price it began with.
  static PriceCurve monthly(std::vector<double> factors);
  // A constant change per year: -0.1 loses a tenth every year.
  static PriceCurve drifting(double per_year);
  // One change at a time, flat before and after.
  static PriceCurve jumping(double change, Seconds at);

  double at(Seconds time) const;

 private:
  std::vector<double> factors_;
  std::vector<double> months_;
  double drift_ = 0;
  double jump_ = 0;
  Seconds jump_at_;
};

// log-OU: d ln p = κ (ln m(t) - ln p) dt + σ dW, and jumps, around a mean m(t) that drifts.
struct PriceProcess {
  double drift = 0;       // Change of the mean per year.
  double volatility = 0;  // σ, per √year.
  double reversion = 0;   // κ, per year; 0: a plain random walk with the drift.
  double jumps = 0;       // Jumps per year.
  double jump_down = 0;   // Relative change, negative.
  double jump_up = 0;     // Relative change, positive.
  double down_share = 0.5;
};

// Monthly factors on today's price; the first is after one month.
std::vector<double> simulate_path(const PriceProcess& process, int months, RandomStream stream);

// A residual that follows the rent: share of the price left if rent had not moved, times the rent's
// factor at the end, at most all of it.
double residual_on_path(double residual, double rent_factor);

struct DatedPrice {
  double years = 0;  // From any origin, rising.
  double price = 0;  // Above zero.
};
// Moments of the log steps of a series; a step of more than `jump_limit` counts as a jump. Nothing
// for fewer than three prices.
std::optional<PriceProcess> fit_process(std::span<const DatedPrice> history, double jump_limit);

}  // namespace loadfactor::economics
