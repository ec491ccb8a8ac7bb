#include "serving/simulator/transfer_links.h"

#include <algorithm>

namespace loadfactor::serving {

Ticks TransferLinks::send(Ticks now, std::size_t from, std::size_t to, std::int64_t blocks,
                          const TransferRules& rules) {
  const Ticks start = std::max({now, out_[from], shared_, in_[to]});
  const Ticks own = blocks * rules.per_block_replica_link;
  const Ticks common = blocks * rules.per_block_shared_link;
  out_[from] = in_[to] = start + own;
  shared_ = start + common;
  return start + rules.latency + std::max(own, common);
}

}  // namespace loadfactor::serving
