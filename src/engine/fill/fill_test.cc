#include "engine/fill/fill.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/testing/sound.h"
#include "economics/unit_cost.h"
#include "engine/core.h"
#include "engine/fill/sizing.h"
#include "search/candidates.h"

namespace loadfactor::engine {
namespace {

using config::testing::sound;

class FillTest : public ::testing::Test {
 protected:
  FillTest() : engine_(Core::create({}, diagnostics_)) {}

  FillInputs question(const std::string& demand, int gpus) const {
    FillInputs asked;
    asked.serving.scenario =
        sound("loadfactor: 1\nname: chat\nserve:\n  model: llama-3.1-8b\n  demand: " + demand +
              "\n  slo: {ttft_p95: 2 s, tpot_p95: 60 ms}\nhardware: [h100-sxm]\n");
    asked.gpus = gpus;
    return asked;
  }
  std::optional<FillAnswer> fill(const std::string& demand, int gpus) {
    auto answer = fill_fleet(question(demand, gpus), engine_->catalog(), diagnostics_);
    EXPECT_TRUE(answer.has_value()) << render(diagnostics_);
    return answer;
  }

  static ServeInputs plain_request(const FillInputs& asked) {
    ServeInputs request;
    request.scenario = asked.serving.scenario;
    return request;
  }
  static SizingInputs search_question(const FillInputs& asked) {
    SizingInputs question;
    question.serving = asked.serving;
    question.confirm = 1;
    return question;
  }

  Diagnostics diagnostics_;
  std::unique_ptr<Core> engine_;
};

constexpr const char* kChat =
    "{requests_per_second: 20, tokens_in: 1000, tokens_out: 200, shape: global-chat}";

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

TEST_F(FillTest, TheFleetThatIsChosenIsNoSmallerThanTheKnee) {
  const auto answer = fill(kChat, 0);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->fleet_chosen);
  EXPECT_GE(answer->load.within_slo, 0.95);
  for (const auto& point : answer->curve) {
    if (point.is_knee) {
      EXPECT_LE(point.replicas, answer->replicas);
    }
    if (point.replicas >= answer->replicas) {
      EXPECT_GE(point.within_slo, 0.95);
    }
  }
}

TEST_F(FillTest, PoolingNeverNeedsMoreAndSixteenNeedFewer) {
  const auto answer = fill(kChat, 0);
  ASSERT_TRUE(answer);
  for (const auto& row : answer->pooling) EXPECT_LE(row.gpus_pooled, row.gpus_apart);
  EXPECT_GT(answer->pooling.back().load_pooled, answer->pooling.back().load_apart);
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

TEST_F(FillTest, TheCheapestDeploymentIsConfirmedAndOneReplicaFewerMissesWeeks) {
  SizingInputs asked;
  asked.serving =
      question("{requests_per_second: 3, tokens_in: 1000, tokens_out: 200, shape: global-chat}", 0)
          .serving;
  asked.confirm = 1;
  const auto answer = search_deployment(asked, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(answer) << render(diagnostics_);
  const auto& first = answer->rows.front();
  EXPECT_TRUE(first.is_calibrated);
  EXPECT_TRUE(first.is_confirmed);
  EXPECT_GE(first.weeks_kept, 18);
  EXPECT_LE(first.weeks_kept_with_fewer, 17);
  for (std::size_t i = 1; i < answer->pareto.size(); ++i) {
    EXPECT_GT(answer->pareto[i].per_mtoken, answer->pareto[i - 1].per_mtoken);
    EXPECT_LT(answer->pareto[i].tpot, answer->pareto[i - 1].tpot);
  }
}

TEST_F(FillTest, DeploymentsAreRankedByTheRentOfTheirChipAndThoseWithoutOneComeLast) {
  SizingInputs asked;
  asked.serving =
      question("{requests_per_second: 3, tokens_in: 1000, tokens_out: 200, shape: global-chat}", 0)
          .serving;
  asked.serving.scenario = asked.serving.scenario.with(
      {{"hardware", std::vector<std::string>{"h100-sxm", "h200-sxm", "mi355x"}},
       {"money.options", std::vector<std::string>{"on-demand"}}});
  asked.confirm = 1;
  const auto answer = search_deployment(asked, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(answer) << render(diagnostics_);
  bool was_priced = true;
  double last = 0;
  for (const auto& row : answer->rows) {
    const auto rent = economics::find_rent(engine_->catalog().prices(), row.accelerator,
                                           catalog::RentTerm::kOnDemand);
    ASSERT_EQ(row.per_hour.has_value(), rent.has_value());
    EXPECT_TRUE(was_priced || !rent);
    was_priced = rent.has_value();
    if (!rent) continue;
    EXPECT_NEAR(row.per_hour->base(), rent->value().base() * 3600 * row.gpus, 1e-9);
    if (!row.is_calibrated) {
      EXPECT_GE(row.per_hour->base(), last);
      last = row.per_hour->base();
    }
  }
  EXPECT_TRUE(answer->has_prices);
}

TEST_F(FillTest, RowsThatWereNotSimulatedShowTheirOwnTimePerToken) {
  SizingInputs asked;
  asked.serving = question("{requests_per_second: 3, tokens_in: 1000, tokens_out: 200}", 0).serving;
  asked.confirm = 1;
  const auto answer = search_deployment(asked, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(answer) << render(diagnostics_);
  ASSERT_GE(answer->rows.size(), 3U);
  EXPECT_NE(answer->rows[1].tpot, answer->rows[2].tpot);
}

TEST_F(FillTest, AnAnswerOfOneTokenHasNoTimePerToken) {
  for (const char* lengths : {"tokens_in: 1, tokens_out: 1", "tokens_in: 2000, tokens_out: 2"}) {
    const auto answer =
        fill(std::string("{requests_per_second: 2, ") + lengths + ", shape: global-chat}", 0);
    ASSERT_TRUE(answer) << lengths;
    EXPECT_GT(answer->replica.capacity.at_slo, Hertz());
    EXPECT_EQ(answer->output == 1, answer->replica.idle_tpot == Seconds()) << lengths;
  }
}

TEST_F(FillTest, AFleetThatKeepsTheSloIsNoFullerThanShapeAndSloAllow) {
  const auto answer = fill(kChat, 0);
  ASSERT_TRUE(answer);
  ASSERT_GE(answer->load.within_slo, 0.95);
  EXPECT_TRUE(answer->crowd.front().is_reachable);
  EXPECT_LE(answer->crowd.front().load_factor, answer->crowd.back().load_factor * (1 + 1e-9));
}

TEST_F(FillTest, AFleetBeyondTheLimitIsRefusedWithTheNumberNeeded) {
  FillInputs asked = question(kChat, 0);
  asked.serving.scenario = asked.serving.scenario.with({"limits.gpus", std::int64_t{1}});
  EXPECT_FALSE(fill_fleet(asked, engine_->catalog(), diagnostics_));
  ASSERT_EQ(diagnostics_.size(), 1U);
  EXPECT_EQ(diagnostics_.errors().front().code, lf::kOverloaded);
  EXPECT_EQ(exit_status(lf::kOverloaded), 3);
  Diagnostics searched;
  EXPECT_FALSE(search_deployment(search_question(asked), engine_->catalog(), searched));
  ASSERT_EQ(searched.size(), 1U);
  EXPECT_EQ(searched.errors().front().code, lf::kOverloaded);
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

TEST_F(FillTest, AMillionReplicasAreRefusedAndNeverOverflow) {
  // A thousand billion requests per second.
  const FillInputs asked =
      question("{requests_per_second: 1 T, tokens_in: 1000, tokens_out: 200}", 0);
  SimulateInputs simulated;
  simulated.scenario = asked.serving.scenario;
  simulated.requests = 100;
  Diagnostics filled, searched, served, run;
  EXPECT_FALSE(fill_fleet(asked, engine_->catalog(), filled));
  EXPECT_FALSE(search_deployment(search_question(asked), engine_->catalog(), searched));
  EXPECT_FALSE(engine_->serve(plain_request(asked), served));
  EXPECT_FALSE(engine_->simulate(simulated, run));
  for (const auto* each : {&filled, &searched, &served, &run}) {
    ASSERT_EQ(each->size(), 1U);
    EXPECT_EQ(each->errors().front().code, lf::kOverloaded) << render(*each);
  }
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

TEST_F(FillTest, TheChipWithTheLeastRentIsChosenAndAnotherCanBeNamed) {
  FillInputs asked = question(kChat, 0);
  asked.serving.scenario =
      asked.serving.scenario.with({"hardware", std::vector<std::string>{"h100-sxm", "l40s"}});
  const auto chosen = fill_fleet(asked, engine_->catalog(), diagnostics_);
  asked.gpu = "h100-sxm";
  const auto h100 = fill_fleet(asked, engine_->catalog(), diagnostics_);
  asked.gpu = "l40s";
  const auto l40s = fill_fleet(asked, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(chosen && h100 && l40s) << render(diagnostics_);
  EXPECT_EQ(chosen->rent_per_month, std::min(h100->rent_per_month, l40s->rent_per_month));
  asked.gpu = "h1000";
  EXPECT_FALSE(fill_fleet(asked, engine_->catalog(), diagnostics_));
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

TEST_F(FillTest, PromptsApartAreAUnitOfBothPools) {
  FillInputs asked = question(kChat, 0);
  asked.serving.scenario =
      asked.serving.scenario.with({{"serve.deployment.prefill.tp", std::int64_t{1}},
                                   {"serve.deployment.prefill.replicas", std::int64_t{2}},
                                   {"serve.deployment.decode.tp", std::int64_t{2}},
                                   {"serve.deployment.decode.replicas", std::int64_t{3}}});
  const auto answer = fill_fleet(asked, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(answer) << render(diagnostics_);
  EXPECT_EQ(answer->gpus, 2 * 1 + 3 * 2);
  EXPECT_EQ(answer->prompt_replicas, 2);
  EXPECT_EQ(answer->units, 1);
  EXPECT_EQ(answer->replicas, 3);
  EXPECT_NEAR(answer->load_factor.value() + answer->load.losses.sum(), 1, 1e-9);
}

// `serve` and `--simulate` count one week of the fluid limit; whoever sizes counts other weeks and
// spares too.
TEST_F(FillTest, VerbsOfOneDeploymentCountAlikeAndVerbsThatSizeCountAlike) {
  for (const char* rate : {"2", "40"}) {
    const FillInputs asked = question("{requests_per_second: " + std::string(rate) +
                                          ", tokens_in: 1000, tokens_out: 200, shape: "
                                          "global-chat}",
                                      0);
    const auto filled = fill_fleet(asked, engine_->catalog(), diagnostics_);
    const auto sized =
        size_service({.serving = asked.serving, .confirm = kConfirmed, .relaxed = false},
                     engine_->catalog(), diagnostics_);
    const auto served = engine_->serve(plain_request(asked), diagnostics_);
    SimulateInputs simulated;
    simulated.scenario = asked.serving.scenario;
    simulated.requests = 2000;
    const auto run = engine_->simulate(simulated, diagnostics_);
    ASSERT_TRUE(filled && sized && served && run) << render(diagnostics_);
    const DeploymentRow& row = sized->rows[sized->chosen];
    EXPECT_EQ(filled->gpus, row.gpus);
    EXPECT_EQ(filled->replicas, row.replicas);
    EXPECT_NEAR(filled->load_factor.value(), row.load_factor, 1e-3 * row.load_factor);
    EXPECT_EQ(run->layout.gpus, served->layout.gpus);
    EXPECT_LE(served->layout.gpus, filled->gpus);
  }
}

// A chip that costs more by the hour on demand may cost less to own.
TEST_F(FillTest, TheChoiceFollowsTheWaysToPayThatAreAskedFor) {
  FillInputs asked = question("{requests_per_second: 1, tokens_in: 500, tokens_out: 100}", 0);
  asked.serving.scenario = asked.serving.scenario.with(
      {{"hardware", std::vector<std::string>{"h100-sxm", "h200-sxm", "mi355x"}},
       {"serve.model", std::string("llama-3.3-70b")},
       {"serve.precision", std::string("fp8")}});
  for (const char* way : {"on-demand", "own"}) {
    asked.serving.scenario =
        asked.serving.scenario.with({{"money.options", std::vector<std::string>{way}}});
    const auto filled = fill_fleet(asked, engine_->catalog(), diagnostics_);
    const auto found =
        size_service({.serving = asked.serving, .confirm = kConfirmed, .relaxed = false},
                     engine_->catalog(), diagnostics_);
    ASSERT_TRUE(filled && found) << render(diagnostics_);
    const DeploymentRow& row = found->rows[found->chosen];
    EXPECT_EQ(row.way, way);
    EXPECT_EQ(filled->accelerator, row.accelerator);
    EXPECT_EQ(filled->layout, row.layout);
    for (const auto& other : found->rows) {
      if (other.per_hour) {
        // Plainer fleets may cost a little more: that is a tie.
        EXPECT_GE(other.per_hour->base(), row.per_hour->base() * (1 - search::kTie));
      }
    }
  }
}

// What a site measured of one chip says nothing of another.
TEST_F(FillTest, ASitesMeasurementsMoveTheChipTheyAreOfAlone) {
  const std::string site =
      "schema: site-serving/1\nchip: h200-sxm\nterms:\n"
      "  - {name: products, constants: [gemm_16, gemm_8, gemm_4], factor: 2, width: 0.08, error: "
      "0.02}\nrest: 0.05\nruns: 3\nkind: measured\nsource: [general-knowledge]\ndate: 2026-11\n";
  const auto measured =
      Core::create({{"site-serving.yaml", "mine/site-serving.yaml", site}}, diagnostics_);
  ASSERT_TRUE(measured) << render(diagnostics_);
  for (const std::vector<std::string>& order :
       {std::vector<std::string>{"h100-sxm", "h200-sxm"}, {"h200-sxm", "h100-sxm"}}) {
    ServingInputs asked =
        question("{requests_per_second: 1, tokens_in: 500, tokens_out: 100}", 0).serving;
    asked.scenario = asked.scenario.with({"hardware", order});
    const auto before = ServingWorld::create(asked, engine_->catalog(), diagnostics_);
    const auto after = ServingWorld::create(asked, measured->catalog(), diagnostics_);
    ASSERT_TRUE(before && after) << render(diagnostics_);
    const auto saturated = [&](ServingWorld& world, const char* name) {
      const auto* chip = *world.service().catalog->find_accelerator(name);
      const auto plan = world.replica(Side::kDecode, *chip);
      return world.capacity(*plan).capacity.saturated.base();
    };
    EXPECT_DOUBLE_EQ(saturated(*after, "h100-sxm"), saturated(*before, "h100-sxm"));
    EXPECT_LT(saturated(*after, "h200-sxm"), 0.95 * saturated(*before, "h200-sxm"));
  }
}

TEST_F(FillTest, AScenarioThatOnlyTrainsIsToldWhatFillsAClusterOfJobs) {
  FillInputs asked;
  asked.serving.scenario = sound(
      "loadfactor: 1\nname: x\ntrain: {model: llama-3.1-8b, tokens: 1 T}\nhardware: [h100-sxm]\n");
  EXPECT_FALSE(fill_fleet(asked, engine_->catalog(), diagnostics_));
  ASSERT_EQ(diagnostics_.size(), 1U) << render(diagnostics_);
  EXPECT_NE(diagnostics_.errors().front().hint.find("--jobs"), std::string::npos);
}

TEST_F(FillTest, SparesAreWeighedPaidForAndSaid) {
  SizingInputs asked = search_question(question(
      "{requests_per_second: 3, tokens_in: 1000, tokens_out: 200, shape: global-chat}", 0));
  asked.spares = 0;
  asked.weeks = 1;
  const auto without = search_deployment(asked, engine_->catalog(), diagnostics_);
  asked.spares = 2;
  const auto with = search_deployment(asked, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(without && with) << render(diagnostics_);
  const auto& row = with->rows.front();
  EXPECT_EQ(row.spares, 2);
  EXPECT_EQ(row.gpus, row.replicas * row.layout.gpus());
  EXPECT_GT(row.gpus, without->rows.front().gpus);
  EXPECT_LT(row.load_factor, without->rows.front().load_factor);
}

TEST_F(FillTest, ReplicasForDeploysAreAddedToThePromiseAndWeighedAgainstTheAnswerWithout) {
  const auto sized = [&](const std::vector<config::Edit>& promise) {
    SizingInputs asked = search_question(question(
        "{requests_per_second: 3, tokens_in: 1000, tokens_out: 200, shape: global-chat}", 0));
    asked.serving.scenario = asked.serving.scenario.with(promise);
    asked.confirm = 0;  // Weeks of what a deploy leaves are simulated by a law of the search.
    auto answer = search_deployment(asked, engine_->catalog(), diagnostics_);
    EXPECT_TRUE(answer) << render(diagnostics_);
    if (answer) add_plain_answer(asked, engine_->catalog(), *answer);
    return answer.value_or(SizeAnswer{.rows = {{}}});
  };
  const config::Edit available{"serve.slo.availability", 0.9999};
  const auto spare = [](std::int64_t replicas) {
    return config::Edit{"serve.slo.spare", replicas};
  };
  const SizeAnswer plain = sized({}), none = sized({spare(0)}), two = sized({spare(2)});
  const SizeAnswer up = sized({available}), both = sized({available, spare(2)});
  EXPECT_FALSE(plain.promised);
  EXPECT_FALSE(none.promised);
  EXPECT_EQ(none.rows.front().gpus, plain.rows.front().gpus);
  EXPECT_EQ(two.rows.front().spares, plain.rows.front().spares + 2);
  EXPECT_EQ(both.rows.front().spares, up.rows.front().spares + 2);
  EXPECT_GE(both.rows.front().enough, 0.9999);  // Also while a deploy goes on.
  ASSERT_TRUE(two.promised && both.promised);
  EXPECT_EQ(two.promised->deployed, 2);
  for (const SizeAnswer* promised : {&two, &both}) {
    ASSERT_TRUE(promised->promised->plain);
    EXPECT_EQ(promised->promised->plain->gpus, plain.rows.front().gpus);
  }
}

}  // namespace
}  // namespace loadfactor::engine
