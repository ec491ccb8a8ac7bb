#include "serving/arrivals_from_demand.h"

#include <algorithm>
#include <utility>

#include "sim/recorded_arrivals.h"

namespace loadfactor::serving {

void GeneratedArrivals::pull(sim::ArrivalBatch& batch, std::size_t most) {
  batch.clear();
  demand::Request request;
  while (batch.size() < most && left_ > 0 && generator_.next(request)) {
    --left_;
    batch.time.push_back(sim::ticks_of_nanoseconds(request.at));
    batch.tokens_in.push_back(std::max(1, request.input));
    batch.tokens_out.push_back(std::max(1, request.output));
  }
}

std::unique_ptr<sim::ArrivalStream> stream_of(sim::ArrivalBatch batch) {
  return std::make_unique<sim::RecordedArrivals>(std::move(batch));
}

}  // namespace loadfactor::serving
