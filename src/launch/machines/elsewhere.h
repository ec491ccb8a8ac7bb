// Where a command runs that another one starts: `ssh`, `pdsh`, `docker run`, steps of a batch job.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "launch/shell/shell.h"

namespace loadfactor::launch {

// Where a command runs, and how often at once.
struct Elsewhere {
  std::string host = {};
  std::int64_t copies = 1;
};

// The value of an option that `words[i]` begins: `-w n1`, `--nodelist=n1`; empty where it is
// another.
std::string option_value(Words words, std::size_t i, std::string_view brief, std::string_view full);
std::string ssh_host(Words words);
Elsewhere job_step(Words words, std::size_t steps);
std::string container_name(Words words);
Elsewhere many_hosts(Words words);

}  // namespace loadfactor::launch
