// Settings of the variables that scripts for programs without a table export, in the words of the
// Trainer of Hugging Face that runs, or of what is built on it.
#pragma once

#include <span>
#include <vector>

#include "launch/emit/flag_patch.h"

namespace loadfactor::launch {

// Whether flags, or keys of a file, are arguments of such a trainer.
bool are_of_trainer(std::span<const SaidFlag> said);

// The settings that it has words for, under the names that run; those that it has none for, and
// that follow from others, are left out.
std::vector<FlagSetting> in_trainer_words(const std::vector<FlagSetting>& settings,
                                          std::span<const SaidFlag> said);

}  // namespace loadfactor::launch
