#include "demand/read/metrics.h"

#include <string>

#include <gtest/gtest.h>

namespace loadfactor::demand {
namespace {

MetricsSnapshot snapshot_of(const std::string& text) {
  ImportReport report;
  const auto snapshot = read_metrics("m.prom", text, report);
  EXPECT_TRUE(snapshot);
  return snapshot ? *snapshot : MetricsSnapshot{};
}

TEST(MetricsTest, AddsCountersOverLabelsAndAveragesGauges) {
  const auto s = snapshot_of(
      "# HELP vllm:request_success_total Finished.\n"
      "# TYPE vllm:request_success_total counter\n"
      "vllm:request_success_total{finished_reason=\"stop\",model_name=\"a}b\"} 30.0\n"
      "vllm:request_success_total{finished_reason=\"length\"} 10.0 1718140558000\n"
      "vllm:prompt_tokens_total 8e+03\n"
      "vllm:generation_tokens_total 2000\n"
      "vllm:kv_cache_usage_perc{engine=\"0\"} 0.2\n"
      "vllm:kv_cache_usage_perc{engine=\"1\"} 0.4\n"
      "vllm:prefix_cache_queries_total 1000\nvllm:prefix_cache_hits_total 250\n");
  EXPECT_EQ(s.engine, "vllm");
  EXPECT_DOUBLE_EQ(*s.requests, 40);
  EXPECT_DOUBLE_EQ(*s.input_tokens, 8000);
  EXPECT_NEAR(*s.kv_use, 0.3, 1e-12);
  EXPECT_DOUBLE_EQ(*s.prefix_hit_ratio, 0.25);
}

TEST(MetricsTest, EveryEngineIsKnownByTheNamesOfItsMetrics) {
  struct Case {
    const char* engine;
    const char* text;
  };
  for (const Case& one : {
           Case{"vllm", "vllm:request_success_total 7\nvllm:gpu_cache_usage_perc 0.5\n"},  // v0.
           Case{"vllm", "vllm:request_success_total 7\nvllm:kv_cache_usage_perc 0.5\n"},   // v1.
           Case{"ray_vllm",
                "ray_vllm:request_success_total{WorkerId=\"a\"} 7\n"
                "ray_vllm:kv_cache_usage_perc 0.5\n"},
           Case{"sglang", "sglang:num_requests_total 7\nsglang:token_usage 0.5\n"},
       }) {
    const auto s = snapshot_of(one.text);
    EXPECT_EQ(s.engine, one.engine);
    ASSERT_TRUE(s.requests) << one.text;
    EXPECT_DOUBLE_EQ(*s.requests, 7) << one.text;
    ASSERT_TRUE(s.kv_use) << one.text;
    EXPECT_DOUBLE_EQ(*s.kv_use, 0.5) << one.text;
  }
  const auto triton = snapshot_of(
      "nv_inference_request_success{model=\"m\",version=\"1\"} 7\n"
      "nv_gpu_utilization{gpu_uuid=\"GPU-a\"} 0.25\nnv_gpu_power_usage{gpu_uuid=\"GPU-a\"} 300\n");
  EXPECT_EQ(triton.engine, "triton");
  EXPECT_DOUBLE_EQ(*triton.requests, 7);
  EXPECT_DOUBLE_EQ(*triton.gpu_util, 0.25);
  EXPECT_DOUBLE_EQ(triton.power->base(), 300);
}

TEST(MetricsTest, AbsentSensorsAreNotNumbers) {
  const auto s = snapshot_of(
      "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 98\n"
      "DCGM_FI_DEV_GPU_UTIL{gpu=\"1\"} 9223372036854775794\n"
      "DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\"} NaN\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 300\nDCGM_FI_DEV_POWER_USAGE{gpu=\"1\"} 100\n");
  EXPECT_EQ(s.gpus, 2);
  EXPECT_DOUBLE_EQ(*s.gpu_util, 0.98);
  EXPECT_FALSE(s.sm_active);
  EXPECT_DOUBLE_EQ(s.power->base(), 400);
}

TEST(MetricsTest, TwoSnapshotsGiveWhatHappenedBetweenAndARestartIsSeen) {
  const auto earlier =
      snapshot_of("vllm:request_success_total 100\nvllm:prompt_tokens_total 900\n");
  const auto later = snapshot_of("vllm:request_success_total 160\nvllm:prompt_tokens_total 50\n");
  const auto between_them = between(earlier, later, Seconds::from_base(60));
  EXPECT_DOUBLE_EQ(*between_them.requests, 60);
  EXPECT_DOUBLE_EQ(*between_them.input_tokens, 50);
}

TEST(MetricsTest, QuantilesOfAHistogramLieWithinTheirBucket) {
  const auto s = snapshot_of(
      "vllm:request_prompt_tokens_bucket{le=\"100.0\"} 50\n"
      "vllm:request_prompt_tokens_bucket{le=\"200.0\"} 100\n"
      "vllm:request_prompt_tokens_bucket{le=\"+Inf\"} 100\n");
  EXPECT_DOUBLE_EQ(*histogram_quantile(s.input_lengths, 0.25), 50);
  EXPECT_DOUBLE_EQ(*histogram_quantile(s.input_lengths, 0.75), 150);
  EXPECT_DOUBLE_EQ(*s.requests, 100);
}

TEST(MetricsTest, AnEngineThatCountsNoRequestsHasTimedThem) {
  const auto s = snapshot_of(
      "sglang:prompt_tokens_total{model_name=\"m\"} 8000\n"
      "sglang:e2e_request_latency_seconds_count{model_name=\"m\"} 40\n");
  ASSERT_TRUE(s.requests);
  EXPECT_DOUBLE_EQ(*s.requests, 40);
}

}  // namespace
}  // namespace loadfactor::demand
