// Requests at a constant mean rate, with lengths taken in turn from a list.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "sim/arrivals.h"

namespace loadfactor::sim {

struct RequestLength {
  std::int32_t tokens_in = 1;
  std::int32_t tokens_out = 1;
};

struct PoissonDemand {
  std::vector<RequestLength> lengths;  // Repeated as often as needed; not empty.
  double per_second = 1;               // 0: all requests at once.
  std::int64_t count = 0;
  std::uint64_t seed = 1;
};

class PoissonArrivals : public ArrivalStream {
 public:
  explicit PoissonArrivals(PoissonDemand demand);
  void pull(ArrivalBatch& batch, std::size_t most) override;

 private:
  void set_times(std::span<Ticks> times);

  PoissonDemand demand_;
  RandomStream random_;
  std::vector<std::uint64_t> draws_;
  double now_ = 0;  // Seconds.
  std::int64_t made_ = 0;
  std::size_t next_length_ = 0;
};

}  // namespace loadfactor::sim
