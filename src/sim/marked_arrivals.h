// Requests of another stream, some of them urgent, all of them with the same beginning.
#pragma once

#include <cstdint>
#include <memory>

#include "base/random.h"
#include "sim/arrivals.h"

namespace loadfactor::sim {

struct ArrivalMarks {
  double urgent = 0;      // Share of requests with priority 0; the others have 1. 0: no priorities.
  double shared = 0;      // Share of every prompt that all requests have in common.
  int block_tokens = 16;  // The common part is whole blocks of this size.
  std::uint64_t seed = 1;
};

class MarkedArrivals : public ArrivalStream {
 public:
  MarkedArrivals(std::unique_ptr<ArrivalStream> stream, const ArrivalMarks& marks)
      : stream_(std::move(stream)), marks_(marks), random_(marks.seed, "urgency") {}
  void pull(ArrivalBatch& batch, std::size_t most) override;

 private:
  std::unique_ptr<ArrivalStream> stream_;
  ArrivalMarks marks_;
  RandomStream random_;
};

}  // namespace loadfactor::sim
