// The JSON forms of how full a fleet is; the contract is data/schema/fill.schema.json.
#include <cmath>
#include <string>
#include <utility>

#include "report/json_answer.h"
#include "report/serve/fill_report.h"

namespace loadfactor::report {
namespace {

using engine::FillAnswer;

template <typename Q>
Json modelled(Q value, const std::string& source) {
  return quantity(EstimateOf<Q>::exact(value, Basis::kModelled, source).erased());
}

Json losses_json(const serving::FillLosses& l, const std::string& source) {
  return {{"demand", modelled(l.demand, source)},
          {"shape", modelled(l.shape, source)},
          {"headroom", modelled(l.headroom, source)},
          {"slo", modelled(l.slo, source)},
          {"rounding", modelled(l.rounding, source)}};
}

void add_curve(const FillAnswer& answer, const std::string& source, Json& json) {
  json["curve"] = Json::array();
  for (const auto& p : answer.curve)
    json["curve"].push_back({{"gpus", p.gpus},
                             {"replicas", p.replicas},
                             {"load_factor", modelled(p.load_factor, source)},
                             {"per_mtoken", modelled(p.per_mtoken, "prices")},
                             {"within_slo", modelled(p.within_slo, source)},
                             {"knee", p.is_knee}});
}

void add_pooling(const FillAnswer& answer, const std::string& source, Json& json) {
  json["pooling"] = Json::array();
  for (const auto& r : answer.pooling)
    json["pooling"].push_back({{"services", r.services},
                               {"gpus_apart", r.gpus_apart},
                               {"gpus_pooled", r.gpus_pooled},
                               {"load_factor_apart", modelled(r.load_apart, source)},
                               {"load_factor_pooled", modelled(r.load_pooled, source)},
                               {"per_mtoken_apart", modelled(r.per_mtoken_apart, "prices")},
                               {"per_mtoken_pooled", modelled(r.per_mtoken_pooled, "prices")}});
}

Json neighbour_json(const engine::Neighbour& n, const std::string& source) {
  return {{"gpus", n.point.gpus},
          {"replicas", n.point.replicas},
          {"load_factor", modelled(n.point.load_factor, source)},
          {"within_slo", modelled(n.point.within_slo, source)},
          {"per_mtoken", modelled(n.point.per_mtoken, "prices")},
          {"per_month", modelled(n.per_month, "prices")}};
}

Json way_json(const engine::WayToPay& way, const std::string& source) {
  Json json{{"way", way.way}, {"price", modelled(way.price, "prices")}, {"pays", way.pays}};
  if (!std::isfinite(way.break_even)) return json;
  json["break_even"] = modelled(way.break_even, "prices");
  json["requests"] = modelled(way.requests, source);
  json["users"] = modelled(way.users, source);
  return json;
}

Json simulated_json(const engine::SimulatedFill& s) {
  constexpr const char* kSource = "simulation";
  return {{"load_factor", modelled(s.load_factor, kSource)},
          {"within_slo", modelled(s.within_slo, kSource)},
          {"ttft", modelled(s.ttft, kSource)},
          {"tpot", modelled(s.tpot, kSource)},
          {"kept", s.kept},
          {"requests", s.requests},
          {"share_of_demand", modelled(s.share_of_demand, kSource)}};
}

// By hour of the week, Monday first; hours without data are null.
Json week_json(const demand::WeekProfile& week, const std::string& source) {
  Json values = Json::array();
  for (const auto& day : week.rate) {
    Json hours = Json::array();
    for (const double hour : day) hours.push_back(hour < 0 ? Json(nullptr) : Json(hour));
    values.push_back(std::move(hours));
  }
  return {{"values", std::move(values)}, {"unit", "1"}, {"basis", "modelled"}, {"source", source}};
}

void add_crowd(const FillAnswer& answer, const std::string& source, Json& json) {
  json["crowd"] = Json::array();
  for (const auto& row : answer.crowd)
    json["crowd"].push_back({{"what", row.what},
                             {"load_factor", modelled(row.load_factor, source)},
                             {"requests", modelled(row.requests, source)},
                             {"users", modelled(row.users, source)},
                             {"reachable", row.is_reachable}});
  json["thresholds"] = Json::array();
  for (const auto& row : answer.thresholds)
    json["thresholds"].push_back({{"change", row.change},
                                  {"gpus", row.gpus},
                                  {"break_even", modelled(row.break_even, "prices")},
                                  {"fullest", modelled(row.fullest, source)},
                                  {"requests", modelled(row.requests, source)},
                                  {"users", modelled(row.users, source)},
                                  {"pays", row.pays()}});
}

}  // namespace

std::string fill_json(const FillAnswer& answer, const std::string& file) {
  const std::string& source = answer.load_factor.source();
  Json json;
  json["verdict"] = fill_verdict(answer);
  json["accelerator"] = answer.accelerator;
  json["gpus"] = answer.gpus;
  json["replicas"] = answer.replicas;
  json["tp"] = answer.layout.tp;
  json["load_factor"] = quantity(answer.load_factor.erased());
  if (answer.break_even) json["break_even"] = quantity(answer.break_even->erased());
  json["losses"] = losses_json(answer.load.losses, source);
  json["within_slo"] = modelled(answer.load.within_slo, source);
  json["mean_rate"] = modelled(answer.mean, answer.demand_words);
  json["peak_rate"] = modelled(answer.peak, answer.demand_words);
  json["replica_saturated"] = modelled(answer.replica.capacity.saturated, source);
  json["replica_at_slo"] = modelled(answer.replica.capacity.at_slo, source);
  json["week"] = week_json(answer.week, source);
  if (answer.prompt_replicas > 0)
    json["split"] = {{"prompts", answer.prompt_replicas}, {"answers", answer.answer_replicas}};
  add_curve(answer, source, json);
  if (answer.one_fewer) json["one_fewer"] = neighbour_json(*answer.one_fewer, source);
  if (answer.one_more) json["one_more"] = neighbour_json(*answer.one_more, source);
  if (answer.simulated) json["simulated"] = simulated_json(*answer.simulated);
  json["ways"] = Json::array();
  for (const auto& way : answer.ways) json["ways"].push_back(way_json(way, source));
  add_crowd(answer, source, json);
  add_pooling(answer, source, json);
  if (answer.smallest)
    json["smallest"] = {{"accelerator", answer.smallest->accelerator},
                        {"gpus", answer.smallest->gpus},
                        {"tp", answer.smallest->tp},
                        {"requests", modelled(answer.smallest->requests, source)},
                        {"break_even", modelled(answer.smallest->break_even, "prices")}};
  return envelope("fill", Json{{"name", answer.scenario}, {"file", file}}, std::move(json),
                  answer.notices, answer.facts);
}

std::string cluster_fill_json(const engine::ClusterFill& fill) {
  Json json;
  json["verdict"] = cluster_fill_verdict(fill);
  json["gpus"] = fill.gpus;
  json["load_factor"] =
      modelled(fill.useful.value_or(fill.busy.value_or(fill.allocated)), fill.file);
  json["allocated"] = modelled(fill.allocated, fill.file);
  if (fill.busy) json["busy"] = modelled(*fill.busy, fill.file);
  if (fill.useful) json["useful"] = modelled(*fill.useful, fill.file);
  json["jobs"] = fill.use.jobs;
  json["gpu_time"] =
      modelled(Gpus::from_base(1) * Seconds::from_base(fill.use.gpu_seconds), fill.file);
  json["week"] = week_json(fill.week, fill.file);
  json["curve"] = Json::array();
  for (const auto& p : fill.curve)
    json["curve"].push_back({{"gpus", p.gpus},
                             {"load_factor", modelled(p.load_factor, fill.file)},
                             {"held", modelled(p.within_slo, fill.file)}});
  return envelope("fill", Json{{"file", fill.file}}, std::move(json), fill.notices, {});
}

}  // namespace loadfactor::report
