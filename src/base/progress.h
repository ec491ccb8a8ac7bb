// A line that says how far the work has come.
//
// The library neither prints nor reads the clock, so both are handed in. On a terminal the line
// is redrawn in place, at most ten times a second; elsewhere a plain line appears every ten
// seconds, so that a log shows life and stays short.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "loadfactor/quantity.h"

namespace loadfactor {

struct ProgressState {
  std::string label;        // `simulate`.
  double fraction = 0.0;    // Done, of all; held within [0, 1].
  std::string detail = {};  // `2.4 M req · 3.1 M events/s`; may be empty.
};

// `simulate  37 %  2.4 M req · 0:04 left`. The time left is what the work done so far suggests,
// and is not given before 1 % is done.
std::string progress_line(const ProgressState& state, Seconds elapsed);

// A duration as a clock shows it: 0:04, 12:30, 1:02:03.
std::string clock_text(Seconds duration);

class Progress {
 public:
  struct Surroundings {
    std::function<void(std::string_view)> write;  // Where the line goes: standard error.
    std::function<Seconds()> now;                 // A clock that never goes back.
    bool is_terminal = false;
    int width = 80;  // Of the terminal; longer lines are cut.
  };

  explicit Progress(Surroundings surroundings);

  // Draws the state if it is time to. Cheap otherwise, so it may be called often.
  void update(const ProgressState& state);

  // Removes the line from the terminal. Results may be printed after this.
  void finish();

 private:
  std::string drawn(const ProgressState& state, Seconds elapsed);

  Surroundings surroundings_;
  Seconds start_;
  std::optional<Seconds> last_drawn_;
  unsigned frame_ = 0;
};

}  // namespace loadfactor
