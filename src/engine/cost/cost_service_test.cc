// `cost` of a scenario that states no capacity: the machine is the one that serves its demand.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/testing/sound.h"
#include "engine/core.h"
#include "loadfactor/cost.h"

namespace loadfactor::engine {
namespace {

constexpr const char* kService = R"(loadfactor: 1
name: service
serve:
  model: llama-3.1-8b
  precision: fp8
  demand: {requests_per_hour: 60, tokens_in: 500, tokens_out: 100}
  slo: {ttft_p95: 5 s, tpot_p95: 100 ms}
  deployment: {gpu: h100-sxm, tp: 1}
hardware: [h100-sxm]
money: {options: [on-demand]}
)";

// A request a minute for an hour, with the mean lengths of the service above.
std::string trace() {
  std::string text = "timestamp,input_tokens,output_tokens\n";
  for (int i = 0; i < 61; ++i)
    text += fmt::format("{},{},{}\n", 60 * i, i == 60 ? 500 : i % 2 == 0 ? 400 : 600, 100);
  return text;
}

class CostOfServiceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    engine_ = Core::create({}, diagnostics_);
    ASSERT_TRUE(engine_) << render(diagnostics_);
  }

  std::optional<CostAnswer> ask(const std::vector<std::string>& set,
                                const std::string& recorded = {}) {
    CostInputs request;
    request.scenario = config::testing::sound(kService, set);
    request.trace_bytes = recorded;
    request.today = "2026-11-15";
    request.draws = 64;
    return engine_->cost(request, diagnostics_);
  }

  Diagnostics diagnostics_;
  std::unique_ptr<Core> engine_;
};

bool has_notice(const CostAnswer& answer, std::string_view id) {
  return std::any_of(answer.notices.begin(), answer.notices.end(),
                     [id](const Notice& notice) { return notice.id == id; });
}

// Four GPUs at a load that is stated make four times what the service makes on one.
double gpus_on_demand(const CostAnswer& answer) {
  for (const auto& option : answer.options)
    if (option.kind == OptionKind::kOnDemand) return option.gpus;
  return 0;
}

TEST_F(CostOfServiceTest, RentedGpusComeInTheInstancesOfTheProvider) {
  const auto any = ask({});
  const auto eights = ask({"money.rent.provider=azure"});
  const auto single = ask({"money.rent.provider=lambda"});
  const auto said = ask({"money.rent.provider=lambda", "money.rent.instance=4"});
  ASSERT_TRUE(any && eights && single && said) << render(diagnostics_);
  EXPECT_EQ(gpus_on_demand(*any), 1);
  EXPECT_EQ(gpus_on_demand(*eights), 8);
  EXPECT_EQ(gpus_on_demand(*single), 1);
  EXPECT_EQ(gpus_on_demand(*said), 4);
}

TEST_F(CostOfServiceTest, SizesThatAreNotKnownAreSaid) {
  const auto unknown = ask({"money.rent.provider=fluidstack"});
  ASSERT_TRUE(unknown) << render(diagnostics_);
  EXPECT_TRUE(std::any_of(unknown->notices.begin(), unknown->notices.end(),
                          [](const Notice& each) { return each.id == "instances-unknown"; }));
}

TEST_F(CostOfServiceTest, GpusAndALoadAreStatedAndTheServiceKnowsItsRate) {
  const auto one = ask({});
  const auto stated =
      ask({"capacity={gpus: 4, load_factor: 40 %}", "money.options=[on-demand, api]",
           "money.api={input: 0.2 USD/M tokens, output: 0.4 USD/M tokens}"});
  ASSERT_TRUE(one && stated) << render(diagnostics_);
  EXPECT_TRUE(stated->unpriced.empty());
  ASSERT_TRUE(one->full_plane && stated->full_plane);
  EXPECT_NEAR(*stated->full_plane / *one->full_plane, 4, 1e-9);
  EXPECT_DOUBLE_EQ(stated->load_factor, 0.4);
  const auto api = std::find_if(stated->options.begin(), stated->options.end(),
                                [](const auto& each) { return each.kind == OptionKind::kApi; });
  ASSERT_NE(api, stated->options.end());
  const double price = (500 * 0.2 + 100 * 0.4) / 600;
  EXPECT_NEAR(api->per_mtoken->value().base(), price, 1e-9);
}

TEST_F(CostOfServiceTest, ATraceIsPricedLikeTheSameTrafficInWords) {
  const auto words = ask({});
  const auto traced = ask({"serve.demand={trace: t.csv}"}, trace());
  ASSERT_TRUE(words && traced) << render(diagnostics_);
  EXPECT_EQ(traced->gpus, words->gpus);
  EXPECT_NEAR(traced->full_plane->base(), words->full_plane->base(),
              1e-9 * words->full_plane->base());
  EXPECT_NEAR(traced->load_factor, words->load_factor, 0.02 * words->load_factor);
  EXPECT_TRUE(has_notice(*traced, "trace-means"));
  EXPECT_FALSE(has_notice(*words, "trace-means"));
}

TEST_F(CostOfServiceTest, ATraceSaysHowFullAStatedCapacityIs) {
  const std::vector<std::string> capacity{"capacity={gpus: 1, rate: 1000 tokens/s/GPU}"};
  auto with_trace = capacity;
  with_trace.emplace_back("serve.demand={trace: t.csv}");
  const auto words = ask(capacity);
  const auto traced = ask(with_trace, trace());
  ASSERT_TRUE(words && traced) << render(diagnostics_);
  EXPECT_NEAR(words->load_factor, 600.0 / 60 / 1000, 1e-12);
  EXPECT_NEAR(traced->load_factor, words->load_factor, 0.02 * words->load_factor);
}

TEST_F(CostOfServiceTest, ADemandThatIsMissingIsRefusedAsWhereFleetsAreFilled) {
  EXPECT_FALSE(ask({"serve.demand="}));
  ASSERT_EQ(diagnostics_.size(), 1U);
  EXPECT_EQ(diagnostics_.errors()[0].code, lf::kNothingToFill);
  EXPECT_EQ(diagnostics_.errors()[0].where.line, 4U);
}

TEST_F(CostOfServiceTest, GpusThatAreThereAreFilledByTheDemand) {
  const auto sized = ask({});
  const auto there = ask({"capacity.gpus=8"});
  ASSERT_TRUE(sized && there) << render(diagnostics_);
  const double times = 8 / sized->gpus;
  EXPECT_EQ(there->gpus, 8);
  EXPECT_NEAR(there->full_plane->base() / sized->full_plane->base(), times, 1e-9);
  EXPECT_NEAR(there->load_factor, sized->load_factor / times, 1e-9);
  EXPECT_FALSE(has_notice(*there, "assumed-full"));
}

TEST_F(CostOfServiceTest, ReplicasThatAreWrittenContradictOtherGpus) {
  EXPECT_TRUE(ask({"serve.deployment.replicas=2", "capacity.gpus=2"})) << render(diagnostics_);
  EXPECT_FALSE(ask({"serve.deployment.replicas=2", "capacity.gpus=8"}));
  ASSERT_EQ(diagnostics_.size(), 1U);
  EXPECT_EQ(diagnostics_.errors()[0].code, lf::kContradictoryKeys);
}

TEST_F(CostOfServiceTest, WhereNoMachineKeepsThePromiseTheApiIsPriced) {
  const std::vector<std::string> impossible{"serve.slo={ttft_p95: 1 ms, tpot_p95: 10 us}"};
  EXPECT_FALSE(ask(impossible));
  ASSERT_EQ(diagnostics_.size(), 1U);
  EXPECT_EQ(diagnostics_.errors()[0].code, lf::kSloOutOfReach);
  diagnostics_ = Diagnostics();
  auto with_api = impossible;
  with_api.emplace_back("money.options=[on-demand, api]");
  with_api.emplace_back("money.api={input: 1 USD/M tokens, output: 2 USD/M tokens}");
  const auto answer = ask(with_api);
  ASSERT_TRUE(answer) << render(diagnostics_);
  ASSERT_EQ(answer->options.size(), 1U);
  EXPECT_EQ(answer->options[0].kind, OptionKind::kApi);
  // 60 requests an hour of 500 tokens in and 100 out, for 730 hours.
  EXPECT_NEAR(answer->options[0].per_month.value().base(), 60 * 730 * (500 + 2 * 100) * 1e-6, 1e-6);
  EXPECT_TRUE(has_notice(*answer, "api-alone"));
}

TEST_F(CostOfServiceTest, TheShapeOfAWeekIsInTheMixOfWaysToPay) {
  const std::vector<std::string> busy{"serve.demand.requests_per_hour=2 M",
                                      "money.options=[on-demand, own]"};
  auto shaped = busy;
  shaped.emplace_back("serve.demand.shape=chat");
  const auto flat = ask(busy);
  const auto waves = ask(shaped);
  ASSERT_TRUE(flat && waves) << render(diagnostics_);
  const auto mean_gpus = [](const CostAnswer& answer) {
    for (const CostOption& option : answer.options)
      if (option.kind == OptionKind::kAutoscaled) return option.gpus / answer.gpus;
    return 0.0;
  };
  EXPECT_GT(mean_gpus(*waves), 0);
  EXPECT_LT(mean_gpus(*waves), 0.95 * mean_gpus(*flat));
}

TEST_F(CostOfServiceTest, AMixIsWholeAndNeverDearerThanWhatItIsMadeOf) {
  const auto answer = ask({"serve.demand.requests_per_hour=2 M", "serve.demand.shape=chat",
                           "money.options=[on-demand, reserved-1y, reserved-3y, spot, own]"});
  ASSERT_TRUE(answer) << render(diagnostics_);
  double wins = 0;
  for (const CostOption& option : answer->options) {
    wins += option.wins;
    EXPECT_EQ(std::fmod(option.owned, 8), 0) << name_of(option.kind);
    EXPECT_EQ(std::fmod(option.reserved, 8), 0) << name_of(option.kind);
    if (!is_mix(option.kind)) continue;
    EXPECT_GT(
        (option.owned > 0) + (option.reserved > 0) + (option.gpus > option.owned + option.reserved),
        option.kind == OptionKind::kOwnSpotBurst ? 0 : 1)
        << name_of(option.kind);
    for (const CostOption& single : answer->options) {
      const bool in_it =
          single.kind == OptionKind::kOwn ||
          (option.kind == OptionKind::kOwnSpotBurst ? single.kind == OptionKind::kSpot
                                                    : single.kind == OptionKind::kAutoscaled);
      if (!in_it) continue;
      EXPECT_LE(option.per_month.value(), single.per_month.value() * (1 + 1e-9))
          << name_of(option.kind);
    }
  }
  EXPECT_NEAR(wins, 1, 1e-9);
}

TEST_F(CostOfServiceTest, SpotQuotesOfOtherProvidersAboveThePriceOnDemandAreNoSpot) {
  const std::vector<std::string> both{"hardware=[h100-sxm]", "money.options=[on-demand, spot]",
                                      "money.rent.on_demand=0.5 USD/GPU-hour"};
  const auto listed = ask(both);
  ASSERT_TRUE(listed) << render(diagnostics_);
  for (const CostOption& option : listed->options) EXPECT_NE(option.kind, OptionKind::kSpot);
  ASSERT_EQ(listed->unpriced.size(), 1U);
  EXPECT_EQ(listed->unpriced[0].kind, OptionKind::kSpot);
  auto written = both;
  written.emplace_back("money.rent.spot=0.6 USD/GPU-hour");  // Whoever writes it means it.
  const auto meant = ask(written);
  ASSERT_TRUE(meant) << render(diagnostics_);
  EXPECT_TRUE(std::any_of(meant->options.begin(), meant->options.end(),
                          [](const auto& option) { return option.kind == OptionKind::kSpot; }));
}

TEST_F(CostOfServiceTest, ElectricityAndRegionAreBilledWhereNobodyOwns) {
  const auto plain = ask({});
  const auto once = ask({"money.electricity=0.1 USD/kWh"});
  const auto twice = ask({"money.electricity=0.2 USD/kWh"});
  const auto placed = ask({"money.region=france"});
  ASSERT_TRUE(plain && once && twice && placed) << render(diagnostics_);
  EXPECT_FALSE(plain->facility);
  ASSERT_TRUE(once->facility && twice->facility && placed->facility);
  const Dollars bill = once->facility->energy_cost_per_month;
  EXPECT_GT(bill, Dollars());
  EXPECT_NEAR(twice->facility->energy_cost_per_month / bill, 2, 1e-9);
  EXPECT_TRUE(placed->facility->carbon_kg_per_month);
}

TEST_F(CostOfServiceTest, WhatServeChoseIsSaid) {
  const auto answer = ask({"serve.precision=", "serve.deployment.urgent=20 %"});
  ASSERT_TRUE(answer) << render(diagnostics_);
  EXPECT_TRUE(has_notice(*answer, "default-precision"));
  EXPECT_TRUE(has_notice(*answer, "simulated-keys"));
}

// 1 GPU at about 3 USD an hour is above 1,000 USD a month.
TEST_F(CostOfServiceTest, LimitsThatWhatIsPricedBreaksAreSaid) {
  const auto says = [](const std::optional<CostAnswer>& answer, std::string_view id) {
    return answer && std::any_of(answer->notices.begin(), answer->notices.end(),
                                 [id](const Notice& notice) { return notice.id == id; });
  };
  const auto kept = ask({"limits={gpus: 8, budget: 100000 USD}"});
  ASSERT_TRUE(kept) << render(diagnostics_);
  EXPECT_FALSE(says(kept, "dearer-than-budget"));
  EXPECT_FALSE(says(kept, "more-gpus-than-allowed"));
  EXPECT_TRUE(says(ask({"limits.budget=1000 USD"}), "dearer-than-budget"));
  const auto stated =
      ask({"capacity={gpus: 8, rate: 1000 tokens/s/GPU, load_factor: 40 %}", "limits.gpus=4",
           "serve.deployment={gpu: h100-sxm, tp: 1, replicas: 8}"});
  EXPECT_TRUE(says(stated, "more-gpus-than-allowed")) << render(diagnostics_);
}

}  // namespace
}  // namespace loadfactor::engine
