// Chips of AWS whose cores are the ranks of a run: a plan counts the chips.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::launch {

struct NeuronChip {
  std::string name;      // The catalogue's.
  std::string instance;  // The family of machines that has it: `trn2`.
  int node_chips = 16;
  int cores = 2;   // Cores of the chip.
  int joined = 1;  // How many of them the runtime shows as one.

  // Processes that run on a chip.
  int ranks() const { return cores / joined; }
};

std::vector<NeuronChip> neuron_chips();
// By the name of a chip or of an instance with it: `trainium2`, `trn2.48xlarge`.
std::optional<NeuronChip> neuron_chip_of(std::string_view name);
// The chip whose nodes start so many processes; nothing where none or several do.
std::optional<NeuronChip> neuron_chip_with(std::int64_t ranks_of_node);

}  // namespace loadfactor::launch
