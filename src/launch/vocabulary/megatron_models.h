// What Megatron-LM has to be told of a model beside its dimensions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::launch {

// A flag with its value, which is empty where it stands alone.
struct ModelFlag {
  std::string name;
  std::string value;
};

struct MegatronModel {
  std::vector<ModelFlag> flags;
  std::string cannot;       // What of the model no flag says; empty: they say it all.
  bool is_assumed = false;  // No document that we hold says so.
};

// Nothing where nothing is known of that model of the catalogue.
std::optional<MegatronModel> megatron_model_of(std::string_view model);

}  // namespace loadfactor::launch
