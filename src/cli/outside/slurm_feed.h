// The Slurm of this machine, asked by its own commands.
#pragma once

#include <memory>

#include "cli/outside/child_output.h"
#include "loadfactor/ask.h"

namespace loadfactor::cli {

// `get` answers `sinfo`, `sacct` with the parameter `since` in seconds, and `squeue`, each with the
// table that the command prints, times in UTC. LF601 where the command is missing, fails, or leaves
// its bounds; LF518 where Slurm keeps no accounts that sacct could print.
std::shared_ptr<MetricFeed> open_slurm(const ChildBounds& bounds = {});

}  // namespace loadfactor::cli
