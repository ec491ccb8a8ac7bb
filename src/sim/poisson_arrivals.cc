#include "sim/poisson_arrivals.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace loadfactor::sim {

PoissonArrivals::PoissonArrivals(PoissonDemand demand)
    : demand_(std::move(demand)), random_(demand_.seed, "arrivals") {}

void PoissonArrivals::pull(ArrivalBatch& batch, std::size_t most) {
  batch.clear();
  const std::int64_t count = std::min(static_cast<std::int64_t>(most), demand_.count - made_);
  made_ += count;
  for (std::int64_t i = 0; i < count; ++i) {
    if (demand_.per_second > 0) now_ -= std::log(random_.uniform_open()) / demand_.per_second;
    const double ticks = now_ * static_cast<double>(kSecond);
    batch.time.push_back(ticks < static_cast<double>(kNever) ? static_cast<Ticks>(ticks) : kNever);
    const RequestLength& length = demand_.lengths[next_length_];
    if (++next_length_ == demand_.lengths.size()) next_length_ = 0;
    batch.tokens_in.push_back(length.tokens_in);
    batch.tokens_out.push_back(length.tokens_out);
  }
}

}  // namespace loadfactor::sim
