// Moving to another vendor's chips: when the lower price has paid for the move, and for the wait.
#pragma once

#include <optional>

#include "loadfactor/quantity.h"

namespace loadfactor::economics {

// Prices are of one GPU. Work is counted in hours of the incumbent.
struct Move {
  DollarsPerSecond incumbent;
  DollarsPerSecond challenger;
  double performance = 1;  // Challenger over incumbent, per GPU, measured on the work itself.
};

// Engineers × months × rate + validation + upkeep of two stacks, and the cost of the delay.
struct PortingBill {
  double engineers = 0;
  Seconds effort;           // Time of each engineer.
  DollarsPerSecond salary;  // Cost of one engineer.
  Dollars validation;
  Dollars other;
  DollarsPerSecond upkeep;  // Cost of keeping both stacks.
  Seconds horizon;          // Time that upkeep is paid for.
  Seconds delay;
  DollarsPerSecond delay_cost;
};
Dollars porting_cost(const PortingBill& bill);

// Incumbent GPU-hours after which the move has paid; nothing if the challenger is not cheaper.
std::optional<Seconds> break_even_work(const Move& move, Dollars cost);

// The challenger's performance below which it is dearer.
double least_performance(const Move& move);

// What an hour of incumbent's work costs on the challenger, idle for the first months of a life.
DollarsPerSecond price_after_delay(const Move& move, Seconds delay, Seconds life);

// The longest idle start that keeps the challenger no dearer: life · (1 - cA / (cN ρ)).
Seconds longest_delay(const Move& move, Seconds life);
// The same where months are discounted: the idle ones are the most valuable.
Seconds longest_delay_discounted(const Move& move, Seconds life, double discount);

// Two prices that move together, as lognormals with volatilities per year.
struct TwoPrices {
  double correlation = 0;
  double first_volatility = 0;
  double second_volatility = 0;
};
// Value of the right to pay c2/ρ instead of c1 at a time: E[max(0, c1 - c2/ρ)] [Margrabe 1978].
DollarsPerSecond option_to_switch(const Move& move, const TwoPrices& prices, Seconds after);

}  // namespace loadfactor::economics
