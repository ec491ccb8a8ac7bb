// `loadfactor cost` as a user meets it: the shipped questions end to end, with a law for each.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/testing/cost_answer.h"

namespace loadfactor::cli {
namespace {

using testing::Answer;
using testing::answer_of;
using testing::expect_near;

constexpr double kMonth = 730 * 3600.0;  // In seconds.

TEST(CostTest, AFullMachineOf7BillionParametersBreaksEvenHalfFull) {
  const Answer answer = answer_of("api-floor-7b");
  const std::string own = "options[kind=own]";
  expect_near(answer.number(own + ".break_even.value"), 0.496451401);
  expect_near(answer.number("options[kind=on-demand].break_even.value"), 1.0428417);
  EXPECT_EQ(answer.text("options[kind=on-demand].verdict"), "never");
  EXPECT_EQ(answer.text(own + ".verdict"), "short");
  EXPECT_NE(answer.text("claim.sentence").find("holds"), std::string::npos);
}

TEST(CostTest, TheFloorsOf7BAnd13BCannotBothHoldAtOnePrice) {
  const Answer small = answer_of("api-floor-7b");
  const Answer large = answer_of("api-floor-13b");
  const double floor = large.number("options[kind=own].break_even.value");
  // Law: the floor goes with one over the rate.
  expect_near(floor / small.number("options[kind=own].break_even.value"), 13.0 / 7.0, 1e-9);
  // To make 10 % true the price would have to be 9.2 times today's; 50 % and 10 % together need
  // prices 9.29 apart.
  expect_near(large.number("claim.price_factor.value"), floor / 0.1, 1e-9);
  expect_near(large.number("claim.price_factor.value") / small.number("claim.price_factor.value"),
              9.28571429, 1e-6);
  EXPECT_NE(large.text("claim.sentence").find("never sooner"), std::string::npos);
}

TEST(CostTest, AFallingPriceMovesAFloorOfHalfBeyondFull) {
  const Answer answer = answer_of("api-decline");
  expect_near(answer.number("options[kind=own].break_even.value"), 0.496451401);
  expect_near(answer.number("options[kind=own].break_even_life.value"), 1.04771185);
  EXPECT_EQ(answer.text("break_evens[option=1].verdict"), "never");
  const Answer slower = answer_of("api-decline", {"--set", "money.api.half_life=1.55 years"});
  expect_near(slower.number("options[kind=own].break_even_life.value"), 0.867060781);
  const Answer flat = answer_of("api-decline", {"--set", "money.api.half_life="});
  expect_near(flat.number("options[kind=own].break_even_life.value"), 0.496451401);
}

TEST(CostTest, FortyPercentDutyCostsTwoAndAHalfTimes) {
  const Answer answer = answer_of("duty-40");
  const double at = answer.number("options[kind=on-demand].per_mtoken.value");
  const Answer full = answer_of("duty-40", {"--set", "capacity.load_factor=100 %"});
  expect_near(at / full.number("options[kind=on-demand].per_mtoken.value"), 2.5, 1e-9);
}

TEST(CostTest, AFullSystemBeatsACheapEmptyOneUntilBothAreEquallyDear) {
  const Answer answer = answer_of("full-or-cheap");
  const double full = answer.number("options[kind=own].per_month.value");
  const double empty = answer.number("options[name=60,000 USD at 40 %].per_month.value");
  const double even = answer.number("options[name=60,000 USD at 57 %].per_month.value");
  expect_near(empty / full, 150.0 / 105.2631579, 0.01);
  expect_near(even / full, 1.0, 0.01);
}

TEST(CostTest, OwningAnH100OnStatedTermsIsTheWorkedCase) {
  const Answer answer = answer_of("own-h100");
  const double hours = 730;
  const auto line = [&](const std::string& name) {
    return answer.number("bill.lines[name=" + name + "].per_month.value") / hours;
  };
  expect_near(line("capital"), 1.1573134);
  expect_near(line("electricity"), 0.09132825);
  expect_near(line("space"), 0.218321918);
  expect_near(line("maintenance"), 0.136986301);
  expect_near(line("staff"), 0.05);
  expect_near(answer.number("bill.total.value") / hours, 1.65394987);
  expect_near(answer.number("options[kind=own].per_useful_gpu_hour.value"), 2.36278553);
  expect_near(answer.number("options[kind=own].break_even.value"), 0.465901372);
  expect_near(answer.number("rent_or_own.payback.value") / kMonth, 27.5575968);
  // Law: the bill sums to the option.
  expect_near(answer.number("bill.total.value"), answer.number("options[kind=own].per_month.value"),
              1e-9);
}

TEST(CostTest, ThePresentValueOfOwningIsTheWorkedCase) {
  const std::vector<std::string> terms{"--set", "money.own.residual=30 %", "--set",
                                       "money.own.life=36 months"};
  const Answer answer = answer_of("own-h100", terms);
  expect_near(answer.number("rent_or_own.saving.value"), 11839.7156);
  expect_near(answer.number("rent_or_own.break_even_rent.value"), 2.7772855);
  auto cheaper = terms;
  cheaper.insert(cheaper.end(), {"--set", "money.rent.on_demand=1.70 USD/GPU-hour"});
  expect_near(answer_of("own-h100", cheaper).number("rent_or_own.saving.value"), -16506.425);
}

TEST(CostTest, TheBaseIsOwnedAndThePeakIsRented) {
  const Answer answer = answer_of("base-and-burst");
  // Machines of eight: 48 owned, 2 USD × 24 h each, and the rest of the day at 3.55 USD/h.
  expect_near(answer.number("mix.owned"), 48, 1e-9);
  expect_near(answer.number("mix.per_day.value"), 4082.55, 1e-6);
  expect_near(answer.number("mix.all_rented_per_day.value"), 4906.1, 1e-6);
  expect_near(answer.number("mix.peak_owned_per_day.value"), 104 * 48, 1e-6);
  expect_near(answer.number("mix.critical_time.value") / 3600, 13.5211268);
  // Single GPUs, as they come where the capacity says so: the worked case.
  const Answer single = answer_of("base-and-burst", {"--set", "capacity.node=1"});
  expect_near(single.number("mix.owned"), 45, 1e-9);
  expect_near(single.number("mix.per_day.value"), 4077, 1e-6);
  expect_near(single.number("mix.peak_owned_per_day.value"), 4800, 1e-6);
  // Law: a mix is never dearer than its parts alone.
  const double mixed = answer.number("options[kind=own+on-demand].per_month.value");
  EXPECT_LE(mixed, answer.number("options[kind=own].per_month.value"));
  EXPECT_LE(mixed, answer.number("options[kind=autoscaled].per_month.value"));
  EXPECT_LE(answer.number("options[kind=own+spot].per_month.value"), mixed);
}

TEST(CostTest, SteadyWorkIsOwnedAndSpikyWorkIsRented) {
  const Answer steady = answer_of("predictable-demand");
  const Answer spiky = answer_of("variable-demand");
  const auto own_over_rent = [](const Answer& answer) {
    return answer.number("options[kind=own].per_month.value") /
           answer.number("options[kind=autoscaled].per_month.value");
  };
  EXPECT_LT(own_over_rent(steady), 1.0);
  EXPECT_GT(own_over_rent(spiky), 1.0);
  EXPECT_EQ(steady.text("options[kind=own].verdict"), "pays");
  EXPECT_EQ(spiky.text("options[kind=own].verdict"), "short");
}

TEST(CostTest, HalfAYearOfPortingLeavesLittleOfALowerPrice) {
  const Answer answer = answer_of("mi355x-or-nvidia");
  expect_near(answer.number("porting[name=mi355x after].price_after_delay.value"), 2.28, 1e-6);
  expect_near(answer.number("porting[name=mi355x at once].longest_delay.value") / kMonth,
              6.76923077);
  expect_near(answer.number("porting[name=mi355x at once].longest_delay_discounted.value") / kMonth,
              5.84, 0.01);
  expect_near(answer.number("porting[name=mi355x ported].break_even_work.value") / 3600,
              2647058.82);
  expect_near(answer.number("porting[name=mi355x ported].least_performance.value"), 0.811965812);
  const auto cost = [&](const std::string& name) {
    return answer.number("options[name=" + name + "].per_month.value");
  };
  EXPECT_LT(cost("mi355x at once"), cost("mi355x after six months"));
  EXPECT_LT(cost("mi355x after six months"), answer.number("options[kind=own].per_month.value"));
  EXPECT_GT(cost("mi355x ported late"), answer.number("options[kind=own].per_month.value"));
  EXPECT_GT(cost("h100"), cost("mi355x at once"));
}

TEST(CostTest, TenThousandChipsAreSevenMegawattsAndMoreAtTheGrid) {
  const Answer answer = answer_of("ten-thousand-h100");
  expect_near(answer.number("facility.gpus_only.value"), 7e6, 1e-9);
  expect_near(answer.number("facility.rated.value"), 12.75e6, 1e-9);
  const auto site = [&](const std::string& cooling) {
    return answer.number("facility.cooling[cooling=" + cooling + "].site_power.value");
  };
  expect_near(site("air-contained-aisle"), 12.75e6 * 1.3, 1e-9);
  // Law: no way of cooling takes less than the machines, and a lower PUE takes less.
  EXPECT_GT(site("immersion"), 12.75e6);
  EXPECT_LT(site("immersion"), site("direct-liquid"));
  EXPECT_LT(site("direct-liquid"), site("air-perimeter"));
}

TEST(CostTest, TheSizeOfARunBalancesItsCostAndItsDelay) {
  const Answer answer = answer_of("size-of-a-run");
  expect_near(answer.number("training.best_gpus"), 2422.38679);
  expect_near(answer.number("training.cost.value"), 6155800.09);
  expect_near(answer.number("training.next_gpu.value"), 1629.68464, 1e-3);
}

TEST(CostTest, DoublingEveryPriceDoublesTheBill) {
  const auto bill = [](const std::string& price) {
    return answer_of("duty-40", {"--set", "money.rent.on_demand=" + price})
        .number("bill.total.value");
  };
  expect_near(bill("7.1 USD/GPU-hour") / bill("3.55 USD/GPU-hour"), 2.0, 1e-12);
}

TEST(CostTest, AGangOnSpotStopsAsAWholeAndWaits) {
  const Answer answer = answer_of("spot-training");
  expect_near(answer.number("spot.gang"), 64, 1e-12);
  // λ = -ln(1-0.175)/720 h; 64 nodes lose 0.75 h each time.
  const double hazard = -std::log(1 - 0.175) / 720;
  expect_near(answer.number("spot.multiplier.value"), 1 + 64 * hazard * 0.75, 1e-9);
  expect_near(answer.number("spot.between_interruptions.value") / 3600, 1 / (64 * hazard), 1e-9);
  const double waits = 64 * hazard * 2;
  expect_near(answer.number("spot.waiting_share.value"), waits / (1 + waits), 1e-9);
  expect_near(answer.number("spot.delay_per_month.value"), 20000.0 / 24 * 730 * waits / (1 + waits),
              1e-9);
  // 70.55 B parameters × 14 B over 64 nodes in 60 s, kept twice.
  const double state = answer.number("facility.host.checkpoint.value");
  expect_near(state, 70.55e9 * 14, 1e-3);
  expect_near(answer.number("facility.host.checkpoint_bandwidth.value"), state / 64 / 60, 1e-9);
  expect_near(answer.number("facility.host.nvme.value"), 2 * state / 64, 1e-9);
  expect_near(answer.number("facility.host.loading.value"), 8 * 900 * 4, 1e-9);
  // Law: without a wait spot costs less.
  const Answer at_once = answer_of("spot-training", {"--set", "money.spot.wait=0 s"});
  EXPECT_LT(at_once.number("options[kind=spot].per_month.value"),
            answer.number("options[kind=spot].per_month.value"));
}

TEST(CostTest, CapitalIsSeenAsAnAnnuityInTheBooksAndOnTheMarket) {
  const Answer answer = answer_of("financed-cluster");
  // 30 % equity at 20 % and 70 % debt at 8.2 % after 21 % tax.
  const double wacc = 0.3 * 0.2 + 0.7 * 0.082 * 0.79;
  expect_near(answer.number("capital.discount.value"), wacc, 1e-9);
  expect_near(answer.number("capital.book.value"), 40000 * 0.8 / (4 * 8760), 1e-9);
  expect_near(answer.number("capital.market.value"),
              40000 * (1 - std::pow(10.0, -0.14 * 4)) / (4 * 8760), 1e-6);
  // Law: money costs, so the annuity lies above the books.
  EXPECT_GT(answer.number("capital.annuity.value"), answer.number("capital.book.value"));
  EXPECT_EQ(answer.text("rent_paths.basis"), "as stated");
  EXPECT_NE(answer.find("waiting"), nullptr);
  expect_near(answer.number("options[kind=managed].per_month.value") /
                  answer.number("options[kind=on-demand].per_month.value"),
              1.24, 0.02);
}

TEST(CostTest, RentsThatDoNotMoveLeaveNoRegretBesideThatOfToday) {
  const Answer answer = answer_of(
      "financed-cluster",
      {"--set", "money.rent_process={drift: 0, volatility: 0, jumps: 0}", "--set", "money.path="});
  expect_near(answer.number("rent_paths.end_p10.value"), 1.0, 1e-9);
  expect_near(answer.number("rent_paths.options[name=256 × h100-sxm, owned].p50.value"),
              answer.number("options[kind=own].present_cost.value"), 1e-9);
  expect_near(answer.number("rent_paths.options[name=256 × h100-sxm, rented].p90.value"),
              answer.number("options[kind=on-demand].expected_present_cost.value"), 1e-9);
}

}  // namespace
}  // namespace loadfactor::cli
