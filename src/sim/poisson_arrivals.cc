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
  if (count <= 0) return;
  made_ += count;
  const auto size = static_cast<std::size_t>(count);
  batch.time.resize(size);
  batch.tokens_in.resize(size);
  batch.tokens_out.resize(size);
  set_times(batch.time);
  for (std::size_t i = 0; i < size; ++i) {
    const RequestLength& length = demand_.lengths[next_length_];
    if (++next_length_ == demand_.lengths.size()) next_length_ = 0;
    batch.tokens_in[i] = length.tokens_in;
    batch.tokens_out[i] = length.tokens_out;
  }
}

void PoissonArrivals::set_times(std::span<Ticks> times) {
  const bool is_spread = demand_.per_second > 0;
  if (is_spread) {
    draws_.resize(times.size());
    random_.fill(draws_);
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (is_spread) now_ -= std::log(RandomStream::uniform_open_of(draws_[i])) / demand_.per_second;
    const double ticks = now_ * static_cast<double>(kSecond);
    times[i] = ticks < static_cast<double>(kNever) ? static_cast<Ticks>(ticks) : kNever;
  }
}

}  // namespace loadfactor::sim
