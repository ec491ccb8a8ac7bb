// Made traffic as the simulator wants it: pulled in batches, never all in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "demand/generate.h"
#include "sim/arrivals.h"

namespace loadfactor::serving {

// Same model and seed, same requests; the first `most` of them (0: all).
class GeneratedArrivals : public sim::ArrivalStream {
 public:
  GeneratedArrivals(const demand::TrafficModel& model, std::uint64_t seed, Seconds duration,
                    std::int64_t most = 0)
      : generator_(model, seed, duration), left_(most > 0 ? most : INT64_MAX) {}

  void pull(sim::ArrivalBatch& batch, std::size_t most) override;

 private:
  demand::TrafficGenerator generator_;
  std::int64_t left_;
};

// Requests that already lie in memory, as a stream.
std::unique_ptr<sim::ArrivalStream> stream_of(sim::ArrivalBatch batch);

}  // namespace loadfactor::serving
