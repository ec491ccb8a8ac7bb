#include "calibrate/measurement_serving.h"

#include "calibrate/measurement_json.h"

namespace loadfactor::calibrate {
namespace {

constexpr double kMilli = 1e-3;

Seconds milliseconds(const config::Node* node) {
  return Seconds::from_base(number_or_zero(node) * kMilli);
}

// One flat object. An unlimited rate is the word `inf`.
std::optional<ServingPoint> read_vllm(const config::Node& root) {
  const double completed = number_or_zero(member(&root, "completed"));
  const double rate = number_or_zero(member(&root, "output_throughput"));
  if (completed == 0 || rate == 0) return std::nullopt;
  ServingPoint point;
  point.tool = "vllm";
  point.model = text_or_empty(member(&root, "model_id"));
  point.concurrency = number_or_zero(member(&root, "max_concurrency"));
  point.request_rate = number_or_zero(member(&root, "request_rate"));
  point.requests = completed;
  point.input_tokens = number_or_zero(member(&root, "total_input_tokens")) / completed;
  point.output_tokens = number_or_zero(member(&root, "total_output_tokens")) / completed;
  point.request_throughput = number_or_zero(member(&root, "request_throughput"));
  point.output_throughput = rate;
  point.first_token = milliseconds(member(&root, "mean_ttft_ms"));
  point.per_token = milliseconds(member(&root, "mean_tpot_ms"));
  return point;
}

// metrics.<name>.successful.mean, one object per load.
std::optional<ServingPoint> read_guidellm(const config::Node& benchmark, const config::Node& root) {
  const config::Node* metrics = member(&benchmark, "metrics");
  const auto mean = [&](std::string_view name) {
    return member(metrics, name, "successful", "mean");
  };
  ServingPoint point;
  point.tool = "guidellm";
  point.model = text_or_empty(member(&benchmark, "worker", "backend_model"));
  if (point.model.empty()) point.model = text_or_empty(member(&root, "args", "model"));
  point.output_throughput = number_or_zero(mean("output_tokens_per_second"));
  if (point.output_throughput == 0) return std::nullopt;
  point.concurrency = number_or_zero(mean("request_concurrency"));
  point.request_throughput = number_or_zero(mean("requests_per_second"));
  point.input_tokens = number_or_zero(mean("prompt_token_count"));
  point.output_tokens = number_or_zero(mean("output_token_count"));
  point.first_token = milliseconds(mean("time_to_first_token_ms"));
  point.per_token = milliseconds(mean("inter_token_latency_ms"));
  const config::Node* count = member(metrics, "request_latency", "successful", "count");
  point.requests = number_or_zero(count);
  return point;
}

// {<metric>: {unit, avg, …}}, times in milliseconds.
std::optional<ServingPoint> read_aiperf(const config::Node& root) {
  const auto average = [&](std::string_view name) { return member(&root, name, "avg"); };
  ServingPoint point;
  point.tool = "aiperf";
  point.output_throughput = number_or_zero(average("output_token_throughput"));
  if (point.output_throughput == 0) return std::nullopt;
  const config::Node* config = member(&root, "input_config");
  const config::Node* models = member(config, "endpoint", "model_names");
  if (models != nullptr && !models->items.empty()) point.model = text_or_empty(&models->items[0]);
  point.concurrency = number_or_zero(member(config, "loadgen", "concurrency"));
  point.request_rate = number_or_zero(member(config, "loadgen", "request_rate"));
  point.requests = number_or_zero(average("request_count"));
  point.request_throughput = number_or_zero(average("request_throughput"));
  point.input_tokens = number_or_zero(average("input_sequence_length"));
  point.output_tokens = number_or_zero(average("output_sequence_length"));
  point.first_token = milliseconds(average("time_to_first_token"));
  point.per_token = milliseconds(average("inter_token_latency"));
  return point;
}

}  // namespace

ServingFile read_serving_json(const config::Node& root) {
  ServingFile found;
  const config::Node* benchmarks = member(&root, "benchmarks");
  if (benchmarks != nullptr) {
    for (const config::Node& benchmark : benchmarks->items) {
      if (auto point = read_guidellm(benchmark, root)) found.points.push_back(*std::move(point));
    }
    return found;
  }
  auto point = read_vllm(root);
  if (!point) point = read_aiperf(root);
  if (point) found.points.push_back(*std::move(point));
  return found;
}

}  // namespace loadfactor::calibrate
