// The series that rules and pictures are made of.
#pragma once

#include <string>

#include "launch/emit/emission.h"

namespace loadfactor::launch {

// Series of an engine, held to the table of its metrics.
struct WatchedSeries {
  std::string running, waiting, cache, first_token, per_token, generated;
};
WatchedSeries series_of(Desk& desk);

inline constexpr const char* kTensorActive = "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE";
// Series of all GPUs. A sensor that is absent tells a number beyond all sense, one that broke tells
// NaN, and a node may be scraped twice.
inline constexpr const char* kTensorMean =
    "avg(max by (UUID) (DCGM_FI_PROF_PIPE_TENSOR_ACTIVE <= 1))";
inline constexpr const char* kPowerSum = "sum(max by (UUID) (DCGM_FI_DEV_POWER_USAGE < 1e5))";

// A quantile of a histogram over five minutes.
std::string quantile(const std::string& series, double share);

}  // namespace loadfactor::launch
