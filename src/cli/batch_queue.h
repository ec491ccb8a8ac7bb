// Slurm as its own commands show it.
#pragma once

#include <string>
#include <vector>

#include "loadfactor/result.h"

namespace loadfactor::cli {

// What a program wrote to its output; LF602 where it is not there or fails, with what it
// complained.
Result<std::string> output_of(const std::vector<std::string>& words);

// The number of the job that a script became.
Result<std::string> submit_array(const std::string& script, const std::string& indices);
// How many elements of a job wait or run; 0 where the queue no longer knows it.
Result<int> elements_left(const std::string& job);

}  // namespace loadfactor::cli
