// One line on a terminal that says what takes so long, and is gone when it is over.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "cli/session/session.h"

namespace loadfactor::cli {

// While it lives, a line with the time taken stands on stderr, once that is over a second. Nothing
// where stderr is no terminal, or quiet was asked for. Nobody else may write to stderr meanwhile.
class ProgressLine {
 public:
  using Duration = std::chrono::milliseconds;
  ProgressLine(Session& session, std::string what, std::string hint = "",
               Duration patience = std::chrono::seconds(1));
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // How much is done, from 0 to 1; from any thread.
  void report(double share) { share_ = share; }

 private:
  void show();
  void write_line(int seconds);

  Session& session_;
  const std::string what_, hint_;
  const Duration patience_;
  std::atomic<double> share_{-1};  // Below 0: not known.
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  bool is_shown_ = false;
  std::thread thread_;  // The last: it uses the others.
};

}  // namespace loadfactor::cli
