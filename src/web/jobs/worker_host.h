// Answers each piece of work in a process of its own, which has a limit on CPU seconds and memory,
// steps behind the server for the cores, and can be ended at any moment.
//
// The host is forked off before the server has threads. It holds the catalogue and forks again for
// each piece of work, so that a worker starts in milliseconds. Its parent does nothing but start it
// again where it was killed.
#pragma once

#include <mutex>

#include "web/jobs/runner.h"

namespace loadfactor::web {

struct JobLimits {
  int cpu_seconds = 300;
  int memory_megabytes = 2048;
};

class WorkerHost final : public Runner {
 public:
  // Must be called while the program has one thread.
  WorkerHost(const Engine& engine, const JobLimits& limits);
  ~WorkerHost() override;

  Finished run(const Work& work, const Stop& stop,
               const std::function<void(double)>& report) override;

 private:
  // A socket to a fresh worker; -1 where none could be made.
  int hire();

  JobLimits limits_;
  std::mutex mutex_;
  int control_ = -1;
};

}  // namespace loadfactor::web
