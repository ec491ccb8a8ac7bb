// Worked cases of renting: spot capacity, and the mix with owning.
#include <array>

#include "base/calendar.h"
#include "economics/mix.h"
#include "economics/rent.h"
#include "economics/testing/golden_cases.h"
#include "economics/testing/newsvendor.h"

namespace loadfactor::economics {
namespace {

using namespace loadfactor::literals;

DollarsPerSecond hourly(double dollars) {
  return Dollars::from_base(dollars) / kHour;
}
double per_hour(DollarsPerSecond cost) {
  return cost * kHour / 1_USD;
}

void add_newsvendor(GoldenValues& values) {
  constexpr NormalDemand kDemand{.mean = 100, .deviation = 30};
  const auto add = [&](const std::string& id, double burst, double resale) {
    const Baseline best = best_baseline(
        kDemand, {.own = hourly(2), .burst = hourly(burst), .resale = hourly(resale)});
    values[id + "_fractile"] = golden_text(best.fractile);
    values[id + "_z"] = golden_text(best.z);
    values[id + "_Q"] = golden_text(best.owned);
    values[id + "_burst"] = golden_text(best.burst);
    values[id + "_idle"] = golden_text(best.idle);
    values[id + "_cost_per_h"] = golden_text(per_hour(best.cost));
  };
  add("T6a", 3.55, 0);
  add("T6b", 3.55, 0.8);
  add("T6c", 7.3616, 0);
  const BurstPrices prices{.own = hourly(2), .burst = hourly(3.55)};
  values["T6d_allrent"] =
      golden_text(per_hour(with_owned(NormalDemand{.mean = 100}, prices, 0).cost));
  values["T6d_peak"] = golden_text(per_hour(with_owned(kDemand, prices, 160).cost));
}

void add_profile(GoldenValues& values) {
  constexpr std::array<double, 24> kProfile{20, 15, 12,  10,  10, 15, 25, 45, 70, 90, 100, 100,
                                            95, 95, 100, 100, 95, 85, 75, 65, 55, 45, 35,  25};
  CostCase terms;
  terms.capacity = {.gpus = 100, .load_factor = 0.57, .by_hour = LoadCurve(kProfile)};
  terms.own_all_in = hourly(2);
  terms.rent[0] = RentTerms{.price = hourly(3.55)};
  const HourlyNeed need(terms.capacity);
  const MixWays ways{.own = true, .by_hour = OptionKind::kOnDemand};
  const Mix best = *cheapest_mix(terms, need, ways);
  const auto per_day = [](const Mix& mix) { return golden_text(mix.cost * kDay / 1_USD); };
  values["T18_Q"] = golden_text(best.owned);
  values["T18_cost"] = per_day(best);
  values["T18_allrent"] = per_day(*price_mix(terms, need, ways, 0, 0));
  values["T18_peak"] = per_day(*price_mix(terms, need, ways, need.peak(), 0));
  values["T18_rule"] =
      golden_text(24 * (1 - critical_fractile({.own = hourly(2), .burst = hourly(3.55)})));
}

void add_spot(GoldenValues& values) {
  const Hertz hazard = interruption_hazard(0.175, kDay * 30);
  values["T12_lam"] = golden_text(hazard * kHour);
  for (const int nodes : {8, 64, 1000})
    values["T12_" + std::to_string(nodes)] = golden_text(spot_multiplier(
        {.hazard = hazard, .loss = kHour * 0.75, .gang = static_cast<double>(nodes)}));
}

}  // namespace

void add_renting_cases(GoldenValues& values) {
  add_newsvendor(values);
  add_profile(values);
  add_spot(values);
}

}  // namespace loadfactor::economics
