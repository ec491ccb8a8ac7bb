// Small questions whose answer is arithmetic: what is bought where two ways cost the same, what is
// sent to the API, and where the cost does not fall with every machine.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "decide/stage_tables.h"
#include "decide/ways_to_pay.h"

namespace loadfactor::decide {
namespace {

Rental rented(int gpus, double price) {
  Rental rental;
  rental.gpus = gpus;
  rental.price = DollarsPerSecond::from_base(price);
  return rental;
}

Purchase bought(int gpus, double cost, double working = 0, double resale = 0) {
  Purchase own;
  own.gpus = gpus;
  own.cost = Dollars::from_base(cost);
  own.working = DollarsPerGpuSecond::from_base(working);
  own.resale = DollarsPerGpuSecond::from_base(resale);
  return own;
}

AlikeHours hours(double time, int gpus, int wide = 0) {
  return {.time = Seconds::from_base(time), .gpus = gpus, .wide = wide, .api = {}};
}

AlikeHours offered(double time, int gpus, double api, int wide = 0) {
  AlikeHours result = hours(time, gpus, wide);
  result.api = DollarsPerSecond::from_base(api);
  return result;
}

PaymentChoice answer(const PaymentQuestion& question) {
  const auto choice = cheapest_payment(question);
  EXPECT_TRUE(choice);
  return choice.value_or(PaymentChoice());
}

// Three units save 28 an hour of rent each; up to ten would work where the API is cheaper than
// their power, 8 · 0.2 against 8 · 0.05 for ten hours. So the cost falls, rises, and stays high.
TEST(WaysToPayTiesTest, MachinesWhosePowerIsDearerThanTheApiAreNotBoughtForIt) {
  const auto cost = [](int k) {
    const double idle_hours = 28.0 * std::max(0, 3 - k) + 1.6 * std::min(k, 3);
    const double api_hours = 10 * (0.4 * (10 - k) + 1.6 * k);
    return 5.0 * k + idle_hours + api_hours;
  };
  PaymentQuestion question;
  question.purchase = bought(8, 5, 0.2);
  question.stages.push_back(
      {.commitments = {}, .rentals = {rented(8, 28)}, .hours = {hours(1, 24), offered(10, 80, 4)}});
  int best = 0;
  for (int k = 1; k <= 10; ++k)
    if (cost(k) < cost(best)) best = k;
  ASSERT_EQ(best, 3);
  const auto choice = answer(question);
  EXPECT_EQ(choice.purchased, best);
  EXPECT_NEAR(choice.cost.base(), cost(best), 1e-9);
}

// Rent is 2 an hour: five units are needed for 15 hours and five more for 14. A unit costs 28, so
// that the second five may be had or not.
TEST(WaysToPayTiesTest, OfEqualCostsTheFewestMachinesAreBought) {
  PaymentQuestion question;
  question.purchase = bought(8, 28);
  question.stages.push_back(
      {.commitments = {}, .rentals = {rented(8, 2)}, .hours = {hours(1, 40), hours(14, 80)}});
  EXPECT_EQ(answer(question).purchased, 5);
  EXPECT_EQ(answer(question).cost.base(), 280);
}

TEST(WaysToPayTiesTest, AtThePriceOfRentNothingIsCommittedTo) {
  Commitment year;
  year.gpus = 8;
  year.cost = Dollars::from_base(20);
  for (const bool counted : {false, true}) {
    if (counted) year.most = 3;
    PaymentQuestion question;
    question.commitments = {year};
    question.stages.push_back(
        {.commitments = {year}, .rentals = {rented(8, 2)}, .hours = {hours(10, 16)}});
    const auto choice = answer(question);
    EXPECT_EQ(choice.commitments, std::vector<int>{0});
    EXPECT_EQ(choice.stages[0].commitments, std::vector<int>{0});
    EXPECT_EQ(choice.cost.base(), 40);
    EXPECT_EQ(choice.stages[0].rentals, std::vector<Seconds>{Seconds::from_base(20)});
  }
}

TEST(WaysToPayTiesTest, AtThePriceOfMachinesTheApiAloneIsTaken) {
  PaymentQuestion question;
  question.stages.push_back(
      {.commitments = {}, .rentals = {rented(8, 2)}, .hours = {offered(10, 8, 2)}});
  EXPECT_TRUE(answer(question).api_alone);
  question.stages[0].hours[0].api = DollarsPerSecond::from_base(2.01);
  EXPECT_FALSE(answer(question).api_alone);
}

// Idle machines earn more than they cost, and still no more are bought than the need can use.
TEST(WaysToPayTiesTest, NobodyBuysMachinesToSellTheirHoursAlone) {
  PaymentQuestion question;
  question.purchase = bought(8, 1, 0, 1);
  question.stages.push_back(
      {.commitments = {}, .rentals = {rented(8, 28)}, .hours = {hours(1, 16)}});
  EXPECT_EQ(answer(question).purchased, 2);
}

TEST(WaysToPayTiesTest, HoursThatNeverComeNeedNothing) {
  PaymentQuestion question;
  Rental few = rented(8, 2);
  few.most = 1;
  question.stages.push_back(
      {.commitments = {}, .rentals = {few}, .hours = {hours(0, 800), hours(3, 8)}});
  EXPECT_EQ(answer(question).cost.base(), 6);
}

// Two hours of three replicas are dearer by rent, one of one is cheaper: 6 of 7 go to the API.
TEST(WaysToPayTiesTest, TheShareOfTheApiIsOfTheTimeOfReplicas) {
  PaymentQuestion question;
  question.stages.push_back({.commitments = {},
                             .rentals = {rented(1, 10)},
                             .hours = {offered(2, 3, 9), offered(1, 1, 40)}});
  const auto choice = answer(question);
  EXPECT_FALSE(choice.api_alone);
  EXPECT_DOUBLE_EQ(choice.stages[0].api_share, 6.0 / 7.0);
  EXPECT_EQ(choice.stages[0].api.base(), 18);
  EXPECT_EQ(choice.stages[0].rent.base(), 10);
  EXPECT_EQ(choice.stages[0].rentals, std::vector<Seconds>{Seconds::from_base(1)});
}

// A replica that fills a node is eight at a time: by the API for 8, or on a node for 8.5.
TEST(WaysToPayTiesTest, AWideReplicaGoesToTheApiWholeOrNotAtAll) {
  PaymentQuestion question;
  question.stages.push_back({.commitments = {},
                             .rentals = {rented(8, 8.5)},
                             .hours = {offered(1, 8, 8, 8), hours(1, 1)}});
  const auto choice = answer(question);
  EXPECT_FALSE(choice.api_alone);
  EXPECT_EQ(choice.cost.base(), 8 + 8.5);
  EXPECT_EQ(choice.stages[0].api.base(), 8);
  EXPECT_EQ(choice.stages[0].rent.base(), 8.5);
  EXPECT_DOUBLE_EQ(choice.stages[0].api_share, 8.0 / 9.0);
}

}  // namespace
}  // namespace loadfactor::decide
