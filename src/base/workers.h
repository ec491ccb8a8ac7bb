// Work that several threads do together.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <future>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/work_clock.h"

namespace loadfactor {

// Does numbered items on a few threads. Each of them has a bench, which it keeps from call to call.
template <typename Bench>
class Workers {
 public:
  explicit Workers(int count) : benches_(static_cast<std::size_t>(std::max(1, count))) {}

  // Calls `work(item, bench)` once for each item of [begin, end), in any order. The first exception
  // ends the work and is thrown to the caller. Where the system gives no more threads, those that
  // are there do it all.
  template <typename Work>
  void each(std::size_t begin, std::size_t end, const Work& work) {
    std::atomic<std::size_t> next = begin;
    const auto take = [&](Bench& bench) {
      for (std::size_t item = next++; item < end; item = next++) work(item, bench);
    };
    const std::size_t items = end > begin ? end - begin : 0;
    const std::size_t helpers = std::min(benches_.size(), std::max<std::size_t>(1, items)) - 1;
    std::vector<std::thread> threads;
    threads.reserve(helpers);
    Failure failure;
    try {
      for (std::size_t i = 0; i < helpers; ++i)
        threads.emplace_back(WorkClock::counted(
            [&, i] { failure.guard([&] { take(benches_[i + 1]); }, next, end); }));
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    failure.guard([&] { take(benches_[0]); }, next, end);
    for (std::thread& thread : threads) thread.join();
    failure.rethrow();
  }

 private:
  // The first exception of several threads.
  class Failure {
   public:
    template <typename Part>
    void guard(const Part& part, std::atomic<std::size_t>& next, std::size_t end) {
      try {
        part();
      } catch (...) {
        const std::scoped_lock lock(mutex_);
        if (!first_) first_ = std::current_exception();
        next = end;
      }
    }
    void rethrow() const {
      if (first_) std::rethrow_exception(first_);
    }

   private:
    std::mutex mutex_;
    std::exception_ptr first_;
  };

  std::vector<Bench> benches_;
};

// A part of a question that another thread does meanwhile; its time counts for the work that the
// calling thread does. Where there are no threads, as in a page, or no more of them, whoever waits
// for the result does it.
template <typename Task>
auto done_beside(Task task) {
#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
  return std::async(std::launch::deferred, std::move(task));
#else
  try {
    return std::async(std::launch::async, WorkClock::counted(task));
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, std::move(task));
  }
#endif
}

}  // namespace loadfactor
