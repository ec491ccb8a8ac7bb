// Names of the catalogue as others know them: repositories of models, and labels of GPUs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace loadfactor::launch {

// The Hugging Face repository of a model of the catalogue; an empty name where none is known.
struct Repository {
  std::string name;
  bool is_assumed = false;  // No document that we hold names it.
};
Repository repository_of(std::string_view model);

// The label by which the vendor's device plugin marks nodes with a GPU.
struct GpuLabel {
  std::string key;
  std::string value;
  bool is_assumed = false;  // No document that we hold names it.
};
std::optional<GpuLabel> gpu_label_of(std::string_view chip);
// The chip that a label means; empty where it means none that we know.
std::string chip_of_label(std::string_view key, std::string_view value);

// A model of the catalogue under the name that MaxText has for it, and back; empty where neither is
// known.
std::string maxtext_name_of(std::string_view model);
std::string model_of_maxtext(std::string_view name);

}  // namespace loadfactor::launch
