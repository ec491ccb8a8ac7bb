// Lets the price importers ask the catalogue what a name means.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "catalog/catalog.h"
#include "catalog/import/prices/skypilot_prices.h"

namespace loadfactor::catalog {

// Finds accelerators by the catalogue's rule. A name is ambiguous if it leaves form factor or
// memory open and the chip comes in more than one. The catalogue must outlive the function.
AcceleratorResolver accelerator_resolver(const Catalog& catalog);

// Our name of the open model that an API calls by this id, or ""; another variant of a model of
// ours
// (`Coder`, `Thinking`) is none of ours.
std::function<std::string(std::string_view)> model_resolver(const Catalog& catalog);

}  // namespace loadfactor::catalog
