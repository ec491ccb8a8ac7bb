#include "economics/porting.h"

#include <algorithm>
#include <cmath>

#include "base/calendar.h"
#include "base/distributions.h"

namespace loadfactor::economics {
namespace {

// Present worth of the hours of whole months in the middle of each, less the idle ones; a part of
// a month counts in proportion.
double worth_of_months(double idle, int months, double discount) {
  double worth = 0;
  for (int month = 0; month < months; ++month) {
    const double used = std::clamp(month + 1.0 - idle, 0.0, 1.0);
    worth += used * std::pow(1.0 + discount, -(month + 0.5) / 12.0);
  }
  return worth;
}

DollarsPerSecond challenger_price(const Move& move) {
  return move.challenger / move.performance;
}

}  // namespace

Dollars porting_cost(const PortingBill& bill) {
  return bill.salary * bill.effort * bill.engineers + bill.validation + bill.other +
         bill.upkeep * bill.horizon + bill.delay_cost * bill.delay;
}

std::optional<Seconds> break_even_work(const Move& move, Dollars cost) {
  const DollarsPerSecond saved = move.incumbent - challenger_price(move);
  if (saved <= DollarsPerSecond()) return std::nullopt;
  return cost / saved;
}

double least_performance(const Move& move) {
  return move.challenger / move.incumbent;
}

DollarsPerSecond price_after_delay(const Move& move, Seconds delay, Seconds life) {
  return challenger_price(move) * (life / (life - delay));
}

Seconds longest_delay(const Move& move, Seconds life) {
  return life * std::max(0.0, 1.0 - challenger_price(move) / move.incumbent);
}

Seconds longest_delay_discounted(const Move& move, Seconds life, double discount) {
  const int months = static_cast<int>(std::lround(life / kMonth));
  const double all = worth_of_months(0, months, discount);
  const double ratio = challenger_price(move) / move.incumbent;
  double low = 0;
  double high = months;
  if (ratio >= 1) return Seconds();
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    const bool dearer = ratio * all > worth_of_months(middle, months, discount);
    (dearer ? high : low) = middle;
  }
  return kMonth * low;
}

DollarsPerSecond option_to_switch(const Move& move, const TwoPrices& prices, Seconds after) {
  const DollarsPerSecond other = challenger_price(move);
  const double s1 = prices.first_volatility;
  const double s2 = prices.second_volatility;
  const double variance =
      (s1 * s1 + s2 * s2 - 2.0 * prices.correlation * s1 * s2) * (after / kYear);
  if (variance <= 0) return std::max(DollarsPerSecond(), move.incumbent - other);
  const double sigma = std::sqrt(variance);
  const double d1 = std::log(move.incumbent / other) / sigma + 0.5 * sigma;
  return move.incumbent * normal_probability(d1) - other * normal_probability(d1 - sigma);
}

}  // namespace loadfactor::economics
