// Which replica is meant where a scenario leaves tp open: one rule for every verb.
#pragma once

#include <cstdint>

namespace loadfactor::serving {

// Tokens that the cache of one copy must hold for a replica to be worth running: four full steps,
// and eight requests of this length. The least tp with so many is taken.
std::int64_t worthwhile_cache(std::int64_t chunk, double tokens_each);

}  // namespace loadfactor::serving
