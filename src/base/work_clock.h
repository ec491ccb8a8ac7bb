// The CPU time of a piece of work, with that of the threads which help it.
#pragma once

#include <atomic>
#include <functional>
#include <utility>

namespace loadfactor {

class WorkClock {
 public:
  // CPU seconds of the thread that calls it. We read no clock of our own.
  using ThreadCpu = std::function<double()>;

  // Begins with the calling thread; where there is no such function, no time passes.
  explicit WorkClock(ThreadCpu thread_cpu)
      : thread_cpu_(std::move(thread_cpu)), begin_(now()), outer_(current_) {
    current_ = this;
  }
  ~WorkClock() { current_ = outer_; }
  WorkClock(const WorkClock&) = delete;
  WorkClock& operator=(const WorkClock&) = delete;

  // Asked by the thread that made the clock. A helper counts once it has ended.
  double seconds() const { return now() - begin_ + helpers_.load(); }

  // The task for a new thread, whose time counts for the work that the calling thread does. The
  // thread ends before that work does.
  template <typename Task>
  static auto counted(Task task) {
    return [task = std::move(task), work = current_]() mutable {
      const Helper helper(work);
      return task();
    };
  }

 private:
  // A new thread for as long as it works.
  class Helper {
   public:
    explicit Helper(WorkClock* work) : work_(work) { current_ = work; }
    ~Helper() {
      if (work_ != nullptr) work_->add(work_->now());
    }
    Helper(const Helper&) = delete;
    Helper& operator=(const Helper&) = delete;

   private:
    WorkClock* work_;
  };

  // Not every library adds to an atomic number with a point.
  void add(double seconds) {
    double before = helpers_.load();
    while (!helpers_.compare_exchange_weak(before, before + seconds)) {
    }
  }
  double now() const { return thread_cpu_ ? thread_cpu_() : 0; }

  static inline thread_local WorkClock* current_ = nullptr;

  ThreadCpu thread_cpu_;
  double begin_;
  WorkClock* outer_;
  std::atomic<double> helpers_ = 0;
};

}  // namespace loadfactor
