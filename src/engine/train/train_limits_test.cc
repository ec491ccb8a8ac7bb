// What a scenario's limits make of `train`, its search and its curve, on spaces of a few layouts.
#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "engine/testing/planned.h"

namespace loadfactor {
namespace {

class TrainLimitsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { engine_ = &engine::testing::shipped(); }

  // Data parallel alone, one micro-batch size; `rest` begins a section of its own.
  static TrainInputs request(const std::string& train, const std::string& rest) {
    return {.scenario = config::testing::sound(
                "loadfactor: 1\nname: t\ntrain:\n  model: llama-3.1-8b\n  sequence: 4096\n"
                "  global_batch: 512\n"
                "  layout: {tp: 1, pp: 1, cp: 1, zero: 2, micro_batch: 1, recompute: none,"
                " offload: none" +
                train + "hardware: [h100-sxm]\n" + rest)};
  }
  static TrainAnswer train(const std::string& train, const std::string& rest) {
    Diagnostics diagnostics;
    auto answer = engine_->train(request(train, rest), diagnostics);
    EXPECT_TRUE(answer.has_value()) << render(diagnostics);
    return answer.value_or(TrainAnswer{});
  }
  static SearchAnswer search(const std::string& train, const std::string& rest,
                             std::vector<int> gpus, Objective objective) {
    SearchInputs asked;
    asked.train = request(train, rest);
    asked.gpus = std::move(gpus);
    asked.objective = objective;
    Diagnostics diagnostics;
    auto answer = engine_->search(asked, diagnostics);
    EXPECT_TRUE(answer.has_value()) << render(diagnostics);
    return answer.value_or(SearchAnswer{});
  }
  static ScaleCurve curve(const TrainInputs& train, std::vector<int> gpus) {
    ScaleInputs scale;
    scale.search.train = train;
    scale.search.gpus = std::move(gpus);
    Diagnostics diagnostics;
    auto answer = engine_->scale(scale, diagnostics);
    EXPECT_TRUE(answer.has_value()) << render(diagnostics);
    return answer ? answer->curves.at(0) : ScaleCurve{};
  }
  static const Notice* find(const std::vector<Notice>& notices, std::string_view id) {
    const auto found = std::find_if(notices.begin(), notices.end(),
                                    [id](const Notice& notice) { return notice.id == id; });
    return found == notices.end() ? nullptr : &*found;
  }

  static inline const engine::Core* engine_ = nullptr;
};

constexpr const char* kRun = ", gpus: 64}\n  tokens: 100 B\n";
constexpr const char* kOpen = "}\n  tokens: 100 B\n";

TEST_F(TrainLimitsTest, AWrittenLayoutSaysWhichLimitsItMisses) {
  using Key = MissedLimit::Key;
  using Keys = std::vector<Key>;
  const auto keys = [](const TrainAnswer& answer) {
    Keys all;
    for (const auto& limit : answer.missed) all.push_back(limit.key);
    return all;
  };
  const std::string late = std::string(kRun) + "  deadline: 2 h\n";
  EXPECT_EQ(keys(train(kRun, "")), Keys());
  EXPECT_EQ(keys(train(late, "")), Keys{Key::kDeadline});
  const auto both = train(late, "limits: {budget: 100 USD, site_power: 20 kW, rack_power: 5 kW}\n");
  EXPECT_EQ(keys(both), (Keys{Key::kDeadline, Key::kBudget, Key::kSitePower, Key::kRackPower}));
  EXPECT_EQ(find(both.notices, "not-considered"), nullptr);
  EXPECT_NE(find(both.notices, "budget-missed"), nullptr);
  EXPECT_EQ(keys(train(kRun, "limits: {budget: 1 M USD, site_power: 20 MW}\n")), Keys());
  EXPECT_EQ(keys(train(kRun, "limits: {headroom: 90 %}\n")), Keys{Key::kHeadroom});
  const auto endless = train(", gpus: 64}\n", "limits: {budget: 100 USD}\n");
  EXPECT_EQ(keys(endless), Keys());
  EXPECT_NE(find(endless.notices, "limits-without-tokens"), nullptr);
}

TEST_F(TrainLimitsTest, WithoutTheBudgetTheSoonestIsPaidAsIsSoonestAndTheCheapestAsIsCheapest) {
  const auto answer =
      search(kOpen, "limits: {budget: 1 USD}\nmoney: {options: [spot, on-demand]}\n", {64},
             Objective::kCost);
  ASSERT_TRUE(answer.unmet.has_value());
  // On spot 64 GPUs are taken away now and then.
  EXPECT_EQ(answer.unmet->soonest.option, OptionKind::kOnDemand);
  ASSERT_TRUE(answer.unmet->cheapest.has_value());
  EXPECT_EQ(answer.unmet->cheapest->option, OptionKind::kSpot);
  ASSERT_EQ(answer.missed.size(), 1U);
  EXPECT_EQ(answer.missed[0].key, MissedLimit::Key::kBudget);
  EXPECT_EQ(answer.missed[0].budget, Dollars::from_base(1));
}

TEST_F(TrainLimitsTest, ABudgetIsSearchedDownToTheFewestGpusThatMayHoldTheModel) {
  const auto cost = [](int gpus) {
    return search(kOpen, "", {gpus}, Objective::kTime).plans.at(0).train.cost->value().base();
  };
  const double few = cost(8);
  const double many = cost(256);
  ASSERT_LT(few, many);
  const std::string limits =
      fmt::format("limits: {{gpus: 256, budget: {:.0f} USD}}\n", few + 0.01 * (many - few));
  const auto soonest = search(kOpen, limits, {}, Objective::kTime);
  EXPECT_EQ(soonest.machines, 9);  // 256 down to 1.
  ASSERT_FALSE(soonest.plans.empty());
  EXPECT_LT(soonest.plans[0].train.layout.gpus, 256);
  const auto* sizes = find(soonest.notices, "sizes-searched");
  ASSERT_NE(sizes, nullptr);
  EXPECT_EQ(sizes->arguments.at(0),
            (Notice::Argument{"weighed", "1, 2, 4, 8, 16, 32, 64, 128, 256"}));
  // Without a budget the shortest time is that of all, and much smaller sizes are not tried.
  const auto quickest = search(kOpen, "limits: {gpus: 256}\n", {}, Objective::kTime);
  EXPECT_EQ(quickest.plans.at(0).train.layout.gpus, 256);
  EXPECT_LT(quickest.machines, soonest.machines);
}

TEST_F(TrainLimitsTest, WhatDoesNotFitIsNotSaidToMissALimit) {
  const auto answer = search(kOpen, "limits: {budget: 1 USD}\n", {1}, Objective::kCost);
  EXPECT_FALSE(answer.unmet.has_value());
  ASSERT_TRUE(answer.closest.has_value());
  EXPECT_GT(answer.closest->needed, answer.closest->there);
  EXPECT_TRUE(answer.missed.empty());
}

TEST_F(TrainLimitsTest, TheShortestTimeIsShownWhereItIsLateAndSaysSoFirst) {
  const auto answer = search(std::string(kOpen) + "  deadline: 2 h\n", "", {64}, Objective::kTime);
  ASSERT_EQ(answer.missed.size(), 1U);
  EXPECT_EQ(answer.missed[0].key, MissedLimit::Key::kDeadline);
  EXPECT_FALSE(answer.plans.empty());
}

TEST_F(TrainLimitsTest, EnergyOfTheRunIsThatOfTheStepForItsPaidTime) {
  const auto plan = search(kOpen, "", {64}, Objective::kEnergy).plans.at(0);
  ASSERT_TRUE(plan.run_energy && plan.train.duration);
  EXPECT_NEAR(plan.run_energy->value() / plan.step_energy.value(),
              plan.train.duration->value() / plan.train.step_time.value(), 1e-6);
  EXPECT_FALSE(search("}\n", "", {64}, Objective::kEnergy).plans.at(0).run_energy.has_value());
}

TEST_F(TrainLimitsTest, SizesThatArePaidOtherwiseCompareAsTheSmallestIsPaid) {
  const std::string both = "money: {options: [on-demand, spot]}\n";
  const auto free = curve(request(kOpen, both), {8, 64});
  const auto& ways = free.points.at(1).train.options;
  ASSERT_EQ(ways.size(), 2U);
  ASSERT_LT(ways[0].duration->value(), ways[1].duration->value());
  // A deadline between the two: the larger size can be paid on demand alone, the smaller is late.
  const double seconds = 0.5 * (ways[0].duration->value() + ways[1].duration->value()).base();
  const std::string dated = fmt::format("{}  deadline: {:.0f} s\n", kOpen, seconds);
  const auto mixed = curve(request(dated, both), {8, 64});
  EXPECT_EQ(mixed.points[0].train.option, OptionKind::kSpot);
  EXPECT_EQ(mixed.points[1].train.option, OptionKind::kOnDemand);
  EXPECT_EQ(mixed.counted_as, OptionKind::kSpot);
  EXPECT_EQ(mixed.points[0].efficiency, 1.0);
  EXPECT_EQ(mixed.points[0].weak_efficiency, 1.0);
  EXPECT_EQ(mixed.points[1].efficiency, free.points[1].efficiency);
  EXPECT_EQ(mixed.points[1].weak_efficiency, free.points[1].weak_efficiency);
  // Paid alike, it is useful tokens per GPU-second as the points have them.
  const auto useful = [](const ScalePoint& point) {
    const auto& t = point.train;
    return t.tokens_per_s.value().base() * t.goodput->value.value() / t.layout.gpus;
  };
  EXPECT_EQ(free.points[1].train.option, OptionKind::kSpot);
  EXPECT_NEAR(free.points[1].efficiency, useful(free.points[1]) / useful(free.points[0]), 1e-12);
}

TEST_F(TrainLimitsTest, ABatchThatTheSmallestSizeDoesNotDivideIsItsOwnAllTheSame) {
  TrainInputs seven = request(kOpen, "");
  const std::string fixed = "tp: 1, pp: 1, cp: 1, zero: 2, micro_batch: 1";
  std::string text = seven.scenario.source->text;
  text.replace(text.find(fixed), fixed.size(), "tp: 1, pp: 7, zero: 1");
  seven.scenario = config::testing::sound(text);
  const auto points = curve(seven, {7}).points;
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].weak_efficiency, 1.0);
}

TEST_F(TrainLimitsTest, TheApiAloneTrainsNothingAndIsSaidToBePricedOnDemand) {
  const auto api = train(kRun, "money: {options: [api]}\n");
  const auto rented = train(kRun, "money: {options: [on-demand]}\n");
  EXPECT_NE(find(api.notices, "api-sells-no-training"), nullptr);
  EXPECT_EQ(find(rented.notices, "api-sells-no-training"), nullptr);
  // Nobody takes rented machines away.
  EXPECT_EQ(api.goodput->value.value(), rented.goodput->value.value());
  EXPECT_NEAR(api.cost->value() / rented.cost->value(), 1.0, 1e-9);
}

TEST_F(TrainLimitsTest, CheckpointsLieBetweenStepsAndRareOnesNeedNoCaution) {
  const auto usual = train(kRun, "");
  const auto& g = *usual.goodput;
  EXPECT_NEAR(g.interval / usual.step_time.value(), static_cast<double>(g.interval_steps), 1e-6);
  EXPECT_EQ(find(usual.notices, "checkpoint-interval"), nullptr);
  const auto often = train(std::string(kRun) + "  failures: {interval: 30 s}\n", "");
  ASSERT_NE(find(often.notices, "checkpoint-interval"), nullptr);
  // No checkpoint within a step.
  const auto within = train(std::string(kRun) + "  failures: {interval: 1 s}\n", "");
  EXPECT_EQ(within.goodput->interval, within.step_time.value());
  EXPECT_EQ(within.goodput->interval_steps, 1);
}

TEST_F(TrainLimitsTest, ThePublishedRunOf405BKeepsNineTenthsInTheScenarioOfThePage) {
  std::ostringstream text;
  text << std::ifstream(std::string(LF_SOURCE_DIR) +
                        "/data/scenarios/train-llama-405b-16384-h100.yaml")
              .rdbuf();
  const auto answered = [](const std::string& scenario) {
    Diagnostics diagnostics;
    auto answer = engine_->train({.scenario = config::testing::sound(scenario)}, diagnostics);
    EXPECT_TRUE(answer.has_value()) << render(diagnostics);
    return answer.value_or(TrainAnswer{});
  };
  const auto answer = answered(text.str());
  ASSERT_TRUE(answer.goodput.has_value());
  EXPECT_GT(answer.goodput->value.value(), 0.90);
  EXPECT_NEAR(answer.goodput->mtbf.base() / 3600, 54.0 * 24 / 419, 0.03);
  // Half an hour between checkpoints loses a quarter of an hour at each of these stops.
  std::string rare = text.str();
  rare.replace(rare.find("storage: 2 TB/s"), 15, "storage: 2 TB/s, interval: 30 min");
  EXPECT_LT(answered(rare).goodput->value.value(), 0.90);
  // As the page has it: in memory, with restarts of five minutes.
  rare.replace(rare.find("checkpoint: synchronous"), 23, "checkpoint: in-memory");
  rare.replace(rare.find("restart: 10 min"), 15, "restart: 5 min");
  EXPECT_NEAR(answered(rare).goodput->value.value(), 0.882, 0.0005);
  // Without spares nearly all time is spent waiting for the 6.6 nodes in repair.
  std::string bare = text.str();
  bare.replace(bare.find("storage: 2 TB/s"), 15, "storage: 2 TB/s, spares: 0");
  const auto stalled = answered(bare);
  ASSERT_TRUE(stalled.stalled);
  EXPECT_EQ(stalled.stalled->remedies.at(0), RunStall::Remedy::kMoreSpares);
  EXPECT_EQ(stalled.stalled->best_spares, 16);
  EXPECT_EQ(stalled.stalled->spares, 0);
  bare.replace(bare.find("spares: 0"), 9, "spares: 9");
  const auto few = answered(bare);
  EXPECT_FALSE(few.stalled);
  EXPECT_NE(find(few.notices, "few-spares"), nullptr);
}

// 16 sequences of 2,048 tokens are a step.
TEST_F(TrainLimitsTest, ARunIsOneWholeStepAtLeast) {
  const auto asked = [](const std::string& tokens) {
    return config::testing::sound(
        "loadfactor: 1\nname: t\ntrain:\n  model: llama-3.2-1b\n  sequence: 2048\n"
        "  global_batch: 16\n  tokens: " +
        tokens + "\nhardware: [h100-sxm]\nlimits: {gpus: 1}\n");
  };
  for (const char* few : {"1", "32767"}) {
    const auto scenario = asked(few);
    Diagnostics diagnostics;
    EXPECT_FALSE(engine_->train({.scenario = scenario}, diagnostics)) << few;
    ASSERT_FALSE(diagnostics.empty()) << few;
    const Error& fault = diagnostics.errors().front();
    EXPECT_EQ(fault.where.line, scenario.train->tokens->position.line);
    EXPECT_NE(fault.hint.find("32768"), std::string::npos) << fault.hint;
  }
  Diagnostics diagnostics;
  const auto one = engine_->train({.scenario = asked("32768")}, diagnostics);
  ASSERT_TRUE(one) << render(diagnostics);
  // Beside the step there are the stops of a run, of which so short a one has next to none, and the
  // shares of evaluations, steps taken again and warm-up.
  EXPECT_GE(one->duration->value(), one->step_time.value());
  EXPECT_LE(one->duration->value(), 1.03 * one->step_time.value());
}

// Adapters of a quantised model on one card of each kind.
TrainAnswer adapters_on(const engine::Core& engine, const std::string& chip) {
  Diagnostics diagnostics;
  const auto answer = engine.train(
      {.scenario =
           config::testing::sound("loadfactor: 1\nname: t\ntrain: {model: llama-3.1-8b, method: "
                                  "qlora, lora: 16, sequence: "
                                  "2048, global_batch: 16, stack: {framework: fsdp}}\nhardware: [" +
                                  chip + "]\nlimits: {gpus: 1}\n")},
      diagnostics);
  EXPECT_TRUE(answer) << chip << render(diagnostics);
  return answer.value_or(TrainAnswer{});
}

// Nobody trained on these cards in public, so that each borrows what its peak is worth.
TEST_F(TrainLimitsTest, ACardWithMorePeakBandwidthAndPowerIsNoSlowerThanAnother) {
  std::vector<std::pair<const catalog::AcceleratorSpec*, double>> cards;
  for (const auto& chip : engine_->catalog().accelerators())
    if (chip.memory.type.starts_with("gddr") && (chip.family == "ampere" || chip.family == "ada") &&
        chip.memory.usable > Bytes::from_base(23e9))
      cards.emplace_back(&chip, adapters_on(*engine_, chip.name).tokens_per_s.value().base());
  int pairs = 0;
  for (const auto& [better, fast] : cards)
    for (const auto& [worse, slow] : cards) {
      using catalog::Dtype;
      const bool dominates =
          better != worse &&
          better->arithmetic.rate(Dtype::kBf16) >= worse->arithmetic.rate(Dtype::kBf16) &&
          better->memory.bandwidth >= worse->memory.bandwidth;
      if (!dominates) continue;
      ++pairs;
      EXPECT_GE(fast, 0.99 * slow) << better->name << " beside " << worse->name;
    }
  EXPECT_GT(pairs, 5);
}

// What does not fit with one program may fit with another, and the answer says so with the edit.
TEST_F(TrainLimitsTest, WhatFitsWithAnotherStackIsNotSaidToFitNowhere) {
  const std::string text =
      "loadfactor: 1\nname: t\ntrain: {model: llama-3.1-70b, method: qlora, lora: 16, sequence: "
      "1024, "
      "global_batch: 16}\nhardware: [rtx-4090]\nlimits: {gpus: 2}\n";
  const auto asked = [&](const std::vector<config::Edit>& edits) {
    Diagnostics diagnostics;
    const auto answer =
        engine_->train({.scenario = config::testing::sound(text).with(edits)}, diagnostics);
    EXPECT_TRUE(answer) << render(diagnostics);
    return answer.value_or(TrainAnswer{});
  };
  const TrainAnswer sharded = asked({{"train.stack.framework", std::string("fsdp")}});
  ASSERT_FALSE(sharded.fits);
  const std::string key = "--set train.stack.framework=";
  const auto at = sharded.nearest_changes.find(key);
  ASSERT_NE(at, std::string::npos) << sharded.nearest_changes;
  const std::string rest = sharded.nearest_changes.substr(at + key.size());
  EXPECT_TRUE(asked({{"train.stack.framework", rest.substr(0, rest.find(' '))}}).fits) << rest;
}

}  // namespace
}  // namespace loadfactor
