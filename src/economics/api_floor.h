// How full a machine must be to beat paying per token.
#pragma once

#include "loadfactor/quantity.h"

namespace loadfactor::economics {

struct ApiTerms {
  DollarsPerToken input;
  DollarsPerToken cached;
  DollarsPerToken output;
  double input_share = 0;   // Of all tokens, cached ones included.
  double cached_share = 0;  // Of the input tokens.
  Seconds half_life;        // Of the price; zero: it does not fall.
  TokensPerSecond limit;    // The provider's rate limit; zero: none.
};

// w ((1-h) P_in + h P_cached) + (1-w) P_out.
DollarsPerToken blended_price(const ApiTerms& terms);

// u* = cost / (price · rate), for a machine that costs `cost` and makes `rate` when full. Above 1
// the machine never pays.
double break_even_load(DollarsPerSecond cost, DollarsPerToken price, TokensPerSecond rate);
// With an energy part that only work draws: u* = fixed / (price · rate - working). Infinite where
// a token costs more in energy alone than it is worth.
double break_even_load(DollarsPerSecond fixed, DollarsPerSecond working, DollarsPerToken price,
                       TokensPerSecond rate);

// Factor on today's break-even where the price of the alternative falls over the life: the ratio
// of two annuities, [(1-e^-rY)/r] / [(1-e^-(r+d)Y)/(r+d)] with d = ln 2 / half-life.
double life_multiplier(Seconds half_life, Seconds life, double discount);
// Factor on today's break-even at one time.
double floor_growth(Seconds half_life, Seconds at);

// Tokens carried per time at a load factor.
TokensPerSecond carried(TokensPerSecond full_plane, double load_factor);

// Price that makes two machines of different speed break even at two given loads, as a ratio of
// the second to the first: (u1/u2) · (rate1/rate2).
double price_ratio_for(double load1, double load2, double rate_ratio);

}  // namespace loadfactor::economics
