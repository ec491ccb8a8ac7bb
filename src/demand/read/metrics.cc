#include "demand/read/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/byte_order_mark.h"
#include "base/error_codes.h"
#include "demand/read/cell_text.h"

namespace loadfactor::demand {
namespace {

// Exporters write this where a sensor is absent [DCGM's blank values].
constexpr double kAbsentSensor = 9.2e18;

enum class Role : std::uint8_t {
  kRequests,
  kFinished,
  kInputTokens,
  kOutputTokens,
  kInputBucket,
  kOutputBucket,
  kRunning,
  kWaiting,
  kKvUse,
  kPrefixHits,
  kPrefixQueries,
  kPrefixRatio,
  kGpuUtil,
  kSmActive,
  kTensorActive,
  kDramActive,
  kPower,
};
struct NameRow {
  std::string_view name;  // Without the engine's prefix.
  Role role;
};
constexpr std::array kNames{
    NameRow{"request_success_total", Role::kRequests},
    NameRow{"num_requests_total", Role::kRequests},
    NameRow{"nv_inference_request_success", Role::kRequests},  // Triton names these so.
    NameRow{"e2e_request_latency_seconds_count", Role::kFinished},
    NameRow{"prompt_tokens_total", Role::kInputTokens},
    NameRow{"generation_tokens_total", Role::kOutputTokens},
    NameRow{"request_prompt_tokens_bucket", Role::kInputBucket},
    NameRow{"request_generation_tokens_bucket", Role::kOutputBucket},
    NameRow{"num_requests_running", Role::kRunning},
    NameRow{"num_running_reqs", Role::kRunning},
    NameRow{"num_requests_waiting", Role::kWaiting},
    NameRow{"num_queue_reqs", Role::kWaiting},
    NameRow{"kv_cache_usage_perc", Role::kKvUse},
    NameRow{"gpu_cache_usage_perc", Role::kKvUse},
    NameRow{"token_usage", Role::kKvUse},
    NameRow{"prefix_cache_hits_total", Role::kPrefixHits},
    NameRow{"gpu_prefix_cache_hits_total", Role::kPrefixHits},
    NameRow{"prefix_cache_queries_total", Role::kPrefixQueries},
    NameRow{"gpu_prefix_cache_queries_total", Role::kPrefixQueries},
    NameRow{"cache_hit_rate", Role::kPrefixRatio},
    NameRow{"DCGM_FI_DEV_GPU_UTIL", Role::kGpuUtil},
    NameRow{"DCGM_FI_DEV_GPU_UTIL_RATIO", Role::kGpuUtil},
    NameRow{"nv_gpu_utilization", Role::kGpuUtil},  // Triton writes a share, not per cent.
    NameRow{"DCGM_FI_PROF_SM_ACTIVE", Role::kSmActive},
    NameRow{"DCGM_FI_PROF_SM_ACTIVE_RATIO", Role::kSmActive},
    NameRow{"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", Role::kTensorActive},
    NameRow{"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE_RATIO", Role::kTensorActive},
    NameRow{"DCGM_FI_PROF_DRAM_ACTIVE", Role::kDramActive},
    NameRow{"DCGM_FI_PROF_DRAM_ACTIVE_RATIO", Role::kDramActive},
    NameRow{"DCGM_FI_DEV_POWER_USAGE", Role::kPower},
    NameRow{"DCGM_FI_DEV_POWER_USAGE_WATTS", Role::kPower},
    NameRow{"nv_gpu_power_usage", Role::kPower},
};

// One line: the name, its labels as text, and the value.
struct Sample {
  std::string_view name;
  std::string_view labels;
  double value = 0;
};

std::optional<double> value_of(std::string_view text) {
  if (text == "+Inf" || text == "Inf") return std::numeric_limits<double>::infinity();
  if (text == "-Inf") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return real_of(text);
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':';
}

// Where the labels' closing brace stands, quotes respected; npos if nowhere.
std::size_t closing_brace(std::string_view line, std::size_t open) {
  bool quoted = false;
  for (std::size_t i = open + 1; i < line.size(); ++i) {
    if (quoted && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == '}' && !quoted) {
      return i;
    }
  }
  return std::string_view::npos;
}

std::optional<Sample> sample_of(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && is_name_character(line[at])) ++at;
  if (at == 0) return std::nullopt;
  Sample sample{.name = line.substr(0, at)};
  if (at < line.size() && line[at] == '{') {
    const std::size_t close = closing_brace(line, at);
    if (close == std::string_view::npos) return std::nullopt;
    sample.labels = line.substr(at + 1, close - at - 1);
    at = close + 1;
  }
  const std::string_view rest = trimmed(line.substr(at));
  const auto value = value_of(rest.substr(0, rest.find_first_of(" \t")));
  if (!value) return std::nullopt;
  sample.value = *value;
  return sample;
}

// The value of a label; empty if it is absent.
std::string_view label(std::string_view labels, std::string_view key) {
  const std::string wanted = fmt::format("{}=\"", key);
  const std::size_t at = labels.find(wanted);
  if (at == std::string_view::npos) return {};
  const std::size_t first = at + wanted.size();
  return labels.substr(first, labels.find('"', first) - first);
}

// Sums, means and buckets as they are gathered.
class Gatherer {
 public:
  bool add(const Sample& sample) {
    std::string_view name = sample.name;
    const std::size_t colon = name.rfind(':');
    if (colon != std::string_view::npos) name.remove_prefix(colon + 1);
    const auto row = std::find_if(kNames.begin(), kNames.end(),
                                  [name](const NameRow& r) { return r.name == name; });
    if (row == kNames.end()) return false;
    if (!std::isfinite(sample.value) || std::abs(sample.value) > kAbsentSensor) return true;
    engines_.insert(colon != std::string_view::npos ? std::string(sample.name.substr(0, colon))
                    : name.starts_with("DCGM")      ? "dcgm"
                    : name.starts_with("nv_")       ? "triton"
                                                    : "unnamed");
    if (row->role == Role::kInputBucket || row->role == Role::kOutputBucket) {
      const auto upper = value_of(label(sample.labels, "le"));
      if (upper && !std::isnan(*upper)) buckets_[row->role][*upper] += sample.value;
      return true;
    }
    auto& [sum, count] = sums_[row->role];
    // A share of the sum's worth: utilisation is exported in percent.
    sum += row->name == "DCGM_FI_DEV_GPU_UTIL" ? sample.value / 100 : sample.value;
    ++count;
    return true;
  }

  MetricsSnapshot snapshot() const {
    MetricsSnapshot s;
    s.engine = fmt::format("{}", fmt::join(engines_, " + "));
    s.requests = total(Role::kRequests);
    s.input_tokens = total(Role::kInputTokens);
    s.output_tokens = total(Role::kOutputTokens);
    s.running = total(Role::kRunning);
    s.waiting = total(Role::kWaiting);
    s.kv_use = average(Role::kKvUse);
    s.prefix_hits = total(Role::kPrefixHits);
    s.prefix_queries = total(Role::kPrefixQueries);
    s.prefix_hit_ratio = average(Role::kPrefixRatio);
    if (s.prefix_hits && s.prefix_queries && *s.prefix_queries > 0)
      s.prefix_hit_ratio = *s.prefix_hits / *s.prefix_queries;
    s.gpu_util = average(Role::kGpuUtil);
    s.sm_active = average(Role::kSmActive);
    s.tensor_active = average(Role::kTensorActive);
    s.dram_active = average(Role::kDramActive);
    if (const auto watts = total(Role::kPower)) s.power = Watts::from_base(*watts);
    for (const Role role : {Role::kGpuUtil, Role::kPower, Role::kTensorActive}) {
      const auto found = sums_.find(role);
      if (found != sums_.end()) s.gpus = std::max(s.gpus, found->second.second);
    }
    s.input_lengths = buckets(Role::kInputBucket);
    s.output_lengths = buckets(Role::kOutputBucket);
    if (!s.requests && !s.input_lengths.empty()) s.requests = s.input_lengths.back().count;
    // An engine that counts requests nowhere else has timed each of them.
    if (!s.requests) s.requests = total(Role::kFinished);
    return s;
  }

  bool empty() const { return sums_.empty() && buckets_.empty(); }

 private:
  std::optional<double> total(Role role) const {
    const auto found = sums_.find(role);
    return found == sums_.end() ? std::nullopt : std::optional(found->second.first);
  }
  std::optional<double> average(Role role) const {
    const auto found = sums_.find(role);
    if (found == sums_.end()) return std::nullopt;
    return found->second.first / found->second.second;
  }
  std::vector<HistogramBucket> buckets(Role role) const {
    std::vector<HistogramBucket> list;
    const auto found = buckets_.find(role);
    if (found == buckets_.end()) return list;
    for (const auto& [upper, count] : found->second) list.push_back({upper, count});
    return list;
  }

  std::map<Role, std::pair<double, int>> sums_;
  std::map<Role, std::map<double, double>> buckets_;
  std::set<std::string> engines_;
};

std::optional<double> grown(std::optional<double> from, std::optional<double> to) {
  if (!from || !to) return to;
  return *to >= *from ? *to - *from : *to;
}

std::vector<HistogramBucket> grown(const std::vector<HistogramBucket>& from,
                                   const std::vector<HistogramBucket>& to) {
  if (from.size() != to.size() || from.empty() || to.back().count < from.back().count) return to;
  std::vector<HistogramBucket> grew = to;
  for (std::size_t i = 0; i < to.size(); ++i) grew[i].count -= from[i].count;
  return grew;
}

}  // namespace

bool looks_like_metrics(std::string_view text) {
  const std::string_view line = trimmed(text.substr(0, text.find('\n')));
  if (line.starts_with("# HELP") || line.starts_with("# TYPE") || line.starts_with("# EOF"))
    return true;
  if (line.find('{') == std::string_view::npos) {
    const auto sample = sample_of(line);
    return sample && sample->name.size() < line.size() &&
           line.find(',') == std::string_view::npos && (line[0] < '0' || line[0] > '9');
  }
  return sample_of(line).has_value();
}

Result<MetricsSnapshot> read_metrics(const std::string& file, std::string_view text,
                                     ImportReport& report) {
  report.format = "Prometheus text";
  text = without_mark(text);
  Gatherer gatherer;
  std::int64_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    ++number;
    if (line.empty() || line.front() == '#') continue;
    ++report.rows_read;
    const auto sample = sample_of(line);
    if (!sample)
      report.drop(DropReason::kBadCells, number);
    else if (gatherer.add(*sample))
      ++report.rows_used;
  }
  if (gatherer.empty()) {
    return Error{
        .code = lf::kNotDemand,
        .message = fmt::format("'{}' holds no metric of vLLM, SGLang, Triton or DCGM", file),
        .hint = "take it from the engine's /metrics: `curl http://host:8000/metrics`",
        .where = {.file = file}};
  }
  return gatherer.snapshot();
}

MetricsSnapshot between(const MetricsSnapshot& earlier, const MetricsSnapshot& later,
                        Seconds interval) {
  MetricsSnapshot s = later;
  s.interval = interval;
  s.requests = grown(earlier.requests, later.requests);
  s.input_tokens = grown(earlier.input_tokens, later.input_tokens);
  s.output_tokens = grown(earlier.output_tokens, later.output_tokens);
  s.prefix_hits = grown(earlier.prefix_hits, later.prefix_hits);
  s.prefix_queries = grown(earlier.prefix_queries, later.prefix_queries);
  if (s.prefix_hits && s.prefix_queries && *s.prefix_queries > 0)
    s.prefix_hit_ratio = *s.prefix_hits / *s.prefix_queries;
  s.input_lengths = grown(earlier.input_lengths, later.input_lengths);
  s.output_lengths = grown(earlier.output_lengths, later.output_lengths);
  return s;
}

std::optional<double> histogram_quantile(const std::vector<HistogramBucket>& buckets, double q) {
  if (buckets.empty() || buckets.back().count <= 0) return std::nullopt;
  const double rank = q * buckets.back().count;
  double lower = 0;
  double below = 0;
  for (const auto& bucket : buckets) {
    if (bucket.count >= rank) {
      if (!std::isfinite(bucket.upper) || bucket.count <= below) return lower;
      return lower + (bucket.upper - lower) * (rank - below) / (bucket.count - below);
    }
    lower = bucket.upper;
    below = bucket.count;
  }
  return lower;
}

}  // namespace loadfactor::demand
