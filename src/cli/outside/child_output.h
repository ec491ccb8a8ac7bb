// Programs of others, run without a shell and within bounds of time and memory.
#pragma once

#include <string>
#include <vector>

namespace loadfactor::cli {

struct ChildBounds {
  double seconds = 60;
  std::size_t bytes = std::size_t{256} << 20;
};

struct ChildOutput {
  int status = -1;  // As by exit; -1 where a signal ended it or it did not start.
  std::string out;
  std::string err;
  bool is_missing = false;  // No program of this name can be run here.
  bool is_too_slow = false;
  bool is_too_large = false;

  bool succeeded() const { return status == 0 && !is_too_slow && !is_too_large; }
};

// Runs words[0], found on the PATH, with the other words as they are. `settings` are added to its
// environment, as `TZ=UTC`. A program that leaves its bounds is ended.
ChildOutput run_child(const std::vector<std::string>& words, const ChildBounds& bounds,
                      const std::vector<std::string>& settings = {});

}  // namespace loadfactor::cli
