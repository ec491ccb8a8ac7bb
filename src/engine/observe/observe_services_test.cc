// What metrics of engines say of the services of a cluster.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "engine/observe/observe.h"
#include "engine/observe/testing/observed.h"
#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine {
namespace {

using testing::kMidnight;
using testing::observed;
using testing::says;

// A scrape of vLLM: 100 requests of 500 tokens in and 200 out since it was started.
std::string vllm(const std::string& model, int times, double factor = 1) {
  std::string text;
  for (int i = 0; i < times; ++i)
    for (const auto& [name, value] : {std::pair{"num_requests_running", 5.0},
                                      {"prompt_tokens_total", factor * 50000.0 * (i + 1)},
                                      {"generation_tokens_total", factor * 20000.0 * (i + 1)},
                                      {"request_success_total", factor * 100.0 * (i + 1)}})
      text += fmt::format("vllm:{}{{model_name=\"{}\",instance=\"h1:8000\"}} {} {:.0f}\n", name,
                          model, value, 1e3 * (kMidnight + 600 * i));
  return text;
}

// All times per token between half a bound and the bound.
std::string token_times(const std::string& model, int times, double bound) {
  std::string text;
  for (int i = 0; i < times; ++i)
    for (const auto& [upto, count] : {std::pair{bound / 2, 0.0}, {bound, 100.0 * (i + 1)}})
      text += fmt::format(
          "vllm:inter_token_latency_seconds_bucket{{model_name=\"{}\",instance=\"h1:8000\",le=\"{}"
          "\"}}"
          " {} {:.0f}\n",
          model, upto, count, 1e3 * (kMidnight + 600 * i));
  return text;
}

TEST(ObserveServices, OneScrapeTellsNoRate) {
  const std::string text = vllm("llama-3.1-8b", 1);
  const ObserveAnswer once = observed({{"m.prom", text}}, 0);
  ASSERT_EQ(once.services.size(), 1U);
  EXPECT_FALSE(once.services.front().has_rates);
  EXPECT_FALSE(once.is_load_known);
  EXPECT_NEAR(once.load_factor.low(), 0, 1e-9);
  EXPECT_NEAR(once.load_factor.high(), 1, 1e-9);
  EXPECT_NEAR(once.services.front().tokens_in, 500, 1e-9);
  EXPECT_NEAR(once.services.front().tokens_out, 200, 1e-9);
  EXPECT_TRUE(says(once, "one-scrape"));
  const std::string more = vllm("llama-3.1-8b", 7);
  const ObserveAnswer hour = observed({{"m.prom", more}}, 1);
  EXPECT_TRUE(hour.services.front().has_rates);
  EXPECT_NEAR(hour.services.front().requests_rate, 600.0 / 3600, 1e-6);
}

// One replica of two tokens per second in its first hour and one afterwards, in a new pod every
// hour.
TEST(ObserveServices, PodsThatReplaceEachOtherAreAsFullAsOneThatStays) {
  std::string text;
  for (int minute = 0; minute <= 600; ++minute) {
    const double tokens = 60.0 * (minute <= 60 ? 2 * minute : 60 + minute);
    for (const auto& [name, value] :
         {std::pair{"num_requests_running", 1.0}, {"generation_tokens_total", tokens}})
      text += fmt::format(
          "vllm:{}{{namespace=\"lab\",pod=\"chat-6f7d9c8b5-xx2x{}\",model_name=\"m\"}} {} "
          "{:.0f}\n",
          name, "2456789bcd"[std::min(9, minute / 60)], value, 1e3 * (kMidnight + 60 * minute));
  }
  const ObserveAnswer answer = observed({{"m.prom", text}}, 10);
  ASSERT_EQ(answer.services.size(), 1U);
  EXPECT_EQ(answer.services.front().replicas, 1);
  // Tokens of the minute between two pods are in no counter.
  EXPECT_NEAR(answer.services.front().load_factor, 0.55 * (1 - 9.0 / 600), 2e-3);
}

// Ten minutes of 100 requests: the only ten minutes that there are are its fullest.
TEST(ObserveServices, AWindowThatIsShorterThanAnHourTellsRatesOfAnHour) {
  const std::string text = vllm("llama-3.1-8b", 2);
  const ObserveAnswer answer = observed({{"m.prom", text}}, 1.0 / 6);
  EXPECT_NEAR(answer.services.front().requests_rate, 100.0 / 600, 1e-6);
  EXPECT_NEAR(answer.load_factor.value(), 1, 1e-6);
  ASSERT_EQ(answer.traffic.size(), 1U);
  EXPECT_NEAR(answer.traffic.front().requests, 100, 1e-3);
  EXPECT_NEAR(answer.traffic.front().seconds, 600, 1e-6);
}

ServeInputs chat_of(const std::string& model) {
  ServeInputs planned;
  planned.scenario = config::testing::sound(
      fmt::format("loadfactor: 1\nname: chat\nhardware: [h100-sxm]\nserve:\n  model: {}\n"
                  "  demand: {{requests_per_second: 1, tokens_in: 500, tokens_out: 200}}\n"
                  "  deployment: {{gpu: h100-sxm, tp: 1, replicas: 1}}\n",
                  model));
  return planned;
}

ObserveAnswer compared(const std::string& served, const std::string& scenario_model,
                       double factor = 1, std::optional<double> token_time = {}) {
  ObserveInputs inputs;
  std::string text = vllm(served, 7, factor);
  if (token_time) text += token_times(served, 7, *token_time);
  inputs.files = {{"m.prom", text}};
  inputs.now = kMidnight + 3600;
  inputs.is_end_said = true;
  inputs.services.push_back(chat_of(scenario_model));
  Diagnostics diagnostics;
  auto answer = observe_cluster(inputs, testing::shipped(), diagnostics);
  EXPECT_TRUE(answer) << render(diagnostics);
  return answer ? *std::move(answer) : ObserveAnswer{};
}

TEST(ObserveServices, AScenarioOfAnotherModelIsNotComparedAndSaidSo) {
  const ObserveAnswer other = compared("llama-3.1-8b", "qwen2.5-32b");
  EXPECT_FALSE(other.services.front().predicted);
  EXPECT_TRUE(says(other, "other-model"));
  for (const char* served : {"llama-3.1-8b", "/models/llama-3.1-8b/", "chat"}) {
    const ObserveAnswer same = compared(served, "llama-3.1-8b");
    EXPECT_TRUE(same.services.front().predicted) << served;
    EXPECT_FALSE(says(same, "other-model")) << served;
  }
}

// A prediction has the interval that `serve` gives it, and a load factor that rests on it one too.
TEST(ObserveServices, WhatRestsOnAPredictionHasItsInterval) {
  const ObserveAnswer answer = compared("llama-3.1-8b", "llama-3.1-8b");
  const ServiceRow& row = answer.services.front();
  ASSERT_TRUE(row.predicted && row.predicted->ttft && row.predicted->tpot);
  for (const auto& figure : {row.predicted->full_rate.erased(), row.predicted->ttft->erased(),
                             row.predicted->tpot->erased(), row.predicted->load_factor.erased()}) {
    EXPECT_LT(figure.low, figure.value);
    EXPECT_GT(figure.high, figure.value);
  }
  const LoadRange range = row.range_of(row.load_factor);
  EXPECT_NEAR(range.low * row.predicted->full_rate.high().base(),
              row.load_factor * row.predicted->full_rate.value().base(), 1e-6);
}

TEST(ObserveServices, NoTimeIsPredictedForMoreThanCanBeDone) {
  const ObserveAnswer answer = compared("llama-3.1-8b", "llama-3.1-8b", 10'000);
  const ServiceRow& row = answer.services.front();
  ASSERT_TRUE(row.predicted);
  EXPECT_FALSE(row.predicted->is_feasible);
  EXPECT_FALSE(row.predicted->ttft || row.predicted->tpot || row.error);
  EXPECT_TRUE(says(answer, "beyond-prediction"));
}

TEST(ObserveServices, ATokenThatTakesLongerThanPredictedIsSaid) {
  EXPECT_FALSE(says(compared("llama-3.1-8b", "llama-3.1-8b"), "slower-than-predicted"));
  const ObserveAnswer slow = compared("llama-3.1-8b", "llama-3.1-8b", 1, 0.2);
  ASSERT_TRUE(slow.services.front().error);
  EXPECT_GT(*slow.services.front().error, 1);
  EXPECT_TRUE(says(slow, "slower-than-predicted"));
}

// Two days of an engine whose counters stand still, and of its GPU.
TEST(ObserveServices, AServiceThatNobodyAsksIsKnownToBeEmptyAndAskedForItsGpus) {
  std::string text;
  for (int minute = 0; minute <= 48 * 60; minute += 5)
    for (const auto& [series, value] : {std::pair{"vllm:num_requests_running{", 0},
                                        {"vllm:prompt_tokens_total{", 50},
                                        {"vllm:generation_tokens_total{", 50},
                                        {"vllm:request_success_total{", 1},
                                        {"DCGM_FI_DEV_GPU_UTIL{UUID=\"G\",Hostname=\"n1\",", 0}})
      text += fmt::format("{}namespace=\"web\",pod=\"chat-0\",model_name=\"m\"}} {} {:.0f}\n",
                          series, value, 1e3 * (kMidnight + 60 * minute));
  const ObserveAnswer answer = observed({{"m.prom", text}}, 48);
  ASSERT_EQ(answer.services.size(), 1U);
  const ServiceRow& row = answer.services.front();
  EXPECT_EQ(row.load_factor, 0);
  EXPECT_EQ(row.range_of(row.load_factor).high, 0);
  EXPECT_FALSE(says(answer, "full-by-peak"));
  ASSERT_EQ(answer.advice.size(), 1U);
  EXPECT_EQ(answer.advice.front().kind, AdviceRow::Kind::kReclaim);
  EXPECT_EQ(answer.advice.front().whom, "web/chat");
  EXPECT_NEAR(answer.advice.front().saves.base(), 730, 1);
}

// Counters that rise by so much in every ten minutes of an hour.
std::string counters(const std::vector<std::pair<std::string, double>>& rising) {
  std::string text;
  for (int i = 0; i < 7; ++i)
    for (const auto& [series, each] : rising)
      text += fmt::format("{} {} {:.0f}\n", series, each * i, 1e3 * (kMidnight + 600 * i));
  return text;
}

TEST(ObserveServices, RequestsThatNothingCountsAreUnknownAndNotNone) {
  const std::string labels = "{model_name=\"llama-3.1-8b\",instance=\"h1:8000\"}";
  const std::string tokens = "sglang:generation_tokens_total" + labels;
  const std::string finished = "sglang:e2e_request_latency_seconds_count" + labels;
  const std::string alone = counters({{tokens, 6000}});
  const std::string both = counters({{tokens, 6000}, {finished, 60}});
  const ObserveAnswer unknown = observed({{"m.prom", alone}}, 1);
  EXPECT_FALSE(unknown.services.front().tells_requests());
  EXPECT_TRUE(says(unknown, "no-requests"));
  const ObserveAnswer known = observed({{"m.prom", both}}, 1);
  EXPECT_TRUE(known.services.front().tells_requests());
  EXPECT_NEAR(known.services.front().requests_rate, 0.1, 1e-6);
  EXPECT_NEAR(known.services.front().tokens_out, 100, 1e-4);
}

TEST(ObserveServices, APercentileBehindTheLastBoundIsSaidToLieAboveIt) {
  const auto bucket = [](const char* bound) {
    return fmt::format(
        "vllm:time_to_first_token_seconds_bucket{{model_name=\"m\",instance=\"h1:8000\",le=\"{}\"}"
        "}",
        bound);
  };
  const std::string text =
      counters({{bucket("1.0"), 60}, {bucket("30.0"), 80}, {bucket("+Inf"), 100}}) +
      counters({{"vllm:request_success_total{model_name=\"m\",instance=\"h1:8000\"}", 100}});
  const ObserveAnswer answer = observed({{"m.prom", text}}, 1);
  const auto& ttft = answer.services.front().ttft;
  ASSERT_TRUE(ttft);
  EXPECT_NEAR(ttft->p50.value_or(-1), 5.0 / 6, 1e-6);
  EXPECT_FALSE(ttft->p95);
  EXPECT_EQ(ttft->last_bound, 30);
}

TEST(ObserveServices, EnginesOfOneProcessAreReplicas) {
  std::vector<std::pair<std::string, double>> rising;
  for (const char* engine : {"0", "1", "2", "3"}) {
    const std::string labels = fmt::format(
        "{{model_name=\"llama-3.1-8b\",engine=\"{}\",namespace=\"chat\",pod=\"llm-0\"}}", engine);
    rising.emplace_back("vllm:generation_tokens_total" + labels, 6000);
    rising.emplace_back("vllm:request_success_total" + labels, 60);
  }
  std::string text = counters(rising);
  for (int gpu = 0; gpu < 8; ++gpu)
    for (int minute = 0; minute <= 60; ++minute)
      text += fmt::format(
          "DCGM_FI_DEV_GPU_UTIL{{UUID=\"GPU-{}\",Hostname=\"n1\",namespace=\"chat\",pod="
          "\"llm-0\"}} 50 {:.0f}\n",
          gpu, 1e3 * (kMidnight + 60 * minute));
  const ObserveAnswer answer = observed({{"m.prom", text}}, 1);
  ASSERT_EQ(answer.services.size(), 1U);
  EXPECT_EQ(answer.services.front().replicas, 4);
  EXPECT_EQ(answer.services.front().gpus_each, 2);
  EXPECT_NEAR(answer.services.front().requests_rate, 0.4, 1e-6);
  EXPECT_NEAR(answer.load_factor.value(), 1, 1e-3);
  EXPECT_TRUE(says(answer, "data-parallel"));
}

// Eight copies of which two are asked for far more than the others, in a process or in pods: the
// same figures come out.
std::string eight_copies(bool is_one_process) {
  std::string text;
  const auto line = [&](const std::string& name, const std::string& labels, double value, int at) {
    text += fmt::format("{}{{{}}} {} {:.0f}\n", name, labels, value, 1e3 * (kMidnight + 60 * at));
  };
  for (int copy = 0; copy < 8; ++copy) {
    const std::string pod = is_one_process ? "llm-0" : fmt::format("llm-{}", copy);
    const std::string engine =
        fmt::format("model_name=\"m\",namespace=\"chat\",pod=\"{}\",engine=\"{}\"", pod,
                    is_one_process ? copy : 0);
    const bool is_hot = copy < 2;
    for (int minute = 0; minute <= 120; ++minute) {
      line("vllm:generation_tokens_total", engine, minute * (is_hot ? 60000.0 : 3000.0), minute);
      line("vllm:request_success_total", engine, minute * (is_hot ? 200.0 : 10.0), minute);
      line("vllm:num_requests_running", engine, is_hot ? 64 : copy % 2, minute);
      line("vllm:num_requests_waiting", engine, is_hot && minute < 60 ? 10 : 0, minute);
      line("vllm:kv_cache_usage_perc", engine, is_hot && minute < 60 ? 0.95 : 0.1, minute);
      line("DCGM_FI_DEV_GPU_UTIL",
           fmt::format("UUID=\"GPU-{}\",Hostname=\"n1\",namespace=\"chat\",pod=\"{}\"", copy, pod),
           50, minute);
    }
  }
  return text;
}

TEST(ObserveServices, CopiesInOneProcessAreJudgedAsPodsAre) {
  const std::string one = eight_copies(true), apart = eight_copies(false);
  const ObserveAnswer process = observed({{"m.prom", one}}, 2);
  const ObserveAnswer pods = observed({{"m.prom", apart}}, 2);
  ASSERT_EQ(process.services.size(), 1U);
  ASSERT_EQ(pods.services.size(), 1U);
  const ServiceRow& a = process.services.front();
  const ServiceRow& b = pods.services.front();
  EXPECT_EQ(a.replicas, b.replicas);
  EXPECT_EQ(a.gpus_each, b.gpus_each);
  EXPECT_NEAR(a.load_factor, b.load_factor, 1e-6);
  EXPECT_NEAR(a.cache.value(), b.cache.value(), 1e-6);
  EXPECT_NEAR(a.running, b.running, 1e-6);
  EXPECT_NEAR(process.load_factor.value(), pods.load_factor.value(), 1e-6);
  ASSERT_EQ(process.leaves.size(), pods.leaves.size());
  for (std::size_t i = 0; i < process.leaves.size(); ++i) {
    EXPECT_EQ(process.leaves[i].cause, pods.leaves[i].cause);
    EXPECT_NEAR(process.leaves[i].share, pods.leaves[i].share, 1e-6);
  }
  ASSERT_EQ(process.advice.size(), pods.advice.size());
}

TEST(ObserveServices, TritonAloneTellsRequestsAndGpus) {
  std::string text =
      counters({{"nv_inference_request_success{model=\"bert\",version=\"1\"}", 600}});
  for (int minute = 0; minute <= 60; ++minute)
    text += fmt::format("nv_gpu_utilization{{gpu_uuid=\"GPU-1\"}} 0.25 {:.0f}\n",
                        1e3 * (kMidnight + 60 * minute));
  const ObserveAnswer answer = observed({{"m.prom", text}}, 1);
  EXPECT_EQ(answer.gpus, 1);
  EXPECT_NEAR(answer.load_factor.value(), 0.25, 1e-3);
  ASSERT_EQ(answer.services.size(), 1U);
  EXPECT_EQ(answer.services.front().model, "bert");
  EXPECT_NEAR(answer.services.front().requests_rate, 1, 1e-6);
  EXPECT_FALSE(answer.services.front().tells_load());
  EXPECT_TRUE(says(answer, "no-tokens"));
}

// What tokens cost is asked of the provider that `plan` compares with: the middle one of the
// cheapest offers of each.
TEST(ObserveServices, TokensAreBoughtFromWhomPlanBuysThem) {
  const std::string text = vllm("llama-3.1-8b", 7);
  const ObserveAnswer answer = observed({{"m.prom", text}}, 1);
  const ServiceRow& row = answer.services.front();
  ASSERT_TRUE(row.api_cost);
  CostInputs cost;
  cost.scenario = config::testing::sound(fmt::format(
      "loadfactor: 1\nname: chat\nhardware: [h100-sxm]\nserve:\n  model: llama-3.1-8b\n"
      "  demand: {{requests_per_second: {:.6f}, tokens_in: 500, tokens_out: 200}}\n"
      "  deployment: {{gpu: h100-sxm, tp: 1, replicas: 1}}\nmoney: {{options: [api, on-demand]}}\n",
      row.requests_rate));
  cost.capacity = KnownCapacity{.gpus = 1,
                                .full_plane = TokensPerSecond::from_base(1),
                                .load_factor = 1,
                                .source = "observe"};
  Diagnostics diagnostics;
  const auto setup = make_cost_setup(cost, testing::shipped().catalog(), diagnostics);
  ASSERT_TRUE(setup) << render(diagnostics);
  EXPECT_EQ(row.api_name, setup->api_name);
}

// The layers of a Coder are those of the plain model, its price is its own.
TEST(ObserveServices, AVariantIsWeighedAgainstOffersOfThatVariantAlone) {
  const std::string coder = vllm("Qwen/Qwen2.5-Coder-32B-Instruct", 7);
  const ObserveAnswer answer = observed({{"m.prom", coder}}, 1);
  const ServiceRow& row = answer.services.front();
  EXPECT_EQ(row.known_model, "qwen2.5-32b");
  ASSERT_TRUE(row.api_cost);
  EXPECT_NE(row.api_name.find("oder-32"), std::string::npos) << row.api_name;
  const std::string thinking = vllm("Qwen/Qwen3-8B-Thinking", 7);
  EXPECT_FALSE(observed({{"m.prom", thinking}}, 1).services.front().api_cost);
}

// The load factor of a service, of its team and of the cluster rest on the same full rate.
TEST(ObserveServices, GroupsHaveTheIntervalOfWhatTheyRestOn) {
  std::string text = vllm("llama-3.1-8b", 7);
  for (int minute = 0; minute <= 60; ++minute)
    text += fmt::format(
        "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{{UUID=\"G\",Hostname=\"h1\",modelName=\"NVIDIA H100 80GB "
        "HBM3\",namespace=\"web\",pod=\"chat-0\"}} 0.4 {:.0f}\n",
        1e3 * (kMidnight + 60 * minute));
  ObserveInputs inputs;
  inputs.files = {{"m.prom", text}};
  inputs.now = kMidnight + 3600;
  inputs.is_end_said = true;
  for (const bool is_planned : {false, true}) {
    if (is_planned) inputs.services.push_back(chat_of("llama-3.1-8b"));
    Diagnostics diagnostics;
    const auto answer = observe_cluster(inputs, testing::shipped(), diagnostics);
    ASSERT_TRUE(answer) << render(diagnostics);
    // Engines that name no namespace are those of who holds the GPUs below them.
    EXPECT_EQ(answer->services.front().team, "web");
    EXPECT_GT(answer->services.front().cost, Dollars());
    for (const UseGroup& group : answer->groups) {
      EXPECT_EQ(group.is_bound, !is_planned) << group.name;
      if (!is_planned) continue;
      EXPECT_NEAR(group.load_range.low, answer->load_factor.low(), 1e-9) << group.name;
      EXPECT_NEAR(group.load_range.high, answer->load_factor.high(), 1e-9) << group.name;
      EXPECT_LT(group.load_range.low, group.load_factor);
      EXPECT_GT(group.load_range.high, group.load_factor);
    }
  }
}

}  // namespace
}  // namespace loadfactor::engine
