// How full a fleet is, and what it is lost to.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/testing/sound.h"
#include "economics/unit_cost.h"
#include "engine/fill/testing/fill_fixture.h"
#include "search/candidates.h"

namespace loadfactor::engine {
namespace {

using config::testing::sound;
using testing::FillTest;
using testing::kChat;

TEST_F(FillTest, OneServiceOfThePoolingTableIsTheFleetOfTheAnswer) {
  const auto answer = fill(kChat, 0);
  ASSERT_TRUE(answer);
  ASSERT_FALSE(answer->pooling.empty());
  EXPECT_EQ(answer->pooling.front().gpus_apart, answer->gpus);
  EXPECT_EQ(answer->pooling.front().gpus_pooled, answer->gpus);
  EXPECT_NEAR(answer->pooling.front().load_pooled, answer->load_factor.value(), 1e-9);
}

// Prices and break-evens are drawn as `cost` draws them, for the same fleet.
TEST_F(FillTest, WaysToPayHaveTheIntervalsOfTheirCost) {
  FillInputs asked = question(kChat, 0);
  asked.serving.scenario = asked.serving.scenario.with(
      {{"money.options", std::vector<std::string>{"on-demand", "reserved-1y", "own", "api"}}});
  const auto answer = fill_fleet(asked, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(answer) << render(diagnostics_);
  ASSERT_TRUE(answer->break_even);
  const auto priced = engine_->cost(cost_question(asked.serving, *answer), diagnostics_);
  ASSERT_TRUE(priced) << render(diagnostics_);
  int compared = 0;
  for (const CostOption& option : priced->options) {
    for (const WayToPay& way : answer->ways) {
      if (way.way != option.kind || !option.break_even) continue;
      ASSERT_TRUE(way.even_ends && way.price_ends);
      const auto& even = *option.break_even;
      EXPECT_NEAR(way.break_even / even.value(), 1, 1e-9) << name_of(way.way);
      EXPECT_NEAR(way.even_ends->low * even.value() / even.low(), 1, 1e-9) << name_of(way.way);
      EXPECT_NEAR(way.even_ends->high * even.value() / even.high(), 1, 1e-9) << name_of(way.way);
      EXPECT_NEAR(way.price_ends->high * option.per_month.value() / option.per_month.high(), 1,
                  1e-9)
          << name_of(way.way);
      ++compared;
    }
  }
  EXPECT_GE(compared, 3);
  ASSERT_TRUE(answer->cheaper);
  EXPECT_GT(answer->draws, 0);
  EXPECT_TRUE(*answer->cheaper >= 0 && *answer->cheaper <= 1);
}

// A machine is bought whole: a fleet that needs one of its GPUs pays for all, and is held to the
// break-even of all.
TEST_F(FillTest, OwnedMachinesArePaidForWhole) {
  FillInputs asked = question("{requests_per_second: 0.5, tokens_in: 1000, tokens_out: 200}", 0);
  asked.serving.scenario =
      asked.serving.scenario.with({{"money.options", std::vector<std::string>{"own", "api"}}});
  const auto answer = fill_fleet(asked, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(answer) << render(diagnostics_);
  const auto own = std::find_if(answer->ways.begin(), answer->ways.end(),
                                [](const WayToPay& way) { return way.way == OptionKind::kOwn; });
  ASSERT_TRUE(own != answer->ways.end());
  ASSERT_EQ(answer->priced, OptionKind::kOwn);
  ASSERT_LT(answer->gpus, answer->gpus_paid);
  EXPECT_EQ(answer->paid_load() >= answer->break_even->value(), own->pays);
  EXPECT_EQ(answer->rent_per_month <= *answer->api_per_month, own->pays);
}

TEST_F(FillTest, GpusThatAreStatedAreThoseOfTheFlag) {
  FillInputs flagged = question(kChat, 8);
  FillInputs stated = question(kChat, 0);
  stated.serving.scenario = stated.serving.scenario.with({{"capacity.gpus", std::int64_t{8}}});
  flagged.load_only = stated.load_only = true;
  const auto by_flag = fill_fleet(flagged, engine_->catalog(), diagnostics_);
  const auto by_key = fill_fleet(stated, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(by_flag && by_key) << render(diagnostics_);
  EXPECT_EQ(by_key->gpus + by_key->gpus_left, 8);
  EXPECT_EQ(by_key->gpus, by_flag->gpus);
  EXPECT_DOUBLE_EQ(by_key->load_factor.value(), by_flag->load_factor.value());
}

TEST_F(FillTest, AShortTraceHasOneMean) {
  // 50 minutes at one a second, then 8 at nothing but one a minute: whole windows alone would
  // say 1.
  std::string trace = "arrival_s,input_tokens,output_tokens\n";
  for (int i = 0; i < 3000; ++i) trace += std::to_string(i) + ",100,20\n";
  for (int i = 0; i <= 8; ++i) trace += std::to_string(3000 + 60 * i) + ",100,20\n";
  FillInputs asked = question("{trace: t.csv}", 1);
  asked.serving.trace_bytes = trace;
  const auto answer = fill_fleet(asked, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(answer) << render(diagnostics_);
  EXPECT_NEAR(answer->mean.base(), 3009.0 / 3480, 1e-3);
  EXPECT_NEAR(answer->load.served.base(), answer->mean.base(), 2e-3);
}

// One request every four seconds for a day, which has as many whole windows as a day.
std::string steady_day() {
  std::string trace = "arrival_s,input_tokens,output_tokens\n";
  for (int second = 0; second < 86400; second += 4) trace += std::to_string(second) + ",500,50\n";
  return trace;
}

TEST_F(FillTest, ATraceHasTheVerdictOfItsSimulation) {
  const std::string trace = steady_day();
  FillInputs asked = question("{trace: t.csv}", 0);
  asked.serving.trace_bytes = trace;
  asked.serving.scenario = asked.serving.scenario.with({{"serve.deployment.tp", std::int64_t{1}}});
  SizingInputs sought = search_question(asked);
  sought.thorough = true;
  ASSERT_GT(sought.maintenance, Seconds());
  const auto found = search_deployment(sought, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(found) << render(diagnostics_);
  EXPECT_EQ(found->rows.front().gpus, 1);
  EXPECT_TRUE(found->rows.front().is_confirmed);
  SimulateInputs request;
  request.scenario = asked.serving.scenario;
  request.files.trace_text = trace;
  const auto run = engine_->simulate(request, diagnostics_);
  ASSERT_TRUE(run) << render(diagnostics_);
  EXPECT_EQ(run->layout.gpus, 1);
  for (const auto& bound : run->slo) EXPECT_TRUE(bound.met) << bound.name;
}

// What is paid for by the hour is what the simulation paid, or all of it where that broke a
// promise.
TEST_F(FillTest, ReplicasThatComeAndGoArePaidAsSimulated) {
  FillInputs asked = question(kChat, 0);
  SizingInputs sought = search_question(asked);
  sought.confirm = 0;  // The fluid limit of the fleet is enough to start from.
  const auto found = search_deployment(sought, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(found) << render(diagnostics_);
  DeploymentRow row = found->rows.front();
  const auto mean = [&] {
    const auto filled = fill_row(asked.serving, row, engine_->catalog(), diagnostics_);
    return filled ? search::mean_of(filled->cost.capacity->on) * filled->cost.capacity->replica : 0;
  };
  row.scaled.reset();
  EXPECT_NEAR(mean(), row.autoscaled_gpus, 1e-9);
  row.scaled = search::ScaledFleet{.gpus = 2.5, .unit = 1, .on = {0, 0, 0.5, 0.5}, .kept = true};
  EXPECT_NEAR(mean(), 2.5, 1e-9);
  row.scaled->kept = false;
  EXPECT_NEAR(mean(), row.gpus, 1e-9);
}

TEST_F(FillTest, AFleetBeyondTheSimulatorIsAnsweredInTheFluidLimit) {
  const auto answer = fill(kChat, 1'000'000);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->simulated);
  EXPECT_LT(answer->load_factor.value(), 1e-3);
}

TEST_F(FillTest, TheLossesAndTheLoadFactorAddUp) {
  const auto answer = fill(kChat, 16);
  ASSERT_TRUE(answer);
  EXPECT_NEAR(answer->load_factor.value() + answer->load.losses.sum(), 1, 1e-9);
  EXPECT_GT(answer->load.losses.shape, 0);
  ASSERT_TRUE(answer->break_even);
  EXPECT_GT(answer->break_even->value(), 0);
}

TEST_F(FillTest, TwiceTheGpusAreHalfAsFull) {
  const auto once = fill(kChat, 64);
  const auto twice = fill(kChat, 128);
  ASSERT_TRUE(once && twice);
  ASSERT_GE(once->load.within_slo, 1);
  EXPECT_NEAR(twice->load_factor.value(), once->load_factor.value() / 2, 1e-9);
}

TEST_F(FillTest, WithoutDemandThereIsNothingToFill) {
  FillInputs asked;
  asked.serving.scenario = sound("loadfactor: 1\nname: x\nserve:\n  model: llama-3.1-8b\n");
  EXPECT_FALSE(fill_fleet(asked, engine_->catalog(), diagnostics_));
  ASSERT_EQ(diagnostics_.size(), 1U);
  EXPECT_EQ(diagnostics_.errors().front().code, lf::kNothingToFill);
}

TEST_F(FillTest, AClusterIsAllocatedBusyAndUsefulInThatOrder) {
  // Two GPUs for an hour, of which one job of half the work failed; the cluster has four.
  const std::string jobs =
      "job_id,submit_time,start_time,end_time,gpus,state\n"
      "1,2024-01-01 00:00:00,2024-01-01 00:00:00,2024-01-01 01:00:00,1,COMPLETED\n"
      "2,2024-01-01 00:00:00,2024-01-01 00:00:00,2024-01-01 01:00:00,1,FAILED\n";
  const auto described = describe_demand({.files = {{"jobs.csv", jobs}}});
  ASSERT_TRUE(described);
  const auto fill = fill_cluster(*described, 4, 0.5);
  ASSERT_TRUE(fill);
  EXPECT_NEAR(fill->allocated, 0.5, 1e-9);
  EXPECT_NEAR(*fill->busy, 0.25, 1e-9);
  EXPECT_NEAR(fill->useful.value(), 0.125, 1e-9);
}

TEST_F(FillTest, WhatIsUsefulIsNotKnownBeforeAJobEnds) {
  // Half of the GPU-hours are of a job that still runs.
  const std::string head = "submit_time,start_time,end_time,gpus";
  const std::string hour = "2024-01-01 00:00:00,2024-01-01 00:00:00,2024-01-01 01:00:00,1";
  const std::string running = head + ",state\n" + hour + ",COMPLETED\n" + hour + ",RUNNING\n";
  const auto open = fill_cluster(*describe_demand({.files = {{"jobs.csv", running}}}), 2, {});
  ASSERT_TRUE(open);
  EXPECT_NEAR(open->allocated, 1, 1e-9);
  EXPECT_NEAR(open->useful.value(), 0.5, 1e-9);
  const std::string silent = head + "\n" + hour + "\n";
  const auto unknown = fill_cluster(*describe_demand({.files = {{"jobs.csv", silent}}}), 1, {});
  ASSERT_TRUE(unknown);
  EXPECT_FALSE(unknown->useful);
}

TEST_F(FillTest, TheTableOfAClusterSaysOfItsSizeWhatTheHeadlineSays) {
  // Half an hour beyond a whole one is half an hour that is paid.
  const std::string jobs =
      "submit_time,start_time,end_time,gpus\n"
      "2024-01-01 00:00:00,2024-01-01 00:00:00,2024-01-01 01:30:00,1\n"
      "2024-01-01 00:00:00,2024-01-01 00:00:00,2024-01-01 00:30:00,3\n";
  const auto fill = fill_cluster(*describe_demand({.files = {{"jobs.csv", jobs}}}), 4, {});
  ASSERT_TRUE(fill);
  EXPECT_NEAR(fill->allocated, 0.5, 1e-9);  // 3 GPU-hours of 6.
  for (const auto& point : fill->curve) {
    if (point.gpus == 4) {
      EXPECT_NEAR(point.load_factor, 0.5, 1e-9);
    }
  }
}

TEST_F(FillTest, AFleetThatKeepsTheSloIsNoFullerThanShapeAndSloAllow) {
  const auto answer = fill(kChat, 0);
  ASSERT_TRUE(answer);
  ASSERT_GE(answer->load.within_slo, 0.95);
  EXPECT_TRUE(answer->crowd.front().is_reachable);
  EXPECT_LE(answer->crowd.front().load_factor, answer->crowd.back().load_factor * (1 + 1e-9));
}

TEST_F(FillTest, GpusTooFewForAnotherReplicaAreLeftOverAndPaidFor) {
  FillInputs asked = question(kChat, 3);
  asked.serving.scenario = asked.serving.scenario.with({"serve.deployment.tp", std::int64_t{2}});
  const auto three = fill_fleet(asked, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(three) << render(diagnostics_);
  EXPECT_EQ(three->gpus, 2);
  EXPECT_EQ(three->gpus_left, 1);
  asked.gpus = 2;
  const auto two = fill_fleet(asked, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(two);
  EXPECT_NEAR(three->rent_per_month / two->rent_per_month, 1.5, 1e-9);
  asked.gpus = 1;
  EXPECT_FALSE(fill_fleet(asked, engine_->catalog(), diagnostics_));
  EXPECT_EQ(diagnostics_.errors().front().code, lf::kDoesNotFit);
}

TEST_F(FillTest, LengthsBesideATraceAreForAFileOfRates) {
  FillInputs asked = question("{trace: rates.csv, tokens_in: 1000, tokens_out: 200}", 8);
  const std::string rates =
      "window_start_utc,window_s,requests_per_min_lo,requests_per_min,requests_per_min_hi\n"
      "2024-05-12 00:00:00,600,0,60,90\n2024-05-12 00:10:00,600,0,120,150\n";
  asked.serving.trace_bytes = rates;
  Diagnostics plain;
  ServeInputs served = plain_request(asked);
  served.trace_bytes = rates;
  const auto serve = engine_->serve(served, plain);
  ASSERT_TRUE(serve) << render(plain);
  ASSERT_TRUE(serve->demand_rate);
  EXPECT_NEAR(serve->demand_rate->base(), 1.5, 1e-9);  // Ten minutes at 1/s, ten at 2/s.
  const auto answer = fill_fleet(asked, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(answer) << render(diagnostics_);
  EXPECT_NEAR(answer->input, 1000, 1e-9);
  EXPECT_NEAR(answer->mean.base(), 1.5, 1e-9);
}

TEST_F(FillTest, EveryVerbSpeaksOfTheSameRates) {
  const FillInputs asked = question(
      "{requests_per_second: 0.5, tokens_in: 1000, tokens_out: 200, shape: global-chat}", 0);
  const auto filled = fill_fleet(asked, engine_->catalog(), diagnostics_);
  const auto searched = search_deployment(search_question(asked), engine_->catalog(), diagnostics_);
  const auto served = engine_->serve(plain_request(asked), diagnostics_);
  SimulateInputs simulated;
  simulated.scenario = asked.serving.scenario;
  const auto run = engine_->simulate(simulated, diagnostics_);
  ASSERT_TRUE(filled && searched && served && run) << render(diagnostics_);
  EXPECT_NEAR(filled->mean.base(), 0.5, 1e-12);
  EXPECT_NEAR(searched->mean.base(), 0.5, 1e-12);
  EXPECT_NEAR(filled->peak / searched->peak, 1, 1e-12);
  EXPECT_NEAR(run->demand_rate, 0.5, 1e-12);
  EXPECT_NEAR(*served->utilisation * served->saturated_requests.value().base(), 0.5, 1e-9);
  EXPECT_NEAR(filled->load.offered.base(), 0.5, 1e-9);
  // A week of it comes, at that rate.
  EXPECT_NEAR(static_cast<double>(run->requests) / (7 * 86400), 0.5, 0.01);
}

TEST_F(FillTest, AShapeThatDoesNotExistIsRefusedByEveryVerbAtItsLine) {
  const FillInputs asked =
      question("{requests_per_second: 1, tokens_in: 1000, tokens_out: 200, shape: globalchat}", 0);
  SimulateInputs simulated;
  simulated.scenario = asked.serving.scenario;
  Diagnostics filled, searched, served, run;
  EXPECT_FALSE(fill_fleet(asked, engine_->catalog(), filled));
  EXPECT_FALSE(search_deployment(search_question(asked), engine_->catalog(), searched));
  EXPECT_FALSE(engine_->serve(plain_request(asked), served));
  EXPECT_FALSE(engine_->simulate(simulated, run));
  for (const auto* each : {&filled, &searched, &served, &run}) {
    ASSERT_EQ(each->size(), 1U);
    EXPECT_EQ(each->errors().front().code, lf::kUnknownPreset) << render(*each);
    EXPECT_EQ(each->errors().front().where.line, 5U);
  }
}

TEST_F(FillTest, SinglePricesAreOfAWayToPayThatIsAskedFor) {
  FillInputs asked = question(kChat, 8);
  const auto row_of = [](const FillAnswer& answer, OptionKind kind) {
    return *std::find_if(answer.ways.begin(), answer.ways.end(),
                         [&](const WayToPay& way) { return way.way == kind; });
  };
  const auto rented = fill_fleet(asked, engine_->catalog(), diagnostics_);
  asked.serving.scenario =
      asked.serving.scenario.with({"money.options", std::vector<std::string>{"own", "api"}});
  const auto owned = fill_fleet(asked, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(rented && owned) << render(diagnostics_);
  EXPECT_EQ(rented->priced, OptionKind::kOnDemand);
  EXPECT_EQ(owned->priced, OptionKind::kOwn);
  ASSERT_TRUE(rented->break_even && owned->break_even);
  EXPECT_NE(rented->break_even->value(), owned->break_even->value());
  // Eight are a whole machine: the row of that way to pay says the same.
  EXPECT_NEAR(owned->break_even->value(), row_of(*owned, OptionKind::kOwn).break_even, 1e-9);
  EXPECT_NEAR(rented->break_even->value(), row_of(*rented, OptionKind::kOnDemand).break_even, 1e-9);
}

TEST_F(FillTest, WaysToPayAreThoseOfCostAndBreakEvenInTheOrderOfTheirPrice) {
  const auto answer = fill(kChat, 8);
  ASSERT_TRUE(answer);
  ASSERT_GE(answer->ways.size(), 2U);
  for (const auto& way : answer->ways) {
    EXPECT_GT(way.price.base(), 0);
    for (const auto& other : answer->ways) {
      if (way.way == OptionKind::kOwn || other.way == OptionKind::kOwn)
        continue;  // Pays for energy by the load.
      EXPECT_EQ(way.price < other.price, way.break_even < other.break_even);
    }
  }
  EXPECT_NEAR(answer->ways.front().break_even, answer->break_even->value(), 1e-9);
}

TEST_F(FillTest, TheSimulatorAgreesOnHowFullAFleetIs) {
  FillInputs asked =
      question("{requests_per_second: 1, tokens_in: 1000, tokens_out: 200, shape: global-chat}", 2);
  asked.simulating = Simulating::kWhereQuick;
  const auto answer = fill_fleet(asked, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(answer && answer->simulated) << render(diagnostics_);
  EXPECT_NEAR(answer->simulated->load_factor / answer->load_factor.value(), 1, 0.25);
  EXPECT_TRUE(answer->simulated->kept);
  EXPECT_NEAR(static_cast<double>(answer->simulated->requests), 604'800, 12'000);
}

TEST_F(FillTest, AScenarioThatOnlyTrainsIsToldWhatFillsAClusterOfJobs) {
  FillInputs asked;
  asked.serving.scenario = sound(
      "loadfactor: 1\nname: x\ntrain: {model: llama-3.1-8b, tokens: 1 T}\nhardware: [h100-sxm]\n");
  EXPECT_FALSE(fill_fleet(asked, engine_->catalog(), diagnostics_));
  ASSERT_EQ(diagnostics_.size(), 1U) << render(diagnostics_);
  EXPECT_NE(diagnostics_.errors().front().hint.find("--jobs"), std::string::npos);
}

}  // namespace
}  // namespace loadfactor::engine
