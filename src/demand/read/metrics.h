// What the counters of a serving engine and of its GPUs say at one moment, or between two.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "demand/read/import_report.h"
#include "loadfactor/quantity.h"
#include "loadfactor/result.h"

namespace loadfactor::demand {

// A Prometheus histogram: how many observations were at most `upper`, cumulative.
struct HistogramBucket {
  double upper = 0;  // May be infinite.
  double count = 0;

  friend bool operator==(const HistogramBucket&, const HistogramBucket&) = default;
};

// Absent where the exporter does not say. Counters are since the process started.
struct MetricsSnapshot {
  std::string engine;  // "vllm", "sglang", "dcgm", …; several joined by " + ".
  std::optional<double> requests;
  std::optional<double> input_tokens;
  std::optional<double> output_tokens;
  std::vector<HistogramBucket> input_lengths;
  std::vector<HistogramBucket> output_lengths;
  std::optional<double> running;
  std::optional<double> waiting;
  std::optional<double> kv_use;       // Ratio.
  std::optional<double> prefix_hits;  // Tokens.
  std::optional<double> prefix_queries;
  std::optional<double> prefix_hit_ratio;
  int gpus = 0;
  std::optional<double> gpu_util;  // Ratios, means over the GPUs.
  std::optional<double> sm_active;
  std::optional<double> tensor_active;
  std::optional<double> dram_active;
  std::optional<Watts> power;       // Power of all GPUs together.
  std::optional<Seconds> interval;  // Time between the two snapshots of a difference.
};

// Reads the text exposition format. Lines that are none are dropped and counted. LF525 where no
// line is a metric we know.
Result<MetricsSnapshot> read_metrics(const std::string& file, std::string_view text,
                                     ImportReport& report);

// What happened between two snapshots of the same server `interval` apart. A counter that fell
// was reset by a restart: what it shows now was counted since. Gauges are the later ones.
MetricsSnapshot between(const MetricsSnapshot& earlier, const MetricsSnapshot& later,
                        Seconds interval);

// The length below which a share `q` of the observations lies, linear within a bucket; nothing
// without observations. Infinite buckets answer with their lower bound.
std::optional<double> histogram_quantile(const std::vector<HistogramBucket>& buckets, double q);

// True if the text looks like the exposition format.
bool looks_like_metrics(std::string_view text);

}  // namespace loadfactor::demand
