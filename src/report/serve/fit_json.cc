// The JSON form of a fit answer; the contract is data/schema/fit.schema.json.
#include <limits>
#include <string>
#include <utility>

#include "report/json_answer.h"
#include "report/serve/fit_report.h"

namespace loadfactor::report {
namespace {

Json deployment(const SmallestDeployment& row) {
  return {{"accelerator", row.accelerator},
          {"gpus", row.gpus},
          {"tp", row.tp},
          {"pp", row.pp},
          {"sequences", row.sequences}};
}

Json question(const FitRequest& request) {
  Json json;
  json["model"] = request.model;
  if (!request.accelerator.empty()) json["gpu"] = request.accelerator;
  if (request.tp > 0) json["tp"] = request.tp;
  if (request.pp > 1) json["pp"] = request.pp;
  if (request.ep > 1) json["ep"] = request.ep;
  if (!request.quantisation.empty()) json["quant"] = request.quantisation;
  if (!request.kv_dtype.empty()) json["kv"] = request.kv_dtype;
  if (request.context > 0) json["context"] = request.context;
  if (!request.engine.empty()) json["engine"] = request.engine;
  if (request.memory_fraction) json["util"] = *request.memory_fraction;
  if (request.batched_tokens) json["chunk"] = *request.batched_tokens;
  if (request.max_sequences) json["max_seqs"] = *request.max_sequences;
  return json;
}

Json layout_of(const FitAnswer& answer) {
  return {{"accelerator", answer.accelerator},
          {"gpus", answer.tp * answer.pp * answer.dp},
          {"tp", answer.tp},
          {"pp", answer.pp},
          {"ep", answer.ep},
          {"dp", answer.dp},
          {"engine", answer.engine},
          {"quant", answer.quantisation},
          {"kv", answer.kv_dtype},
          {"context", answer.context}};
}

void add_memory(const FitAnswer& answer, Json& json) {
  const auto exact = [&answer](AnyQuantity value) {
    return quantity(Estimate{value.value, value.value, value.value, value.dimension,
                             answer.weights.basis(), answer.weights.source()});
  };
  json["weights"] = quantity(answer.weights.erased());
  json["weights_per_gpu"] = quantity(answer.weights_per_gpu.erased());
  json["kv_per_token"] = exact(any(answer.kv_per_token));
  json["state_per_sequence"] = exact(any(answer.state_per_sequence));
  json["kv_tokens"] = quantity(answer.kv_tokens.erased());
  Json lines = Json::array();
  for (const auto& line : answer.lines)
    lines.push_back(
        {{"name", line.name}, {"bytes", quantity(line.bytes.erased())}, {"why", line.why}});
  json["memory"] = std::move(lines);
}

}  // namespace

std::string fit_json(const FitAnswer& answer, const FitRequest& request) {
  Json json;
  json["verdict"] = fit_verdict(answer);
  json["model"] = answer.model;
  json["parameters"] = {{"total", answer.parameters_total},
                        {"active", answer.parameters_active},
                        {"mtp", answer.parameters_mtp}};
  json["layout"] = layout_of(answer);
  add_memory(answer, json);
  json["sequences"] = answer.sequences;
  json["sequences_low"] = answer.sequences_low;
  json["sequences_high"] = answer.sequences_high;
  Json lengths = Json::array();
  for (const auto& count : answer.by_length)
    lengths.push_back({{"tokens", count.tokens}, {"sequences", count.sequences}});
  json["sequences_by_length"] = std::move(lengths);
  json["fits"] = answer.fits;
  json["min_gpus"] = answer.min_gpus;
  json["same_chip"] = Json::array();
  for (const auto& row : answer.smaller) json["same_chip"].push_back(deployment(row));
  json["elsewhere"] = Json::array();
  for (const auto& row : answer.elsewhere) json["elsewhere"].push_back(deployment(row));
  return envelope("fit", question(request), std::move(json), answer.notices, answer.facts);
}

}  // namespace loadfactor::report
