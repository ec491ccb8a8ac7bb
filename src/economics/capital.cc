#include "economics/capital.h"

#include <cmath>

#include "base/calendar.h"

namespace loadfactor::economics {

double capital_recovery_factor(double discount, double years) {
  if (discount == 0) return 1.0 / years;
  return discount / (1.0 - std::pow(1.0 + discount, -years));
}

DollarsPerSecond capital_cost(const CapitalTerms& terms) {
  const double years = terms.life / kYear;
  const double left = terms.residual * std::pow(1.0 + terms.discount, -years);
  return terms.price * (1.0 - left) * capital_recovery_factor(terms.discount, years) / kYear;
}

DollarsPerSecond book_cost(const CapitalTerms& terms) {
  return terms.price * (1.0 - terms.residual) / terms.life;
}

double decay_rate(double orders_per_year) {
  return orders_per_year * std::log(10.0);
}

double value_retained(double rate, Seconds held) {
  return std::exp(-rate * (held / kYear));
}

Dollars market_loss(Dollars price, double rate, Seconds held) {
  return price * (1.0 - value_retained(rate, held));
}

double residual_when_sold(const CapitalTerms& terms, Seconds held) {
  const double age = held / terms.life;
  if (age >= 1) return terms.residual;
  return terms.residual > 0 ? std::pow(terms.residual, age) : 1.0 - age;
}

double weighted_cost_of_capital(const Financing& financing) {
  return (1.0 - financing.debt_share) * financing.equity_rate +
         financing.debt_share * financing.debt_rate * (1.0 - financing.tax);
}

}  // namespace loadfactor::economics
