#include "report/train/search_words.h"

#include <gtest/gtest.h>

namespace loadfactor::report {
namespace {

constexpr double kDay = 86400;

OpenRun run(OptionKind option, double days, double dollars) {
  return {"8 × a chip", option, Seconds::from_base(days * kDay), Dollars::from_base(dollars)};
}
MissedLimit deadline(double days) {
  return {.key = MissedLimit::Key::kDeadline, .deadline = Seconds::from_base(days * kDay)};
}
MissedLimit budget(double dollars) {
  return {.key = MissedLimit::Key::kBudget, .budget = Dollars::from_base(dollars)};
}

SearchAnswer without_plan(UnmetLimits unmet) {
  SearchAnswer answer;
  answer.title = "A model";
  answer.unmet = std::move(unmet);
  return answer;
}

TEST(SearchWordsTest, TheSoonestAndTheCheapestAreNamedEachWithItsWayToPay) {
  const auto answer = without_plan({.limits = {deadline(5), budget(20)},
                                    .has_deadline = true,
                                    .has_budget = true,
                                    .soonest = run(OptionKind::kOnDemand, 10, 100),
                                    .cheapest = run(OptionKind::kSpot, 12, 50)});
  EXPECT_EQ(search_verdict(answer),
            "NO LAYOUT of A model meets the deadline of 5.0 days, nor the budget of 20 USD; "
            "without deadline and budget the soonest is 8 × a chip, 10.0 days, 100 USD on-demand; "
            "the cheapest is 8 × a chip, 12.0 days, 50 USD spot.");
}

TEST(SearchWordsTest, LimitsThatAreKeptApartAreNotKeptTogether) {
  const auto answer = without_plan({.limits = {deadline(11), budget(70)},
                                    .is_each_kept = true,
                                    .has_deadline = true,
                                    .has_budget = true,
                                    .soonest = run(OptionKind::kOnDemand, 10, 100)});
  EXPECT_TRUE(search_verdict(answer).starts_with(
      "NO LAYOUT of A model meets the deadline of 11.0 days and the budget of 70 USD together; "))
      << search_verdict(answer);
}

TEST(SearchWordsTest, OnlyLimitsThatWereWrittenAreSaidToBeLifted) {
  const auto late = without_plan({.limits = {deadline(5)},
                                  .has_deadline = true,
                                  .soonest = run(OptionKind::kOnDemand, 10, 100),
                                  .is_soonest_cheapest = true});
  EXPECT_EQ(nearest_words(late),
            "without the deadline the soonest is the cheapest too, 8 × a chip, 10.0 days, 100 USD "
            "on-demand");
  const auto poor = without_plan(
      {.limits = {budget(20)}, .has_budget = true, .soonest = run(OptionKind::kOnDemand, 10, 100)});
  EXPECT_TRUE(nearest_words(poor).starts_with("without the budget the soonest is 8 × a chip"));
}

TEST(SearchWordsTest, TheDegreesOfTheFirstLineMultiplyToTheGpus) {
  SearchAnswer answer;
  answer.plans.resize(1);
  auto& layout = answer.plans[0].train.layout;
  layout.gpus = 32;
  layout.tp = 4;
  layout.pp = layout.cp = layout.dp = 2;
  answer.missed = {deadline(0.5)};
  EXPECT_TRUE(search_verdict(answer).starts_with("MISSES the deadline of 12.0 h. Best for"))
      << search_verdict(answer);
  EXPECT_NE(search_verdict(answer).find("tp 4 × pp 2 × cp 2 × dp 2"), std::string::npos);
}

}  // namespace
}  // namespace loadfactor::report
