// What a fleet says of work that it plans otherwise than somebody may have meant.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "base/distributions.h"
#include "base/error_codes.h"
#include "engine/fleet/fleet.h"
#include "loadfactor/engine.h"

namespace loadfactor {
namespace {

const Engine& shipped() {
  static const auto made = [] {
    Diagnostics diagnostics;
    return Engine::create({}, diagnostics);
  }();
  return *made;
}

constexpr const char* kHead =
    "loadfactor: 1\nname: f\npools: [{name: main, accelerator: l40s, gpus: 32768}]\n"
    "money: {options: [on-demand]}\nworkloads:\n";

engine::FleetAnswer answer_of(const std::string& workloads) {
  const auto answer =
      shipped().ask(FleetQuestion{.fleet = InputFile::of("fleet.yaml", kHead + workloads)});
  EXPECT_TRUE(answer) << render(answer.error());
  return answer ? *answer->as<engine::FleetAnswer>() : engine::FleetAnswer();
}

std::string batch(const std::string& items, const std::string& every, const std::string& deadline) {
  std::string text =
      "- name: night\n  batch: {model: llama-3.1-8b, precision: fp8, items: " + items +
      ", tokens_in: 500, tokens_out: 50" + every + "}\n";
  return deadline.empty() ? text : text + "  deadline: " + deadline + "\n";
}

const Notice* notice_of(const engine::FleetAnswer& answer, const std::string& id) {
  const auto found = std::find_if(answer.notices.begin(), answer.notices.end(),
                                  [&](const Notice& notice) { return notice.id == id; });
  return found == answer.notices.end() ? nullptr : &*found;
}

TEST(FleetWorkTest, ABatchThatIsDueIsDoneEveryWeekHoweverLargeItIs) {
  const auto small = answer_of(batch("10 M", "", "10 h"));
  const auto large = answer_of(batch("1 B", "", "10 h"));
  EXPECT_EQ(small.horizon, config::FleetHorizon::kWeek);
  EXPECT_EQ(large.horizon, config::FleetHorizon::kWeek);
  EXPECT_GT(large.per_month, small.per_month * 50);
  EXPECT_EQ(notice_of(large, "fleet-year"), nullptr);
}

TEST(FleetWorkTest, BatchesThatDoNotComeAlikeInEveryWeekArePlannedOverAYear) {
  const auto even = answer_of(batch("10 M", ", every: 1 day", ""));
  EXPECT_EQ(even.horizon, config::FleetHorizon::kWeek);
  const auto uneven = answer_of(batch("10 M", ", every: 36 h", ""));
  EXPECT_EQ(uneven.horizon, config::FleetHorizon::kYear);
  EXPECT_NE(notice_of(uneven, "fleet-year"), nullptr);
  // Two thirds of the batches of every day, and so of their cost.
  EXPECT_NEAR(uneven.per_month / even.per_month, 24.0 / 36, 0.03);
}

TEST(FleetWorkTest, KeysThatAFleetIsPlannedWithoutAreNamed) {
  const auto answer = answer_of(
      "- name: chat\n  serve:\n    model: llama-3.1-8b\n    precision: fp8\n"
      "    demand: {requests_per_second: 1, tokens_in: 500, tokens_out: 50, growth: 8 %/month}\n"
      "    slo: {ttft_p95: 2 s}\n    deployment: {replicas: 3}\n");
  const Notice* notice = notice_of(answer, "fleet-unread");
  ASSERT_NE(notice, nullptr);
  ASSERT_EQ(notice->arguments.size(), 2U);
  EXPECT_EQ(notice->arguments[0].text, "chat");
  EXPECT_EQ(notice->arguments[1].text, "serve.demand.growth, serve.deployment.replicas");
}

TEST(FleetWorkTest, WhatHasNoRoomSaysHowManyGpusItHolds) {
  const auto answer = answer_of(
      "- {name: one, reserved: {gpus: 30000}}\n- {name: two, reserved: {gpus: 4000}, priority: "
      "10}\n");
  const Notice* notice = notice_of(answer, "fleet-no-room");
  ASSERT_NE(notice, nullptr);
  EXPECT_EQ(notice->arguments[0].text, "two");
  EXPECT_EQ(notice->arguments[1].text, "4000");
}

TEST(FleetWorkTest, ABatchLosesTheReadingOfItsWeightsAtEveryStart) {
  const auto load_of = [](const std::string& model, const std::string& extra) {
    const auto answer = answer_of("- name: night\n  batch: {model: " + model +
                                  ", precision: fp8, items: 1 M, tokens_in: 500, tokens_out: 50, "
                                  "every: 1 day" +
                                  extra + "}\n");
    return answer.workloads.empty() ? EstimateOf<Seconds>() : answer.workloads[0].reload.load;
  };
  const auto small = load_of("llama-3.2-1b", ""), large = load_of("llama-3.1-8b", "");
  // A byte for each of 8 and of 1.2 billion parameters, at a gigabyte a second.
  EXPECT_NEAR((large.value() - small.value()).base(), 6.8, 1.0);
  EXPECT_LT(large.low(), large.value());
  EXPECT_GT(large.high(), large.value());
}

TEST(FleetWorkTest, TheShareWithinTheSloHasAnInterval) {
  const auto answer = answer_of(
      "- name: chat\n  serve:\n    model: llama-3.1-8b\n    precision: fp8\n"
      "    demand: {requests_per_second: 6, tokens_in: 500, tokens_out: 50, shape: global-chat}\n"
      "    slo: {ttft_p95: 2 s}\n");
  ASSERT_EQ(answer.workloads.size(), 1U);
  ASSERT_TRUE(answer.workloads[0].within_slo);
  EXPECT_LT(answer.workloads[0].of_within.low, 1);
  EXPECT_GE(answer.workloads[0].of_within.high, 1);
  EXPECT_LE(*answer.workloads[0].within_slo * answer.workloads[0].of_within.high, 1 + 1e-12);
}

struct BrokenPool {
  const char* what;
  std::string pool, money;
  std::uint32_t line;
};

// `pools` is in line 3 of these fleets and `money` in line 4.
TEST(FleetWorkTest, APoolWithoutAWholeMachineToOwnOrReserveIsRefusedAtItsLine) {
  const std::string small = "pools: [{name: main, accelerator: h100-sxm, gpus: 4}]\n";
  const std::string open = "pools: [{name: main, accelerator: h100-sxm}]\n";
  for (const BrokenPool& broken : {
           BrokenPool{"owned", small, "money: {options: [own]}\n", 3},
           BrokenPool{"reserved", small, "money: {options: [reserved-1y]}\n", 3},
           BrokenPool{"of which few may be owned", open,
                      "money: {options: [own], own: {most: 4}}\n", 4},
       }) {
    const auto answer = shipped().ask(
        FleetQuestion{.fleet = InputFile::of(
                          "fleet.yaml", "loadfactor: 1\nname: f\n" + broken.pool + broken.money +
                                            "workloads: [{name: w, reserved: {gpus: 4}}]\n")});
    ASSERT_FALSE(answer) << broken.what;
    EXPECT_EQ(answer.error().code, lf::kNotDivisible) << broken.what;
    EXPECT_EQ(answer.error().where.line, broken.line) << broken.what;
    EXPECT_NE(answer.error().hint.find("write 8"), std::string::npos) << broken.what;
  }
}

TEST(FleetWorkTest, NineOfTenPricesOfTokensLieWithinTheirEnds) {
  constexpr double kVariation = 0.2;
  const std::string head =
      "loadfactor: 1\nname: f\npools: [{name: main, accelerator: l40s}]\n"
      "money: {options: [on-demand, api], api: {price: 1 USD/M tokens}, uncertainty: {api: "
      "0.2}}\nworkloads:\n";
  const auto answer = shipped().ask(FleetQuestion{
      .fleet = InputFile::of("fleet.yaml", head + batch("10 M", ", every: 1 day", ""))});
  ASSERT_TRUE(answer) << render(answer.error());
  const engine::FleetSpread spread = answer->as<engine::FleetAnswer>()->workloads.at(0).api_spread;
  const auto shape = lognormal_shape(1, kVariation);
  const auto below = [&](double price) {
    return normal_probability((std::log(price) - shape.mu) / shape.sigma);
  };
  EXPECT_NEAR(below(spread.low), 0.05, 1e-9);
  EXPECT_NEAR(below(spread.high), 0.95, 1e-9);
}

}  // namespace
}  // namespace loadfactor
