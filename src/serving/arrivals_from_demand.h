// Made traffic as the simulator wants it: pulled in batches, never all in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "demand/generate.h"
#include "sim/arrivals.h"

namespace loadfactor::serving {

// Same model and seed, same requests.
class GeneratedArrivals : public sim::ArrivalStream {
 public:
  GeneratedArrivals(const demand::TrafficModel& model, std::uint64_t seed, Seconds duration)
      : generator_(model, seed, duration) {}

  void pull(sim::ArrivalBatch& batch, std::size_t most) override;

 private:
  demand::TrafficGenerator generator_;
};

// Requests that already lie in memory, as a stream.
std::unique_ptr<sim::ArrivalStream> stream_of(sim::ArrivalBatch batch);

}  // namespace loadfactor::serving
