// A stretch of a week's traffic, from the week's own path of rates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "demand/rate_path.h"
#include "demand/request_draws.h"
#include "demand/traffic_model.h"
#include "sim/arrivals.h"

namespace loadfactor::serving {

// Seconds of a week.
struct WeekSpan {
  double from = 0;
  double until = 0;
};

// Draws of requests, taken one after the other by stretch after stretch.
class DrawReader {
 public:
  explicit DrawReader(std::shared_ptr<demand::RequestDraws> draws) : draws_(std::move(draws)) {}

  const demand::RequestDraw& next() {
    constexpr std::size_t kBlock = demand::RequestDraws::kBlock;
    if (at_ % kBlock == 0) block_ = draws_->block(at_ / kBlock);
    return (*block_)[at_++ % kBlock];
  }
  std::int64_t taken() const { return static_cast<std::int64_t>(at_); }

 private:
  std::shared_ptr<demand::RequestDraws> draws_;
  demand::RequestDraws::Block block_;
  std::size_t at_ = 0;
};

// Times count from the beginning of the span. The steps are those of the model's shape, in order,
// and outlive the stream, as the model and the reader do.
class SpanArrivals : public sim::ArrivalStream {
 public:
  SpanArrivals(const demand::TrafficModel& model, const std::vector<demand::RateStep>& steps,
               const WeekSpan& span, DrawReader& draws);

  void pull(sim::ArrivalBatch& batch, std::size_t most) override;

 private:
  // The second at which `wanted_` have come; false where that is beyond the span.
  bool reach(double& second);
  void begin_step();

  const demand::TrafficModel& model_;
  const std::vector<demand::RateStep>& steps_;
  const WeekSpan span_;
  DrawReader& draws_;
  std::size_t step_ = 0;
  double begin_ = 0;      // Where what is left of the step begins,
  double end_ = 0;        // and where it ends.
  double rate_ = 0;       // Its requests per second.
  double before_ = 0;     // Requests that are expected from the span's beginning to there.
  double wanted_ = 0;     // Requests that are expected until the next one comes.
  double drawn_at_ = -1;  // Where the last draw stands; -1: none was taken.
  bool is_over_ = false;
};

}  // namespace loadfactor::serving
