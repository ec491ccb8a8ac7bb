// Logs of training runs, those of ranks of one run together, and the ranks that are slow.
#pragma once

#include <string>
#include <vector>

#include "engine/observe/observe.h"
#include "observe/peers/slow_rank.h"

namespace loadfactor::engine {

// The logs of one run: one, or several that its ranks or its nodes wrote.
struct RunLogs {
  struct One {
    observe::StepLog log;
    std::string name;      // The rank or the node; empty where its path does not say.
    bool is_node = false;  // A node is all that it names.
  };
  std::vector<One> logs;
  std::string name;  // The name of the file, or what those of several have in common.

  // The one that stands for the run.
  const observe::StepLog& lead() const { return logs.front().log; }
};

Result<std::vector<RunLogs>> read_runs(std::span<const observe::TextFile> files);

// The steps that one rank wrote, of a log of several: those of the rank with the most.
observe::StepLog steps_of_one(const observe::StepLog& log);

// What every rank of a run took for its steps.
struct RunRanks {
  std::vector<observe::RankTimes> ranks;
  bool are_nodes = false;
  bool is_compute = false;  // Computing alone was timed: others wait for a slow rank.
};
RunRanks ranks_of(const RunLogs& run);

// Names those that are slow in the rows of their runs.
void find_slow_ranks(const std::vector<RunRanks>& runs, std::vector<TrainingRow>& rows);

}  // namespace loadfactor::engine
