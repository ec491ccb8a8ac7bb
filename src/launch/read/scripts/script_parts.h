// What a script says beside its commands: to the batch system, and by its variables.
#pragma once

#include <vector>

#include "launch/findings/findings.h"
#include "launch/shell/shell.h"

namespace loadfactor::launch {

// The words of all lines for the batch system, which stand before the first command.
std::vector<Word> batch_words(const ShellText& script);
// The variables that Slurm sets from what a job asks for.
Variables batch_variables(const Source& source, const std::vector<Word>& words);

// What torchtitan's own script takes from its environment.
void read_titan_variables(const Source& source, const Variables& variables, Findings& findings);
// What LLaMA-Factory and ms-swift take from their environment, which they start torchrun with.
void read_factory_variables(const Source& source, const Variables& variables, Findings& findings);

}  // namespace loadfactor::launch
