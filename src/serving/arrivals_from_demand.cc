#include "serving/arrivals_from_demand.h"

#include <algorithm>

namespace loadfactor::serving {

void GeneratedArrivals::pull(sim::ArrivalBatch& batch, std::size_t most) {
  constexpr sim::Ticks kTicksPerNanosecond = sim::kSecond / demand::kNanosecondsPerSecond;
  batch.clear();
  demand::Request request;
  while (batch.size() < most && generator_.next(request)) {
    batch.time.push_back(request.at * kTicksPerNanosecond);
    batch.tokens_in.push_back(std::max(1, request.input));
    batch.tokens_out.push_back(std::max(1, request.output));
  }
}

}  // namespace loadfactor::serving
