// The requests of several models as one stream.
#pragma once

#include <memory>
#include <vector>

#include "sim/arrivals.h"

namespace loadfactor::sim {

// In the order of time; among equals the first stream first. A request asks for the model whose
// index its stream has.
class MergedArrivals : public ArrivalStream {
 public:
  explicit MergedArrivals(std::vector<std::unique_ptr<ArrivalStream>> streams);
  void pull(ArrivalBatch& batch, std::size_t most) override;

 private:
  struct Source {
    std::unique_ptr<ArrivalStream> stream;
    ArrivalBatch batch;
    std::size_t at = 0;
  };
  static void refill(Source& source);
  std::size_t earliest() const;

  std::vector<Source> sources_;
};

}  // namespace loadfactor::sim
