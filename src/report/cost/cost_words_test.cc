#include "report/cost/cost_words.h"

#include <gtest/gtest.h>

#include "base/calendar.h"

namespace loadfactor::report {
namespace {

TEST(CostWords, AnOptionIsNamedByItsMachinesAndHowTheyArePaid) {
  OptionName name{.kind = OptionKind::kOwn, .gpus = 8, .owned = 0, .reserved = 0, .of = "h100-sxm"};
  EXPECT_EQ(words_of(name), "8 × h100-sxm, owned");
  name.kind = OptionKind::kManaged;
  EXPECT_EQ(words_of(name), "8 × h100-sxm, on a managed platform");
  name.platform = "sagemaker";
  EXPECT_EQ(words_of(name), "8 on sagemaker");
  EXPECT_EQ(words_of(OptionName{.kind = OptionKind::kApi, .of = "acme/large"}), "API (acme/large)");
  EXPECT_EQ(words_of(OptionName{.kind = OptionKind::kAlternative, .of = "an ASIC"}), "an ASIC");
  EXPECT_EQ(words_of(OptionName{.kind = OptionKind::kThreeTier,
                                .gpus = 67.5,
                                .owned = 40,
                                .reserved = 5,
                                .of = "h100-sxm"}),
            "own 40, reserve 5, 22.5 on average on demand");
}

TEST(CostWords, EveryItemOfABillHasWords) {
  const OptionName option{.kind = OptionKind::kOnDemand, .gpus = 8, .of = "l40s"};
  for (auto i = static_cast<int>(BillItem::kOption); i <= static_cast<int>(BillItem::kPeople); ++i)
    EXPECT_FALSE(words_of(CostLine{.item = static_cast<BillItem>(i)}, option).empty()) << i;
  EXPECT_EQ(words_of(CostLine{.item = BillItem::kCapital, .life = kYear * 4.0}, option),
            "capital over 48 months");
  EXPECT_EQ(words_of(CostLine{.item = BillItem::kRent}, option), "rent of l40s, on-demand");
}

TEST(CostWords, TheNextGpuIsJudgedByWhetherDemandIsMet) {
  MarginalGpu marginal{.add = Dollars::from_base(500), .give_up = Dollars::from_base(-20)};
  EXPECT_EQ(words_of(marginal), "every GPU is needed: one less would cost 20 USD a month");
  marginal.is_demand_met = false;
  EXPECT_EQ(words_of(marginal), "demand is not met: one more GPU returns 500 USD a month");
}

CostAnswer two_options() {
  const auto month = [](double usd) {
    return EstimateOf<Dollars>::exact(Dollars::from_base(usd), Basis::kModelled, "prices");
  };
  CostAnswer answer;
  answer.draws = 100;
  answer.horizon = kYear * 4.0;
  answer.options.resize(2);
  answer.options[0].name = {.kind = OptionKind::kOnDemand, .gpus = 8, .of = "h100-sxm"};
  answer.options[0].per_month = month(1000);
  answer.options[0].wins = 0.9;
  answer.options[0].expected_present_cost = Dollars::from_base(48e3);
  answer.options[1].name = {.kind = OptionKind::kApi, .of = "acme/large"};
  answer.options[1].kind = OptionKind::kApi;
  answer.options[1].per_month = month(1500);
  answer.options[1].expected_present_cost = Dollars::from_base(40e3);
  return answer;
}

TEST(CostWords, TheVerdictSaysHowSureItIs) {
  CostAnswer answer = two_options();
  EXPECT_EQ(cost_verdict(answer),
            "CHEAPEST: 8 × h100-sxm, rented on demand, 1,000 USD a month; next API (acme/large), "
            "500 USD more. Cheapest in 90 % of 100 draws.");
  answer.verdict.over_horizon = 1;
  EXPECT_TRUE(cost_verdict(answer).starts_with("CHEAPEST TODAY"));
  EXPECT_TRUE(cost_verdict(answer).ends_with(
      " Over 48 months, with prices moving as stated, API (acme/large) costs 8,000 USD less."));
  answer.verdict.is_close = true;
  EXPECT_TRUE(cost_verdict(answer).starts_with("A CLOSE CALL"));
}

}  // namespace
}  // namespace loadfactor::report
