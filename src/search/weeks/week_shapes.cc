#include "search/weeks/week_shapes.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>

#include "demand/generate.h"

namespace loadfactor::search {
namespace {

std::vector<double> drawn(const demand::TrafficModel& model, std::uint64_t seed, double seconds) {
  const auto profile =
      demand::generate_rates(model, seed, Seconds::from_base(std::max(seconds, kWindowSeconds)),
                             Seconds::from_base(kWindowSeconds));
  std::vector<double> rates;
  for (const auto& window : profile.windows) rates.push_back(window.rate.base());
  return rates;
}

double factor_to(double wanted, const std::vector<double>& rates) {
  const double sum = std::accumulate(rates.begin(), rates.end(), 0.0);
  return sum > 0 ? wanted * static_cast<double>(rates.size()) / sum : 1;
}

}  // namespace

// The busiest windows one by one, the rest in groups of like rates, since only how many come at
// which rate matters.
WeekLevels levels_of(std::vector<double> rates) {
  constexpr std::size_t kBusiest = 48;
  constexpr std::size_t kGroup = 24;
  std::erase_if(rates, [](double rate) { return rate < 0; });
  std::sort(rates.begin(), rates.end(), std::greater<>());
  WeekLevels week;
  for (std::size_t i = 0; i < rates.size();) {
    const std::size_t group = std::min(i < kBusiest ? 1 : kGroup, rates.size() - i);
    double sum = 0;
    for (std::size_t j = i; j < i + group; ++j) sum += rates[j];
    week.levels.push_back({sum / static_cast<double>(group), sum});
    week.total += sum;
    i += group;
  }
  week.mean = rates.empty() ? 0 : week.total / static_cast<double>(rates.size());
  return week;
}

namespace {

// When a day of the model is busiest; of the whole week where its parts have factors.
double busiest_hour(const demand::TrafficModel& model) {
  if (model.week.empty()) return model.day.peak_hour;
  const auto most = std::max_element(model.week.begin(), model.week.end());
  const double part = static_cast<double>(most - model.week.begin()) + 0.5;
  return 7 * 24 * part / static_cast<double>(model.week.size());
}

}  // namespace

demand::TrafficModel model_of_part(const demand::TrafficModel& model, double seconds) {
  constexpr double kHour = 3600;
  demand::TrafficModel part = model;
  if (seconds <= 0 || seconds >= 24 * kHour) return part;
  const double start = busiest_hour(part) - 0.5 * seconds / kHour;
  demand::turn_week(start, part.week);
  part.day.peak_hour -= start;
  part.half_day.peak_hour -= start;
  return part;
}

bool WeekShapes::is_kept(const demand::TrafficModel& model) {
  if (!shape_) shape_ = std::make_unique<demand::TrafficModel>(model);
  return demand::has_same_shape(*shape_, model);
}

std::shared_ptr<const WeekShapes::Week> WeekShapes::week(const demand::TrafficModel& model,
                                                         std::uint64_t seed, double seconds) {
  const std::pair key(seed, seconds);
  {
    const std::lock_guard lock(mutex_);
    const auto known = is_kept(model) ? weeks_.find(key) : weeks_.end();
    if (known != weeks_.end()) return known->second;
  }
  Week week{drawn(model_of_part(model, seconds), seed, seconds), {}};
  const double mean = demand::expected_rate(model).base();
  const double factor = seconds >= kWeekSeconds ? factor_to(1, week.rates)
                        : mean > 0              ? factor_to_mean(model, seed) / mean
                                                : 1;
  for (double& rate : week.rates) rate *= factor;
  week.levels = levels_of(week.rates);
  auto made = std::make_shared<const Week>(std::move(week));
  const std::lock_guard lock(mutex_);
  if (is_kept(model)) weeks_[key] = made;
  return made;
}

WeekShapes::Steps WeekShapes::steps_of(const demand::TrafficModel& model, std::uint64_t seed) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = is_kept(model) ? steps_.find(seed) : steps_.end();
    if (known != steps_.end()) return known->second;
  }
  auto made = std::make_shared<const std::vector<demand::RateStep>>(
      demand::rate_steps(model, seed, Seconds::from_base(kWeekSeconds)));
  constexpr std::size_t kMostKept = 1'500'000;
  const std::lock_guard lock(mutex_);
  const bool has_room = steps_kept_ + made->size() <= kMostKept;
  if (has_room && is_kept(model) && steps_.emplace(seed, made).second) steps_kept_ += made->size();
  return made;
}

std::vector<double> WeekShapes::rates(const demand::TrafficModel& model, std::uint64_t seed) {
  const auto profile =
      demand::rates_of(model, *steps_of(model, seed), Seconds::from_base(kWeekSeconds),
                       Seconds::from_base(kWindowSeconds));
  std::vector<double> rates;
  for (const auto& window : profile.windows) rates.push_back(window.rate.base());
  return rates;
}

double WeekShapes::factor_to_mean(const demand::TrafficModel& model, std::uint64_t seed) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = is_kept(model) ? factors_.find(seed) : factors_.end();
    if (known != factors_.end()) return known->second;
  }
  const double factor =
      factor_to(demand::expected_rate(model).base(), drawn(model, seed, kWeekSeconds));
  const std::lock_guard lock(mutex_);
  if (is_kept(model)) factors_[seed] = factor;
  return factor;
}

}  // namespace loadfactor::search
