// What the words of a model's name say it is for, where no file is at hand.
#pragma once

#include <string_view>

#include "catalog/spec/model_spec.h"

namespace loadfactor::catalog {

// A plain name generates text.
struct NamedPurpose {
  ModelTask task = ModelTask::kGenerate;
  Modality reads = Modality::kText;
  bool makes_images = false;  // Diffusion, which nobody here predicts.

  friend bool operator==(const NamedPurpose&, const NamedPurpose&) = default;
};
NamedPurpose named_purpose(std::string_view name);

}  // namespace loadfactor::catalog
