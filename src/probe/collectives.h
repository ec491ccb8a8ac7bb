// Collectives over all devices of this process, or over several processes with one device each.
#pragma once

#include <string>

#include "bench.h"
#include "rank.h"

namespace loadfactor::probe {

// `meeting` is a file that all processes see, through which the first gives the others the key of
// the group; unused with one process.
void probe_collectives(const Bench& bench, const Rank& rank, const std::string& meeting);

}  // namespace loadfactor::probe
