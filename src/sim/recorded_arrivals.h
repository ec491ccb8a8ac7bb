// Requests that already lie in memory.
#pragma once

#include <cstddef>
#include <utility>

#include "sim/arrivals.h"

namespace loadfactor::sim {

class RecordedArrivals : public ArrivalStream {
 public:
  explicit RecordedArrivals(ArrivalBatch requests) : requests_(std::move(requests)) {}
  void pull(ArrivalBatch& batch, std::size_t most) override;

 private:
  ArrivalBatch requests_;
  std::size_t next_ = 0;
};

}  // namespace loadfactor::sim
