#include "serving/arrivals_from_demand.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/recorded_arrivals.h"

namespace loadfactor::serving {

void GeneratedArrivals::pull(sim::ArrivalBatch& batch, std::size_t most) {
  batch.clear();
  demand::Request request;
  while (batch.size() < most && left_ > 0 && generator_.next(request)) {
    --left_;
    batch.time.push_back(sim::ticks_of_nanoseconds(request.at));
    batch.tokens_in.push_back(std::max(1, request.input));
    batch.tokens_out.push_back(std::max(1, request.output));
  }
}

void DrawnArrivals::pull(sim::ArrivalBatch& batch, std::size_t most) {
  constexpr std::size_t kBlock = demand::RequestDraws::kBlock;
  batch.clear();
  while (batch.size() < most && !is_over_) {
    if (next_ % kBlock == 0) block_ = draws_->block(next_ / kBlock);
    const demand::RequestDraw& draw = (*block_)[next_++ % kBlock];
    double second = 0;
    is_over_ = !time_.reach(draw.at, second);
    if (is_over_) return;
    batch.time.push_back(sim::ticks_of_nanoseconds(std::llround(second * 1e9)));
    batch.tokens_in.push_back(std::max(1, draw.input));
    batch.tokens_out.push_back(std::max(1, draw.output));
  }
}

std::unique_ptr<sim::ArrivalStream> arrivals_of(const demand::TrafficModel& model,
                                                std::uint64_t seed, Seconds duration,
                                                demand::DrawStore* store) {
  if (!demand::RequestDraws::are_all_of(model))
    return std::make_unique<GeneratedArrivals>(model, seed, duration);
  constexpr double kMargin = 1.3;  // A stretch of time may be busier than the mean.
  const double expected = kMargin * demand::expected_rate(model).base() * duration.base();
  auto draws = store != nullptr ? store->of(model, seed, expected) : nullptr;
  if (!draws)
    draws = std::make_shared<demand::RequestDraws>(model, seed, demand::Keeping::kNothing);
  return std::make_unique<DrawnArrivals>(model, seed, duration, std::move(draws));
}

std::unique_ptr<sim::ArrivalStream> stream_of(sim::ArrivalBatch batch) {
  return std::make_unique<sim::RecordedArrivals>(std::move(batch));
}

}  // namespace loadfactor::serving
