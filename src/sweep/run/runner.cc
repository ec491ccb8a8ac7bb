#include "sweep/run/runner.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/work_clock.h"

namespace loadfactor::sweep {
namespace {

constexpr std::size_t kRowsAtOnce = 256;
constexpr std::size_t kMostWaiting = 4 * kRowsAtOnce;
constexpr std::chrono::milliseconds kPause{500};

using TimedRow = std::pair<CaseRow, double>;

// Rows on their way from the threads that make them to the one that writes.
class Queue {
 public:
  // Waits while the writer is behind; false once it has given up.
  bool put(TimedRow row) {
    std::unique_lock lock(mutex_);
    has_room_.wait(lock, [&] { return rows_.size() < kMostWaiting || is_closed_; });
    if (is_closed_) return false;
    rows_.push_back(std::move(row));
    if (rows_.size() >= kRowsAtOnce) has_rows_.notify_one();
    return true;
  }
  // A worker has ended.
  void leave() {
    const std::lock_guard lock(mutex_);
    ++left_;
    has_rows_.notify_one();
  }
  // All rows that wait, once there are enough or a while has passed; empty at the end.
  std::vector<TimedRow> take(int workers) {
    std::unique_lock lock(mutex_);
    while (true) {
      has_rows_.wait_for(lock, kPause,
                         [&] { return rows_.size() >= kRowsAtOnce || left_ == workers; });
      if (!rows_.empty() || left_ == workers) break;
    }
    has_room_.notify_all();
    return std::exchange(rows_, {});
  }
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    has_room_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable has_rows_;
  std::condition_variable has_room_;
  std::vector<TimedRow> rows_;
  int left_ = 0;
  bool is_closed_ = false;
};

// Threads that end with the block they stand in.
class Threads {
 public:
  explicit Threads(Queue& queue) : queue_(queue) {}
  ~Threads() {
    queue_.close();
    for (std::thread& thread : threads_) thread.join();
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  // As many of them as the system gives, and one at least.
  template <typename Work>
  int start(int most, const Work& work) {
    try {
      for (int i = 0; i < most; ++i) threads_.emplace_back(work);
    } catch (const std::system_error&) {
      if (threads_.empty()) throw;
    }
    return static_cast<int>(threads_.size());
  }

 private:
  Queue& queue_;
  std::vector<std::thread> threads_;
};

}  // namespace

Result<RunTally> run_cases(const CaseTable& table, const Engine& engine, Results& results,
                           const RunAsk& ask) {
  const auto all = static_cast<std::int64_t>(ask.numbers.size());
  const int most = static_cast<int>(std::clamp<std::int64_t>(all, 1, std::max(1, ask.jobs)));
  Queue queue;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    while (ask.stop == nullptr || !ask.stop->load()) {
      const std::size_t at = next.fetch_add(1);
      if (at >= ask.numbers.size()) break;
      const WorkClock clock(ask.thread_cpu);
      auto row = table.row(engine, ask.numbers[at], ask.stop);
      if (!row || !queue.put({*std::move(row), clock.seconds()})) break;
    }
    queue.leave();
  };
  RunTally tally;
  Threads threads(queue);
  const int workers = threads.start(most, work);
  while (true) {
    const auto rows = queue.take(workers);
    if (rows.empty()) return tally;
    TRY([[maybe_unused]] const bool added, results.add(rows, ask.replaces_errors));
    tally.done += static_cast<std::int64_t>(rows.size());
    for (const auto& [row, cpu_s] : rows) tally.case_cpu += cpu_s;
    if (ask.told) ask.told(tally.done, all);
  }
}

}  // namespace loadfactor::sweep
