// The JSON form of a serving answer.
#include <string>
#include <utility>

#include "report/json_answer.h"
#include "report/serve/serve_report.h"

namespace loadfactor::report {
namespace {

Json ratio(double value) {
  return quantity(
      EstimateOf<double>::exact(value, Basis::kCalibrated, "calibration/serving.yaml").erased());
}

// A count that is as uncertain, in ratios, as the figure that decides it.
template <typename Q>
Json count_like(double count, const EstimateOf<Q>& figure) {
  const double value = any(figure.value()).value;
  const auto end = [&](Q at) { return value > 0 ? count * any(at).value / value : count; };
  return quantity(EstimateOf<double>(count, end(figure.low()), end(figure.high()),
                                     Basis::kCalibrated, "calibration/serving.yaml")
                      .erased());
}

void add_batches(const ServeAnswer& answer, Json& json) {
  if (answer.batches.empty()) return;
  json["batches"] = Json::array();
  for (const auto& row : answer.batches) {
    json["batches"].push_back({{"batch", row.batch},
                               {"output_rate", quantity(row.output_rate.erased())},
                               {"tpot", quantity(row.tpot.erased())},
                               {"mfu", ratio(row.mfu)},
                               {"mbu", ratio(row.mbu)},
                               {"speedup", ratio(row.speedup)}});
  }
}

void add_step(const ServeAnswer& answer, Json& json) {
  const auto time = [](Seconds value) {
    return quantity(
        EstimateOf<Seconds>::within(value, 0.2, Basis::kCalibrated, "calibration/serving.yaml")
            .erased());
  };
  json["step"] = {{"decode", time(answer.decode_step)}, {"prompt", time(answer.prompt_step)}};
  json["breakdown"] = Json::array();
  for (const auto& part : answer.parts)
    json["breakdown"].push_back(
        {{"name", part.name}, {"decode", time(part.decode)}, {"prompt", time(part.prompt)}});
}

}  // namespace

std::string serve_json(const ServeAnswer& a, const std::string& file) {
  Json json;
  json["verdict"] = serve_verdict(a);
  json["model"] = a.model;
  json["accelerator"] = a.accelerator;
  json["engine"] = a.engine;
  json["precision"] = a.precision;
  json["kv"] = a.kv_format;
  json["layout"] = {{"tp", a.tp},
                    {"pp", a.pp},
                    {"ep", a.ep},
                    {"dp", a.dp},
                    {"replicas", a.replicas},
                    {"gpus", a.gpus},
                    {"prompt_gpus", a.prompt_gpus},
                    {"chunk", a.chunk},
                    {"max_seqs", a.max_sequences}};
  json["weights"] = quantity(a.weights_per_gpu.erased());
  json["kv_space"] = quantity(a.kv_per_gpu.erased());
  json["kv_tokens"] = quantity(a.kv_tokens.erased());
  json["sequences"] = count_like(a.sequences, a.kv_tokens);
  json["load"] = a.load;
  json["feasible"] = a.feasible;
  if (!a.feasible) json["replicas_needed"] = a.replicas_needed;
  if (a.utilisation) json["utilisation"] = ratio(*a.utilisation);
  json["saturated"] = quantity(a.saturated.erased());
  json["saturated_per_gpu"] = quantity(a.saturated_per_gpu.erased());
  json["saturated_requests"] = quantity(a.saturated_requests.erased());
  json["throughput"] = quantity(a.output_rate.erased());
  json["ttft"] = {{"mean", quantity(a.ttft.erased())}};
  json["tpot"] = {{"mean", quantity(a.tpot.erased())}};
  json["latency"] = {{"mean", quantity(a.latency.erased())}};
  json["batch"] = count_like(a.running, a.latency);
  json["mfu"] = quantity(a.mfu.erased());
  json["mbu"] = quantity(a.mbu.erased());
  json["energy_per_token"] = quantity(a.energy_per_token.erased());
  json["limit"] = a.limit;
  json["slo"] = a.slo;
  json["pace"] = ratio(a.pace);
  add_step(a, json);
  add_batches(a, json);
  return envelope("serve", Json{{"name", a.scenario}, {"file", file}}, std::move(json), a.notices,
                  a.facts);
}

}  // namespace loadfactor::report
