// What the hours of a week make of the rate of a traffic model.
#pragma once

#include "demand/traffic_model.h"

namespace loadfactor::demand {

// What the hour of the week, from Monday, 0 h, on, multiplies the rate by, noise left out.
double factor_at(const TrafficModel& model, double hour);

}  // namespace loadfactor::demand
