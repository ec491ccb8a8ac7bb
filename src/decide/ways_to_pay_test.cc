#include "decide/ways_to_pay.h"

#include <cmath>

#include <gtest/gtest.h>

#include "decide/testing/payment_cases.h"

namespace loadfactor::decide {
namespace {

double cost_of(const PaymentQuestion& question) {
  const auto choice = cheapest_payment(question);
  return choice ? choice->cost.base() : HUGE_VAL;
}

void expect_same(double found, double known, const std::string& what) {
  if (found == known) return;
  EXPECT_NEAR(found, known, 1e-6 * std::max(1.0, std::abs(known))) << what;
}

TEST(WaysToPayTest, TheWorkedCasesComeOutToTheCentAndTheUnit) {
  const auto known = golden_payment_cases();
  ASSERT_EQ(known.size(), 20u);
  for (const PaymentCase& one : known) {
    const auto choice = cheapest_payment(one.question);
    ASSERT_TRUE(choice) << one.name;
    expect_same(choice->cost.base(), one.cost, one.name);
    EXPECT_EQ(named_units(one, *choice), one.units) << one.name;
  }
}

TEST(WaysToPayTest, EqualsTheBestOfEverythingTried) {
  const auto known = golden_payment_cases();
  int possible = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const auto question = random_payment_question(known, seed);
    const double least = TryEverything(question).least();
    possible += least < HUGE_VAL;
    expect_same(cost_of(question), least, "seed " + std::to_string(seed));
  }
  EXPECT_GT(possible, 100);
}

// The question with only those ways whose place, counted through all lists, is in the mask.
PaymentQuestion with_some_ways(const PaymentQuestion& question, unsigned mask) {
  PaymentQuestion some = question;
  unsigned at = 0;
  const auto keep = [&](auto& ways) {
    std::erase_if(ways, [&](const auto&) { return !(mask >> at++ & 1u); });
  };
  if (some.purchase && !(mask >> at++ & 1u)) some.purchase.reset();
  keep(some.commitments);
  for (Stage& stage : some.stages) {
    keep(stage.commitments);
    keep(stage.rentals);
  }
  return some;
}

TEST(WaysToPayTest, MoreWaysAreNeverDearer) {
  const auto known = golden_payment_cases();
  for (unsigned seed = 0; seed < 100; ++seed) {
    const auto question = random_payment_question(known, seed);
    const double best = cost_of(question);
    std::mt19937 random(seed);
    for (int draw = 0; draw < 12; ++draw)
      EXPECT_LE(best,
                cost_of(with_some_ways(question, static_cast<unsigned>(random()))) * (1 + 1e-9))
          << seed;
    EXPECT_LE(best, cost_of(with_some_ways(question, 0)) * (1 + 1e-9)) << seed;
  }
}

TEST(WaysToPayTest, MoreDemandIsNeverCheaper) {
  const auto known = golden_payment_cases();
  for (unsigned seed = 0; seed < 100; ++seed) {
    auto question = random_payment_question(known, seed);
    const double best = cost_of(question);
    for (AlikeHours& hours : question.stages.front().hours) {
      const int more = hours.gpus + question.replica;
      if (hours.api) hours.api = *hours.api * (more / std::max(1.0, double(hours.gpus)));
      hours.gpus = more;
    }
    EXPECT_LE(best, cost_of(question) * (1 + 1e-9)) << seed;
  }
}

// What the choice says it buys must add up to what it says it costs.
TEST(WaysToPayTest, TheBillIsTheSumOfItsParts) {
  const auto known = golden_payment_cases();
  for (unsigned seed = 0; seed < 300; ++seed) {
    auto question = random_payment_question(known, seed);
    if (question.purchase) question.purchase->resale = question.purchase->working = {};
    const auto choice = cheapest_payment(question);
    if (!choice) continue;
    const auto units = [](const Commitment& way, int count) {
      const int spares = way.spare_every ? (count + *way.spare_every - 1) / *way.spare_every : 0;
      return count == 0 ? 0.0 : (way.fixed + way.cost * (count + spares)).base();
    };
    double sum = choice->api_alone ? 0 : question.people.base();
    if (question.purchase) sum += units(*question.purchase, choice->purchased);
    for (std::size_t i = 0; i < question.commitments.size(); ++i)
      sum += units(question.commitments[i], choice->commitments[i]);
    for (std::size_t s = 0; s < question.stages.size(); ++s) {
      const StageChoice& stage = choice->stages[s];
      for (std::size_t i = 0; i < stage.commitments.size(); ++i)
        sum += units(question.stages[s].commitments[i], stage.commitments[i]);
      sum += (stage.rent + stage.api).base();
    }
    expect_same(sum, choice->cost.base(), "seed " + std::to_string(seed));
  }
}

TEST(WaysToPayTest, SaysSoWhenTheNeedCannotBeCarried) {
  PaymentQuestion question;
  Rental rental;
  rental.most = 1;
  rental.price = DollarsPerSecond::from_base(1);
  question.stages.push_back({.commitments = {},
                             .rentals = {rental},
                             .hours = {{.time = Seconds::from_base(1), .gpus = 2}}});
  EXPECT_FALSE(cheapest_payment(question));
}

// A replica of sixteen GPUs lies over two nodes: one node holds none, a pair holds one.
TEST(WaysToPayTest, AUnitThatHoldsNoReplicaIsNotBought) {
  PaymentQuestion question;
  question.replica = 16;
  Commitment node;
  node.gpus = 8;
  node.cost = Dollars::from_base(1);
  Commitment pair;
  pair.gpus = 16;
  pair.cost = Dollars::from_base(50);
  question.commitments = {node, pair};
  question.stages.push_back(
      {.commitments = {}, .rentals = {}, .hours = {{.time = Seconds::from_base(1), .gpus = 16}}});
  const auto choice = cheapest_payment(question);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->commitments, (std::vector<int>{0, 1}));
  EXPECT_DOUBLE_EQ(choice->cost.base(), 50);
}

// Spans must find what trying every number of machines finds, also in a fleet of hundreds.
TEST(WaysToPayTest, ALargeFleetIsTheBestOfItsNeighbours) {
  std::mt19937 random(7);
  for (int draw = 0; draw < 2; ++draw) {
    PaymentQuestion question;
    Purchase own;
    own.gpus = 8;
    own.cost = Dollars::from_base(8 * 24 * 2.0);
    own.working = DollarsPerGpuSecond::from_base(0.2);
    question.purchase = own;
    Rental rental;
    rental.gpus = 8;
    rental.price = DollarsPerSecond::from_base(8 * 3.5);
    Stage stage{.commitments = {}, .rentals = {rental}, .hours = {}};
    for (int hour = 0; hour < 24; ++hour)
      stage.hours.push_back({.time = Seconds::from_base(1),
                             .gpus = std::uniform_int_distribution<int>(100, 3000)(random)});
    question.stages.push_back(stage);
    const auto choice = cheapest_payment(question);
    ASSERT_TRUE(choice);
    for (int other = 0; other <= 3000 / 8; ++other) {
      PaymentQuestion fixed = question;  // So many at most.
      fixed.purchase->most = other;
      const auto limited = cheapest_payment(fixed);
      ASSERT_TRUE(limited);
      EXPECT_LE(choice->cost.base(), limited->cost.base() * (1 + 1e-12));
    }
  }
}

}  // namespace
}  // namespace loadfactor::decide
