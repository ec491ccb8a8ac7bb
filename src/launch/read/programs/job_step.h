// A step of a Slurm job: `srun -N 2 --gres=gpu:8 …`.
#pragma once

#include "launch/findings/findings.h"
#include "launch/shell/shell.h"

namespace loadfactor::launch {

// Nodes and GPUs of a step: a part of those of the job, where a batch script stands around it.
void read_step_share(const Source& source, Words words, Findings& findings);

}  // namespace loadfactor::launch
