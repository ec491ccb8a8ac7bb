// The rate of a traffic model as time goes on, piece by piece.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/random.h"
#include "demand/traffic_model.h"

namespace loadfactor::demand {

// A stretch of constant rate.
struct RatePiece {
  double start = 0;   // Seconds since Monday, 0 h UTC.
  double length = 0;  // Seconds.
  double rate = 0;    // Per second.
};

// The same apart from the base rate: one shape has the paths of every mean.
struct RateStep {
  double start = 0;
  double length = 0;
  double swing = 1;  // The factor of waves and noise.
  double burst = 1;  // The factor of the burst; 0: silence between two.
};

// The rate of a step for a model of the shape it was made from.
double rate_of(const TrafficModel& model, const RateStep& step);

// Standard normal draws of one stream, some of them ahead.
class NormalDraws {
 public:
  explicit NormalDraws(const RandomStream& stream) : stream_(stream) {}
  double next() {
    if (next_ == ahead_.size()) refill();
    return ahead_[next_++];
  }

 private:
  void refill();

  RandomStream stream_;
  std::array<double, 64> ahead_{};
  std::size_t next_ = 64;
};

// Noise is drawn on a grid that is fine against its relaxation; bursts cut pieces where they
// begin and end. Draws of one kind of noise never disturb those of another.
class RateShape {
 public:
  RateShape(const TrafficModel& model, std::uint64_t seed, double start = 0);

  RateStep next();

 private:
  // One step of noise on the grid: what stays of it, and what comes.
  struct LogStep {
    double keep = 0;
    double added = 0;  // Standard deviation of the noise that comes.
  };
  // A wave's place on the unit circle.
  struct Turning {
    double cosine = 1;
    double sine = 0;
    void turn_by(const Turning& step);
  };
  static Turning turning_of(double second_of_day, double peak_hour, double cycles);
  static LogStep step_of(const LogNoise& noise, double step);
  // The logarithm of the day's waves. From one step of the grid to the next they are turned by a
  // fixed angle; each day, and after a burst, they are computed afresh.
  double waves_at(double second_of_day);
  double swing_at(double at, double log_noise);
  double day_noise(std::uint64_t day);
  void step_noise();
  void begin_burst();
  void begin_silence();

  TrafficModel model_;
  NormalDraws slow_;
  NormalDraws fast_;
  RandomStream days_;
  RandomStream bursts_;
  double now_;
  double grid_;
  double grid_end_;
  double slow_log_ = 0;
  double fast_log_ = 0;
  LogStep slow_step_;
  LogStep fast_step_;
  std::uint64_t day_ = 0;  // The day that day_log_ was drawn for.
  double day_log_ = 0;     // The draw of that day.
  bool has_day_ = false;
  bool is_on_ = true;
  double switch_at_;
  double burst_factor_ = 1;
  double waves_second_ = -1e9;  // The second of the day that the waves stand at.
  Turning day_wave_;
  Turning half_day_wave_;
  Turning day_step_;
  Turning half_day_step_;
};

class RatePath {
 public:
  RatePath(const TrafficModel& model, std::uint64_t seed, double start = 0)
      : model_(model), shape_(model, seed, start) {}

  RatePiece next() {
    const RateStep step = shape_.next();
    return {step.start, step.length, rate_of(model_, step)};
  }

 private:
  TrafficModel model_;
  RateShape shape_;
};

// When so many requests have come, were they spread evenly over the integral of the rate.
class OperationalTime {
 public:
  OperationalTime(const TrafficModel& model, std::uint64_t seed, Seconds duration)
      : path_(model, seed), piece_(path_.next()), duration_(duration.base()) {}

  // The second at which `wanted` have come; false where that is beyond the end, as it is then for
  // good. Asked in ascending order.
  bool reach(double wanted, double& second) {
    while (before_ + piece_.rate * piece_.length < wanted) {
      before_ += piece_.rate * piece_.length;
      if (piece_.start + piece_.length >= duration_) return false;
      piece_ = path_.next();
    }
    second = piece_.start + (wanted - before_) / piece_.rate;
    return second < duration_;
  }
  double duration() const { return duration_; }

 private:
  RatePath path_;
  RatePiece piece_;
  double duration_;
  double before_ = 0;  // What had come at the start of the piece.
};

}  // namespace loadfactor::demand
