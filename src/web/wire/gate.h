// Lets a few in at a time; a bounded number waits a bounded time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace loadfactor::web {

class Gate {
 public:
  struct Bounds {
    int inside = 2;
    int waiting = 128;
    std::chrono::milliseconds patience{150};
  };
  // Lets the next one in when it goes.
  class Pass {
   public:
    explicit Pass(Gate& gate) : gate_(&gate) {}
    Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (gate_ != nullptr) gate_->leave();
    }

   private:
    Gate* gate_;
  };

  explicit Gate(Bounds bounds) : bounds_(bounds) {}

  // Nothing where too many wait or it took too long.
  std::optional<Pass> enter() {
    std::unique_lock lock(mutex_);
    if (inside_ >= bounds_.inside) {
      if (waiting_ >= bounds_.waiting) return std::nullopt;
      ++waiting_;
      const bool is_in =
          free_.wait_for(lock, bounds_.patience, [&] { return inside_ < bounds_.inside; });
      --waiting_;
      if (!is_in) return std::nullopt;
    }
    ++inside_;
    return Pass(*this);
  }

  int inside() const {
    const std::lock_guard lock(mutex_);
    return inside_;
  }
  int waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_;
  }

 private:
  void leave() {
    {
      const std::lock_guard lock(mutex_);
      --inside_;
    }
    free_.notify_one();
  }

  const Bounds bounds_;
  mutable std::mutex mutex_;
  std::condition_variable free_;
  int inside_ = 0;
  int waiting_ = 0;
};

}  // namespace loadfactor::web
