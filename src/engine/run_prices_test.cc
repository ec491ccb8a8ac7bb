// What a run costs by the ways to pay that a scenario lists, and that `explain` says what `train`
// says.
#include "engine/run_prices.h"

#include <gtest/gtest.h>

#include "engine/explain.h"
#include "engine/testing/planned.h"
#include "loadfactor/engine.h"

namespace loadfactor::engine {
namespace {

constexpr double kDay = 86400;
constexpr double kYear = 365 * kDay;

RunPrice way(const char* name, double rate, double binds) {
  const auto price = DollarsPerGpuSecond::from_base(rate);
  return {name, {price, price, price, Basis::kModelled, "t"}, Seconds::from_base(binds)};
}

TEST(RunPrices, AReservationIsPaidToItsEndAndSoLosesOnAShortRun) {
  RunPrices prices;
  prices.ways = {way("on-demand", 3.0, 0), way("reserved-1y", 2.0, kYear)};
  EXPECT_EQ(prices.cheapest(Seconds::from_base(42 * kDay))->name, "on-demand");
  EXPECT_EQ(prices.cheapest(Seconds::from_base(300 * kDay))->name, "reserved-1y");
  EXPECT_EQ(prices.cheapest(std::nullopt)->name, "on-demand");
  const auto run = EstimateOf<Seconds>::exact(Seconds::from_base(kDay), Basis::kModelled, {});
  EXPECT_DOUBLE_EQ(run_cost(prices.ways[0], 10, run).value().base(), 3.0 * 10 * kDay);
  EXPECT_DOUBLE_EQ(run_cost(prices.ways[1], 10, run).value().base(), 2.0 * 10 * kYear);
  EXPECT_EQ(RunPrices{}.cheapest(std::nullopt), nullptr);
}

TEST(RunPrices, TheNoticeNamesTheWayThatIsUsedAndThoseWithoutAPrice) {
  RunPrices prices;
  prices.ways = {way("on-demand", 3.0 / 3600, 0), way("reserved-1y", 2.0 / 3600, kYear)};
  prices.unpriced = {"own (nobody says what it costs)"};
  const auto note = note_prices(prices, "a chip", 8, Seconds::from_base(kDay));
  ASSERT_TRUE(note.has_value());
  EXPECT_NE(note->text.find("priced on-demand at 3.00 USD"), std::string::npos) << note->text;
  EXPECT_NE(note->text.find("reserved-1y at 2.00 USD"), std::string::npos) << note->text;
  EXPECT_NE(note->text.find("without a price: own"), std::string::npos) << note->text;
  prices.ways.pop_back();
  prices.unpriced.clear();
  EXPECT_FALSE(note_prices(prices, "a chip", 8, Seconds::from_base(kDay)).has_value());
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
  SearchAnswer search(const std::string& options, const std::string& tokens) {
    SearchRequest request;
    request.train.file = "t.yaml";
    request.train.text = text(options, tokens);
    request.gpus = {32};
    request.keep = 3;
    request.objective = Objective::kCost;
    Diagnostics diagnostics;
    auto answer = engine_->search(request, diagnostics);
    EXPECT_TRUE(answer.has_value()) << render(diagnostics);
    return answer.value_or(SearchAnswer{});
  }
  double cost(const std::string& options, const std::string& tokens) {
    const auto answer = search(options, tokens);
    return answer.plans.empty() || !answer.plans[0].train.cost
               ? 0.0
               : answer.plans[0].train.cost->value().base();
  }
  void SetUp() override {
    Diagnostics diagnostics;
    engine_ = Engine::create({}, diagnostics);
    ASSERT_NE(engine_, nullptr) << render(diagnostics);
  }
  std::unique_ptr<Engine> engine_;
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

TEST_F(RunPricesEngine, OwnMachinesHaveAPriceOfTheirOwn) {
  const double own = cost("own", "100 B");
  EXPECT_GT(own, 0.0);
  EXPECT_NE(own, cost("on-demand", "100 B"));
}

double figure(const Engine& engine, const PlanQuestion& question, const char* quantity) {
  const auto tree = explain_run(engine, question, quantity);
  EXPECT_TRUE(tree.has_value()) << quantity;
  return tree ? tree->value.value : 0.0;
}

TEST_F(RunPricesEngine, ExplainSaysWhatTrainSaysOfTheSameScenario) {
  for (const std::string layout : {"", "  layout: {gpus: 32, tp: 2, pp: 4, dp: 4}\n"}) {
    std::string scenario = text("on-demand, reserved-1y", "100 B");
    scenario.insert(scenario.find("hardware:"), layout);
    PlanQuestion question;
    question.serving.file = "t.yaml";
    question.serving.text = scenario;
    TrainRequest request;
    request.file = "t.yaml";
    request.text = scenario;
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
