#include "mpi/work_list.h"

#include <algorithm>

namespace loadfactor {
namespace {

constexpr double kMoreThanLongest = 4;  // Times what the longest item took so far.
constexpr double kLeastAge = 5;         // Seconds before an item is done again.

}  // namespace

std::vector<std::size_t> WorkList::take_for(int rank) {
  constexpr double kGoodSeconds = 0.03;
  constexpr std::size_t kMaxBatch = 64;
  const std::lock_guard lock(mutex_);
  std::vector<std::size_t> places;
  if (is_closed_) return places;
  const double each = done_ == 0 ? kGoodSeconds : seconds_ / static_cast<double>(done_);
  const std::size_t left = is_done_.size() - next_;
  const auto fair = left / static_cast<std::size_t>(2 * workers_) + 1;
  const auto quick =
      static_cast<std::size_t>(std::clamp(kGoodSeconds / std::max(each, 1e-6), 1.0, 1e6));
  for (std::size_t i = std::min({left, fair, quick, kMaxBatch}); i > 0; --i) {
    held_[next_] = {rank, Clock::now()};
    places.push_back(next_++);
  }
  return places;
}

double WorkList::patience() const {
  constexpr double kLeast = 20;  // A rank may have to share its core.
  const std::lock_guard lock(mutex_);
  return std::max(kLeast, kMoreThanLongest * longest_);
}

bool WorkList::take_own(std::size_t& place) {
  std::unique_lock lock(mutex_);
  while (!is_closed_ && done_ < is_done_.size()) {
    if (next_ < is_done_.size()) {
      place = next_++;
      return true;
    }
    // The one that was taken first, where it has been out for too long.
    const auto oldest = std::min_element(
        held_.begin(), held_.end(),
        [](const auto& a, const auto& b) { return a.second.second < b.second.second; });
    if (oldest != held_.end()) {
      const std::chrono::duration<double> age = Clock::now() - oldest->second.second;
      if (age.count() > std::max(kLeastAge, kMoreThanLongest * longest_)) {
        place = oldest->first;
        oldest->second.second = Clock::now();
        return true;
      }
    }
    changed_.wait_for(lock, std::chrono::milliseconds(50));
  }
  return false;
}

void WorkList::put_own(std::size_t place, std::string bytes, double seconds) {
  const std::lock_guard lock(mutex_);
  seconds_ += seconds;
  longest_ = std::max(longest_, seconds);
  own_.emplace_back(place, std::move(bytes));
  changed_.notify_all();
}

std::vector<WorkList::Result> WorkList::own_results(std::chrono::microseconds patience) {
  std::unique_lock lock(mutex_);
  if (own_.empty()) changed_.wait_for(lock, patience, [this] { return !own_.empty(); });
  std::vector<Result> out(std::make_move_iterator(own_.begin()),
                          std::make_move_iterator(own_.end()));
  own_.clear();
  return out;
}

bool WorkList::finish(std::size_t place, int rank, double seconds) {
  const std::lock_guard lock(mutex_);
  if (place >= is_done_.size()) return false;
  const auto held = held_.find(place);
  if (held != held_.end() && held->second.first == rank) held_.erase(held);
  if (rank > 0) {
    seconds_ += seconds;
    longest_ = std::max(longest_, seconds);
  }
  if (is_done_[place]) return false;
  is_done_[place] = true;
  ++done_;
  changed_.notify_all();
  return true;
}

bool WorkList::is_over() const {
  const std::lock_guard lock(mutex_);
  return is_closed_ || done_ == is_done_.size();
}

void WorkList::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  changed_.notify_all();
}

}  // namespace loadfactor
