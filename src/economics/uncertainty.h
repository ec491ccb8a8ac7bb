// What the answer is worth when its inputs are not known: intervals, odds, and what to find out.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "economics/evaluate.h"
#include "economics/sampling.h"
#include "loadfactor/cost.h"

namespace loadfactor::economics {

using Factor = CostFactor;
inline constexpr std::size_t kNumFactors = 8;

struct FactorRow {
  Factor factor;
  std::string_view key;  // Key in the scenario and in the catalogue's facts.
};
std::span<const FactorRow> factor_rows();

// Coefficients of variation, by factor.
using Variations = std::array<double, kNumFactors>;

// Work carried per second: tokens, or busy GPUs where tokens are not the work.
double work_of(const Capacity& capacity);

// A case with its inputs moved. `values` are factors, by Factor; the load is a share.
void apply_factors(const CostCase& base, std::span<const double> values, CostCase& moved);

struct OptionSpread {
  double low = 0;  // Cost in dollars per second: nine of ten draws lie from low to high,
  double p50 = 0;  // and half of them below this.
  double high = 0;
  double per_work_low = 0;  // Cost of a unit of work.
  double per_work_p50 = 0;
  double per_work_high = 0;
  double break_even_low = 0;
  double break_even_high = 0;
  double mean = 0;       // The mean of what is compared,
  double mean_rate = 0;  // and of the cost.
  double wins = 0;       // Share of draws in which it is the cheapest.
};

struct Spreads {
  std::vector<OptionSpread> options;  // As evaluate() orders them.
  std::size_t draws = 0;
  double value_of_knowing_all = 0;                     // Dollars per second.
  std::array<double, kNumFactors> value_of_knowing{};  // Dollars per second, for one input.
};

struct DrawPlan {
  Variations variations{};
  std::vector<Correlation> correlations;  // Between Factors.
  std::size_t draws = 4096;
  std::uint64_t seed = 1;
};

// What is committed to is decided once, at the values that are known today; draws change what it
// costs and what is rented beside it. So draws stay cheap, and nobody buys with hindsight.
Spreads simulate(const CostCase& base, OptionSet asked, const DrawPlan& plan);

// Shares of the variance of one option's cost per unit of work that each input explains alone, and
// with all its interactions, the inputs being independent [Saltelli 2010; Jansen 1999].
struct Sensitivity {
  std::array<double, kNumFactors> first{};
  std::array<double, kNumFactors> total{};
};
Sensitivity sensitivity(const CostCase& base, OptionSet asked, std::size_t option,
                        const DrawPlan& plan);

// The case with one uncertain input at either end of its interval, the others at their values.
struct CaseAtEnds {
  Factor factor = Factor::kRent;
  double low_value = 0;  // The input's, as a factor (load: as a share).
  double high_value = 0;
  CostCase low;
  CostCase high;
};
std::vector<CaseAtEnds> cases_at_ends(const CostCase& base, const Variations& variations);

// A positive input (not the load) at either end of its interval, over its mean.
struct FactorEnds {
  double low = 1;
  double high = 1;
};
FactorEnds ends_of(Factor factor, const Variations& variations);
// No site draws less than its machines.
FactorEnds pue_ends(double pue, const Variations& variations);

// What an option costs at the ends of one input.
struct TornadoBar {
  Factor factor = Factor::kRent;
  double low_value = 0;  // Value of the input as a factor (load: as a share).
  double high_value = 0;
  double at_low = 0;  // Cost of a unit of work.
  double at_high = 0;
  std::size_t cheapest_low = 0;
  std::size_t cheapest_high = 0;
};
// The widest first; inputs that do not matter are left out.
std::vector<TornadoBar> tornado(const CostCase& base, OptionSet asked, std::size_t option,
                                const Variations& variations);

// What draws would say if there were nothing to draw: every quantile is the value.
Spreads without_draws(const CostCase& base, const CostFigures& figures);

// The correlations that are assumed unless said otherwise.
std::vector<Correlation> usual_correlations(double rent_residual, double api_rate);

}  // namespace loadfactor::economics
