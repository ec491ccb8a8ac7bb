#include "report/train/payment_json.h"

#include <utility>

namespace loadfactor::report {
namespace {

void add_binding(Seconds binds, Json& json) {
  if (binds > Seconds())
    json["binds"] =
        quantity(EstimateOf<Seconds>::exact(binds, Basis::kModelled, "scenario").erased());
}

}  // namespace

void add_payment(const TrainAnswer& train, Json& json) {
  if (train.option.empty()) return;
  json["option"] = train.option;
  add_binding(train.binds, json);
}

Json missed_keys(const std::vector<MissedLimit>& missed) {
  Json keys = Json::array();
  for (const auto& limit : missed) keys.push_back(limit.key);
  return keys;
}

void add_ways(const TrainAnswer& train, Json& json) {
  json["ways"] = Json::array();
  for (const RunWay& way : train.ways) {
    Json one{{"option", way.option},
             {"rate", quantity(way.rate.erased())},
             {"paid_gpus", way.gpus},
             {"goodput", quantity(way.goodput.erased())}};
    if (way.duration) one["duration"] = quantity(way.duration->erased());
    if (way.cost) one["cost"] = quantity(way.cost->erased());
    add_binding(way.binds, one);
    json["ways"].push_back(std::move(one));
  }
}

}  // namespace loadfactor::report
