#include "engine/plan/plan.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/figure_text.h"
#include "engine/method/method.h"
#include "engine/plan/plan_levers.h"
#include "engine/testing/planned.h"

namespace loadfactor::engine {
namespace {

using testing::argument;
using testing::asked;
using testing::has;
using testing::lever;
using testing::notice;
using testing::plan;
using testing::planned;
using testing::scenario;
using testing::verdict;

TEST(Plan, SaysOneThingAboutEveryShippedFamily) {
  for (const char* name : {"chatbot-spiky.yaml", "coding-assistant.yaml", "batch-inference.yaml",
                           "finetune-8b.yaml", "pretrain-70b-512.yaml"}) {
    const auto answer = plan(scenario(name));
    EXPECT_NE(answer.decision, PlanDecision::kNotFeasible) << name;
    EXPECT_FALSE(answer.options.empty()) << name;
    ASSERT_TRUE(answer.load_factor) << name;
    EXPECT_GT(answer.load_factor->value(), 0) << name;
    EXPECT_LE(answer.load_factor->value(), 1) << name;
    for (std::size_t i = 1; i < answer.options.size(); ++i)
      EXPECT_GE(answer.options[i].amount, answer.options[0].amount) << name;
  }
}

// The option that is recommended, or weighed against the API.
const PlanOption& weighed(const PlanAnswer& answer) {
  return *std::find_if(answer.options.begin(), answer.options.end(), [](const PlanOption& option) {
    return option.cost.kind != OptionKind::kApi;
  });
}

// With 9 M requests machines are rented by the hour, with 30 M some are owned and some rented: such
// ways pay for fewer GPUs than the plan has.
TEST(Plan, LoadFactorAndBreakEvenAreThoseOfTheOptionInTheTable) {
  const std::string chat = scenario("chatbot-spiky.yaml");
  for (const auto& answer : {verdict(chat), verdict(chat, {"serve.demand.requests_per_month=9 M"}),
                             verdict(chat, {"serve.demand.requests_per_month=30 M"}),
                             verdict(scenario("coding-assistant"))}) {
    ASSERT_TRUE(answer.load_factor && answer.break_even) << name_of(answer.decision);
    const PlanOption& option = weighed(answer);
    EXPECT_NEAR(answer.load_factor->value(), option.cost.load_factor->value(), 1e-9);
    EXPECT_NEAR(answer.break_even->value(), option.cost.break_even->value(), 1e-9);
    ASSERT_TRUE(answer.machine->option);
    EXPECT_EQ(answer.machine->option->name, option.cost.name);
    const bool api = answer.options[0].cost.kind == OptionKind::kApi;
    EXPECT_EQ(answer.load_factor->value() < answer.break_even->value(), api)
        << name_of(answer.decision);
  }
}

TEST(Plan, ACardThatFillsAPartOfAServerHasNoRackAndNoNetwork) {
  for (const char* card : {"l40s", "rtx-4090"}) {
    const auto answer =
        verdict(scenario("chatbot-spiky.yaml"),
                {fmt::format("hardware=[{}]", card), "serve.demand.requests_per_month=100000",
                 "money.options=[on-demand, own]"});
    ASSERT_TRUE(answer.machine) << card;
    EXPECT_LT(answer.machine->layout.gpus, 8) << card;
    EXPECT_EQ(answer.machine->nodes, 0) << card;
    EXPECT_EQ(answer.machine->racks, 0) << card;
    EXPECT_TRUE(answer.machine->network.empty()) << card;
  }
  const auto module = verdict(scenario("chatbot-spiky.yaml"), {"hardware=[h100-sxm]"});
  ASSERT_TRUE(module.machine);
  EXPECT_EQ(module.machine->nodes, 1);
}

TEST(Plan, WholeGpusOfEveryWayToPayAddUpToItsMachines) {
  for (const char* requests : {"3 M", "9 M", "30 M"}) {
    const auto answer = verdict(scenario("chatbot-spiky.yaml"),
                                {fmt::format("serve.demand.requests_per_month={}", requests)});
    for (const auto& option : answer.options) {
      if (option.accelerator != answer.machine->accelerator) continue;
      const auto kind = name_of(option.cost.kind);
      const bool is_whole = option.cost.kind == OptionKind::kOwn ||
                            option.cost.kind == OptionKind::kReserved1y ||
                            option.cost.kind == OptionKind::kReserved3y;
      const int node = answer.machine->gpus_per_node;
      const int needed = answer.machine->layout.gpus;
      if (is_whole) {
        EXPECT_EQ(option.gpus, (needed + node - 1) / node * node) << kind;
      } else if (!is_mix(option.cost.kind)) {
        EXPECT_EQ(option.gpus, needed) << kind;
      }
    }
    EXPECT_GE(answer.machine->option->gpus, answer.machine->layout.gpus);
  }
}

bool buys(const PlanAnswer& answer) {
  return answer.decision == PlanDecision::kScaleUp ||
         answer.decision == PlanDecision::kOneBiggerGpu;
}

// A break-even of one fleet where the API is still the cheapest is no flip.
TEST(Plan, NoFlipLeadsToTheDecisionOfToday) {
  const auto answer =
      plan(scenario("batch-inference.yaml"), {"hardware=[h100-sxm, rubin-vr-nvl72]"});
  ASSERT_TRUE(answer.flips_sought);
  for (const PlanFlip& flip : answer.flips) EXPECT_NE(flip.decision, answer.decision);
}

// Planned anew on either side of it, each with the fleet it needs.
TEST(Plan, TheTrafficAtWhichItFlipsIsWhereAnotherPlanSaysOtherwise) {
  const std::string chat = scenario("chatbot-spiky.yaml");
  const auto at = [&](double millions) {
    return verdict(chat, {fmt::format("serve.demand.requests_per_month={:.6g} M", millions)});
  };
  const auto few = plan(chat);
  ASSERT_EQ(few.decision, PlanDecision::kUseApi);
  ASSERT_EQ(few.flips.size(), 1U) << name_of(few.decision);
  const double up = few.flips[0].traffic;
  EXPECT_GT(up, 2);
  EXPECT_FALSE(few.flips[0].is_rough);
  EXPECT_EQ(at(3 * up * 0.98).decision, PlanDecision::kUseApi) << up;
  EXPECT_EQ(at(3 * up * 1.02).decision, few.flips[0].decision) << up;
  const auto many = plan(chat, {"serve.demand.requests_per_month=30 M"});
  ASSERT_TRUE(buys(many)) << name_of(many.decision);
  ASSERT_FALSE(many.flips.empty());
  for (const PlanFlip& flip : many.flips) {
    if (flip.is_rough) continue;
    const bool upwards = flip.traffic > 1;
    const double near = upwards ? 0.98 : 1.02;
    EXPECT_TRUE(buys(at(30 * flip.traffic * near))) << flip.traffic;
    EXPECT_EQ(at(30 * flip.traffic / near).decision, flip.decision) << flip.traffic;
  }
}

// Eight GPUs carry some three times as much: a week of that has more requests than are simulated.
TEST(Plan, AFlipThatNoPlanCanSettleIsNotAnnounced) {
  const auto answer =
      plan(scenario("chatbot-spiky.yaml"),
           {"hardware=[h100-sxm]", "limits.gpus=8", "serve.demand.requests_per_month=30 M"});
  ASSERT_TRUE(buys(answer)) << name_of(answer.decision);
  EXPECT_TRUE(answer.flips_sought);
  EXPECT_TRUE(answer.is_open_above);
  for (const PlanFlip& flip : answer.flips) EXPECT_LT(flip.traffic, 1);
}

// A day of requests, one every few seconds by day and fewer by night.
std::string day_of_requests() {
  std::string text = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
  for (int second = 0; second < 86400; second += second < 28800 ? 20 : 4)
    text += fmt::format("2026-03-02 {:02}:{:02}:{:02}.000,1200,200\n", second / 3600,
                        second / 60 % 60, second % 60);
  return text;
}

TEST(Plan, AnotherTrafficOfATraceIsAnEditThatKeepsTheTrace) {
  const std::string trace = day_of_requests();
  const auto traced = [&](const std::vector<std::string>& more) {
    std::vector<std::string> set{"serve.demand={trace: day.csv}"};
    set.insert(set.end(), more.begin(), more.end());
    PlanInputs question = asked(scenario("chatbot-spiky"), set);
    question.serving.trace_bytes = trace;
    return planned(question);
  };
  const auto answer = traced({});
  const PlanLever* more = nullptr;
  for (const auto& each : answer.levers)
    if (const auto* found = std::get_if<TrafficLever>(&each.detail); found && found->factor > 1)
      more = &each;
  ASSERT_NE(more, nullptr);
  EXPECT_EQ(more->sets, std::vector<std::string>{"serve.demand.scale=1.5"});
  const auto then = traced(more->sets);
  EXPECT_NEAR(then.rate / answer.rate, 1.5, 1e-3);
  ASSERT_TRUE(more->then);
  EXPECT_EQ(then.decision, more->then->decision);
  EXPECT_EQ(then.options[0].amount, more->then->cost->value());
}

// Pools that are written are resized, filled and priced as such.
TEST(Plan, PoolsApartHaveLeversOfTheirOwn) {
  const auto answer = plan(
      "loadfactor: 1\nname: split\nserve:\n  model: llama-3.3-70b\n  precision: fp8\n"
      "  demand: {requests_per_second: 8, tokens_in: 4000, tokens_out: 300}\n"
      "  slo: {ttft_p95: 3 s, tpot_p95: 50 ms}\n"
      "  deployment: {gpu: h100-sxm, prefill: {tp: 2}, decode: {tp: 4}}\n"
      "hardware: [h100-sxm]\nlimits: {gpus: 256}\nmoney: {options: [on-demand]}\n");
  ASSERT_TRUE(answer.machine && answer.machine->prompts);
  const int now = answer.machine->layout.gpus;
  int replicas = 0;
  for (const auto& each : answer.levers) {
    if (const auto* traffic = std::get_if<TrafficLever>(&each.detail)) {
      ASSERT_TRUE(traffic->then.machines) << traffic->factor;
      EXPECT_EQ(traffic->factor > 1, traffic->then.machines->gpus > now) << traffic->factor;
      EXPECT_NE(each.then->decision, PlanDecision::kNotFeasible);
    }
    if (const auto* replica = std::get_if<ReplicaLever>(&each.detail)) {
      ++replicas;
      const int gpus = replica->pool == ReplicaLever::Pool::kPrefill ? 2 : 4;
      EXPECT_NE(replica->pool, ReplicaLever::Pool::kAll);
      EXPECT_EQ(replica->gpus, now + replica->change * gpus);
      ASSERT_TRUE(replica->priced);
      EXPECT_EQ(replica->priced->option.of, "h100-sxm");
      EXPECT_EQ(replica->priced->option.gpus, replica->gpus);
    }
  }
  EXPECT_GE(replicas, 3);
  EXPECT_EQ(lever<SplitPoolsLever>(answer), nullptr);
  EXPECT_EQ(lever<MemoryChangesNothing>(answer), nullptr);
}

TEST(Plan, AnotherTrafficIsWrittenInThePeriodOfTheScenario) {
  const auto answer = plan(scenario("chatbot-spiky"), {"serve.demand.requests_per_month=4 M"});
  ASSERT_FALSE(answer.levers.empty());
  EXPECT_EQ(answer.levers[0].sets,
            std::vector<std::string>{"serve.demand.requests_per_month=6e+06"});
}

TEST(Plan, MachinesThatAreThereFlipBothWays) {
  const auto answer = plan(scenario("chatbot-spiky.yaml"),
                           {"serve.demand.requests_per_month=55 M", "money.options=[own]",
                            "serve.deployment={gpu: h100-sxm, tp: 1, replicas: 2}"});
  ASSERT_EQ(answer.decision, PlanDecision::kHold) << name_of(answer.decision);
  ASSERT_EQ(answer.flips.size(), 2U) << name_of(answer.decision);
  EXPECT_GT(answer.flips[0].traffic, 1);
  EXPECT_EQ(answer.flips[0].decision, PlanDecision::kScaleUp) << name_of(answer.decision);
  EXPECT_GT(answer.flips[0].gpus, answer.present_gpus);
  EXPECT_LT(answer.flips[1].traffic, 1);
  EXPECT_EQ(answer.flips[1].decision, PlanDecision::kShrink) << name_of(answer.decision);
  EXPECT_GT(answer.flips[1].gpus, 0);
  EXPECT_LT(answer.flips[1].gpus, answer.present_gpus);
}

// What is given up today is counted by what one would keep of it, or add to it, elsewhere.
TEST(Plan, AFlipCountsItsGpusAgainstThoseThatAreThere) {
  for (const int there : {1, 4, 12}) {
    const auto answer =
        plan(scenario("chatbot-spiky.yaml"),
             {"hardware=[l40s]",
              fmt::format("serve.deployment={{gpu: l40s, tp: 1, replicas: {}}}", there)});
    ASSERT_EQ(answer.decision, PlanDecision::kUseApi) << there;
    ASSERT_FALSE(answer.flips.empty()) << there;
    for (const PlanFlip& flip : answer.flips) {
      ASSERT_GT(flip.gpus, 0) << there;
      const auto by_count = flip.gpus > there   ? PlanDecision::kScaleUp
                            : flip.gpus < there ? PlanDecision::kShrink
                                                : PlanDecision::kHold;
      EXPECT_EQ(flip.decision, by_count) << flip.gpus << " of " << there;
    }
  }
}

TEST(Plan, AnOptionWithoutAPriceIsLeftOutByName) {
  const auto answer = verdict(scenario("chatbot-spiky.yaml"),
                              {"hardware=[l40s]", "money.options=[own, reserved-1y, api]"});
  EXPECT_EQ(answer.decision, PlanDecision::kUseApi);
  EXPECT_EQ(answer.unweighed, Unweighed::kMachinesUnpriced);
  int named = 0;
  for (const auto& each : answer.notices)
    if (each.id == "no-price")
      named += argument(each, "what") == "own" || argument(each, "what") == "reserved-1y";
  EXPECT_EQ(named, 2);
  const auto alone = verdict(scenario("chatbot-spiky.yaml"), {"money.options=[api]"});
  EXPECT_EQ(alone.unweighed, Unweighed::kMachinesNotAsked);
}

// The second GPU of a fleet rented by the hour is hardly ever on; kept, it costs as much as one.
TEST(Plan, OneReplicaMoreIsPricedWithAllItsGpus) {
  const auto answer = plan(scenario("chatbot-spiky.yaml"));
  const ReplicaLever* more = nullptr;
  for (const auto& each : answer.levers)
    if (const auto* found = std::get_if<ReplicaLever>(&each.detail); found && found->change > 0)
      more = found;
  ASSERT_TRUE(more != nullptr && more->priced);
  EXPECT_EQ(more->gpus, 2 * answer.machine->layout.gpus);
  EXPECT_EQ(more->priced->option.of, answer.machine->accelerator);
  EXPECT_EQ(more->priced->option.gpus, 2 * answer.machine->layout.gpus);
}

TEST(Plan, ATrainingRunConfessesTheAgeOfItsPricesAndShowsHostMemory) {
  const auto answer = plan(scenario("pretrain-70b-512.yaml"));
  EXPECT_TRUE(std::any_of(answer.facts.begin(), answer.facts.end(), [](const UsedFact& fact) {
    return fact.what.starts_with("rent of h100-sxm");
  }));
  const auto* offload = lever<OffloadLever>(answer);
  ASSERT_NE(offload, nullptr);
  ASSERT_TRUE(offload->host);
  EXPECT_GT(offload->host->moved.base(), 1e9);
  EXPECT_GT(answer.knee, 0);
}

TEST(Plan, AFleetThatIsThereIsHeldUnlessASmallerOneSurelyCostsLess) {
  const std::string text = scenario("finetune-8b.yaml");
  const std::vector<std::string> set{"train.layout.gpus=8", "hardware=[h100-sxm]",
                                     "train.tokens=50 B", "train.deadline=90 days",
                                     "limits.budget="};
  const auto held = plan(text, set);
  EXPECT_EQ(held.decision, PlanDecision::kHold) << name_of(held.decision);
  EXPECT_FALSE(held.levers.empty());
}

TEST(Plan, TrainingFillsIdleServingHoursOrIsKeptApart) {
  const std::string text = scenario("finetune-8b.yaml");
  const std::vector<std::string> set{
      "serve={model: llama-3.1-8b, precision: fp8, demand: {requests_per_month: 60 M, tokens_in: "
      "1200, tokens_out: 300, shape: global-chat}, slo: {ttft_p95: 2 s, tpot_p95: 60 ms}}",
      "hardware=[h100-sxm]", "money={options: [on-demand]}", "limits={gpus: 64}"};
  const auto small = plan(text, set);
  std::vector<std::string> more = set;
  more.emplace_back("train.tokens=500 B");
  more.emplace_back("train.deadline=30 days");
  const auto large = plan(text, more);
  EXPECT_EQ(large.decision, PlanDecision::kSplit) << name_of(large.decision);
  ASSERT_NE(lever<PoolLever>(large), nullptr);
  EXPECT_FALSE(lever<PoolLever>(large)->pooled.fits);
  EXPECT_NE(lever<PoolLever>(small), nullptr);
}

TEST(Plan, APromiseNobodyCanKeepIsAnAnswer) {
  const std::string text = scenario("chatbot-spiky.yaml");
  const std::vector<std::string> set{"serve.slo={tpot_p95: 0.01 ms}", "money.options=[on-demand]"};
  const auto answer = plan(text, set);
  EXPECT_EQ(answer.decision, PlanDecision::kNotFeasible);
  ASSERT_TRUE(answer.refusal);
  EXPECT_FALSE(answer.refusal->hint.empty());
  EXPECT_FALSE(answer.model_title.empty());
  EXPECT_GT(answer.rate.base(), 0);
}

// The API has no machines that could be too slow or too few.
TEST(Plan, WhereTheApiSellsTheModelNothingIsInfeasible) {
  const std::string text = scenario("chatbot-spiky.yaml");
  const auto usual = verdict(text);
  const PlanOption* api = cheapest_api(usual);
  ASSERT_NE(api, nullptr);
  const auto fast = verdict(text, {"serve.slo={tpot_p95: 0.01 ms}"});
  EXPECT_EQ(fast.decision, PlanDecision::kUseApi) << name_of(fast.decision);
  ASSERT_FALSE(fast.options.empty());
  EXPECT_NEAR(fast.options[0].amount / api->amount, 1, 1e-6);
  const std::string budget = fmt::format("limits.budget={:.0f} USD", api->amount.base() / 2);
  const auto poor = verdict(text, {"serve.slo={tpot_p95: 0.01 ms}", budget});
  EXPECT_EQ(poor.decision, PlanDecision::kNotFeasible) << name_of(poor.decision);
  const auto crowded = verdict(text, {"serve.demand.requests_per_month=3 B", "limits.gpus=1"});
  EXPECT_EQ(crowded.decision, PlanDecision::kUseApi) << name_of(crowded.decision);
  EXPECT_EQ(crowded.options[0].cost.kind, OptionKind::kApi);
}

// Its plan is what a lever says.
TEST(Plan, LeversOfARunAreItsPlans) {
  const std::string text = scenario("finetune-8b.yaml");
  const auto answer = plan(text, {"limits.budget="});
  int planned_levers = 0;
  for (const auto& each : answer.levers) {
    if (each.sets.empty()) continue;
    ++planned_levers;
    std::vector<std::string> set{"limits.budget="};
    set.insert(set.end(), each.sets.begin(), each.sets.end());
    const auto then = verdict(text, set);
    ASSERT_TRUE(each.then && each.then->cost);
    EXPECT_EQ(then.decision, each.then->decision) << each.sets.back();
    EXPECT_EQ(then.machine->layout.gpus, each.then->gpus) << each.sets.back();
    EXPECT_NEAR(then.options[0].amount / each.then->cost->value(), 1, 1e-9) << each.sets.back();
  }
  EXPECT_GE(planned_levers, 2);
}

TEST(Plan, TheStepsToItsReplicasAddUpToTheFleetItRecommends) {
  for (const char* name : {"chatbot-spiky", "coding-assistant", "batch-inference"}) {
    const auto answer = plan(scenario(name));
    const Notice* fleet = notice(answer, "fleet");
    ASSERT_NE(fleet, nullptr);
    int sum = 0;
    for (const auto& step : fleet->arguments) {
      if (step.name == "replicas" || step.text.empty()) continue;
      sum += step.name == "fewer" ? -std::stoi(step.text) : std::stoi(step.text);
    }
    EXPECT_EQ(argument(*fleet, "replicas"), std::to_string(answer.machine->layout.replicas));
    EXPECT_EQ(sum, answer.machine->layout.replicas) << name;
  }
}

TEST(Plan, NoticesSpeakOfTheFleetThatIsRecommended) {
  const auto answer = plan(scenario("coding-assistant"));
  EXPECT_EQ(notice(answer, "closed-form-rows"), nullptr);
  ASSERT_NE(notice(answer, "weeks"), nullptr);
  const Notice& told = *notice(answer, "weeks");
  const std::string weeks = argument(told, "machines");
  const bool names_another = has(weeks, " × ") && !has(weeks, answer.machine->accelerator);
  EXPECT_FALSE(names_another) << weeks;
}

TEST(Plan, ADeadlineNobodyCanMeetNamesTheNearest) {
  const auto answer = plan(scenario("finetune-8b.yaml"), {"train.deadline=60 s"});
  EXPECT_EQ(answer.decision, PlanDecision::kNotFeasible);
  ASSERT_TRUE(answer.machine);
  EXPECT_EQ(answer.deadline_met, false);
}

// A vector is no token: neither the heading nor a bill counts one.
TEST(Plan, AServiceThatEmbedsHasNoTokensOut) {
  const auto answer = verdict(scenario("embed-documents"));
  EXPECT_EQ(answer.tokens_in, 400);
  EXPECT_EQ(answer.tokens_out, 0);
  ASSERT_TRUE(answer.priced && answer.priced->demand);
  EXPECT_EQ(answer.priced->demand->tokens_out, Tokens());
}

// The time and the money of a run with phases are those that `train` says of it, on all its GPUs.
TEST(Plan, ARunWithPhasesCostsWhatTrainSays) {
  for (const char* name : {"grpo-8b", "dpo-8b", "distillation-8b"}) {
    const auto question = asked(scenario(name));
    const auto answer = planned(question);
    Diagnostics diagnostics;
    const auto run = train_by_method(testing::shipped(),
                                     {.train = {.scenario = question.scenario()}}, diagnostics);
    ASSERT_TRUE(run && run->method && run->method->duration) << name << render(diagnostics);
    ASSERT_TRUE(answer.duration && answer.machine && !answer.options.empty()) << name;
    EXPECT_EQ(answer.machine->layout.gpus, run->method->gpus) << name;
    EXPECT_NEAR(answer.duration->value() / run->method->duration->value(), 1, 1e-9) << name;
    const double paid = answer.options[0].amount / run->method->cost->value();
    EXPECT_NEAR(paid, answer.training->paid_gpus / run->method->gpus, 0.02) << name;
  }
}

TEST(Plan, ARunWithPhasesIsWeighedOnEveryCandidateAndSize) {
  const auto answer =
      plan(scenario("grpo-8b"), {"hardware=[h100-sxm, h200-sxm]", "limits.gpus=16"});
  ASSERT_TRUE(answer.machine);
  EXPECT_EQ(answer.machine->layout.gpus, 16);
  const auto is_other = [&](const RunnerUp& other) {
    return other.accelerator != answer.machine->accelerator;
  };
  EXPECT_TRUE(std::any_of(answer.runner_ups.begin(), answer.runner_ups.end(), is_other));
  EXPECT_GE(answer.runner_ups.size(), 3U);
  for (const RunnerUp& other : answer.runner_ups) {
    const auto* slower = std::get_if<SlowerRun>(&other.reason);
    if (slower == nullptr) continue;
    EXPECT_TRUE(slower->why.gpus != slower->why.best_gpus || !slower->why.losses.empty());
  }
}

}  // namespace
}  // namespace loadfactor::engine
