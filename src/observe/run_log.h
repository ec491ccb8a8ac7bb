// A training run as its step log tells it: what of the time became steps that count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loadfactor::observe {

struct LoggedStep {
  std::int64_t number = 0;
  double seconds = 0;           // That one step took; 0: the log does not say.
  std::optional<double> stamp;  // When the line was written, in seconds since 1970.
};

struct RunLog {
  std::vector<LoggedStep> steps;
  std::vector<std::size_t> saves;  // How many lines of steps came before each checkpoint.
};

struct RunUse {
  std::int64_t steps = 0;     // Steps that count,
  std::int64_t repeated = 0;  // and those that were done again after a stop.
  int restarts = 0;
  double step_seconds = 0;           // The middle of the steps after warming up.
  double wall_seconds = 0;           // From the beginning of the first step to the end of the last.
  bool has_stamps = false;           // Otherwise stops between steps are not seen.
  double goodput = 0;                // Share of that time in steps that count, at their usual pace.
  double lost = 0;                   // Share in steps that were done again.
  std::optional<double> save_every;  // Seconds of work between two checkpoints,
  std::optional<double> save_stall;  // and what one held the run up.
  std::optional<double> mtbf;        // Seconds between two stops.
};

// Nothing where no step says how long it took.
std::optional<RunUse> use_of_run(const RunLog& log);

}  // namespace loadfactor::observe
