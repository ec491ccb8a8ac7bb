// On what terms a chip can be had for a service, as `cost` reads them from the same scenario.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "resolve/serve/serving_world.h"
#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine {

// Nothing, and the reasons, where the scenario's money has errors. The API is priced for the
// lengths of the demand.
std::unique_ptr<CostSetup> price_chip(const ServingInputs& question, const ServingWorld& world,
                                      const std::string& chip, Diagnostics& diagnostics);

// What one GPU costs in one way to pay: busy or not, and on top while it works.
struct GpuPrice {
  OptionKind kind = OptionKind::kOnDemand;
  DollarsPerSecond fixed;
  DollarsPerSecond working;
};
std::optional<GpuPrice> price_of(const economics::CostCase& terms, OptionKind kind);

// Every way that `money.options` allows to have machines the whole time; by the hour on demand
// where it allows none.
std::vector<GpuPrice> prices_of(const CostSetup& setup);

// The one way whose price stands for all where a single figure is shown: on demand where
// `money.options` allows it, else the cheapest that it does allow, for GPUs that always work.
std::optional<GpuPrice> leading_price(const CostSetup& setup);

}  // namespace loadfactor::engine
