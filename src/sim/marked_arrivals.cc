#include "sim/marked_arrivals.h"

namespace loadfactor::sim {

void MarkedArrivals::pull(ArrivalBatch& batch, std::size_t most) {
  stream_->pull(batch, most);
  if (marks_.urgent > 0) {
    batch.priority.clear();
    for (std::size_t i = 0; i < batch.size(); ++i)
      batch.priority.push_back(random_.uniform_open() < marks_.urgent ? 0 : 1);
  }
  if (marks_.shared <= 0 || !batch.prefix_end.empty()) return;
  for (const std::int32_t tokens : batch.tokens_in) {
    const auto blocks = static_cast<std::uint64_t>(marks_.shared * tokens /
                                                   static_cast<double>(marks_.block_tokens));
    for (std::uint64_t name = 1; name <= blocks; ++name) batch.prefix_blocks.push_back(name);
    batch.prefix_end.push_back(static_cast<std::uint32_t>(batch.prefix_blocks.size()));
  }
}

}  // namespace loadfactor::sim
