// Ctrl-C ends what is being computed and not the program; a second one ends that, too.
#pragma once

#include <atomic>

namespace loadfactor::cli {

// Set by the handler alone. A signal handler can reach nothing but a static.
std::atomic<bool>& stop_flag();

// While it lives, Ctrl-C and a request to terminate set the flag.
class StopOnInterrupt {
 public:
  enum class Signals { kInterrupt, kInterruptAndTerminate };
  explicit StopOnInterrupt(Signals signals = Signals::kInterrupt);
  ~StopOnInterrupt();
  StopOnInterrupt(const StopOnInterrupt&) = delete;
  StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;

 private:
  bool takes_terminate_;
  void (*before_interrupt_)(int);
  void (*before_terminate_)(int) = nullptr;
};

}  // namespace loadfactor::cli
