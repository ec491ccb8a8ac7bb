#include "sim/recorded_arrivals.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace loadfactor::sim {
namespace {

template <typename T>
void copy(const std::vector<T>& from, std::size_t begin, std::size_t end, std::vector<T>& to) {
  if (from.empty()) return;
  to.assign(from.begin() + static_cast<std::ptrdiff_t>(begin),
            from.begin() + static_cast<std::ptrdiff_t>(end));
}

}  // namespace

void RecordedArrivals::pull(ArrivalBatch& batch, std::size_t most) {
  batch.clear();
  const std::size_t begin = next_;
  next_ = std::min(requests_.size(), begin + most);
  copy(requests_.time, begin, next_, batch.time);
  copy(requests_.tokens_in, begin, next_, batch.tokens_in);
  copy(requests_.tokens_out, begin, next_, batch.tokens_out);
  copy(requests_.session, begin, next_, batch.session);
  copy(requests_.model, begin, next_, batch.model);
  copy(requests_.priority, begin, next_, batch.priority);
  copy(requests_.patience, begin, next_, batch.patience);
  if (requests_.prefix_end.empty()) return;
  for (std::size_t i = begin; i < next_; ++i) {
    const auto blocks = requests_.prefix(i);
    batch.prefix_blocks.insert(batch.prefix_blocks.end(), blocks.begin(), blocks.end());
    batch.prefix_end.push_back(static_cast<std::uint32_t>(batch.prefix_blocks.size()));
  }
}

}  // namespace loadfactor::sim
