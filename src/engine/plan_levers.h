// The sentence of a serving plan, and what would change it.
#pragma once

#include "engine/fill.h"
#include "engine/plan.h"
#include "engine/serve_search.h"

namespace loadfactor::engine {

struct ServingFacts {
  const PlanQuestion& question;
  const SearchAnswer& found;
  const FillAnswer& fill;
  int present = 0;  // GPUs that are there already.
};

// The options to choose between, as indices into answer.options; nothing where there is none.
const PlanOption* cheapest_api(const PlanAnswer& answer);
const PlanOption* cheapest_machines(const PlanAnswer& answer);

void add_serving_verdict(const ServingFacts& facts, PlanAnswer& answer);
void add_serving_levers(const Engine& engine, const ServingFacts& facts, PlanAnswer& answer);

}  // namespace loadfactor::engine
