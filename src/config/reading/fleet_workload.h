// The reader of one workload of a fleet.
#pragma once

#include "config/reader.h"
#include "config/scenario/fleet.h"

namespace loadfactor::config {

// Reads the keys of the map, reports what is wrong with them and finishes the map.
FleetWorkload read_workload(MapReader& reader);

}  // namespace loadfactor::config
