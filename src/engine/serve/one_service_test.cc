// One scenario means one service, whoever asks: formats, layouts, capacity and refusals.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/testing/sound.h"
#include "engine/fill/fill.h"
#include "engine/fill/sizing.h"
#include "engine/testing/planned.h"
#include "loadfactor/engine.h"

namespace loadfactor {
namespace {

using engine::testing::shipped;

config::Scenario scenario(const std::string& serve, const std::string& rest = {}) {
  return config::testing::sound("loadfactor: 1\nname: chat\nserve:\n" + serve + rest);
}

constexpr const char* kDemand =
    "  demand: {requests_per_second: 0.01, tokens_in: 500, tokens_out: 100}\n";

std::optional<ServeAnswer> served(const config::Scenario& asked, Diagnostics& diagnostics) {
  return shipped().serve({.scenario = asked}, diagnostics);
}
std::optional<SimulateAnswer> simulated(const config::Scenario& asked, Diagnostics& diagnostics) {
  SimulateInputs request;
  request.scenario = asked;
  request.requests = 20;
  return shipped().simulate(request, diagnostics);
}
std::optional<engine::FillAnswer> filled(const config::Scenario& asked, Diagnostics& diagnostics) {
  engine::FillInputs question{.load_only = true};
  question.serving.scenario = asked;
  return engine::fill_fleet(question, shipped().catalog(), diagnostics);
}
std::optional<engine::SizeAnswer> searched(const config::Scenario& asked,
                                           Diagnostics& diagnostics) {
  engine::SizingInputs question{.confirm = engine::kConfirmed, .relaxed = false};
  question.serving.scenario = asked;
  return engine::size_service(question, shipped().catalog(), diagnostics);
}

// The edits that a notice proposes.
std::string edits_of(const std::vector<Notice>& notices, const std::string& id) {
  for (const Notice& said : notices)
    for (const auto& argument : said.arguments)
      if (said.id == id && argument.name == "edits") return argument.text;
  return {};
}

// What every verb says to a scenario that none can answer.
std::vector<std::string> refusals(const config::Scenario& asked) {
  std::vector<std::string> all;
  const auto add = [&](const auto& verb) {
    Diagnostics diagnostics;
    EXPECT_FALSE(verb(asked, diagnostics));
    if (diagnostics.empty()) return;
    const Error& error = diagnostics.errors().front();
    all.push_back("LF" + std::to_string(error.code) + " " + std::to_string(error.where.line) + ":" +
                  std::to_string(error.where.column));
  };
  add(served);
  add(simulated);
  add(filled);
  add(searched);
  return all;
}

void expect_one_refusal(const config::Scenario& asked, int code, const std::string& place) {
  const std::string said = "LF" + std::to_string(code) + " " + place;
  EXPECT_EQ(refusals(asked), std::vector<std::string>(4, said));
}

TEST(OneServiceTest, AModelThatNeedsAWholeRackFitsItForEveryVerb) {
  const auto asked = scenario(std::string("  model: kimi-k2\n  precision: bf16\n") + kDemand,
                              "hardware: [gb200-nvl72]\n");
  Diagnostics diagnostics;
  const auto serve = served(asked, diagnostics);
  const auto simulation = simulated(asked, diagnostics);
  const auto fill = filled(asked, diagnostics);
  ASSERT_TRUE(serve && simulation && fill) << render(diagnostics);
  EXPECT_EQ(serve->layout.tp, 16);
  EXPECT_EQ(simulation->layout.tp, 16);
  // The cheapest within the SLO may be wider than the smallest that fits, and stays in the rack.
  EXPECT_GE(fill->layout.gpus(), 16);
  EXPECT_LE(fill->layout.gpus(), 72);
}

TEST(OneServiceTest, WeightsAreInTheFormatOfTheCheckpointForEveryVerb) {
  const auto asked = scenario(
      std::string("  model: gpt-oss-20b\n") + kDemand + "  deployment: {gpu: h100-sxm, tp: 1}\n",
      "");
  Diagnostics diagnostics;
  const auto serve = served(asked, diagnostics);
  const auto simulation = simulated(asked, diagnostics);
  const auto fill = filled(asked, diagnostics);
  const auto search = searched(asked, diagnostics);
  ASSERT_TRUE(serve && simulation && fill && search) << render(diagnostics);
  EXPECT_EQ(serve->precision, "mxfp4-experts");
  EXPECT_EQ(simulation->precision, serve->precision);
  EXPECT_EQ(fill->precision, serve->precision);
  EXPECT_EQ(search->rows.front().precision, serve->precision);
  for (const std::string& kv : {fill->kv_format, search->rows.front().kv_format})
    EXPECT_EQ(kv, serve->kv_format);
}

TEST(OneServiceTest, AWrittenLayoutHasOneCapacity) {
  const auto asked = scenario(std::string("  model: llama-3.1-8b\n  precision: fp8\n") + kDemand +
                                  "  deployment: {gpu: l40s, tp: 2, prefix_hits: 40 %}\n",
                              "");
  Diagnostics diagnostics;
  const auto serve = served(asked, diagnostics);
  const auto fill = filled(asked, diagnostics);
  const auto search = searched(asked, diagnostics);
  ASSERT_TRUE(serve && fill && search) << render(diagnostics);
  const double each = serve->saturated_requests.value().base() / serve->layout.replicas;
  EXPECT_NEAR(fill->replica.capacity.saturated.base() / each, 1, 1e-9);
  EXPECT_EQ(search->rows.front().layout.tp, 2);
  EXPECT_EQ(search->rows.front().layout.pp, 1);
  EXPECT_EQ(search->rows.front().max_seqs, serve->max_sequences);
  EXPECT_EQ(search->rows.front().chunk, serve->chunk);
  EXPECT_EQ(search->rows.front().gpus, fill->gpus);
  EXPECT_NEAR(search->rows.front().load_factor / fill->load_factor.value(), 1, 1e-9);
}

TEST(OneServiceTest, PoolsApartAreSearchedAsTheyAreWritten) {
  const auto asked = scenario(std::string("  model: llama-3.1-8b\n  precision: fp8\n") + kDemand +
                                  "  slo: {ttft_p95: 2 s, tpot_p95: 50 ms}\n"
                                  "  deployment: {gpu: h100-sxm, prefill: {tp: 2}, "
                                  "decode: {tp: 1}}\n",
                              "");
  Diagnostics diagnostics;
  const auto serve = served(asked, diagnostics);
  const auto fill = filled(asked, diagnostics);
  const auto search = searched(asked, diagnostics);
  ASSERT_TRUE(serve && fill && search) << render(diagnostics);
  const auto& row = search->rows.front();
  EXPECT_EQ(row.prompt_layout.tp, 2);
  EXPECT_EQ(row.prompt_replicas, 1);
  EXPECT_EQ(row.layout.tp, 1);
  EXPECT_EQ(row.gpus, 3);
  EXPECT_EQ(fill->gpus, 3);
  EXPECT_EQ(serve->layout.gpus, 3);
  EXPECT_NEAR(fill->replica.capacity.saturated.base() / serve->saturated_requests.value().base(), 1,
              1e-9);
}

TEST(OneServiceTest, TheCacheMayBeLeftToTheEngineForEveryVerb) {
  const auto asked = scenario(std::string("  model: llama-3.1-8b\n") + kDemand +
                              "  deployment: {gpu: h100-sxm, tp: 1, kv: auto}\n");
  Diagnostics diagnostics;
  const auto serve = served(asked, diagnostics);
  ASSERT_TRUE(serve) << render(diagnostics);
  EXPECT_EQ(serve->kv_format, "bf16");
  EXPECT_TRUE(simulated(asked, diagnostics)) << render(diagnostics);
  EXPECT_TRUE(filled(asked, diagnostics)) << render(diagnostics);
}

TEST(OneServiceTest, WhatIsWrongIsRefusedAtOnePlace) {
  const std::string model = std::string("  model: llama-3.1-8b\n") + kDemand;
  const auto deployed = [&](const std::string& words) {
    return scenario(model + "  deployment: {gpu: h100-sxm, " + words + "}\n");
  };
  expect_one_refusal(deployed("tp: 1, kv: fp7"), lf::kUnsupportedDtype, "6:42");
  expect_one_refusal(deployed("tp: 3"), lf::kNotDivisible, "6:35");
  expect_one_refusal(scenario(model + "  precision: fp7\n", "hardware: [h100-sxm]\n"),
                     lf::kUnsupportedDtype, "6:14");
  expect_one_refusal(
      scenario("  model: llama-2-7b\n"
               "  demand: {requests_per_second: 1, tokens_in: 8000, tokens_out: 100}\n"),
      lf::kContextTooLong, "5:47");
  expect_one_refusal(scenario(std::string("  model: llama-3.3-70b\n") + kDemand +
                              "  deployment: {gpu: l40s, tp: 1}\n"),
                     lf::kDoesNotFit, "6:31");
  expect_one_refusal(scenario(model + "  slo: {tpot_p95: 1 ms}\n", "hardware: [h100-sxm]\n"),
                     lf::kSloOutOfReach, "6:19");
  expect_one_refusal(scenario(model, "hardware: [h100-sxm, h900]\n"), lf::kUnknownAccelerator,
                     "6:22");
}

TEST(OneServiceTest, AnOpenLayoutSaysWhatTheSearchWouldChoose) {
  // A cache for eight such prompts takes four GPUs; one GPU serves a few requests an hour.
  const auto asked = scenario(
      "  model: llama-3.1-8b\n  precision: fp8\n"
      "  demand: {requests_per_hour: 3, tokens_in: 120000, "
      "tokens_out: 500}\n",
      "hardware: [h100-sxm]\n");
  Diagnostics diagnostics;
  const auto serve = served(asked, diagnostics);
  const auto fill = filled(asked, diagnostics);
  ASSERT_TRUE(serve && fill) << render(diagnostics);
  ASSERT_NE(serve->layout.gpus, fill->gpus);
  const std::string said = edits_of(serve->notices, "other-layout");
  EXPECT_NE(said.find("--set serve.deployment.tp=" + std::to_string(fill->layout.tp)),
            std::string::npos)
      << said;
}

TEST(OneServiceTest, WhatIsAskedWithoutASearchIsAnsweredTheSameWithoutIt) {
  const auto asked = scenario(
      "  model: llama-3.1-8b\n  precision: fp8\n"
      "  demand: {requests_per_hour: 3, tokens_in: 120000, "
      "tokens_out: 500}\n",
      "hardware: [h100-sxm]\n");
  Diagnostics diagnostics;
  const auto sought = served(asked, diagnostics);
  const auto alone = shipped().serve({.scenario = asked, .seeks_others = false}, diagnostics);
  ASSERT_TRUE(sought && alone) << render(diagnostics);
  EXPECT_FALSE(edits_of(sought->notices, "other-layout").empty());
  EXPECT_EQ(edits_of(alone->notices, "other-layout"), "");
  EXPECT_EQ(alone->layout.tp, sought->layout.tp);
  EXPECT_EQ(alone->layout.replicas, sought->layout.replicas);
  EXPECT_EQ(alone->max_sequences, sought->max_sequences);
  EXPECT_EQ(alone->tpot.value(), sought->tpot.value());
}

TEST(OneServiceTest, TheEditsOfTheSearchsChoiceNameAnotherChipToo) {
  // Seventy billion parameters in 8 bits leave one H100 no room for a prompt; two are dearer than
  // one H200.
  const auto asked = scenario(
      "  model: llama-3.3-70b\n  precision: fp8\n"
      "  demand: {requests_per_hour: 3, tokens_in: 20000, tokens_out: 500}\n",
      "hardware: [h100-sxm, h200-sxm]\nmoney: {options: [on-demand]}\n");
  Diagnostics diagnostics;
  const auto serve = served(asked, diagnostics);
  const auto fill = filled(asked, diagnostics);
  ASSERT_TRUE(serve && fill) << render(diagnostics);
  ASSERT_EQ(serve->accelerator, "h100-sxm");
  ASSERT_EQ(fill->accelerator, "h200-sxm");
  EXPECT_NE(edits_of(serve->notices, "other-layout").find("--set serve.deployment.gpu=h200-sxm"),
            std::string::npos);
  const auto edited = served(asked.with({{"serve.deployment.gpu", fill->accelerator},
                                         {"serve.deployment.tp", std::int64_t{fill->layout.tp}},
                                         {"serve.deployment.pp", std::int64_t{fill->layout.pp}}}),
                             diagnostics);
  ASSERT_TRUE(edited) << render(diagnostics);
  EXPECT_EQ(edited->accelerator, fill->accelerator);
  EXPECT_EQ(edited->layout.tp, fill->layout.tp);
  EXPECT_EQ(edited->layout.pp, fill->layout.pp);
}

TEST(OneServiceTest, CostPricesTheDeploymentThatServeAnswersFor) {
  const std::string model = std::string("  model: llama-3.1-8b\n  precision: fp8\n") + kDemand;
  const auto asked = scenario(model, "hardware: [h100-sxm]\nmoney: {options: [on-demand]}\n");
  Diagnostics diagnostics;
  const auto serve = served(asked, diagnostics);
  const auto cost = shipped().cost({.scenario = asked, .draws = 64}, diagnostics);
  ASSERT_TRUE(serve && cost) << render(diagnostics);
  EXPECT_DOUBLE_EQ(cost->gpus, serve->layout.gpus);
  EXPECT_DOUBLE_EQ(cost->load_factor, *serve->utilisation);
  EXPECT_NEAR(cost->full_plane->base() / (serve->saturated_requests.value().base() * 600), 1,
              1e-12);
}

TEST(OneServiceTest, ElectricityIsInTheFacilitysBillWhoeverOwnsTheMachines) {
  const auto asked = scenario(std::string("  model: llama-3.1-8b\n") + kDemand,
                              "hardware: [h100-sxm]\nlimits: {rack_power: 100 kW}\n"
                              "money: {options: [on-demand], electricity: 0.30 USD/kWh}\n");
  Diagnostics diagnostics;
  const auto cost = shipped().cost({.scenario = asked, .draws = 64}, diagnostics);
  ASSERT_TRUE(cost && cost->facility) << render(diagnostics);
  const double kilowatt_hours = cost->facility->energy_per_month.base() / 3.6e6;
  EXPECT_NEAR(cost->facility->energy_cost_per_month.base() / kilowatt_hours, 0.30, 1e-9);
}

}  // namespace
}  // namespace loadfactor
