#include "economics/own_or_rent.h"

#include <cmath>

#include "base/calendar.h"

namespace loadfactor::economics {
namespace {

double monthly_rate(double discount) {
  return std::expm1(std::log1p(discount) / 12.0);
}

}  // namespace

std::optional<Seconds> payback_time(const OwnOrRent& deal) {
  const DollarsPerSecond saved = deal.rent * deal.load_factor - deal.running;
  if (saved <= DollarsPerSecond()) return std::nullopt;
  return deal.price / saved;
}

double annuity_factor(double discount, int months) {
  const double rate = monthly_rate(discount);
  if (rate == 0) return months;
  return (1.0 - std::pow(1.0 + rate, -months)) / rate;
}

Dollars present_cost_of_owning(const OwnOrRent& deal) {
  const double last = std::pow(1.0 + monthly_rate(deal.discount), -deal.months);
  return deal.price * (1.0 - deal.residual * last) +
         deal.running * kMonth * annuity_factor(deal.discount, deal.months);
}

Dollars present_cost_of_renting(const OwnOrRent& deal, const PriceFactor& path) {
  const Dollars month = deal.rent * deal.load_factor * kMonth;
  if (!path) return month * annuity_factor(deal.discount, deal.months);
  const double rate = monthly_rate(deal.discount);
  double factors = 0;
  double worth = 1;
  for (int i = 0; i < deal.months; ++i) {
    worth /= 1.0 + rate;
    factors += path(i) * worth;
  }
  return month * factors;
}

Dollars saving_of_owning(const OwnOrRent& deal, const PriceFactor& path) {
  return present_cost_of_renting(deal, path) - present_cost_of_owning(deal);
}

DollarsPerSecond break_even_rent(const OwnOrRent& deal) {
  const double months = annuity_factor(deal.discount, deal.months);
  return present_cost_of_owning(deal) / (deal.load_factor * months * kMonth);
}

}  // namespace loadfactor::economics
