// A sweep file of a user, read and ready to be asked.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/disk_files.h"
#include "cli/session/session.h"
#include "sweep/run/case_table.h"

namespace loadfactor::cli {

// Which cases a process runs: those whose number leaves `index` when divided by `count`.
struct Shard {
  std::int64_t index = 0;
  std::int64_t count = 1;
};
// `3/8`, from 0/8 to 7/8.
Result<Shard> parse_shard(const std::string& text);

// A sweep with all that it reads. The files must outlive the table.
struct LoadedSweep {
  std::unique_ptr<DiskFiles> files;
  std::unique_ptr<sweep::CaseTable> table;
  const Engine* engine = nullptr;
};
// Nothing, and the errors have been printed, where it cannot be read.
std::optional<LoadedSweep> load_sweep(Session& session, const std::string& path);

// `api-or-own.sqlite`, or `api-or-own.3-of-8.sqlite` of a shard.
std::string default_results(const std::string& sweep, const Shard& shard);

// CPU seconds of this thread, and of the whole process.
double thread_cpu_seconds();
double process_cpu_seconds();

}  // namespace loadfactor::cli
