// The cost of one evaluation (at most 20 µs) and of 100,000 draws of a full scenario (at most 1 s).
#include <array>

#include <benchmark/benchmark.h>

#include "base/calendar.h"
#include "economics/evaluate.h"
#include "economics/mix.h"
#include "economics/uncertainty.h"

namespace {

using namespace loadfactor;
using namespace loadfactor::economics;

constexpr OptionSet kAll = ~OptionSet{0};

DollarsPerSecond hourly(double dollars) {
  return Dollars::from_base(dollars) / kHour;
}

// Every option, a week by the hour, two alternatives.
CostCase full_case() {
  CostCase terms;
  std::array<double, 168> week{};
  for (std::size_t hour = 0; hour < week.size(); ++hour)
    week[hour] = static_cast<double>(10 + (hour * 37) % 90);
  terms.capacity = {.gpus = 104,
                    .full_plane = TokensPerSecond::from_base(104 * 1200.0),
                    .load_factor = 0.55,
                    .by_hour = LoadCurve(week),
                    .node = 8};
  terms.own = OwnerTerms{.capital = {Dollars::from_base(40000), 0.2, 0.13, kYear * 5},
                         .rated = Watts::from_base(1275),
                         .electrical_load = 0.76,
                         .idle_share = 0.2,
                         .pue = 1.3,
                         .electricity = DollarsPerJoule::from_base(0.0725 / 3.6e6),
                         .space = DollarsPerJoule::from_base(125 / (1e3 * 730 * 3600)),
                         .maintenance = 0.03,
                         .staff = hourly(0.05)};
  for (std::size_t i = 0; i < kNumTerms; ++i)
    terms.rent[i] = RentTerms{.price = hourly(3.55 - 0.4 * static_cast<double>(i))};
  terms.spot = {.hazard = 2.7e-4 / kHour, .loss = kHour * 0.75, .gang = 13};
  terms.api = ApiTerms{.input = DollarsPerToken::from_base(0.5e-6),
                       .cached = DollarsPerToken::from_base(0.25e-6),
                       .output = DollarsPerToken::from_base(1.5e-6),
                       .input_share = 0.75,
                       .half_life = kYear * 1.5};
  terms.managed_surcharge = 0.25;
  terms.horizon = kYear * 3;
  terms.discount = 0.13;
  terms.alternatives = {Alternative{.all_in = hourly(1.9), .performance = 0.95},
                        Alternative{.own = terms.own, .performance = 1.1}};
  return terms;
}

void one_evaluation(benchmark::State& state) {
  const CostCase terms = full_case();
  for (auto _ : state) benchmark::DoNotOptimize(evaluate(terms, kAll));
}
BENCHMARK(one_evaluation)->Unit(benchmark::kMicrosecond);

void hundred_thousand_draws(benchmark::State& state) {
  const CostCase terms = full_case();
  DrawPlan plan;
  plan.variations = {0.2, 0.1, 0.3, 0.15, 0.05, 0.15, 0.3, 0.2};
  plan.correlations = usual_correlations(0.7, -0.5);
  plan.draws = 100'000;
  for (auto _ : state) benchmark::DoNotOptimize(simulate(terms, kAll, plan));
}
BENCHMARK(hundred_thousand_draws)->Unit(benchmark::kMillisecond);

void exact_mix_of_a_week(benchmark::State& state) {
  CostCase terms = full_case();
  terms.capacity.machine = 8;
  const HourlyNeed need(terms.capacity);
  for (auto _ : state)
    benchmark::DoNotOptimize(cheapest_mix(
        terms, need,
        {.own = true, .reserved = OptionKind::kReserved1y, .by_hour = OptionKind::kOnDemand}));
}
BENCHMARK(exact_mix_of_a_week)->Unit(benchmark::kMillisecond);

}  // namespace
