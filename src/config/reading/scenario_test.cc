#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/scenario_reader.h"

namespace loadfactor::config {
namespace {

constexpr std::string_view kFull = R"(loadfactor: 1
name: support-chat
serve:
  model: llama-3.3-70b
  precision: fp8
  demand: {requests_per_month: 9.6e6, tokens_in: 2000, tokens_out: 400, shape: global-chat}
  slo: {ttft_p95: 1.5 s, tpot_p95: 40 ms}
  deployment: {engine: vllm, prefill: {gpu: h100-sxm, tp: 8}, decode: {gpu: h200-sxm, tp: 4}}
train:
  model: {params: 500 B}
  tokens: 10 T
  deadline: 30 days
  sequence: 8192
  global_batch: 2048
  layout: {gpus: 512, tp: 8, pp: 4, offload: [optimizer], recompute: full, schedule: 1f1b}
  stack: {framework: megatron, year: 2025}
hardware: [h100-sxm, h200-sxm, mi355x]
limits: {gpus: 4096, rack_power: 40 kW, site_power: 5 MW, budget: 20 M USD}
money:
  options: [on-demand, reserved-1y, spot, own, api]
  own: {life: 4 years, residual: 10 %, discount: 10 %}
  electricity: 0.09 USD/kWh
)";

struct Outcome {
  std::optional<Scenario> scenario;
  Diagnostics diagnostics;
};

Outcome read(std::string_view text) {
  Outcome outcome;
  const auto document = parse_yaml("s.yaml", std::string(text));
  if (document)
    outcome.scenario = read_scenario(*document, outcome.diagnostics);
  else
    outcome.diagnostics.add(document.error());
  return outcome;
}

Scenario scenario_of(std::string_view text) {
  Outcome outcome = read(text);
  EXPECT_TRUE(outcome.scenario.has_value()) << render(outcome.diagnostics);
  return outcome.scenario ? *outcome.scenario : Scenario{};
}

TEST(ScenarioTest, ReadsTheServingQuestion) {
  const Scenario scenario = scenario_of(kFull);
  EXPECT_EQ(scenario.name.value, "support-chat");
  ASSERT_TRUE(scenario.serve && scenario.serve->demand && scenario.serve->slo);
  const ServeSection& serve = *scenario.serve;
  EXPECT_EQ(std::get<CatalogModel>(serve.model.model).name.value, "llama-3.3-70b");
  EXPECT_EQ(serve.model.position, (Position{4, 10, 13}));
  // 9.6 million a month of 730 hours is 3.653 a second.
  EXPECT_NEAR(serve.demand->requests->value.base(), 3.653, 0.001);
  EXPECT_EQ(serve.demand->tokens_in->value, Tokens::from_base(2000));
  EXPECT_EQ(serve.demand->shape->value, "global-chat");
  ASSERT_EQ(serve.slo->bounds.size(), 2U);
  EXPECT_EQ(serve.slo->bounds[1].metric, SloMetric::kTimePerOutputToken);
  EXPECT_DOUBLE_EQ(serve.slo->bounds[1].most.value.base(), 0.040);
  ASSERT_TRUE(serve.deployment && serve.deployment->prefill && serve.deployment->decode);
  EXPECT_EQ(serve.deployment->prefill->tp->value, 8);
  EXPECT_EQ(serve.deployment->decode->gpu->value, "h200-sxm");
}

TEST(ScenarioTest, ReadsTheTrainingQuestion) {
  const Scenario scenario = scenario_of(kFull);
  ASSERT_TRUE(scenario.train && scenario.train->layout && scenario.train->stack);
  const TrainSection& train = *scenario.train;
  EXPECT_DOUBLE_EQ(std::get<ModelSize>(train.model.model).params.value, 500e9);
  EXPECT_EQ(train.tokens->value, Tokens::from_base(10e12));
  EXPECT_EQ(train.deadline->value, Seconds::from_base(30 * 86400.0));
  EXPECT_EQ(train.sequence->value, 8192);
  EXPECT_EQ(train.layout->tp->value, 8);
  EXPECT_EQ(train.layout->tp->position, (Position{15, 27, 1}));
  EXPECT_FALSE(train.layout->dp.has_value());
  EXPECT_EQ(train.layout->recompute->value, RecomputeWord::kFull);
  EXPECT_EQ(train.layout->offload->value, std::vector{OffloadWord::kOptimizer});
  EXPECT_EQ(train.stack->framework->value, "megatron");
}

TEST(ScenarioTest, ReadsHardwareLimitsAndMoney) {
  const Scenario scenario = scenario_of(kFull);
  ASSERT_EQ(scenario.hardware.size(), 3U);
  EXPECT_EQ(scenario.hardware[2].value, "mi355x");
  EXPECT_EQ(scenario.hardware[2].position, (Position{17, 32, 6}));
  EXPECT_EQ(scenario.limits.gpus->value, 4096);
  EXPECT_EQ(scenario.limits.site_power->value, Watts::from_base(5e6));
  EXPECT_EQ(scenario.limits.budget->value, Dollars::from_base(20e6));
  ASSERT_EQ(scenario.money.options.size(), 5U);
  EXPECT_EQ(scenario.money.options[3].value, OptionKind::kOwn);
  EXPECT_DOUBLE_EQ(scenario.money.own.residual->value, 0.1);
  EXPECT_DOUBLE_EQ(scenario.money.electricity->value.base() * 3.6e6, 0.09);
}

TEST(ScenarioTest, LeavesBlankWhatThePlannerShouldChoose) {
  const Scenario scenario = scenario_of("loadfactor: 1\nname: x\nserve: {model: gpt2}\n");
  EXPECT_FALSE(scenario.train.has_value());
  EXPECT_FALSE(scenario.serve->demand.has_value());
  EXPECT_TRUE(scenario.hardware.empty());
  EXPECT_FALSE(scenario.limits.gpus.has_value());
  EXPECT_TRUE(scenario.money.options.empty());
  scenario_of("loadfactor: 1\nname: x\nserve:\n  model: gpt2\n  precision:\n  slo:\nlimits:\n");
}

TEST(ScenarioTest, TakesAModelInEachOfItsForms) {
  const auto model = [](const std::string& text) {
    return scenario_of("loadfactor: 1\nname: x\nserve:\n  model: " + text + "\n")
        .serve->model.model;
  };
  EXPECT_EQ(std::get<ModelConfigFile>(model("{config: ./config.json}")).path.value,
            "./config.json");
  for (const char* path : {"./config.json", "../m", "/models/m", "m.json"})
    EXPECT_EQ(std::get<ModelConfigFile>(model(path)).path.value, path);
  EXPECT_EQ(std::get<CatalogModel>(model("meta-llama/Llama-3.1-8B")).name.value,
            "meta-llama/Llama-3.1-8B");
  EXPECT_DOUBLE_EQ(std::get<ModelSize>(model("{params: 1 T, active: 32 B}")).active->value, 32e9);
  const auto dense =
      std::get<ModelDimensions>(model("{layers: 2, hidden: 64, heads: 8, vocab: 100, mlp: 256}"));
  EXPECT_EQ(dense.hidden.value, 64);
  EXPECT_FALSE(dense.experts.has_value());
  const auto moe = std::get<ModelDimensions>(model(
      "{layers: 2, hidden: 64, heads: 8, vocab: 100, experts: 8, top_k: 2, expert_width: 32}"));
  EXPECT_EQ(moe.top_k->value, 2);
}

TEST(ScenarioTest, AllRatesSayTheSame) {
  const auto rate = [](const std::string& key) {
    const Scenario scenario =
        scenario_of("loadfactor: 1\nname: x\nserve:\n  model: gpt2\n  demand: {" + key +
                    ", tokens_in: 1, tokens_out: 1}\n");
    return scenario.serve->demand->requests->value.base();
  };
  EXPECT_DOUBLE_EQ(rate("requests_per_second: 1"), rate("requests_per_hour: 3600"));
  EXPECT_DOUBLE_EQ(rate("requests_per_second: 1"), rate("requests_per_day: 86.4 K"));
  EXPECT_DOUBLE_EQ(rate("requests_per_second: 1"), rate("requests_per_month: 2.628 M"));
  EXPECT_NEAR(rate("requests_per_second: 1.1415525e-6") / rate("requests_per_month: 3"), 1, 1e-7);
}

TEST(ScenarioTest, ReportsEveryErrorOfAFileInOneGo) {
  const Outcome outcome = read(
      "loadfactor: 1\nname: x\nserve:\n  model: gpt2\n  slo: {ttft_p95: 1.5}\n"
      "train:\n  tokens: -1\nlimits: {gpu: 5}\n");
  ASSERT_EQ(outcome.diagnostics.size(), 4U) << render(outcome.diagnostics);
  EXPECT_EQ(outcome.diagnostics.errors()[0].code, lf::kMissingUnit);
  EXPECT_EQ(outcome.diagnostics.errors()[1].code, lf::kMissingKey);
  EXPECT_EQ(outcome.diagnostics.errors()[2].code, lf::kOutOfRange);
  EXPECT_EQ(outcome.diagnostics.errors()[3].code, lf::kUnknownKey);
}

TEST(ScenarioTest, ADeadlineAmongTheLimitsIsToldWhereItBelongs) {
  const Outcome outcome = read(
      "loadfactor: 1\nname: x\ntrain: {model: gpt2, tokens: 1 B}\n"
      "limits: {gpus: 8, deadline: 30 days}\n");
  ASSERT_EQ(outcome.diagnostics.size(), 1U) << render(outcome.diagnostics);
  EXPECT_NE(outcome.diagnostics.errors()[0].hint.find("train.deadline"), std::string::npos);
}

TEST(ScenarioTest, TheBudgetOfAServiceMayBeWrittenByTheMonthOrTheYear) {
  const auto budget = [](const std::string& text) {
    const Scenario scenario = scenario_of(
        "loadfactor: 1\nname: x\nserve: {model: gpt2}\n"
        "limits: {budget: " +
        text + "}\n");
    return scenario.limits.budget->value.base();
  };
  EXPECT_DOUBLE_EQ(budget("5000 USD"), 5000);
  EXPECT_DOUBLE_EQ(budget("5000 USD/month"), 5000);
  EXPECT_DOUBLE_EQ(budget("60 K USD/year"), 5000);
}

TEST(ScenarioTest, TheBudgetOfARunIsOfTheWholeRun) {
  const Outcome outcome = read(
      "loadfactor: 1\nname: x\ntrain: {model: gpt2, tokens: 1 B}\n"
      "limits: {budget: 5000 USD/month}\n");
  ASSERT_EQ(outcome.diagnostics.size(), 1U) << render(outcome.diagnostics);
  EXPECT_NE(outcome.diagnostics.errors()[0].hint.find("whole run"), std::string::npos);
}

TEST(ScenarioTest, EveryCutOfAScenarioIsReadOrRefusedNeverMore) {
  for (std::size_t size = 0; size < kFull.size(); size += 3) {
    const Outcome outcome = read(kFull.substr(0, size));
    EXPECT_EQ(outcome.scenario.has_value(), outcome.diagnostics.empty()) << size;
  }
}

}  // namespace
}  // namespace loadfactor::config
