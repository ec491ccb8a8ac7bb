// Buy, or pay by the hour: break-even, pay-back and present value of dated cash flows.
#pragma once

#include <functional>
#include <optional>

#include "loadfactor/quantity.h"

namespace loadfactor::economics {

// One purchase against rent for the hours that carry work, month by month at the month's end.
struct OwnOrRent {
  Dollars price;
  double residual = 0;
  DollarsPerSecond running;  // Cost of owning without the capital.
  double load_factor = 1;    // Rent is paid for these hours only.
  DollarsPerSecond rent;     // Today.
  double discount = 0;       // Per year.
  int months = 0;
};

// The rent of a month (from 0) as a factor on today's. Empty: flat.
using PriceFactor = std::function<double(int month)>;

// Undiscounted time until the rent that is saved has paid the price; nothing if it never does.
std::optional<Seconds> payback_time(const OwnOrRent& deal);

// Sum of discount factors of n month ends.
double annuity_factor(double discount, int months);

// Present cost of owning: price + running - residual.
Dollars present_cost_of_owning(const OwnOrRent& deal);
Dollars present_cost_of_renting(const OwnOrRent& deal, const PriceFactor& path = {});

// What owning saves; negative where renting is cheaper.
Dollars saving_of_owning(const OwnOrRent& deal, const PriceFactor& path = {});

// The rent at which both cost the same.
DollarsPerSecond break_even_rent(const OwnOrRent& deal);

}  // namespace loadfactor::economics
