// Worked cases of renting: spot, price lists, prices per unit of work, and the mix with owning.
#include <array>

#include "economics/golden_cases.h"
#include "economics/lognormal_product.h"
#include "economics/newsvendor.h"
#include "economics/per_work.h"
#include "economics/periods.h"
#include "economics/rent.h"

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
  const LoadCurve demand(kProfile);
  const BurstPrices prices{.own = hourly(2), .burst = hourly(3.55)};
  const Baseline best = best_baseline(demand, prices);
  const auto per_day = [](DollarsPerSecond cost) { return golden_text(cost * kDay / 1_USD); };
  values["T18_Q"] = golden_text(best.owned);
  values["T18_cost"] = per_day(best.cost);
  values["T18_allrent"] = per_day(with_owned(demand, prices, 0).cost);
  values["T18_peak"] = per_day(with_owned(demand, prices, demand.peak()).cost);
  values["T18_rule"] = golden_text(24 * critical_share(prices));
}

void add_spot(GoldenValues& values) {
  const Hertz hazard = interruption_hazard(0.175, kDay * 30);
  values["T12_lam"] = golden_text(hazard * kHour);
  for (const int nodes : {8, 64, 1000})
    values["T12_" + std::to_string(nodes)] = golden_text(spot_multiplier(
        {.hazard = hazard, .loss = kHour * 0.75, .gang = static_cast<double>(nodes)}));
}

void add_prices(GoldenValues& values) {
  const auto per_petaflop_hour = [](double price, double petaflops) {
    const auto flop = price_per_flop(hourly(price), FlopsPerSecond::from_base(petaflops * 1e15));
    return golden_text(flop.base() * 1e15 * 3600);
  };
  const auto chip = [&](const std::string& name, double price, double paper, double measured) {
    values["T14_" + name] = per_petaflop_hour(price, paper);
    if (measured > 0) values["T14m_" + name] = per_petaflop_hour(price, measured);
  };
  chip("H100", 3.55, .989, .7945);
  chip("B200", 6.84, 2.25, 1.745);
  chip("MI300X", 2.39, 1.307, .6684);
  chip("TPUv6e", 2.70, .918, 0);
  chip("TPUv5e", 1.321, .197, 0);
  chip("A100-80", 1.72, .312, .2712);
  const TokensPerSecond thousand = Tokens::from_base(1000) / 1_s;
  values["T15a"] = golden_text(price_per_token(hourly(1.69), thousand, 1).base() * 1e6);
  values["T15b"] = golden_text(energy_per_token(Watts::from_base(1730), thousand).base());
  values["T15c"] = golden_text(empty_multiplier(0.4));
  const auto change = [&](const std::string& name, double before, double after) {
    values["T16_" + name] = golden_text(price_change(hourly(before), hourly(after)));
  };
  change("Lambda_H100_min", 2.49, 3.29);
  change("Lambda_A100_40GB", 1.29, 1.99);
  change("Nebius_H100", 2.95, 3.85);
  change("Nebius_B200", 5.50, 7.15);
  change("AWS_H100", 12.29, 6.88);
  change("RunPod_B200", 7.99, 4.99);
  const DollarsPerSecond none;
  values["T20_gcp"] = golden_text(per_hour(price_per_gpu(hourly(90.74744), hourly(10.95381), 8)));
  values["T20_gcp_wrong"] = golden_text(per_hour(price_per_gpu(hourly(90.74744), none, 8)));
  values["T20_v5p"] = golden_text(per_hour(price_per_gpu(hourly(17.83782), none, 4)));
}

void add_spread(GoldenValues& values) {
  const std::array<LognormalFactor, 3> factors{LognormalFactor{3.55, 0.20, 1},
                                               LognormalFactor{1000, 0.15, -1},
                                               LognormalFactor{0.4, 0.30, -1}};
  const LognormalProduct product = lognormal_product(1e6 / 3600, factors);
  values["T13_sigma"] = golden_text(product.sigma);
  values["T13_p10"] = golden_text(product.quantile(0.1));
  values["T13_p50"] = golden_text(product.quantile(0.5));
  values["T13_p90"] = golden_text(product.quantile(0.9));
  values["T13_mean"] = golden_text(product.mean());
  values["T13_share_price"] = golden_text(product.shares[0]);
  values["T13_share_throughput"] = golden_text(product.shares[1]);
  values["T13_share_utilisation"] = golden_text(product.shares[2]);
}

}  // namespace

void add_renting_cases(GoldenValues& values) {
  add_newsvendor(values);
  add_profile(values);
  add_spot(values);
  add_prices(values);
  add_spread(values);
}

}  // namespace loadfactor::economics
