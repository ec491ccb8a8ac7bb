// How a deployment looked over time: points at equal distances, never more than a bounded number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/ticks.h"

namespace loadfactor::serving {

using sim::Ticks;

struct SeriesPoint {
  Ticks time = 0;
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::int64_t used_blocks = 0;
  std::int64_t blocks = 0;    // KV blocks of replicas that hold requests or may be given some.
  std::int64_t replicas = 0;  // Ready to serve.
  std::int64_t paid_replicas = 0;
  std::int64_t output_tokens = 0;  // Since the start.
  std::int64_t prefill_tokens = 0;

  SeriesPoint& operator+=(const SeriesPoint& other) {
    waiting += other.waiting;
    running += other.running;
    used_blocks += other.used_blocks;
    blocks += other.blocks;
    replicas += other.replicas;
    paid_replicas += other.paid_replicas;
    output_tokens += other.output_tokens;
    prefill_tokens += other.prefill_tokens;
    return *this;
  }
};

// How hard the replicas of one group were pressed, at the points of the series.
struct GroupPressure {
  std::int64_t points = 0;
  std::int64_t waiting = 0;       // Waiting requests, summed over the points.
  double most_kv = 0;             // Largest share of its KV blocks in use at a point.
  double most_slots = 0;          // Largest share of its sequence slots in use at a point.
  std::int64_t points_short = 0;  // Points at which a replica was down.

  double mean_waiting() const {
    return points > 0 ? static_cast<double>(waiting) / static_cast<double>(points) : 0;
  }
};

// When it is full, every other point goes and the distance doubles.
class Series {
 public:
  explicit Series(Ticks interval) : interval_(interval) {}

  Ticks interval() const { return interval_; }
  const std::vector<SeriesPoint>& points() const { return points_; }
  void add(const SeriesPoint& point) {
    points_.push_back(point);
    if (points_.size() < kMostPoints) return;
    std::size_t kept = 0;
    for (std::size_t i = 1; i < points_.size(); i += 2) points_[kept++] = points_[i];
    points_.resize(kept);
    interval_ *= 2;
  }

  // Adds another one that was taken at the same instants.
  void merge(const Series& other) {
    for (std::size_t i = 0; i < points_.size(); ++i) points_[i] += other.points_[i];
  }

 private:
  static constexpr std::size_t kMostPoints = 4096;

  Ticks interval_;
  std::vector<SeriesPoint> points_;
};

}  // namespace loadfactor::serving
