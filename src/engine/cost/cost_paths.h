// What options cost over the horizon while rents and the price of tokens move.
#pragma once

#include "economics/evaluate.h"
#include "economics/price_path.h"
#include "loadfactor/cost.h"
#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine {

// Present cost of an option over the horizon on a path of rents; tokens fall by their half-life,
// reservations are renewed at the rent of the day, what is owned is sold at the end at a price
// that follows the rent.
Dollars present_cost_on(const CostSetup& setup, const economics::OptionFigures& figures,
                        const economics::PriceCurve& rent);

// The path that the scenario states: its curve, else flat.
economics::PriceCurve stated_path(const CostSetup& setup);

// Regret on named paths and on simulated ones.
void add_paths(CostSetup& setup, const economics::CostFigures& figures, CostAnswer& answer);

}  // namespace loadfactor::engine
