#include <gtest/gtest.h>

#include "report/plan/plan_words.h"

namespace loadfactor::report {
namespace {

engine::PlanLever twice_the_traffic(std::string seller) {
  engine::ServiceOutcome then{.decision = engine::PlanDecision::kUseApi};
  then.api = Dollars::from_base(378);
  then.seller = std::move(seller);
  return {engine::TrafficLever{.factor = 2, .then = std::move(then)}};
}

TEST(LeverWords, AnotherSellerOfTheApiIsNamed) {
  EXPECT_EQ(lever_words(twice_the_traffic("deepinfra/llama")).effect,
            "the API of deepinfra/llama, $378 a month");
}

TEST(LeverWords, TheSameSellerIsNotNamedAgain) {
  EXPECT_EQ(lever_words(twice_the_traffic("")).effect, "the API, $378 a month");
}

}  // namespace
}  // namespace loadfactor::report
