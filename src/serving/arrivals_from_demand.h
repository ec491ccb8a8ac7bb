// Made traffic as the simulator wants it: pulled in batches, never all in memory.
#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace loadfactor::serving
