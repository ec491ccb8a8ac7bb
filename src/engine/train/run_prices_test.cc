// What a run costs by the ways to pay that a scenario lists, and that `explain` says what `train`
// says.
#include "engine/train/run_prices.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/testing/sound.h"
#include "economics/unit_cost.h"
#include "engine/core.h"
#include "engine/explain/explain.h"
#include "engine/testing/planned.h"

namespace loadfactor::engine {
namespace {

using config::testing::sound;

constexpr double kDay = 86400;
constexpr double kYear = 365 * kDay;

// On ten GPUs of which this share of the time carries work.
RunPrice way(OptionKind kind, double rate, double commitment, double goodput = 1.0) {
  const auto price = DollarsPerGpuSecond::from_base(rate);
  RunPrice out{kind, {price, price, price, Basis::kModelled, "t"}, {}};
  out.term.commitment = Seconds::from_base(commitment);
  out.paid.gpus = 10;
  out.paid.effective = {goodput, goodput, goodput, Basis::kModelled, "t"};
  return out;
}
std::string_view cheapest(const RunPrices& prices, std::optional<double> days) {
  const auto work = days ? std::optional(Seconds::from_base(*days * kDay)) : std::nullopt;
  return name_of(prices.chosen(work, PayRule::kCheapest)->kind);
}
std::string_view soonest(const RunPrices& prices, double days) {
  return name_of(prices.chosen(Seconds::from_base(days * kDay), PayRule::kSoonest)->kind);
}

TEST(RunPrices, AReservationIsPaidToItsEndAndSoLosesOnAShortRun) {
  RunPrices prices;
  prices.options = {way(OptionKind::kOnDemand, 3.0, 0), way(OptionKind::kReserved1y, 2.0, kYear)};
  EXPECT_EQ(cheapest(prices, 42), "on-demand");
  EXPECT_EQ(cheapest(prices, 300), "reserved-1y");
  EXPECT_EQ(cheapest(prices, std::nullopt), "on-demand");
  EXPECT_EQ(soonest(prices, 42), "on-demand");  // As soon, and cheaper.
  const auto work = EstimateOf<Seconds>::exact(Seconds::from_base(kDay), Basis::kModelled, {});
  EXPECT_DOUBLE_EQ(prices.options[0].cost(work).value().base(), 3.0 * 10 * kDay);
  EXPECT_DOUBLE_EQ(prices.options[1].cost(work).value().base(), 2.0 * 10 * kYear);
  EXPECT_EQ(RunPrices{}.chosen(std::nullopt, PayRule::kCheapest), nullptr);
}

// Terms of a year at 2, on demand at 3: a rest of two thirds of a year costs a year.
TEST(RunPrices, ARunThatOutlastsAReservationPaysAnotherWholeOneOrTheRestByTheHour) {
  RunPrice reserved = way(OptionKind::kReserved1y, 2.0, kYear);
  reserved.term.renews = true;
  const auto cost = [&reserved](double years) {
    return reserved.cost(Seconds::from_base(years * kYear)).base() / (10 * kYear);
  };
  EXPECT_DOUBLE_EQ(cost(1.0), 2.0);
  EXPECT_DOUBLE_EQ(cost(1.5), 4.0);  // Nobody rents by the hour.
  reserved.term.onward = 1.5;
  EXPECT_DOUBLE_EQ(cost(1.5), 2.0 + 3.0 * 0.5);
  EXPECT_DOUBLE_EQ(cost(1.9), 4.0);
  double before = 0.0;
  for (double years = 0.05; years < 4.0; years += 0.05) {
    EXPECT_GE(cost(years), before) << years;
    before = cost(years);
    const auto budget = Dollars::from_base(before * 10 * kYear * (1 + 1e-9));
    EXPECT_GE(reserved.longest_run(budget).base(), years * kYear * (1 - 1e-6)) << years;
  }
  EXPECT_EQ(reserved.longest_run(Dollars::from_base(1.9 * 10 * kYear)), Seconds());
  RunPrices prices;
  prices.options = {reserved};
  const auto note = note_prices(prices, "x", Seconds::from_base(1.5 * kYear), PayRule::kCheapest);
  ASSERT_TRUE(note.has_value());
  ASSERT_EQ(note->arguments.size(), 2U);
  EXPECT_EQ(note->arguments[1].name, "used");
  ASSERT_EQ(note->arguments[1].phrases.size(), 1U);
  EXPECT_EQ(note->arguments[1].phrases[0].arguments.back().name, "terms_or_on_demand");
}

// Eight of ten GPUs are there: two are bought for the run and paid to the end of their life.
TEST(RunPrices, OnlyMachinesThatAreThereArePaidForTheirShare) {
  RunPrice own = way(OptionKind::kOwn, 1.0, kYear);
  own.term.bound = 0.2;
  const Dollars paid = own.cost(Seconds::from_base(0.1 * kYear));
  EXPECT_NEAR(paid.base() / kYear, 8 * 0.1 + 2 * 1.0, 1e-9);
  EXPECT_NEAR(own.longest_run(paid).base() / kYear, 0.1, 1e-9);
  EXPECT_EQ(own.longest_run(Dollars::from_base(1.9 * kYear)), Seconds());
}

TEST(RunPrices, WhatIsTakenAwayTakesLongerAndIsJudgedByThat) {
  RunPrices prices;
  prices.options = {way(OptionKind::kOnDemand, 3.0, 0), way(OptionKind::kSpot, 2.0, 0, 0.5)};
  // Ten days of work are twenty on spot: 2 · 20 against 3 · 10.
  EXPECT_DOUBLE_EQ(prices.options[1].paid.run(Seconds::from_base(10 * kDay)).base(), 20 * kDay);
  EXPECT_EQ(cheapest(prices, 10), "on-demand");
  prices.options[1] = way(OptionKind::kSpot, 2.0, 0, 0.8);  // 12.5 days, 2 · 12.5.
  EXPECT_EQ(cheapest(prices, 10), "spot");
  EXPECT_EQ(soonest(prices, 10), "on-demand");
  prices.deadline = Seconds::from_base(11 * kDay);
  EXPECT_EQ(cheapest(prices, 10), "on-demand");
  prices.deadline = Seconds::from_base(9 * kDay);  // Both are late.
  EXPECT_EQ(cheapest(prices, 10), "spot");
  prices.budget = Dollars::from_base(2.6 * 10 * 10 * kDay);
  EXPECT_EQ(soonest(prices, 10), "spot");  // The sooner one is beyond it.
}

TEST(RunPrices, TheNoticeNamesTheWayThatIsUsedAndThoseWithoutAPrice) {
  RunPrices prices;
  prices.options = {way(OptionKind::kOnDemand, 3.0 / 3600, 0),
                    way(OptionKind::kReserved1y, 2.0 / 3600, kYear)};
  prices.unpriced = {"own (nobody says what it costs)"};
  const auto note = [&prices] {
    return note_prices(prices, "a chip", Seconds::from_base(kDay), PayRule::kCheapest);
  };
  ASSERT_TRUE(note().has_value());
  const auto argument = [&](std::string_view name) {
    const auto found = note();
    for (const auto& each : found->arguments)
      if (each.name == name && !each.phrases.empty()) {
        const auto& way = each.phrases.front().arguments;
        return way[0].text + " " + way[1].text;
      } else if (each.name == name) {
        return each.text;
      }
    return std::string();
  };
  EXPECT_EQ(argument("used"), "on-demand 3.00");
  EXPECT_EQ(argument("others"), "reserved-1y 2.00");
  EXPECT_TRUE(argument("unpriced").starts_with("own")) << argument("unpriced");
  prices.options.pop_back();
  prices.unpriced.clear();
  EXPECT_FALSE(note().has_value());
}

class RunPricesEngine : public ::testing::Test {
 protected:
  static std::string text(const std::string& options, const std::string& tokens) {
    return "loadfactor: 1\nname: t\ntrain:\n  model: llama-3.1-8b\n  sequence: 4096\n"
           "  global_batch: 128\n  tokens: " +
           tokens +
           "\nhardware: [h100-sxm]\n"
           "limits: {gpus: 32}\nmoney: {options: [" +
           options + "]}\n";
  }
  loadfactor::SearchAnswer search(const std::string& options, const std::string& tokens) {
    SearchInputs request;
    request.train.scenario = sound(text(options, tokens));
    request.gpus = {32};
    request.keep = 3;
    request.objective = Objective::kCost;
    Diagnostics diagnostics;
    auto answer = engine_->search(request, diagnostics);
    EXPECT_TRUE(answer.has_value()) << render(diagnostics);
    return answer.value_or(loadfactor::SearchAnswer{});
  }
  double cost(const std::string& options, const std::string& tokens) {
    const auto answer = search(options, tokens);
    return answer.plans.empty() || !answer.plans[0].train.cost
               ? 0.0
               : answer.plans[0].train.cost->value().base();
  }
  void SetUp() override {
    Diagnostics diagnostics;
    engine_ = Core::create({}, diagnostics);
    ASSERT_NE(engine_, nullptr) << render(diagnostics);
  }
  std::unique_ptr<Core> engine_;
};

TEST_F(RunPricesEngine, TheOrderOfTheOptionsChangesNothingAndOneMoreNeverCostsMore) {
  const double hourly = cost("on-demand", "100 B");
  const double year = cost("reserved-1y", "100 B");
  EXPECT_GT(hourly, 0.0);
  EXPECT_GT(year, 5 * hourly);  // A year for some days.
  EXPECT_DOUBLE_EQ(cost("on-demand, reserved-1y", "100 B"), hourly);
  EXPECT_DOUBLE_EQ(cost("reserved-1y, on-demand", "100 B"), hourly);
  EXPECT_LT(cost("reserved-1y", "12 T"), cost("on-demand", "12 T"));  // Longer than a year.
}

TEST_F(RunPricesEngine, SpotIsTheSameAloneAndBesideOthers) {
  const auto ways = [this](const std::string& options) {
    TrainInputs request;
    request.scenario = sound(text(options, "100 B"));
    Diagnostics diagnostics;
    const auto train = engine_->train(request, diagnostics);
    EXPECT_TRUE(train.has_value()) << render(diagnostics);
    return train->options;
  };
  const auto alone = ways("spot");
  const auto both = ways("on-demand, spot");
  const auto demand = ways("on-demand");
  ASSERT_TRUE(alone.size() == 1 && both.size() == 2 && demand.size() == 1);
  const auto expect_same = [](const RunOption& a, const RunOption& b) {
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_DOUBLE_EQ(a.rate.value().base(), b.rate.value().base());
    EXPECT_DOUBLE_EQ(a.goodput.value(), b.goodput.value());
    EXPECT_DOUBLE_EQ(a.duration->value().base(), b.duration->value().base());
    EXPECT_DOUBLE_EQ(a.cost->value().base(), b.cost->value().base());
  };
  expect_same(alone[0], both[1]);
  expect_same(demand[0], both[0]);
  EXPECT_LT(alone[0].goodput.value(), demand[0].goodput.value());
  // The hour costs what the price list says; pre-emption is in the time.
  const auto quoted =
      economics::find_rent(engine_->catalog().prices(), "h100-sxm", catalog::RentTerm::kSpot);
  EXPECT_NEAR(alone[0].rate.value() / quoted->value(), 1.0, 1e-9);
}

TEST_F(RunPricesEngine, ASearchForTimeNeverWaitsForSpotAndTheFrontHasBoth) {
  SearchInputs request;
  request.train.scenario = sound(text("on-demand, spot", "100 B"));
  request.gpus = {8};
  request.keep = 1;
  Diagnostics diagnostics;
  const auto soon = engine_->search(request, diagnostics);
  request.objective = Objective::kCost;
  const auto cheap = engine_->search(request, diagnostics);
  ASSERT_TRUE(soon && cheap) << render(diagnostics);
  EXPECT_EQ(soon->plans[0].train.option, OptionKind::kOnDemand);
  EXPECT_EQ(cheap->plans[0].train.option, OptionKind::kSpot);
  EXPECT_LT(soon->plans[0].train.duration->value(), cheap->plans[0].train.duration->value());
  EXPECT_GT(soon->plans[0].train.cost->value(), cheap->plans[0].train.cost->value());
  const auto& front = soon->front;
  EXPECT_TRUE(std::any_of(front.begin(), front.end(),
                          [](const auto& plan) { return plan.train.option == OptionKind::kSpot; }));
}

TEST_F(RunPricesEngine, ACurveSaysHowItIsPricedAndPaysACommitmentAsTrainDoes) {
  ScaleInputs request;
  request.search.train.scenario = sound(text("reserved-1y", "100 B"));
  request.search.gpus = {8};
  Diagnostics diagnostics;
  const auto answer = engine_->scale(request, diagnostics);
  ASSERT_TRUE(answer && answer->curves.size() == 1) << render(diagnostics);
  const ScaleCurve& curve = answer->curves[0];
  EXPECT_DOUBLE_EQ(curve.points[0].train.commitment.base(), kYear);
  const TrainAnswer& train = curve.points[0].train;
  EXPECT_EQ(train.option, OptionKind::kReserved1y);
  const double year = train.options[0].rate.value().base() * train.paid_gpus * kYear;
  EXPECT_NEAR(train.cost->value().base() / year, 1.0, 1e-9);
}

TEST_F(RunPricesEngine, ARunThatNeverRecoversHasNoDaysAndSaysWhatWouldHelp) {
  TrainInputs request;
  request.scenario = sound(text("on-demand", "100 B"), {"train.failures.restart=60 days"});
  Diagnostics diagnostics;
  const auto train = engine_->train(request, diagnostics);
  ASSERT_TRUE(train.has_value()) << render(diagnostics);
  EXPECT_FALSE(train->duration.has_value());
  EXPECT_FALSE(train->cost.has_value());
  ASSERT_TRUE(train->stalled.has_value());
  EXPECT_EQ(train->stalled->cause, RunStall::Cause::kStops);
  EXPECT_EQ(train->stalled->remedies.at(0), RunStall::Remedy::kFasterRestart);
  SearchInputs search;
  search.train = request;
  search.gpus = {32};
  const auto found = engine_->search(search, diagnostics);
  ASSERT_TRUE(found.has_value()) << render(diagnostics);
  EXPECT_TRUE(found->plans.empty());
  ASSERT_EQ(found->excluded.size(), 1U);
  EXPECT_EQ(found->excluded[0].why.kind, MachineObjection::Kind::kStalls);
}

TEST_F(RunPricesEngine, ARunShorterThanAStepIsRefused) {
  for (const char* tokens : {"1000", "100 B"}) {
    TrainInputs request;
    request.scenario = sound(text("on-demand", tokens));
    Diagnostics diagnostics;
    const bool is_answered = engine_->train(request, diagnostics).has_value();
    EXPECT_EQ(is_answered, tokens == std::string("100 B")) << render(diagnostics);
    if (!is_answered) {
      EXPECT_EQ(diagnostics.errors().front().code, lf::kOutOfRange);
    }
  }
}

TEST_F(RunPricesEngine, OwnMachinesHaveAPriceOfTheirOwn) {
  const double own = cost("own", "100 B");
  EXPECT_GT(own, 0.0);
  EXPECT_NE(own, cost("on-demand", "100 B"));
}

// With machines that are bought a longer run pays the energy of its work alone, until they are worn
// out.
TEST_F(RunPricesEngine, ARunThatOutlastsItsMachinesBuysThemAgain) {
  const double one = cost("own", "1 T");
  const double two = cost("own", "2 T");
  const double four = cost("own", "4 T");
  EXPECT_GT(two, one);
  EXPECT_NEAR(four - two, 2 * (two - one), 1e-6 * one);
  const double standing = 2 * one - two;  // What a run costs that takes no time.
  const double beyond = cost("own", "90 T");
  EXPECT_NEAR(beyond, 2 * standing + 90 * (two - one), 1e-6 * beyond);
}

TEST_F(RunPricesEngine, OwnedMachinesBeyondThoseThatAreThereAreBoughtForTheRun) {
  const auto cost_of = [&](const std::string& there) {
    SearchInputs asked;
    asked.train.scenario =
        sound(text("own", "100 B"),
              {"train.layout={" + there + "tp: 2, pp: 1, cp: 1, micro_batch: 1, offload: none}"});
    asked.gpus = {32};
    Diagnostics diagnostics;
    const auto answer = engine_->search(asked, diagnostics);
    EXPECT_TRUE(answer.has_value()) << render(diagnostics);
    return answer && !answer->plans.empty() ? answer->plans[0].train.cost->value().base() : 0.0;
  };
  const double bought = cost_of("");
  const double there = cost_of("gpus: 32, ");
  const double half = cost_of("gpus: 16, ");
  EXPECT_GT(there, 0.0);
  EXPECT_NEAR(half, (bought + there) / 2, 1e-6 * bought);
}

// What it costs by each way to pay, whoever is asked.
TEST_F(RunPricesEngine, CostSaysWhatTrainSaysByEachWayToPay) {
  for (const char* tokens : {"100 B", "12 T"}) {
    TrainInputs request;
    request.scenario = sound(text("on-demand, reserved-1y, reserved-3y, spot, own", tokens));
    CostInputs priced;
    priced.scenario = request.scenario;
    priced.draws = 64;
    Diagnostics diagnostics;
    const auto train = engine_->train(request, diagnostics);
    const auto cost = engine_->cost(priced, diagnostics);
    ASSERT_TRUE(train && cost) << render(diagnostics);
    ASSERT_EQ(train->options.size(), 5U);
    for (const RunOption& way : train->options) {
      const auto same = std::find_if(cost->options.begin(), cost->options.end(),
                                     [&](const CostOption& one) { return one.kind == way.kind; });
      ASSERT_NE(same, cost->options.end()) << name_of(way.kind);
      EXPECT_NEAR(*same->per_run / way.cost->value(), 1, 1e-9) << name_of(way.kind);
      EXPECT_NEAR(*same->run_time / way.duration->value(), 1, 1e-9) << name_of(way.kind);
    }
    const auto& first = cost->options[0];
    for (const auto& option : cost->options) EXPECT_LE(*first.per_run, *option.per_run);
  }
}

double figure(const Core& engine, const PlanInputs& question, const char* quantity) {
  const auto tree = explain_run(engine, question, quantity);
  EXPECT_TRUE(tree.has_value()) << quantity;
  return tree ? tree->value.value : 0.0;
}

TEST_F(RunPricesEngine, ExplainSaysWhatTrainSaysOfTheSameScenario) {
  for (const std::string layout : {"", "  layout: {gpus: 32, tp: 2, pp: 4, dp: 4}\n"}) {
    std::string scenario = text("on-demand, reserved-1y", "100 B");
    scenario.insert(scenario.find("hardware:"), layout);
    PlanInputs question;
    question.serving.scenario = sound(scenario);
    TrainInputs request;
    request.scenario = question.scenario();
    Diagnostics diagnostics;
    const auto train = engine_->train(request, diagnostics);
    ASSERT_TRUE(train.has_value()) << render(diagnostics);
    const auto near = [](double value) { return 1e-9 * value; };
    const double days = train->duration->value().base();
    EXPECT_NEAR(figure(*engine_, question, "duration"), days, near(days));
    const double step = train->step_time.value().base();
    EXPECT_NEAR(figure(*engine_, question, "step_time"), step, near(step));
    const double rate = train->tokens_per_s.value().base();
    EXPECT_NEAR(figure(*engine_, question, "tokens_per_s"), rate, near(rate));
    const double goodput = train->goodput->value.value();
    EXPECT_NEAR(figure(*engine_, question, "goodput"), goodput, near(goodput));
    const double mfu = train->mfu.value();
    EXPECT_NEAR(figure(*engine_, question, "mfu"), mfu, near(mfu));
    const double dollars = train->cost->value().base();
    EXPECT_NEAR(figure(*engine_, question, "run_cost"), dollars, near(dollars));
    for (const char* of_the_plan : {"break_even", "cost", "days"})
      EXPECT_FALSE(explain_run(*engine_, question, of_the_plan).has_value()) << of_the_plan;
  }
}

}  // namespace
}  // namespace loadfactor::engine
