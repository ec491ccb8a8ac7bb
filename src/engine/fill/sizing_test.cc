// Which fleet is chosen for a promise, and what stands beside it.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "economics/unit_cost.h"
#include "engine/fill/testing/fill_fixture.h"
#include "search/candidates.h"

namespace loadfactor::engine {
namespace {

using testing::FillTest;
using testing::kChat;

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
