// The JSON form of a sized deployment; the contract is data/schema/sizing.schema.json.
#include <utility>

#include "report/json_answer.h"
#include "report/serve/serve_search_report.h"

namespace loadfactor::report {
namespace {

using engine::DeploymentRow;
using engine::SearchAnswer;

constexpr const char* kModel = "serving model";

template <typename Q>
Json modelled(Q value, const char* source) {
  return quantity(EstimateOf<Q>::exact(value, Basis::kModelled, source).erased());
}

Json price_json(const std::optional<Dollars>& price) {
  return price ? modelled(*price, "prices") : Json(nullptr);
}

Json weeks_json(const search::WeekCount& weeks) {
  return {{"weeks", weeks.weeks}, {"kept", weeks.kept}};
}

Json prompts_json(const DeploymentRow& r) {
  if (r.prompt_replicas == 0) return nullptr;
  return {{"replicas", r.prompt_replicas},
          {"tp", r.prompt_layout.tp},
          {"pp", r.prompt_layout.pp},
          {"ep", r.prompt_layout.ep},
          {"dp", r.prompt_layout.dp}};
}

Json goodput_json(const DeploymentRow& r) {
  using TokensPerDollar = Quantity<Dimension{.money = -1, .token = 1}>;
  if (!r.goodput_per_dollar) return nullptr;
  return modelled(TokensPerDollar::from_base(*r.goodput_per_dollar), "prices");
}

Json scaled_json(const DeploymentRow& r) {
  if (!r.scaled) return nullptr;
  return {{"gpus", modelled(Gpus::from_base(r.scaled->gpus), kModel)},
          {"target_load", r.scaled->target_load},
          {"within_slo", modelled(r.scaled->within_slo, kModel)},
          {"kept", r.scaled->kept}};
}

Json row_json(const DeploymentRow& r) {
  const auto gpu_time = Gpus::from_base(1) * Seconds::from_base(3600e-6 * r.gpu_hours_per_mtoken) /
                        Tokens::from_base(1);
  return {{"accelerator", r.accelerator},
          {"precision", r.precision},
          {"tp", r.layout.tp},
          {"pp", r.layout.pp},
          {"ep", r.layout.ep},
          {"dp", r.layout.dp},
          {"prompts", prompts_json(r)},
          {"max_seqs", r.max_seqs},
          {"chunk", r.chunk},
          {"replicas", r.replicas},
          {"spares", r.spares},
          {"gpus", r.gpus},
          {"per_hour", price_json(r.per_hour)},
          {"per_mtoken", price_json(r.per_mtoken)},
          {"gpu_time_per_token", modelled(gpu_time, kModel)},
          {"goodput_per_dollar", goodput_json(r)},
          {"load_factor", modelled(r.load_factor, kModel)},
          {"rate_per_replica", modelled(r.rate_per_replica, kModel)},
          {"most_mean_rate", modelled(r.most_mean, kModel)},
          {"tokens_per_gpu", modelled(TokensPerSecond::from_base(r.tokens_per_gpu), kModel)},
          {"ttft", modelled(r.ttft, kModel)},
          {"tpot", modelled(r.tpot, kModel)},
          {"autoscaled_gpus", modelled(Gpus::from_base(r.autoscaled_gpus), kModel)},
          {"autoscaled", scaled_json(r)},
          {"calibrated", r.is_calibrated},
          {"confirmed", r.is_confirmed},
          {"simulated", weeks_json(r.simulated)},
          {"fluid_weeks_kept", r.weeks_kept},
          {"fluid_weeks_kept_with_fewer", r.weeks_kept_with_fewer}};
}

}  // namespace

std::string search_json(const SearchAnswer& answer, const std::string& file, bool reproducible) {
  Json json;
  json["verdict"] = search_verdict(answer);
  json["mean_rate"] = modelled(answer.mean, "demand");
  json["peak_rate"] = modelled(answer.peak, "demand");
  json["enumerated"] = answer.enumerated;
  json["evaluated"] = answer.fitting;
  json["meeting"] = answer.meeting;
  json["simulated_requests"] = answer.simulated_requests;
  if (!reproducible) json["seconds"] = answer.seconds;
  json["deployments"] = Json::array();
  for (const auto& r : answer.rows) json["deployments"].push_back(row_json(r));
  json["nothing_cheaper"] = answer.is_smallest;
  if (answer.next_cheaper)
    json["next_cheaper"] = {{"deployment", row_json(answer.next_cheaper->row)},
                            {"fluid", answer.next_cheaper->is_fluid},
                            {"simulated", weeks_json(answer.next_cheaper->simulated)}};
  if (answer.most) json["most_for_fleet"] = row_json(*answer.most);
  json["pareto"] = Json::array();
  for (const auto& r : answer.pareto) json["pareto"].push_back(row_json(r));
  json["relaxed"] = Json::array();
  for (const auto& r : answer.relaxed)
    json["relaxed"].push_back({{"change", r.change},
                               {"per_hour", price_json(r.per_hour)},
                               {"saving", modelled(r.saving, kModel)}});
  return envelope("serve", Json{{"name", answer.scenario}, {"file", file}}, std::move(json),
                  answer.notices, {});
}

}  // namespace loadfactor::report
