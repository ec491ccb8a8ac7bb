// The shape of the week and its slow noise, by least squares on the logarithm of the rate.
#pragma once

#include "demand/trace.h"
#include "demand/traffic_model.h"

namespace loadfactor::demand {

// Sets base, day, half_day, weekend and slow. Windows are of ten minutes. Returns the share of the
// variance that the regular part explains.
double fit_week(const RateProfile& profile, TrafficModel& model);
double fit_week(const Trace& trace, TrafficModel& model);

}  // namespace loadfactor::demand
