// A part of a question that another thread does meanwhile.
#pragma once

#include <future>
#include <utility>

#include "base/work_clock.h"

namespace loadfactor {

// Its time counts for the work that the calling thread does. Where there are no threads, as in a
// page, whoever waits for the result does the work.
template <typename Task>
auto done_beside(Task task) {
#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
  return std::async(std::launch::deferred, std::move(task));
#else
  return std::async(std::launch::async, WorkClock::counted(std::move(task)));
#endif
}

}  // namespace loadfactor
