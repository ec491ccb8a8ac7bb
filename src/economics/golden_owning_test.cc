// Worked cases of owning, of floors under an API's price, and of owning against renting.
#include <cmath>
#include <utility>

#include "base/calendar.h"
#include "economics/api_floor.h"
#include "economics/capital.h"
#include "economics/evaluate.h"
#include "economics/own_or_rent.h"
#include "economics/owner_cost.h"
#include "economics/testing/golden_cases.h"

namespace loadfactor::economics {
namespace {

using namespace loadfactor::literals;

constexpr Dollars kInstalled = 46883_USD;

DollarsPerSecond hourly(double dollars) {
  return Dollars::from_base(dollars) / kHour;
}
double per_hour(DollarsPerSecond cost) {
  return cost * kHour / 1_USD;
}
DollarsPerToken per_million(double dollars) {
  return Dollars::from_base(dollars) / Tokens::from_base(1e6);
}
TokensPerSecond rate(double tokens) {
  return Tokens::from_base(tokens) / 1_s;
}

OwnerTerms h100_owner() {
  return {.capital = {.price = 40000_USD, .residual = 0.2, .discount = 0.13, .life = kYear * 5},
          .rated = Watts::from_base(1275),
          .electrical_load = 0.76,
          .pue = 1.3,
          .electricity = Dollars::from_base(0.0725) / 1_kWh,
          .space = 125_USD / (1_kW * kMonth),
          .maintenance = 0.03,
          .staff = hourly(0.05)};
}

void add_capital(GoldenValues& values) {
  values["T1a"] = golden_text(capital_recovery_factor(0.10, 5));
  const auto view = [&](const char* id, double discount, double years, double residual) {
    values[id] = golden_text(per_hour(capital_cost(
        {.price = kInstalled, .residual = residual, .discount = discount, .life = kYear * years})));
  };
  view("T1b", .10, 5, .20);
  view("T1c", .13, 5, .20);
  view("T1d", .13, 3, .30);
  view("T1e", 0.0, 5, 0.0);
  view("T1f", .06, 6, .10);
  values["T1g"] = golden_text(per_hour(book_cost({.price = kInstalled, .life = kYear * 5})));
  const double rate_of_loss = decay_rate(0.14);
  values["T3a"] = golden_text(rate_of_loss);
  values["T3b"] = golden_text(value_retained(rate_of_loss, kYear));
  values["T3d"] = golden_text(1024 * (market_loss(kInstalled, rate_of_loss, kDay * 90) / 1_USD));
}

void add_owner(GoldenValues& values) {
  const OwnerCost cost = owner_cost(h100_owner());
  values["T2_cap"] = golden_text(per_hour(cost.capital));
  values["T2_energy"] = golden_text(per_hour(cost.energy));
  values["T2_colo"] = golden_text(per_hour(cost.space));
  values["T2_maint"] = golden_text(per_hour(cost.maintenance));
  values["T2_staff"] = golden_text(per_hour(cost.staff));
  values["T2_total"] = golden_text(per_hour(cost.total()));
  for (const auto& [id, load] : {std::pair{"T2_u0.05", 0.05}, std::pair{"T2_u0.4", 0.4},
                                 std::pair{"T2_u0.7", 0.7}, std::pair{"T2_u0.95", 0.95}})
    values[id] = golden_text(per_hour(cost.at(load) / load));
}

void add_floors(GoldenValues& values) {
  const double small =
      break_even_load(hourly(1.69), DollarsPerSecond(), per_million(0.0788), rate(12000));
  values["T4a"] = golden_text(small);
  values["T4b"] = golden_text(
      break_even_load(hourly(3.55), DollarsPerSecond(), per_million(0.0788), rate(12000)));
  values["T4c"] =
      golden_text(break_even_load(hourly(6.76), DollarsPerSecond(), per_million(0.30), rate(3400)));
  values["T4d"] =
      golden_text(break_even_load(hourly(6.76), DollarsPerSecond(), per_million(10), rate(3400)));
  const auto decline = [&](const std::string& id, double years) {
    const double factor = life_multiplier(kYear * years, kYear * 3, 0.13);
    values[id] = golden_text(factor);
    values[id + "_u"] = golden_text(small * factor);
  };
  decline("T17a", 1.55);
  decline("T17b", 1.10);
  values["T17c"] = golden_text(floor_growth(kYear * 1.1, kYear * 3));
  const ApiTerms gpt4o{.input = per_million(2.5),
                       .cached = per_million(1.25),
                       .output = per_million(10),
                       .input_share = 0.75,
                       .cached_share = 0.5};
  values["T20_blend"] = golden_text(blended_price(gpt4o) / per_million(1));
}

void add_own_or_rent(GoldenValues& values) {
  const OwnerCost cost = owner_cost(h100_owner());
  const auto against = [&](double rent) {
    return golden_text(break_even_against(cost.total(), DollarsPerSecond(), hourly(rent)));
  };
  values["T5a"] = against(3.55);
  values["T5b"] = against(2.35);
  values["T5c"] = against(7.3616);
  OwnOrRent deal{.price = 40000_USD,
                 .residual = 0.3,
                 .running = cost.running(),
                 .load_factor = 0.7,
                 .rent = hourly(3.55),
                 .discount = 0.13,
                 .months = 36};
  values["T5d"] = golden_text(*payback_time(deal) / kMonth);
  values["T21a"] = golden_text(saving_of_owning(deal) / 1_USD);
  values["T21d"] = golden_text(per_hour(break_even_rent(deal)));
  deal.rent = hourly(2.35);
  values["T21b"] = golden_text(saving_of_owning(deal) / 1_USD);
  deal.rent = hourly(1.70);
  values["T21c"] = golden_text(saving_of_owning(deal) / 1_USD);
}

}  // namespace

void add_owning_cases(GoldenValues& values) {
  add_capital(values);
  add_owner(values);
  add_floors(values);
  add_own_or_rent(values);
}

}  // namespace loadfactor::economics
