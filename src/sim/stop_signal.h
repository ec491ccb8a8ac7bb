// A flag that somebody outside may set, looked at often enough to stop soon and seldom enough to
// cost nothing.
#pragma once

#include <atomic>
#include <cstdint>

namespace loadfactor::sim {

class StopSignal {
 public:
  static constexpr std::uint32_t kLooks = 1024;  // The flag is read once in so many looks.

  // Without a flag it is never set.
  explicit StopSignal(const std::atomic<bool>* flag) : flag_(flag) {}

  // Whether it is set, by now or earlier.
  bool look() {
    if (++looks_ % kLooks == 0 && flag_ != nullptr) is_set_ = is_set_ || flag_->load();
    return is_set_;
  }
  bool is_set() const { return is_set_; }

 private:
  const std::atomic<bool>* flag_;
  std::uint32_t looks_ = 0;
  bool is_set_ = false;
};

}  // namespace loadfactor::sim
