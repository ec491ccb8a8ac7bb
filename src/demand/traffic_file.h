// data/demand: traffic models as files, one each, read and written.
#pragma once

#include <optional>
#include <string>

#include "demand/traffic_model.h"
#include "loadfactor/result.h"

namespace loadfactor::demand {

// Reads `schema: traffic/1`; reports everything that is wrong.
std::optional<TrafficModel> read_traffic(const std::string& file, const std::string& text,
                                         Diagnostics& diagnostics);

// As a file that read_traffic() reads back, numbers to four digits.
std::string traffic_yaml(const TrafficModel& model);

}  // namespace loadfactor::demand
