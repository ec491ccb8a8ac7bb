// Threads for connections: made when they are needed, and no more than a bound.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <httplib.h>

namespace loadfactor::web {

class Crew final : public httplib::TaskQueue {
 public:
  explicit Crew(int most) : most_(most) {}

  // One connection too many is handled at once, by a thread that knows that it refuses; so is one
  // for which the system gives no thread.
  void enqueue(std::function<void()> task) override {
    {
      const std::lock_guard lock(mutex_);
      if (taken_ < most_ && (idle_ > static_cast<int>(tasks_.size()) || grow())) {
        ++taken_;
        tasks_.push_back(std::move(task));
        has_task_.notify_one();
        return;
      }
    }
    refuses() = true;
    task();
    refuses() = false;
  }

  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    has_task_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  // Whether this thread has no time for a connection.
  static bool& refuses() {
    thread_local bool flag = false;
    return flag;
  }

 private:
  bool grow() {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      return false;
    }
    return true;
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      has_task_.wait(lock, [&] { return is_ending_ || !tasks_.empty(); });
      --idle_;
      if (tasks_.empty()) return;
      const auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
      --taken_;
    }
  }

  const int most_;
  std::mutex mutex_;
  std::condition_variable has_task_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  int taken_ = 0;  // Connections that wait or are served.
  int idle_ = 0;
  bool is_ending_ = false;
};

}  // namespace loadfactor::web
