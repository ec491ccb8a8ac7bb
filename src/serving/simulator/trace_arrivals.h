// Requests of a demand trace as the simulator wants them.
#pragma once

#include <cstdint>

#include "demand/trace.h"
#include "sim/arrivals.h"

namespace loadfactor::serving {

struct TraceArrivals {
  sim::ArrivalBatch batch;
  std::int64_t dropped = 0;  // Requests without a token in or out.
};

// The first `most` requests that can be served (0: all), sessions and prefixes included. Prefix
// blocks keep the trace's size; cut_prefixes() brings them to that of the KV cache.
TraceArrivals arrivals_of(const demand::Trace& trace, std::int64_t most);

// Renames prefixes of `from` tokens per block as blocks of `to` tokens, which must divide `from`.
void cut_prefixes(sim::ArrivalBatch& batch, int from, int to);

}  // namespace loadfactor::serving
