// Which of several processes this is, as launchers tell it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace loadfactor::probe {

struct Rank {
  int rank = 0;
  int size = 1;
  int local = 0;  // Among the processes of this machine.
};

// Reads one variable of the environment; empty where it is not set.
using Variable = std::function<std::optional<std::string>(const char*)>;

// As Open MPI, MPICH's Hydra, Slurm or torchrun set it; one process where none did.
Rank find_rank(const Variable& variable);

// Bytes that cross each link per byte of the result, the convention of the NCCL tests.
double bus_factor(std::string_view collective, int ranks);

}  // namespace loadfactor::probe
