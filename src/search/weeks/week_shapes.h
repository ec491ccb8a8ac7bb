// Weeks of a demand in the fluid limit, made once for every mean rate that is asked about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "demand/rate_path.h"
#include "demand/request_draws.h"
#include "demand/traffic_model.h"

namespace loadfactor::search {

// Demand is looked at week by week, in windows of ten minutes.
inline constexpr double kWeekSeconds = 7 * 86400;
inline constexpr double kWindowSeconds = 600;

// Requests of a week that come at about one rate.
struct RateLevel {
  double rate = 0;
  double requests = 0;  // Counted in units of what comes in a window.
};
struct WeekLevels {
  std::vector<RateLevel> levels;  // The busiest first.
  double total = 0;
  double mean = 0;
};

// Windows of a week by rate; rates below 0 are missing.
WeekLevels levels_of(std::vector<double> rates);

// Any thread may ask. Weeks of one shape are kept; another shape is made anew each time.
class WeekShapes {
 public:
  struct Week {
    std::vector<double> rates;  // By windows of ten minutes, at a mean of one request per second.
    WeekLevels levels;
  };
  // So many seconds of the week of this seed, moved to the demand's mean as a whole week.
  std::shared_ptr<const Week> week(const demand::TrafficModel& model, std::uint64_t seed,
                                   double seconds);

  // What the week of a seed is multiplied by so that its mean is the demand's: noise alone would
  // make one week busier than another, and `serve --simulate --seed` moves its week likewise.
  double factor_to_mean(const demand::TrafficModel& model, std::uint64_t seed);

  // The same model's rates of ten-minute windows over the whole week of a seed, as they come.
  std::vector<double> rates(const demand::TrafficModel& model, std::uint64_t seed);

  // The path of rates over the whole week of a seed, for any mean.
  using Steps = std::shared_ptr<const std::vector<demand::RateStep>>;
  Steps steps_of(const demand::TrafficModel& model, std::uint64_t seed);

  // What was drawn of requests for any of these weeks.
  demand::DrawStore& draws() { return draws_; }

 private:
  // Whether the kept weeks are those of this model, which becomes the kept one where none is.
  bool is_kept(const demand::TrafficModel& model);

  std::mutex mutex_;
  std::unique_ptr<demand::TrafficModel> shape_;
  std::map<std::pair<std::uint64_t, double>, std::shared_ptr<const Week>> weeks_;
  std::map<std::uint64_t, double> factors_;
  std::map<std::uint64_t, Steps> steps_;
  std::size_t steps_kept_ = 0;  // All seeds together.
  demand::DrawStore draws_;
};

// The demand's model as the simulated part of a week has it: where that is less than a day, it is
// the busiest hours of Monday, not its night.
demand::TrafficModel model_of_part(const demand::TrafficModel& model, double seconds);

}  // namespace loadfactor::search
