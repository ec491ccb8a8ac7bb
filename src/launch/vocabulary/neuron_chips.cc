#include "launch/vocabulary/neuron_chips.h"

#include <algorithm>
#include <cstdlib>

#include "launch/vocabulary/table.h"

namespace loadfactor::launch {
namespace {

// The table is ours: its counts are positive.
int count(const std::string& cell) {
  return std::max(1, std::atoi(cell.c_str()));
}

}  // namespace

std::vector<NeuronChip> neuron_chips() {
  std::vector<NeuronChip> chips;
  for (auto& row : read_table("neuron_chips.csv"))
    chips.push_back(
        {std::move(row[0]), std::move(row[1]), count(row[2]), count(row[3]), count(row[4])});
  return chips;
}

std::optional<NeuronChip> neuron_chip_of(std::string_view name) {
  for (NeuronChip& each : neuron_chips())
    if (name == each.name || name.substr(0, name.find('.')) == each.instance)
      return std::move(each);
  return std::nullopt;
}

std::optional<NeuronChip> neuron_chip_with(std::int64_t ranks_of_node) {
  std::optional<NeuronChip> found;
  for (NeuronChip& each : neuron_chips()) {
    if (std::int64_t{each.node_chips} * each.ranks() != ranks_of_node) continue;
    if (found) return std::nullopt;
    found = std::move(each);
  }
  return found;
}

}  // namespace loadfactor::launch
