// Parameters of the vision tower and projector beside a text model, counted from its config.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catalog/import/foreign_map.h"

namespace loadfactor::catalog {

// Parameters of everything that `vision` (a `vision_config`) describes, and of what joins it to a
// text model `hidden` wide. Nothing when the model type's tower is not one we know.
std::optional<std::int64_t> count_vision_parameters(std::string_view model_type, ForeignMap vision,
                                                    ForeignMap root, std::int64_t hidden);

}  // namespace loadfactor::catalog
