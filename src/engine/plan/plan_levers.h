// The sentence of a serving plan, and what would change it.
#pragma once

#include "engine/fill/fill.h"
#include "engine/fill/serve_search.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_traffic.h"

namespace loadfactor::engine {

struct ServingFacts {
  const PlanQuestion& question;
  const SearchAnswer& found;
  const FillAnswer& fill;
  const DeploymentRow& row;  // What is filled and priced.
  int present = 0;           // GPUs that are there already.
  const TrafficPlans& traffic;
};

// The options to choose between, as indices into answer.options; nothing where there is none.
const PlanOption* cheapest_api(const PlanAnswer& answer);
const PlanOption* cheapest_machines(const PlanAnswer& answer);

// The cheapest way to have all of one deployment around the clock: filled and priced like the
// answer itself.
struct PricedDeployment {
  Dollars per_month;
  std::string option;
  double load_factor = 0;
  std::optional<Dollars> api;
};
std::optional<PricedDeployment> price_deployment(const Engine& engine, const PlanQuestion& question,
                                                 const DeploymentRow& row);

void add_serving_verdict(const ServingFacts& facts, PlanAnswer& answer);
void add_serving_levers(const Engine& engine, const ServingFacts& facts, PlanAnswer& answer);

}  // namespace loadfactor::engine
