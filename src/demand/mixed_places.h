// The traffic of one service from several places, whose days begin one after the other.
#pragma once

#include <span>

#include "demand/traffic_model.h"

namespace loadfactor::demand {

// A part of the traffic that has every hour of the model so many hours later.
struct PlaceOfUsers {
  double share = 1;
  double later = 0;
};

// The same traffic with the days of its parts moved: the mean stays, and so do noise and lengths,
// which all places have in common. The model itself where no part is moved.
TrafficModel mixed_places(const TrafficModel& model, std::span<const PlaceOfUsers> places);

}  // namespace loadfactor::demand
