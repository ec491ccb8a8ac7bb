// Tells what kind of measurement a file holds.
#include "base/error_codes.h"
#include "calibrate/measurement/measurement.h"
#include "calibrate/measurement/measurement_json.h"
#include "calibrate/measurement/measurement_nccl.h"
#include "calibrate/measurement/measurement_serving.h"

namespace loadfactor::calibrate {
namespace {

Error nothing_known(const std::string& file) {
  return Error{.code = lf::kUnknownMeasurement,
               .message = "this is no measurement that we can read",
               .hint =
                   "a probe's JSON, nccl-tests, a vLLM, GuideLLM or AIPerf result, or a log of "
                   "Megatron, torchtitan or DeepSpeed",
               .where = {.file = file}};
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
  if (text[first] == '{') return read_json_measurement(file, text);
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
