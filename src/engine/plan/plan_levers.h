// What would change the plan of a service.
#pragma once

#include "engine/fill/fill.h"
#include "engine/fill/serve_search.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_traffic.h"

namespace loadfactor::engine {

struct ServingFacts {
  const PlanInputs& question;
  const SizeAnswer& found;
  const FillAnswer& fill;
  const DeploymentRow& row;  // What is filled and priced.
  int present = 0;           // GPUs that are there already.
  const TrafficPlans& traffic;
};

// The options to choose between; nothing where there is none.
const PlanOption* cheapest_api(const PlanAnswer& answer);
const PlanOption* cheapest_machines(const PlanAnswer& answer);

// Nothing where it has no price.
std::optional<PricedDeployment> price_deployment(const Core& engine, const PlanInputs& question,
                                                 const DeploymentRow& row);

// How the machines are paid for, and what could not be weighed against them.
void add_comparison(const ServingFacts& facts, PlanAnswer& answer);
class Replanner;
void add_serving_levers(const Core& engine, const ServingFacts& facts, const Replanner& replans,
                        PlanAnswer& answer);

}  // namespace loadfactor::engine
