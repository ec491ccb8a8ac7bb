// Tells what kind of measurement a file holds.
#include "base/error_codes.h"
#include "calibrate/measurement/measurement.h"
#include "calibrate/measurement/measurement_json.h"
#include "calibrate/measurement/measurement_nccl.h"
#include "calibrate/measurement/measurement_serving.h"
#include "calibrate/measurement/run_metrics.h"
#include "calibrate/measurement/server_log.h"

namespace loadfactor::calibrate {
namespace {

Error nothing_known(const std::string& file) {
  return Error{
      .code = lf::kUnknownMeasurement,
      .message = "this is no measurement that we can read",
      .hint =
          "a probe's JSON, nccl-tests, a vLLM, SGLang, GuideLLM or AIPerf result, a log of "
          "Megatron, torchtitan, DeepSpeed, vLLM or SGLang, metrics of MLflow or Weights & "
          "Biases, a torch profiler trace, or an SQLite export of Nsight Systems",
      .where = {.file = file}};
}

template <class Kind>
Result<Measurement> measurement_of(Result<Kind> read) {
  if (!read) return read.error();
  return Measurement(*std::move(read));
}

// Objects of one line each: the history of a run, or results that a load generator appended.
std::optional<Result<Measurement>> read_json_lines(const std::string& file,
                                                   const std::string& text) {
  const auto second = text.find('\n');
  const auto next = text.find_first_not_of(" \t\r\n", std::min(second, text.size()));
  if (next == std::string::npos || text[next] != '{') return std::nullopt;
  if (auto history = read_wandb_lines(file, text)) return measurement_of(*std::move(history));
  ServingFile all;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto document = config::parse_json(file, line);
    if (!document) return std::nullopt;
    auto serving = read_serving_json(*document);
    if (!serving) return serving.error();
    all.points.insert(all.points.end(), serving->points.begin(), serving->points.end());
    all.notices.insert(all.notices.end(), serving->notices.begin(), serving->notices.end());
  }
  if (all.points.empty()) return std::nullopt;
  return Result<Measurement>(Measurement(std::move(all)));
}

Result<Measurement> read_json_measurement(const std::string& file, const std::string& text) {
  TRY(const auto document, config::parse_json(file, text));
  if (text_or_empty(member(&document.root, "schema")).starts_with("probe/")) {
    TRY(auto probe, read_probe(file, text));
    return Measurement(std::move(probe));
  }
  if (is_nccl_json(document.root)) {
    TRY(auto collectives, read_nccl_json(document));
    return Measurement(std::move(collectives));
  }
  if (auto metrics = read_mlflow_json(document)) return measurement_of(*std::move(metrics));
  TRY(ServingFile serving, read_serving_json(document));
  if (!serving.points.empty()) return Measurement(std::move(serving));
  return nothing_known(file);
}

}  // namespace

Result<Measurement> read_measurement(const std::string& file, const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos)
    return Error{.code = lf::kEmptyFile,
                 .message = "the file is empty",
                 .hint = "give the file a tool wrote: `loadfactor calibrate probe.json`",
                 .where = {.file = file}};
  if (text[first] == '{') {
    if (auto lines = read_json_lines(file, text)) return *std::move(lines);
    return read_json_measurement(file, text);
  }
  if (auto metric = read_mlflow_metric(file, text)) return measurement_of(*std::move(metric));
  if (auto table = read_metric_table(file, text)) return measurement_of(*std::move(table));
  if (auto server = read_server_log(file, text)) return measurement_of(*std::move(server));
  auto log = read_training_log(file, text);
  if (log) return Measurement(*std::move(log));
  if (log.error().where.line > 0) return log.error();  // It is one, but says no time.
  auto collectives = read_nccl_text(file, text);
  if (collectives) return Measurement(*std::move(collectives));
  const auto says = [&](std::string_view word) { return text.find(word) != std::string::npos; };
  if (says("nccl-tests") || says("busbw") || !nccl_operation(text).empty())
    return collectives.error();
  return nothing_known(file);
}

}  // namespace loadfactor::calibrate
