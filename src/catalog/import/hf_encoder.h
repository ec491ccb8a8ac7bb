// What a config.json says a model is for: tokens, one vector or one score for each request.
#pragma once

#include <string_view>

#include "catalog/import/foreign_map.h"
#include "catalog/import/hf_architecture.h"
#include "catalog/spec/model_spec.h"

namespace loadfactor::catalog {

// Sets task, mask, head and the parameters at the end of an encoder, and of a decoder whose class
// or name says that it embeds or scores. `root` holds the class, `text` the sizes.
void read_task(const HfArchitecture& row, ForeignMap& root, ForeignMap& text, ModelSpec& spec);

// Whether a diffusers file: it names its class, and has no model type.
bool is_diffusion(ForeignMap& root);

}  // namespace loadfactor::catalog
