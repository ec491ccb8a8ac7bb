// Models of the catalogue as torchtitan registers them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "launch/vocabulary/program.h"

namespace loadfactor::launch {

// The registered configuration of a model in a precision; nothing where there is none.
std::optional<TitanConfig> titan_config_of(std::string_view model, std::string_view precision);

// A model of the catalogue and a precision; empty where the configuration does not say.
struct TitanModel {
  std::string model;
  std::string precision;
};
TitanModel titan_model_of(std::string_view config);

}  // namespace loadfactor::launch
