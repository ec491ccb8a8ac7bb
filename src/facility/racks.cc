#include "facility/racks.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loadfactor::facility {
namespace {

std::int64_t nodes_that_fit(const RackQuestion& ask, Watts limit) {
  const double by_power = std::floor(limit / ask.node_rated + 1e-9);
  if (ask.node_units <= 0 || ask.rack_units <= 0) return static_cast<std::int64_t>(by_power);
  const int by_height = ask.rack_units / ask.node_units;
  return std::min(static_cast<std::int64_t>(by_power), static_cast<std::int64_t>(by_height));
}

DollarsPerSecond running_cost(const RackPlan& plan, const RackQuestion& ask,
                              const SpacePrices& prices) {
  const Watts rated = ask.node_rated * ask.nodes;
  const bool dense = prices.dense_above > Watts() && plan.rack_power > prices.dense_above;
  const double premium = dense ? 1.0 + prices.dense_premium : 1.0;
  return rated * prices.space * premium +
         rated * prices.electrical_load * plan.pue * prices.electricity;
}

RackPlan plan_one(const RackQuestion& ask, const Cooling& way, const SpacePrices& prices) {
  RackPlan plan;
  plan.cooling = way.name;
  plan.pue = way.pue;
  const Watts limit = ask.site_limit ? std::min(*ask.site_limit, way.rack_limit) : way.rack_limit;
  plan.rack_limit = limit;
  plan.nodes_per_rack = nodes_that_fit(ask, limit);
  plan.site_power = ask.node_rated * ask.nodes * way.pue;
  if (ask.needs_liquid && !way.liquid) {
    plan.obstacle = RackObstacle::kLiquidOnly;
    return plan;
  }
  if (plan.nodes_per_rack < 1) {
    plan.obstacle = RackObstacle::kPower;
    return plan;
  }
  plan.legal = true;
  plan.racks = static_cast<std::int64_t>(
      std::ceil(ask.nodes / static_cast<double>(plan.nodes_per_rack) - 1e-9));
  plan.rack_power = ask.node_rated * static_cast<double>(plan.nodes_per_rack);
  plan.cost = running_cost(plan, ask, prices);
  return plan;
}

}  // namespace

std::vector<RackPlan> plan_racks(const RackQuestion& ask, const std::vector<Cooling>& ways,
                                 const SpacePrices& prices) {
  std::vector<RackPlan> plans;
  plans.reserve(ways.size());
  for (const auto& way : ways) plans.push_back(plan_one(ask, way, prices));
  return plans;
}

std::optional<RackPlan> cheapest_legal(const std::vector<RackPlan>& plans) {
  std::optional<RackPlan> best;
  for (const auto& plan : plans) {
    if (!plan.legal) continue;
    if (!best || plan.cost < best->cost) best = plan;
  }
  return best;
}

double floor_area(std::int64_t racks, double square_metres_per_rack) {
  return static_cast<double>(racks) * square_metres_per_rack;
}

}  // namespace loadfactor::facility
