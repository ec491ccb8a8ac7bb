// What a config.json says a model is for: tokens, one vector or one score for each request.
#pragma once

#include <string_view>

#include "catalog/import/foreign_map.h"
#include "catalog/import/hf_architecture.h"
#include "catalog/spec/model_spec.h"

namespace loadfactor::catalog {

// Where a config says what a model is for.
struct HfPurpose {
  ForeignMap& root;         // Holds the class,
  ForeignMap& text;         // and this the sizes.
  std::string_view folder;  // In which it lies: most configs do not name their model.
};

// Sets task, mask, head and the parameters at the end of an encoder, and of a decoder whose class
// or name says that it embeds or scores.
void read_task(const HfArchitecture& row, const HfPurpose& purpose, ModelSpec& spec);

// Whether a diffusers file: it names its class, and has no model type.
bool is_diffusion(ForeignMap& root);

}  // namespace loadfactor::catalog
