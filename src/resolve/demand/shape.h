// Shapes of traffic that a scenario states in numbers or in a file.
#pragma once

#include <string>
#include <string_view>

#include "demand/traffic_model.h"
#include "loadfactor/result.h"
#include "loadfactor/scenario.h"

namespace loadfactor::engine {

// Traffic of any mean rate that moves so. `bytes` are those of the file, where one is named: a week
// of rates (LF532) or a model that `demand --fit` wrote. Lengths are left to the scenario unless
// the model has them.
Result<demand::TrafficModel> shape_traffic(const config::ShapeSection& shape,
                                           std::string_view bytes);

// `daily peak 3, weekend 0.6`, `week.csv`.
std::string shape_text(const config::ShapeSection& shape);

}  // namespace loadfactor::engine
