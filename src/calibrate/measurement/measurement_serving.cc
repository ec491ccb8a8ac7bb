#include "calibrate/measurement/measurement_serving.h"

#include <fmt/format.h>

#include "base/error_codes.h"
#include "calibrate/measurement/measurement_json.h"

namespace loadfactor::calibrate {
namespace {

constexpr double kMilli = 1e-3;

// Reads the figures of one result and remembers those that cannot be.
class Figures {
 public:
  explicit Figures(const config::Document& document) : document_(&document) {}

  double number(const config::Node* node) {
    const auto value = finite_number(node);
    if (value && *value < 0 && wrong_ == nullptr) wrong_ = node;
    return value && *value > 0 ? *value : 0.0;
  }
  Seconds milliseconds(const config::Node* node) {
    return Seconds::from_base(number(node) * kMilli);
  }

  Result<bool> check() const {
    if (wrong_ == nullptr) return true;
    return document_->error(lf::kNoMeasurement, wrong_->position,
                            fmt::format("'{}' is no rate and no time", wrong_->scalar),
                            "give the file as the tool wrote it");
  }

 private:
  const config::Document* document_;
  const config::Node* wrong_ = nullptr;
};

// One flat object. An unlimited rate is the word `inf`.
std::optional<ServingPoint> read_vllm(const config::Node& root, Figures& figures) {
  const double completed = number_or_zero(member(&root, "completed"));
  const double rate = number_or_zero(member(&root, "output_throughput"));
  if (completed == 0 || rate == 0) return std::nullopt;
  ServingPoint point;
  point.tool = text_or_empty(member(&root, "backend")) == "sglang" ? "sglang" : "vllm";
  point.model = text_or_empty(member(&root, "model_id"));
  point.concurrency = figures.number(member(&root, "max_concurrency"));
  point.request_rate = figures.number(member(&root, "request_rate"));
  point.requests = completed;
  point.failed = figures.number(member(&root, "failed"));
  if (const double asked = figures.number(member(&root, "num_prompts")); asked > completed)
    point.failed = asked - completed;
  point.input_tokens = figures.number(member(&root, "total_input_tokens")) / completed;
  point.output_tokens = figures.number(member(&root, "total_output_tokens")) / completed;
  point.request_throughput = figures.number(member(&root, "request_throughput"));
  point.output_throughput = rate;
  point.first_token = figures.milliseconds(member(&root, "mean_ttft_ms"));
  point.per_token = figures.milliseconds(member(&root, "mean_tpot_ms"));
  return point;
}

// metrics.<name>.successful.mean, one object per load.
std::optional<ServingPoint> read_guidellm(const config::Node& benchmark, const config::Node& root,
                                          Figures& figures) {
  const config::Node* metrics = member(&benchmark, "metrics");
  const auto mean = [&](std::string_view name) {
    return member(metrics, name, "successful", "mean");
  };
  ServingPoint point;
  point.tool = "guidellm";
  point.model = text_or_empty(member(&benchmark, "worker", "backend_model"));
  if (point.model.empty()) point.model = text_or_empty(member(&root, "args", "model"));
  point.output_throughput = figures.number(mean("output_tokens_per_second"));
  if (point.output_throughput == 0) return std::nullopt;
  point.concurrency = figures.number(mean("request_concurrency"));
  point.request_throughput = figures.number(mean("requests_per_second"));
  point.input_tokens = figures.number(mean("prompt_token_count"));
  point.output_tokens = figures.number(mean("output_token_count"));
  point.first_token = figures.milliseconds(mean("time_to_first_token_ms"));
  point.per_token = figures.milliseconds(mean("inter_token_latency_ms"));
  const config::Node* latency = member(metrics, "request_latency");
  point.requests = figures.number(member(latency, "successful", "count"));
  point.failed = figures.number(member(latency, "errored", "count"));
  return point;
}

// {<metric>: {unit, avg, …}}, times in milliseconds.
std::optional<ServingPoint> read_aiperf(const config::Node& root, Figures& figures) {
  const auto average = [&](std::string_view name) { return member(&root, name, "avg"); };
  ServingPoint point;
  point.tool = "aiperf";
  point.output_throughput = figures.number(average("output_token_throughput"));
  if (point.output_throughput == 0) return std::nullopt;
  const config::Node* config = member(&root, "input_config");
  const config::Node* models = member(config, "endpoint", "model_names");
  if (models != nullptr && !models->items.empty()) point.model = text_or_empty(&models->items[0]);
  point.concurrency = figures.number(member(config, "loadgen", "concurrency"));
  point.request_rate = figures.number(member(config, "loadgen", "request_rate"));
  point.requests = figures.number(average("request_count"));
  point.failed = figures.number(average("error_request_count"));
  point.request_throughput = figures.number(average("request_throughput"));
  point.input_tokens = figures.number(average("input_sequence_length"));
  point.output_tokens = figures.number(average("output_sequence_length"));
  point.first_token = figures.milliseconds(average("time_to_first_token"));
  point.per_token = figures.milliseconds(average("inter_token_latency"));
  return point;
}

// Which of their keys a tree has, though no load could be read from it.
bool is_result(const config::Node& root) {
  return member(&root, "completed") != nullptr || member(&root, "benchmarks") != nullptr ||
         member(&root, "output_token_throughput") != nullptr;
}

// Requests that failed took no time on the engine: the figures are of another load.
Result<bool> check_failures(const config::Document& document, const ServingPoint& point,
                            std::vector<Notice>& notices) {
  if (point.failed <= 0) return true;
  const double all = point.requests + point.failed;
  const std::string words = fmt::format("{:.0f} of {:.0f} requests failed", point.failed, all);
  constexpr double kMaxFailedShare = 0.1;
  if (point.failed > kMaxFailedShare * all)
    return document.error(lf::kNoMeasurement, document.root.position,
                          words + ": what is left is no measurement of that load",
                          "find out why they failed, and measure again");
  notices.push_back({"failed-requests", Severity::kCaution,
                     fmt::format("{}: {}, and the figures are of the rest", document.file, words)});
  return true;
}

}  // namespace

Result<ServingFile> read_serving_json(const config::Document& document) {
  ServingFile found;
  Figures figures(document);
  const config::Node& root = document.root;
  if (const config::Node* benchmarks = member(&root, "benchmarks")) {
    for (const config::Node& benchmark : benchmarks->items) {
      if (auto point = read_guidellm(benchmark, root, figures))
        found.points.push_back(*std::move(point));
    }
  } else {
    auto point = read_vllm(root, figures);
    if (!point) point = read_aiperf(root, figures);
    if (point) found.points.push_back(*std::move(point));
  }
  TRY([[maybe_unused]] const bool sound, figures.check());
  if (found.points.empty() && is_result(root))
    return document.error(lf::kNoMeasurement, root.position,
                          "a load generator's result without a completed request or a rate",
                          "measure again: nothing was served");
  for (const ServingPoint& point : found.points) {
    TRY([[maybe_unused]] const bool served, check_failures(document, point, found.notices));
  }
  return found;
}

}  // namespace loadfactor::calibrate
