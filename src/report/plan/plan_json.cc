// The JSON form of a plan.
#include <string>
#include <utility>

#include "report/json_answer.h"
#include "report/plan/plan_report.h"

namespace loadfactor::report {
namespace {

using engine::PlanAnswer;

template <typename Q>
Json maybe(const std::optional<EstimateOf<Q>>& figure) {
  return figure ? quantity(figure->erased()) : Json(nullptr);
}

Json option_of(const engine::PlanOption& option) {
  const CostOption& cost = option.cost;
  const auto& month = cost.per_month;
  const EstimateOf<Dollars> amount =
      EstimateOf<Dollars>::exact(option.amount, month.basis(), month.source());
  return {{"name", cost.name},
          {"kind", cost.kind},
          {"accelerator", option.accelerator},
          {"gpus", cost.gpus},
          {"load_factor", maybe(cost.load_factor)},
          {"break_even", maybe(cost.break_even)},
          {"break_even_life", maybe(cost.break_even_life)},
          {"against", cost.against},
          {"per_month", quantity(month.erased())},
          {"cost", quantity(amount.erased())},
          {"per_mtoken", maybe(cost.per_mtoken)},
          {"why", option.why}};
}

Json machine_of(const engine::PlanMachine& machine) {
  return {{"accelerator", machine.accelerator},
          {"gpus", machine.gpus},
          {"replicas", machine.replicas},
          {"nodes", machine.nodes},
          {"tp", machine.tp},
          {"pp", machine.pp},
          {"precision", machine.precision},
          {"layout", machine.layout},
          {"procurement", machine.procurement},
          {"cooling", machine.cooling},
          {"network", machine.network}};
}

void add_lists(const PlanAnswer& answer, Json& json) {
  json["options"] = Json::array();
  for (const auto& option : answer.options) json["options"].push_back(option_of(option));
  json["runners"] = Json::array();
  for (const auto& runner : answer.runners)
    json["runners"].push_back(
        {{"name", runner.name},
         {"cost_usd", runner.cost > Dollars() ? Json(runner.cost.base()) : Json(nullptr)},
         {"why", runner.why}});
  json["levers"] = Json::array();
  for (const auto& lever : answer.levers)
    json["levers"].push_back({{"name", lever.name}, {"effect", lever.effect}});
  json["flips"] = Json::array();
  for (const auto& flip : answer.flips)
    json["flips"].push_back(
        {{"traffic", flip.traffic}, {"decision", std::string(words_of(flip.decision))}});
  json["gates"] = Json::array();
  for (const auto& gate : answer.gates)
    json["gates"].push_back({{"gate", gate.text}, {"holds", gate.holds}, {"words", gate.words}});
  json["fleet_load_pct"] = answer.fleet_load ? Json(100 * *answer.fleet_load) : Json(nullptr);
  json["losses_pct"] = Json::object();
  for (const auto& [name, share] : answer.losses) json["losses_pct"][name] = 100 * share;
  json["curve"] = Json::array();
  for (const auto& point : answer.curve)
    json["curve"].push_back({{"gpus", point.gpus},
                             {"load_factor_pct", 100 * point.load_factor},
                             {"within_slo_pct", 100 * point.within_slo},
                             {"efficiency_pct", 100 * point.efficiency}});
  json["assumptions"] = Json::array();
  for (const auto& each : answer.assumptions)
    json["assumptions"].push_back({{"what", each.what},
                                   {"value", each.value},
                                   {"basis", each.basis},
                                   {"source", each.source},
                                   {"date", each.date},
                                   {"where", each.where}});
  json["commands"] = answer.commands;
}

}  // namespace

std::string plan_json(const PlanAnswer& answer, const std::string& file,
                      const std::string& report) {
  Json json;
  json["verdict"] = answer.verdict;
  json["decision"] = std::string(words_of(answer.decision));
  json["work"] = answer.is_training ? "train" : "serve";
  json["load_factor"] = maybe(answer.load_factor);
  json["break_even"] = maybe(answer.break_even);
  json["against"] = answer.against;
  json["close_call"] = answer.is_close;
  json["plan"] = answer.machine ? machine_of(*answer.machine) : Json(nullptr);
  json["duration"] = maybe(answer.duration);
  json["deadline_met"] = answer.deadline_met ? Json(*answer.deadline_met) : Json(nullptr);
  add_lists(answer, json);
  json["report"] = report.empty() ? Json(nullptr) : Json(report);
  return envelope("plan", Json{{"name", answer.scenario}, {"file", file}}, std::move(json),
                  answer.notices, answer.facts);
}

}  // namespace loadfactor::report
