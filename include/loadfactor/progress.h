/// A handle on a question that takes long: how far it is, and a way to stop it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace loadfactor {

/// The code of the error that a cancelled question ends with, where nothing useful was found yet.
inline constexpr int kCancelled = 605;

/// Copies share one flag, so that a copy kept by the caller stops the question it was asked with.
class Progress {
 public:
  Progress() = default;
  /// `report` gets the share that is done, now and then, from one thread at a time.
  explicit Progress(std::function<void(double share)> report) : report_(std::move(report)) {}

  /// May be called from any thread.
  void cancel() const { own_->store(true); }
  bool is_cancelled() const { return flag()->load(); }
  void report(double share) const {
    if (report_) report_(share);
  }

  /// Stops when `flag` is set, as a signal handler can; it must outlive the question.
  Progress& stop_by(const std::atomic<bool>* flag) {
    given_ = flag;
    return *this;
  }
  /// A clock of CPU seconds by which answers say how long they took; without one they do not.
  Progress& time_by(std::function<double()> cpu_seconds) {
    cpu_seconds_ = std::move(cpu_seconds);
    return *this;
  }

  const std::atomic<bool>* flag() const { return given_ != nullptr ? given_ : own_.get(); }
  const std::function<double()>& cpu_seconds() const { return cpu_seconds_; }

 private:
  std::shared_ptr<std::atomic<bool>> own_ = std::make_shared<std::atomic<bool>>(false);
  const std::atomic<bool>* given_ = nullptr;
  std::function<void(double)> report_;
  std::function<double()> cpu_seconds_;
};

}  // namespace loadfactor
