// What it costs to have bought something: three views of the same purchase.
//
// The decision uses the first, the annuity of price less discounted residual, because it is what
// the money would have earned elsewhere. The books write the price off in a straight line. The
// market takes a fixed share of what is left every year [Epoch training cost].
#pragma once

#include "loadfactor/quantity.h"

namespace loadfactor::economics {

struct CapitalTerms {
  Dollars price;
  double residual = 0;  // Share of the price that is left at the end.
  double discount = 0;  // Cost of capital, per year.
  Seconds life;
};

// r / (1 - (1+r)^-n), the yearly payment that repays 1; 1/n without a discount. Years > 0.
double capital_recovery_factor(double discount, double years);

// (C - S (1+r)^-n) · CRF: the annuity.
DollarsPerSecond capital_cost(const CapitalTerms& terms);

// (C - S) / n: what the books say, without a cost of capital.
DollarsPerSecond book_cost(const CapitalTerms& terms);

// A loss of value in orders of magnitude per year as a continuous rate per year.
double decay_rate(double orders_per_year);
// The share of the value that is left after some time.
double value_retained(double rate, Seconds held);
// The loss of value over a time from new.
Dollars market_loss(Dollars price, double rate, Seconds held);

// What is left of something sold before its end: value falls by the same factor every year, or in
// a straight line where nothing is left at the end.
double residual_when_sold(const CapitalTerms& terms, Seconds held);

struct Financing {
  double debt_share = 0;   // Share of the whole value.
  double debt_rate = 0;    // Per year.
  double equity_rate = 0;  // Per year.
  double tax = 0;
};
// Weighted average cost of capital, per year.
double weighted_cost_of_capital(const Financing& financing);

}  // namespace loadfactor::economics
