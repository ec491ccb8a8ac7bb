// The vision tower and projector beside a text model, from its config: how many parameters, and
// what an image goes through.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catalog/import/foreign_map.h"
#include "catalog/spec/model_spec.h"

namespace loadfactor::catalog {

struct VisionPart {
  std::int64_t parameters = 0;
  TowerSpec tower;
};

// Everything that `vision` (a `vision_config`) describes, and what joins it to a text model
// `hidden` wide. Nothing when the model type's tower is not one we know.
std::optional<VisionPart> read_vision_part(std::string_view model_type, ForeignMap vision,
                                           ForeignMap root, std::int64_t hidden);

}  // namespace loadfactor::catalog
