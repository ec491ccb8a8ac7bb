#include "launch/emit/watched_series.h"

#include <algorithm>

#include <fmt/format.h>

#include "launch/emit/targets.h"

namespace loadfactor::launch {

WatchedSeries series_of(Desk& desk) {
  const bool is_sglang = desk.plan().service && desk.service().engine == "sglang";
  WatchedSeries series = is_sglang ? WatchedSeries{"sglang:num_running_reqs",
                                                   "sglang:num_queue_reqs",
                                                   "sglang:token_usage",
                                                   "sglang:time_to_first_token_seconds_bucket",
                                                   "sglang:inter_token_latency_seconds_bucket",
                                                   "sglang:generation_tokens_total"}
                                   : WatchedSeries{"vllm:num_requests_running",
                                                   "vllm:num_requests_waiting",
                                                   "vllm:kv_cache_usage_perc",
                                                   "vllm:time_to_first_token_seconds_bucket",
                                                   "vllm:inter_token_latency_seconds_bucket",
                                                   "vllm:generation_tokens_total"};
  const auto metrics = read_metrics();
  for (const std::string* name : {&series.running, &series.waiting, &series.cache,
                                  &series.first_token, &series.per_token, &series.generated}) {
    const bool is_known = std::any_of(metrics.begin(), metrics.end(), [&](const Metric& metric) {
      return std::find(metric.scraped_as.begin(), metric.scraped_as.end(), *name) !=
             metric.scraped_as.end();
    });
    if (!is_known) desk.fault(fmt::format("no metric {}", *name));
  }
  return series;
}

std::string quantile(const std::string& series, double share) {
  return fmt::format("histogram_quantile({}, sum by (le) (rate({}[5m])))", share, series);
}

}  // namespace loadfactor::launch
