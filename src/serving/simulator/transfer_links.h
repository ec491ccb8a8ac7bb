// KV blocks on their way from prefill to decode replicas.
#pragma once

#include <cstddef>
#include <vector>

#include "serving/simulator/policy.h"

namespace loadfactor::serving {

class TransferLinks {
 public:
  explicit TransferLinks(std::size_t replicas) : out_(replicas, 0), in_(replicas, 0) {}

  // Sends at `now`; returns when it arrives. A link carries one transfer after the other.
  Ticks send(Ticks now, std::size_t from, std::size_t to, std::int64_t blocks,
             const TransferRules& rules);

 private:
  std::vector<Ticks> out_;  // When each link is free again.
  std::vector<Ticks> in_;
  Ticks shared_ = 0;
};

}  // namespace loadfactor::serving
