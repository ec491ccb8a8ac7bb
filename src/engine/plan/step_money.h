// The money of one way to pay, by what moves it.
#pragma once

#include <optional>

#include "economics/evaluate.h"
#include "engine/plan/step_table.h"

namespace loadfactor::engine {

// A month of one way at a share of the load. Nothing where the way has no price.
std::optional<MoneyParts> money_parts(const economics::CostCase& terms, OptionKind kind,
                                      double scale);

}  // namespace loadfactor::engine
