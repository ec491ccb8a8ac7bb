// The cases of a sweep on the threads of one process.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "loadfactor/result.h"
#include "sweep/run/case_table.h"
#include "sweep/store/results.h"

namespace loadfactor::sweep {

struct RunAsk {
  std::vector<std::int64_t> numbers;
  int jobs = 1;
  bool replaces_errors = false;             // Cases that failed are tried again.
  const std::atomic<bool>* stop = nullptr;  // Ends after what is done.
  std::function<double()> thread_cpu;       // CPU seconds of the calling thread.
  // Told after each commit, from the calling thread.
  std::function<void(std::int64_t done, std::int64_t all)> told;
};

struct RunTally {
  std::int64_t done = 0;
  double case_cpu = 0;  // CPU seconds inside of cases, with those of threads that help them.
};

// Rows are committed together, at least every half second. LF602 where they cannot be.
Result<RunTally> run_cases(const CaseTable& table, const Engine& engine, Results& results,
                           const RunAsk& ask);

}  // namespace loadfactor::sweep
