// The JSON form of a search: plans as other programs rely on them.
#include <string>
#include <utility>

#include "report/json_answer.h"
#include "report/train/payment_json.h"
#include "report/train/search_report.h"

namespace loadfactor::report {
namespace {

Json plan_of(const SearchPlan& plan) {
  const auto& train = plan.train;
  const auto& l = train.layout;
  Json json{{"accelerator", train.accelerator},
            {"gpus", l.gpus},
            {"tp", l.tp},
            {"pp", l.pp},
            {"vp", l.vp},
            {"first_layers", l.first_layers},
            {"last_layers", l.last_layers},
            {"cp", l.cp},
            {"ep", l.ep},
            {"etp", l.etp},
            {"dp", l.dp},
            {"zero", l.sharding},
            {"shard_group", l.shard_group},
            {"micro_batch", l.micro_batch},
            {"recompute", l.recompute},
            {"schedule", l.schedule},
            {"sequence_parallel", l.sequence_parallel},
            {"offload", l.offload},
            {"offload_layers", l.offload_layers},
            {"layout_keys", train.layout_keys},
            {"precision", train.precision},
            {"step_time", quantity(train.step_time.erased())},
            {"tokens_per_s", quantity(train.tokens_per_s.erased())},
            {"mfu", quantity(train.mfu.erased())},
            {"memory", quantity(train.memory.erased())},
            {"memory_percent", 100.0 * plan.memory_share}};
  if (train.cost) {
    json["cost"] = quantity(train.cost->erased());
  } else if (train.cost_per_token) {
    json["cost"] = quantity(train.cost_per_token->erased());
  }
  add_payment(train, json);
  if (train.duration) json["duration"] = quantity(train.duration->erased());
  if (train.goodput) json["goodput"] = quantity(train.goodput->value.erased());
  json["step_energy"] = quantity(plan.step_energy.erased());
  if (plan.run_energy) json["run_energy"] = quantity(plan.run_energy->erased());
  json["power"] =
      quantity(EstimateOf<Watts>::exact(plan.power, Basis::kModelled, "catalogue").erased());
  json["behind_percent"] = 100.0 * plan.behind;
  json["why"] = plan.why;
  if (!plan.best_in.empty()) json["best_in"] = plan.best_in;
  return json;
}

Json plans_of(const std::vector<SearchPlan>& plans) {
  Json array = Json::array();
  for (const auto& plan : plans) array.push_back(plan_of(plan));
  return array;
}

}  // namespace

std::string search_json(const SearchAnswer& answer, const std::string& file, bool reproducible) {
  Json json;
  json["verdict"] = answer.verdict;
  json["model"] = answer.model;
  json["objective"] = answer.objective_words;
  json["sequence"] = answer.sequence;
  json["enumerated"] = answer.enumerated;
  json["evaluated"] = answer.evaluated;
  json["machines"] = answer.machines;
  json["exhaustive"] = answer.exhaustive;
  json["stopped"] = answer.stopped;
  json["headroom_percent"] = 100.0 * answer.headroom;
  if (!reproducible) json["seconds"] = answer.seconds;
  json["plans"] = plans_of(answer.plans);
  json["front"] = plans_of(answer.front);
  json["excluded"] = Json::array();
  for (const auto& machine : answer.excluded)
    json["excluded"].push_back({{"what", machine.what}, {"why", machine.why}});
  json["missed"] = missed_keys(answer.missed);
  if (!answer.nearest.empty()) json["nearest"] = answer.nearest;
  return envelope("train", Json{{"name", answer.scenario}, {"file", file}}, std::move(json),
                  answer.notices, answer.facts);
}

}  // namespace loadfactor::report
