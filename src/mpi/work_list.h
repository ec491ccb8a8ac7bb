// Which items are open, who has them, and which are done. One lock; ranks and threads ask alike.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace loadfactor {

class WorkList {
 public:
  using Clock = std::chrono::steady_clock;
  using Result = std::pair<std::size_t, std::string>;  // The place of an item, and its bytes.

  WorkList(std::size_t items, int workers) : is_done_(items, false), workers_(workers) {}

  // The next places for a rank: one, or as many as take a few hundredths of a second together, and
  // never more than leaves work for the others.
  std::vector<std::size_t> take_for(int rank);
  // The next place for rank 0's own thread: when none is left, one that somebody has held for too
  // long. Nothing at the end; waits while others may still give up.
  bool take_own(std::size_t& place);
  // An item that rank 0's own thread did, on its way to whoever writes.
  void put_own(std::size_t place, std::string bytes, double seconds);
  std::vector<Result> own_results(std::chrono::microseconds patience);

  // Whether a result is the first of its item; a rank's that came back.
  bool finish(std::size_t place, int rank, double seconds);
  bool is_over() const;
  void close();
  // Seconds after which whoever has an item is no longer waited for, and never heard again.
  double patience() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> is_done_;
  int workers_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
  double seconds_ = 0;
  double longest_ = 0;
  bool is_closed_ = false;
  std::map<std::size_t, std::pair<int, Clock::time_point>> held_;
  std::deque<Result> own_;
};

}  // namespace loadfactor
