// What the readers of Slurm's tables and of its completion file share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "observe/read/readers.h"

namespace loadfactor::observe {

// How a job of this state stands, as `COMPLETED` or `CANCELLED by 1000`; nothing for other words.
std::optional<JobEnd> find_job_end(std::string_view state);
// The same of squeue's short codes, as `R` or `PD`.
std::optional<JobEnd> find_job_end_by_code(std::string_view code);

// Whether a count of GPUs is no number, or more than anybody has.
bool has_odd_count(std::string_view text);

// The hosts of a list, and whether all of it could be read: a bracket may be cut off, or name more
// hosts than anybody has.
struct HostList {
  std::vector<std::string> hosts;
  bool is_whole = true;
};
HostList read_hosts(std::string_view list);

// The kind of each GPU of `gpu:a100:4,gpu:h100:4`; empty where one kind, or none, is named.
std::vector<std::string> gpu_kinds(std::string_view text);

bool looks_like_completions(std::string_view text);
// Every job of a completion file; lines that are none are left out.
std::vector<JobRecord> read_completions(std::string_view text);

}  // namespace loadfactor::observe
