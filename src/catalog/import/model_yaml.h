// Writes a model as an entry of the catalogue (data/models/<name>.yaml), so that an import can be
// kept in an overlay folder. Reading the text back gives the same model.
#pragma once

#include <string>
#include <string_view>

#include "catalog/spec/model_spec.h"

namespace loadfactor::catalog {

// The model must have a layer.
std::string to_yaml(const ModelSpec& model);

// A scalar that YAML reads back as this very text: plain where that is safe, else quoted.
std::string yaml_text(std::string_view text);

}  // namespace loadfactor::catalog
