#include "launch/vocabulary/public_names.h"

#include "launch/vocabulary/table.h"

namespace loadfactor::launch {

namespace {

constexpr std::string_view kAssumed = "assumed";

}  // namespace

Repository repository_of(std::string_view model) {
  for (auto& row : read_table("repositories.csv"))
    if (row[0] == model) return {std::move(row[1]), row[2] == kAssumed};
  return {};
}

std::optional<GpuLabel> gpu_label_of(std::string_view chip) {
  for (auto& row : read_table("gpu_labels.csv"))
    if (row[0] == chip) return GpuLabel{std::move(row[1]), std::move(row[2]), row[3] == kAssumed};
  return std::nullopt;
}

std::string chip_of_label(std::string_view key, std::string_view value) {
  for (auto& row : read_table("gpu_labels.csv"))
    if (row[1] == key && row[2] == value) return std::move(row[0]);
  return {};
}

std::string maxtext_name_of(std::string_view model) {
  for (auto& row : read_table("maxtext_models.csv"))
    if (row[0] == model) return std::move(row[1]);
  return {};
}

std::string model_of_maxtext(std::string_view name) {
  for (auto& row : read_table("maxtext_models.csv"))
    if (row[1] == name) return std::move(row[0]);
  return {};
}

}  // namespace loadfactor::launch
