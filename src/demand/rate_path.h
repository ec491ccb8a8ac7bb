// The rate of a traffic model as time goes on, piece by piece.
#pragma once

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

// Noise is drawn on a grid that is fine against its relaxation; bursts cut pieces where they
// begin and end. Draws of one kind of noise never disturb those of another.
class RatePath {
 public:
  RatePath(const TrafficModel& model, std::uint64_t seed, double start = 0);

  RatePiece next();

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
  double part_of_week(double at) const;
  double smooth(double at, double log_noise);
  double day_noise(std::uint64_t day);
  void step_noise();
  void begin_burst();
  void begin_silence();

  TrafficModel model_;
  RandomStream slow_;
  RandomStream fast_;
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

}  // namespace loadfactor::demand
