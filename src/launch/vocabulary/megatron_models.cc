#include "launch/vocabulary/megatron_models.h"

#include "launch/vocabulary/table.h"

namespace loadfactor::launch {

std::optional<MegatronModel> megatron_model_of(std::string_view model) {
  for (const auto& row : read_table("megatron_models.csv")) {
    if (row[0] != model) continue;
    MegatronModel found{{}, row[2], row[3] == "assumed"};
    for (auto& word : split_cell(row[1], ' ')) {
      if (word.starts_with("--"))
        found.flags.push_back({std::move(word), {}});
      else if (!found.flags.empty())
        found.flags.back().value = std::move(word);
    }
    return found;
  }
  return std::nullopt;
}

}  // namespace loadfactor::launch
