// Whoever answers work that takes long, and can be stopped.
#pragma once

#include <functional>

#include "web/jobs/work.h"

namespace loadfactor::web {

// Set from any thread; one that waits for something else sees it at once.
class Stop {
 public:
  Stop();
  ~Stop();
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  void ask() const;
  bool is_asked() const;
  int fd() const { return fd_; }  // Readable once it is asked.

 private:
  int fd_;
};

class Runner {
 public:
  Runner() = default;
  virtual ~Runner() = default;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Blocks. `report` gets the share that is done, from the same thread.
  virtual Finished run(const Work& work, const Stop& stop,
                       const std::function<void(double)>& report) = 0;
};

}  // namespace loadfactor::web
