// How long a run pays for what outlasts it.
#include "economics/run_term.h"

#include <gtest/gtest.h>

#include "base/calendar.h"
#include "economics/evaluate.h"
#include "economics/uncertainty.h"

namespace loadfactor::economics {
namespace {

TEST(RunTermTest, WhatBindsIsPaidToItsEndAtTheCostOfStandingIdle) {
  const RunTerm hourly;
  EXPECT_EQ(hourly.paid_seconds(kDay), kDay);
  const RunTerm year{.commitment = kYear, .renews = true};
  EXPECT_EQ(year.paid_seconds(kDay), kYear);
  const RunTerm own{.commitment = kYear, .renews = true, .idle = 0.6};
  EXPECT_NEAR(own.paid_seconds(kYear * 0.5) / kYear, 0.5 + 0.5 * 0.6, 1e-12);
  EXPECT_NEAR(own.held(kYear * 0.5) / kYear, 1.0, 1e-12);
  RunTerm shared = own;
  shared.renews = false;
  shared.bound = 0.25;
  EXPECT_NEAR(shared.paid_seconds(kYear * 0.5) / kYear, 0.5 + 0.5 * 0.6 * 0.25, 1e-12);
}

TEST(RunTermTest, TheLongestRunIsTheLongestThatIsPaid) {
  for (const double idle : {1.0, 0.6}) {
    for (const bool by_the_hour : {false, true}) {
      RunTerm term{.commitment = kYear, .renews = true, .idle = idle};
      if (by_the_hour) term.onward = 1.5;
      for (double years = 0.05; years < 4.0; years += 0.05) {
        const Seconds paid = term.paid_seconds(kYear * years);
        const Seconds longest = term.longest_run(paid * (1 + 1e-12));
        EXPECT_GE(longest / kYear, years * (1 - 1e-6)) << idle << years;
        EXPECT_LE(term.paid_seconds(longest) / paid, 1 + 1e-6) << idle << years;
      }
    }
  }
}

// Ten days of work on ten GPUs: on demand at 3 a second with a goodput of 0.8, spot at 2 with half
// of that, and a year at 1.
CostCase a_run() {
  CostCase terms;
  terms.capacity.gpus = 10;
  terms.capacity.full_plane = TokensPerSecond::from_base(100);
  terms.capacity.load_factor = 0.8;
  RunWork run{.tokens = terms.capacity.full_plane * (kDay * 10.0)};
  const auto set = [&](OptionKind kind, double price, double gpus, double relative) {
    const auto index = static_cast<std::size_t>(kind);
    terms.rent[index] = RentTerms{.price = DollarsPerSecond::from_base(price)};
    run.ways[index] = RunCapacity{.gpus = gpus, .relative = relative};
  };
  set(OptionKind::kOnDemand, 3, 10, 1.0);
  set(OptionKind::kReserved1y, 1, 12, 1.0);
  set(OptionKind::kSpot, 2, 10, 0.5);
  terms.spot.hazard = Hertz::from_base(1e-3);
  terms.spot.loss = kHour;
  terms.capacity.run = run;
  terms.horizon = kYear;
  return terms;
}
constexpr OptionSet kAsked =
    bit(OptionKind::kOnDemand) | bit(OptionKind::kReserved1y) | bit(OptionKind::kSpot);

TEST(RunTermTest, EachWayToPayIsPricedWithItsOwnGoodputAndChosenByTheCostOfTheRun) {
  const CostCase terms = a_run();
  const CostFigures figures = evaluate(terms, kAsked);
  const Seconds nominal = kDay * 12.5;  // 10 days at 0.8.
  const auto run_cost = [&](OptionKind kind) {
    return (figures.find(kind)->compared * nominal).base() / kDay.base();
  };
  EXPECT_NEAR(run_cost(OptionKind::kOnDemand), 3 * 10 * 12.5, 1e-6);
  EXPECT_NEAR(run_cost(OptionKind::kSpot), 2 * 10 * 25.0, 1e-6);  // Interruptions once.
  EXPECT_NEAR(run_cost(OptionKind::kReserved1y), 12 * (kYear / kDay), 1e-6);
  EXPECT_EQ(figures.options[figures.cheapest].kind, OptionKind::kOnDemand);
  EXPECT_NEAR(figures.find(OptionKind::kSpot)->run / kDay, 25.0, 1e-9);
  const Spreads spreads = simulate(terms, kAsked, {.draws = 32});
  for (std::size_t i = 0; i < figures.count; ++i)
    EXPECT_EQ(spreads.options[i].wins, i == figures.cheapest ? 1.0 : 0.0);
}

TEST(RunTermTest, ARunThatDoesNotEndByAWayCannotBeHadByIt) {
  CostCase terms = a_run();
  terms.capacity.run->ways[static_cast<std::size_t>(OptionKind::kSpot)].reset();
  EXPECT_EQ(evaluate(terms, kAsked).find(OptionKind::kSpot), nullptr);
}

}  // namespace
}  // namespace loadfactor::economics
