// A tree as YAML.
#pragma once

#include <string>

#include "loadfactor/value.h"

namespace loadfactor::web {

std::string yaml_text(const Value& value);

}  // namespace loadfactor::web
