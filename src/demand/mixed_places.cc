#include "demand/mixed_places.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "demand/week_factor.h"

namespace loadfactor::demand {
namespace {

constexpr double kHoursOfWeek = 7 * 24;
constexpr std::size_t kFinestParts = 7 * 24 * 6;  // Ten minutes.

double hour_of_week(double hour) {
  const double turned = std::fmod(hour, kHoursOfWeek);
  return turned < 0 ? turned + kHoursOfWeek : turned;
}

bool has_days(const TrafficModel& model) {
  return model.day.amplitude != 0 || model.half_day.amplitude != 0 || model.weekend != 1 ||
         !model.week.empty();
}

// The same parts of an hour as the model has, or ten minutes.
std::size_t parts_for(const TrafficModel& model) {
  return model.week.empty() ? kFinestParts : std::lcm(kFinestParts, model.week.size());
}

}  // namespace

TrafficModel mixed_places(const TrafficModel& model, std::span<const PlaceOfUsers> places) {
  const bool is_moved = std::any_of(places.begin(), places.end(),
                                    [](const PlaceOfUsers& place) { return place.later != 0; });
  if (!is_moved || !has_days(model)) return model;
  TrafficModel mixed = model;
  mixed.day = mixed.half_day = Wave();
  mixed.weekend = 1;
  mixed.week.assign(parts_for(model), 0.0);
  for (std::size_t i = 0; i < mixed.week.size(); ++i) {
    const double middle =
        kHoursOfWeek * (static_cast<double>(i) + 0.5) / static_cast<double>(mixed.week.size());
    for (const PlaceOfUsers& place : places)
      mixed.week[i] += place.share * factor_at(model, hour_of_week(middle - place.later));
  }
  return scaled_to(mixed, expected_rate(model));
}

}  // namespace loadfactor::demand
