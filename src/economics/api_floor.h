// How full a machine must be to beat paying per token.
#pragma once

#include "loadfactor/quantity.h"

namespace loadfactor::economics {

struct ApiTerms {
  DollarsPerToken input;
  DollarsPerToken cached;
  DollarsPerToken output;
  double input_share = 0;   // Share of all tokens, cached ones included.
  double cached_share = 0;  // Share of the input tokens.
  Seconds half_life;        // Time in which the price halves; zero: it does not fall.
  TokensPerSecond limit;    // The provider's rate limit; zero: none.
};

// w ((1-h) P_in + h P_cached) + (1-w) P_out.
DollarsPerToken blended_price(const ApiTerms& terms);

// u* = fixed / (price · rate - working), for a machine that makes `rate` when full and whose energy
// costs `working` beyond its fixed cost when it works. Above 1 the machine never pays; infinite
// where a token costs more in energy alone than it is worth.
double break_even_load(DollarsPerSecond fixed, DollarsPerSecond working, DollarsPerToken price,
                       TokensPerSecond rate);

// Factor on today's break-even where the price of the alternative falls over the life: the ratio
// of two annuities, [(1-e^-rY)/r] / [(1-e^-(r+d)Y)/(r+d)] with d = ln 2 / half-life.
double life_multiplier(Seconds half_life, Seconds life, double discount);
// Factor on today's break-even at one time.
double floor_growth(Seconds half_life, Seconds at);

}  // namespace loadfactor::economics
