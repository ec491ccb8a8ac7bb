#include "cli/interrupt.h"

#include <csignal>

namespace loadfactor::cli {
namespace {

void ask_to_stop(int signal) {
  stop_flag() = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

std::atomic<bool>& stop_flag() {
  static std::atomic<bool> flag{false};
  return flag;
}

StopOnInterrupt::StopOnInterrupt(Signals signals)
    : takes_terminate_(signals == Signals::kInterruptAndTerminate),
      before_interrupt_(std::signal(SIGINT, ask_to_stop)) {
  stop_flag() = false;
  if (takes_terminate_) before_terminate_ = std::signal(SIGTERM, ask_to_stop);
}

StopOnInterrupt::~StopOnInterrupt() {
  std::signal(SIGINT, before_interrupt_);
  if (takes_terminate_) std::signal(SIGTERM, before_terminate_);
}

}  // namespace loadfactor::cli
