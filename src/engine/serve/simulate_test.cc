// What a simulated deployment says of itself: verdicts, shares, scaling, pools and limits.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "base/quantity_text.h"
#include "catalog/catalog.h"
#include "config/reading/testing/sound.h"
#include "engine/testing/planned.h"
#include "loadfactor/engine.h"

namespace loadfactor {
namespace {

using engine::testing::shipped;

struct Scene {
  std::string rate = "4";
  std::string deployment = "{gpu: h100-sxm, engine: vllm, tp: 1, replicas: 1}";
  std::string slo = "{ttft_p95: 1 s, tpot_p95: 40 ms}";
  std::string demand = "tokens_in: 1000, tokens_out: 200";
  std::string more;  // After the section.
  std::int64_t requests = 1000;
};

SimulateInputs request_of(const Scene& scene) {
  SimulateInputs request;
  std::string text =
      "loadfactor: 1\nname: scene\nserve:\n  model: llama-3.1-8b\n  precision: bf16\n";
  text += "  demand: {requests_per_second: " + scene.rate + ", " + scene.demand + "}\n";
  if (!scene.slo.empty()) text += "  slo: " + scene.slo + "\n";
  text += "  deployment: " + scene.deployment + "\n" + scene.more;
  request.scenario = config::testing::sound(text, {}, "scene.yaml");
  request.requests = scene.requests;
  return request;
}

SimulateAnswer answer_to(const SimulateInputs& request) {
  Diagnostics diagnostics;
  auto answer = shipped().simulate(request, diagnostics);
  EXPECT_TRUE(answer.has_value()) << render(diagnostics);
  return answer ? *std::move(answer) : SimulateAnswer{};
}

std::string refusal_of(const SimulateInputs& request) {
  Diagnostics diagnostics;
  EXPECT_FALSE(shipped().simulate(request, diagnostics).has_value());
  return render(diagnostics);
}

double sum_of_shares(const SimulateAnswer& a) {
  return a.load_factor.value() + a.losses.demand.value() + a.losses.shape.value() +
         a.losses.headroom.value() + a.losses.slo.value() + a.losses.rounding.value();
}

// Whether a notice speaks of a figure, a name or, with an empty text, a fact.
bool has_notice(const SimulateAnswer& answer, const std::string& id,
                const Notice::Argument& argument) {
  return std::any_of(answer.notices.begin(), answer.notices.end(), [&](const Notice& n) {
    const auto& all = n.arguments;
    return n.id == id && std::find(all.begin(), all.end(), argument) != all.end();
  });
}

TEST(SimulateVerdictTest, NobodyServedMissesEveryBoundAndHasNoPercentiles) {
  SimulateInputs request = request_of({.requests = 200});
  request.timeout = Seconds::from_base(1);  // 200 tokens take longer than that.
  const SimulateAnswer answer = answer_to(request);
  EXPECT_EQ(answer.cancelled, 200);
  EXPECT_EQ(answer.ttft.count, 0);
  ASSERT_EQ(answer.slo.size(), 2U);
  for (const SloVerdict& verdict : answer.slo) {
    EXPECT_FALSE(verdict.met) << verdict.name;
    EXPECT_FALSE(verdict.reached.has_value()) << verdict.name;
  }
  EXPECT_NEAR(sum_of_shares(answer), 1, 1e-9);
}

TEST(SimulateVerdictTest, RequestsTurnedAwayCountAgainstAPercentile) {
  SimulateInputs request = request_of({.requests = 0});
  request.scenario = config::testing::sound(
      "loadfactor: 1\nname: scene\nserve:\n  model: llama-3.1-8b\n"
      "  demand: {trace: t.csv}\n  slo: {ttft_p50: 1 s, ttft_p95: 1 s}\n"
      "  deployment: {gpu: h100-sxm, replicas: 1}\n");
  request.files.trace_text =
      "time_s,tokens_in,tokens_out\n0,100,10\n1,100,10\n2,100,10\n3,200000,10\n4,200000,10\n";
  const SimulateAnswer answer = answer_to(request);
  EXPECT_EQ(answer.turned_away, 2);  // Longer than the context of 131,072.
  ASSERT_EQ(answer.slo.size(), 2U);
  EXPECT_TRUE(answer.slo[0].met);   // Three of five were served at once,
  EXPECT_FALSE(answer.slo[1].met);  // but not 95 % of them.
}

TEST(SimulateVerdictTest, AnswersOfOneTokenHaveNoTimePerTokenAndMissNoBoundOnIt) {
  const SimulateAnswer answer =
      answer_to(request_of({.demand = "tokens_in: 1000, tokens_out: 1", .requests = 100}));
  EXPECT_EQ(answer.tpot.count, 0);
  ASSERT_EQ(answer.slo.size(), 2U);
  EXPECT_TRUE(answer.slo[1].met);
  EXPECT_FALSE(answer.slo[1].reached.has_value());
}

TEST(SimulateVerdictTest, OneRequestIsItsOwnMeanAndPercentile) {
  const SimulateAnswer answer = answer_to(request_of({.requests = 1}));
  EXPECT_NEAR(answer.e2e.p95.value().base(), answer.e2e.mean.value().base(), 1e-9);
  EXPECT_EQ(answer.histograms.ttft.size(), 1U);
}

TEST(SimulateLoadTest, PromptsInTheCacheRaiseWhatAReplicaServes) {
  const auto rate = [](const char* hits) {
    const Scene scene{.deployment = std::string("{gpu: h100-sxm, engine: vllm, tp: 1, replicas: "
                                                "1, prefix_hits: ") +
                                    hits + "}"};
    return answer_to(request_of(scene)).saturated_rate.value().base();
  };
  EXPECT_GT(rate("50 %"), 1.2 * rate("0 %"));
}

TEST(SimulateLoadTest, TheLoadFactorAndItsLossesSumToOneAtAnyLoad) {
  const std::string cached = "{gpu: h100-sxm, engine: vllm, tp: 1, replicas: 1, prefix_hits: 50 %}";
  for (const char* rate : {"0.5", "28", "100"}) {
    const SimulateAnswer answer =
        answer_to(request_of({.rate = rate, .deployment = cached, .requests = 2000}));
    EXPECT_LE(answer.load_factor.value(), 1) << rate;
    EXPECT_NEAR(sum_of_shares(answer), 1, 1e-9) << rate;
  }
  SimulateInputs tight = request_of({.rate = "40", .requests = 1000});
  tight.max_waiting = 5;
  EXPECT_LE(answer_to(tight).load_factor.value(), 1);
  tight = request_of({.rate = "40", .slo = "", .requests = 1000});
  tight.kv_tokens = 5000;
  EXPECT_LE(answer_to(tight).load_factor.value(), 1);
}

// A thousandth of what a replica takes of such prompts is one in an hour: thousands of them last
// longer than the clock of the simulator.
TEST(SimulateLoadTest, LongPromptsUnderOverloadAreSoughtDownToTheLowestRate) {
  const SimulateAnswer answer =
      answer_to(request_of({.rate = "0.42",
                            .deployment = "{gpu: h100-sxm, engine: vllm, tp: 4, replicas: 1}",
                            .slo = "{ttft_p95: 60 s, tpot_p95: 100 ms}",
                            .demand = "tokens_in: 128000, tokens_out: 500",
                            .requests = 1000}));
  EXPECT_EQ(answer.served, 1000);
  EXPECT_GT(answer.ttft.p50.value(), Seconds());
  EXPECT_NEAR(sum_of_shares(answer), 1, 1e-6);
}

TEST(SimulateLoadTest, ADemandThatOutlastsTheClockIsRefused) {
  const std::string said = refusal_of(request_of({.rate = "0.01", .slo = "", .requests = 100'000}));
  EXPECT_NE(said.find("LF207"), std::string::npos) << said;
  EXPECT_NE(said.find("100 days"), std::string::npos) << said;
}

TEST(SimulateLoadTest, TheRateWithinTheSloAgreesWithTheVerdict) {
  for (const double rate : {10.0, 19.0, 20.5}) {
    const SimulateAnswer answer =
        answer_to(request_of({.rate = std::to_string(rate), .requests = 20'000}));
    const bool met = answer.slo[0].met && answer.slo[1].met;
    ASSERT_TRUE(answer.slo_rate.has_value());
    EXPECT_EQ(answer.slo_rate->value().base() >= rate, met) << rate;
  }
}

const char* const kScaled =
    "{gpu: h100-sxm, engine: vllm, tp: 1, replicas: 1, scaling: {most: 6, target: 16, start: 5 s, "
    "interval: 5 s}}";

TEST(SimulateScalingTest, RatesAreDividedByTheReplicasThatRan) {
  const SimulateAnswer answer =
      answer_to(request_of({.rate = "60", .deployment = kScaled, .requests = 8000}));
  EXPECT_TRUE(answer.scales);
  EXPECT_GT(answer.most_replicas, 1);
  EXPECT_LE(answer.most_replicas, 6);
  EXPECT_GT(answer.mean_replicas, 1);
  EXPECT_LE(answer.mean_replicas, answer.most_replicas);
  EXPECT_NEAR(answer.mean_gpus, answer.paid_gpu_time / answer.duration, 1e-6);
  EXPECT_NEAR(answer.rate_out.per_gpu.value().base() * answer.mean_gpus,
              answer.rate_out.all.value().base(), 1e-3);
  for (const LoadPoint& point : answer.series) EXPECT_LE(point.kv_share, 1);
}

TEST(SimulateScalingTest, TheLimitOfGpusBoundsOneModelToo) {
  const SimulateAnswer answer = answer_to(request_of(
      {.rate = "60", .deployment = kScaled, .more = "limits: {gpus: 3}\n", .requests = 8000}));
  EXPECT_EQ(answer.most_replicas, 3);
  EXPECT_TRUE(has_notice(answer, "bounded-scaling", {"room", "3 replicas"}));
}

Scene split(const std::string& prefill, const std::string& decode) {
  return {.rate = "10",
          .deployment =
              "{gpu: h100-sxm, engine: vllm, prefill: " + prefill + ", decode: " + decode + "}",
          .demand = "tokens_in: 2000, tokens_out: 200"};
}

TEST(SimulatePoolsTest, APoolHasTheGpuItNames) {
  const std::string decode = "{tp: 1, replicas: 2}";
  const SimulateAnswer fast = answer_to(request_of(split("{tp: 1, replicas: 2}", decode)));
  const SimulateAnswer slow =
      answer_to(request_of(split("{gpu: a100-80gb-pcie, tp: 1, replicas: 2}", decode)));
  EXPECT_GT(slow.ttft.p50.value(), 1.5 * fast.ttft.p50.value());
  EXPECT_NEAR(slow.tpot.p50.value() / fast.tpot.p50.value(), 1, 0.1);  // Decode is as it was.
  ASSERT_EQ(slow.pools.size(), 2U);
  EXPECT_EQ(slow.pools[0].name, "prefill");
  EXPECT_NE(slow.pools[0].accelerator, slow.pools[1].accelerator);
  EXPECT_NE(refusal_of(request_of(split("{gpu: foo, tp: 1, replicas: 2}", decode))).find("foo"),
            std::string::npos);
}

using Kind = SimulateBinding::Kind;

TEST(SimulateBindingTest, APrefillPoolThatCannotKeepUpIsTheLimit) {
  Scene scene = split("{tp: 1, replicas: 1}", "{tp: 1, replicas: 2}");
  scene.rate = "20";
  scene.demand = "tokens_in: 4000, tokens_out: 200";
  const SimulateBinding binding = answer_to(request_of(scene)).binding;
  EXPECT_TRUE(binding.kind == Kind::kPrefillGpus ||
              binding.pool == SimulateBinding::Pool::kPrefill);
  EXPECT_NE(binding.kind, Kind::kDemand);
}

TEST(SimulateBindingTest, ACacheThatHoldsTwoRequestsIsTheLimit) {
  Scene scene = split("{tp: 1, replicas: 2}", "{tp: 1, replicas: 2}");
  scene.rate = "20";
  SimulateInputs request = request_of(scene);
  request.kv_tokens = 5000;
  const SimulateAnswer answer = answer_to(request);
  EXPECT_TRUE(answer.binding.kind == Kind::kKvCache || answer.binding.kind == Kind::kPreemptions);
}

TEST(SimulateBindingTest, AReplicaThatWasDownIsNamed) {
  const SimulateAnswer answer = answer_to(request_of(
      {.rate = "2",
       .deployment = "{gpu: h100-sxm, engine: vllm, tp: 1, replicas: 1, failures: [{at: 60 s, "
                     "repair: 10 min, replica: 1}]}",
       .requests = 2000}));
  EXPECT_EQ(answer.binding.kind, Kind::kFailures);
  EXPECT_EQ(answer.binding.count, 1);
  EXPECT_GT(answer.binding.time, Seconds());
}

TEST(SimulateBindingTest, ReplicasThatAreHardlyLoadedAreBoundByDemand) {
  const SimulateAnswer answer = answer_to(request_of({}));
  EXPECT_EQ(answer.binding.kind, Kind::kDemand);
  EXPECT_GT(answer.binding.peak, 0);
  EXPECT_LT(answer.binding.peak, 0.9);
}

TEST(SimulateRulesTest, AReplicaThatIsNotThereCannotFail) {
  const std::string said = refusal_of(request_of(
      {.deployment = "{gpu: h100-sxm, replicas: 2, failures: [{at: 60 s, repair: 10 s, replica: "
                     "99}]}"}));
  EXPECT_NE(said.find("replica 99 cannot fail"), std::string::npos) << said;
  const SimulateAnswer late = answer_to(request_of(
      {.deployment = "{gpu: h100-sxm, replicas: 1, failures: [{at: 100 h, repair: 10 s}]}"}));
  EXPECT_TRUE(has_notice(late, "late-failure",
                         {"failure", format_display(any(Seconds::from_base(360000)))}));
}

TEST(SimulateRulesTest, UrgentRequestsHaveFiguresOfTheirOwn) {
  const SimulateAnswer answer = answer_to(
      request_of({.rate = "30",
                  .deployment = "{gpu: h100-sxm, engine: vllm, tp: 1, replicas: 1, urgent: 20 %}",
                  .requests = 3000}));
  ASSERT_TRUE(answer.urgent_ttft && answer.other_ttft);
  EXPECT_EQ(answer.urgent_ttft->count + answer.other_ttft->count, answer.served);
  EXPECT_LT(answer.urgent_ttft->p95.value(), answer.other_ttft->p95.value());
  const SimulateAnswer none = answer_to(
      request_of({.deployment = "{gpu: h100-sxm, engine: vllm, tp: 1, replicas: 1, urgent: 0 %}"}));
  EXPECT_EQ(none.engine, "skip_ahead");
  EXPECT_FALSE(none.urgent_ttft.has_value());
}

constexpr const char* kFilled =
    "{gpu: h100-sxm, engine: vllm, tp: 1, replicas: 1, filler: {tokens_in: 1000, tokens_out: 200}}";

TEST(SimulateFillerTest, AFillerTakesWhatIsLeftWhereNothingIsPromised) {
  const SimulateAnswer answer =
      answer_to(request_of({.deployment = kFilled, .slo = "", .requests = 800}));
  ASSERT_TRUE(answer.filler);
  EXPECT_FALSE(answer.filler->is_bounded);
  EXPECT_EQ(answer.filler->requests, answer.served);  // None of the service's requests is lost.
  EXPECT_NEAR(answer.filler->taken.value() + answer.load_factor.value(), 1, 0.12);
  // With the service's own lengths: as many requests as it leaves of what a replica serves.
  const double left = answer.saturated_rate.value().base() - answer.request_rate.value().base();
  EXPECT_NEAR(answer.filler->rate.value().base(), left, 0.12 * left);
  EXPECT_NEAR(answer.filler->tokens.value().base(), 1200 * answer.filler->rate.value().base(),
              1e-6 * answer.filler->tokens.value().base());
  // Its steps are fuller, so the service's tokens take longer.
  EXPECT_GT(answer.filler->tpot.p50.value(), answer.tpot.p50.value());
}

TEST(SimulateFillerTest, AFillerEndsWhereThePromiseDoes) {
  const SimulateAnswer answer =
      answer_to(request_of({.deployment = kFilled, .slo = "{tpot_p95: 14 ms}", .requests = 400}));
  ASSERT_TRUE(answer.filler);
  EXPECT_TRUE(answer.filler->is_bounded);
  ASSERT_EQ(answer.filler->slo.size(), 1U);
  EXPECT_TRUE(answer.filler->slo.front().met);
  EXPECT_GT(answer.filler->rate.value(), Hertz());
  const SimulateAnswer unbound =
      answer_to(request_of({.deployment = kFilled, .slo = "", .requests = 400}));
  ASSERT_TRUE(unbound.filler);
  EXPECT_LT(answer.filler->rate.value(), unbound.filler->rate.value());
}

TEST(SimulateFillerTest, AServiceThatBreaksItsPromiseAloneHasNoRoomForAFiller) {
  const SimulateAnswer answer = answer_to(request_of(
      {.rate = "60", .deployment = kFilled, .slo = "{ttft_p95: 100 ms}", .requests = 600}));
  ASSERT_TRUE(answer.filler);
  ASSERT_FALSE(answer.slo.front().met);
  EXPECT_EQ(answer.filler->rate.value(), Hertz());
  EXPECT_TRUE(answer.filler->is_bounded);
}

TEST(SimulateFillerTest, AFillerLongerThanTheContextIsRefusedAtItsPlace) {
  const std::string said =
      refusal_of(request_of({.deployment = "{gpu: h100-sxm, engine: vllm, tp: 1, replicas: 1, "
                                           "filler: {tokens_in: 900000, tokens_out: 200}}"}));
  EXPECT_NE(said.find("scene.yaml:8:"), std::string::npos) << said;
}

TEST(SimulateRulesTest, ARouterWithNothingToLookAtSaysSo) {
  using Case = std::pair<const char*, const char*>;
  for (const auto& [router, missing] :
       {Case{"session", "no_sessions"}, Case{"cache-aware", "no_prefixes"}}) {
    SimulateInputs request = request_of(
        {.deployment = "{gpu: h100-sxm, engine: vllm, tp: 1, replicas: 2}", .requests = 100});
    request.router = router;
    EXPECT_TRUE(has_notice(answer_to(request), "idle-router", {missing, ""})) << router;
  }
}

TEST(SimulateDemandTest, LengthsAreCutByWhatTheNoticeSays) {
  const SimulateAnswer answer =
      answer_to(request_of({.rate = "0.5",
                            .slo = "",
                            .demand = "tokens_in: 20000, tokens_out: 200, shape: global-chat",
                            .requests = 500}));
  EXPECT_TRUE(has_notice(answer, "cut-lengths", {"traffic", "global-chat"}));
  EXPECT_FALSE(has_notice(answer, "cut-lengths", {"context", "131,072"}));
}

TEST(SimulateDemandTest, AMeasuredPaceStretchesEveryStep) {
  SimulateInputs request = request_of({.requests = 1});
  const double before = answer_to(request).tpot.p50.value().base();
  request.pace = 2;
  request.pace_source = "a run";
  const SimulateAnswer answer = answer_to(request);
  EXPECT_NEAR(answer.tpot.p50.value().base() / before, 2, 1e-3);
  EXPECT_TRUE(has_notice(answer, "anchored", {"factor", "2.000"}));
}

TEST(EngineDefaultsTest, AnEngineRunsWithWhatTheCatalogueLists) {
  const auto& catalog = shipped().catalog();
  for (const char* name : {"vllm", "vllm-0.7", "vllm-v0", "sglang", "tensorrt-llm"}) {
    const SimulateAnswer answer = answer_to(request_of(
        {.deployment = std::string("{gpu: h100-sxm, tp: 1, replicas: 1, engine: ") + name + "}",
         .requests = 10}));
    const auto listed = catalog.find_engine(name);
    ASSERT_TRUE(listed.has_value()) << name;
    EXPECT_EQ(answer.max_seqs, (*listed)->batching.max_sequences) << name;
    EXPECT_EQ(answer.chunk, (*listed)->batching.batched_tokens) << name;
  }
}

TEST(EngineDefaultsTest, StaticBatchesAreNotSimulatedAsIfRequestsJoinedAtEveryStep) {
  const std::string said =
      refusal_of(request_of({.deployment = "{gpu: h100-sxm, replicas: 1, engine: pytorch}"}));
  EXPECT_NE(said.find("is not simulated"), std::string::npos) << said;
}

TEST(SimulateTest, StagesDoNotShareOnePrompt) {
  Scene scene{.rate = "0.05", .slo = "", .demand = "tokens_in: 8192, tokens_out: 100"};
  scene.requests = 50;
  const double one = answer_to(request_of(scene)).ttft.mean.value().base();
  scene.deployment = "{gpu: h100-sxm, engine: vllm, tp: 1, pp: 4, replicas: 1}";
  EXPECT_NEAR(answer_to(request_of(scene)).ttft.mean.value().base(), one, 0.1 * one);
}

TEST(SimulateTest, ALayoutTheModelCannotTakeIsRefused) {
  Scene scene;
  scene.deployment = "{gpu: h100-sxm, engine: vllm, tp: 1, pp: 33, replicas: 1}";
  EXPECT_NE(refusal_of(request_of(scene)).find("without a layer"), std::string::npos);
}

}  // namespace
}  // namespace loadfactor
