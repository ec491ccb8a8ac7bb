#include "serving/simulator/span_arrivals.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::serving {

SpanArrivals::SpanArrivals(const demand::TrafficModel& model,
                           const std::vector<demand::RateStep>& steps, const WeekSpan& span,
                           DrawReader& draws)
    : model_(model), steps_(steps), span_(span), draws_(draws) {
  const auto after =
      std::upper_bound(steps.begin(), steps.end(), span.from,
                       [](double at, const demand::RateStep& step) { return at < step.start; });
  step_ = after == steps.begin() ? 0 : static_cast<std::size_t>(after - steps.begin()) - 1;
  begin_step();
}

void SpanArrivals::begin_step() {
  if (step_ >= steps_.size()) {
    is_over_ = true;
    return;
  }
  const demand::RateStep& step = steps_[step_];
  begin_ = std::max(span_.from, step.start);
  end_ = std::min(span_.until, step.start + step.length);
  is_over_ = step.start >= span_.until;
  rate_ = demand::rate_of(model_, step);
}

bool SpanArrivals::reach(double& second) {
  while (!is_over_ && before_ + rate_ * (end_ - begin_) < wanted_) {
    before_ += rate_ * (end_ - begin_);
    ++step_;
    begin_step();
  }
  if (is_over_) return false;
  second = begin_ + (wanted_ - before_) / rate_;
  return second < span_.until;
}

void SpanArrivals::pull(sim::ArrivalBatch& batch, std::size_t most) {
  batch.clear();
  while (batch.size() < most && !is_over_) {
    if (drawn_at_ < 0) drawn_at_ = draws_.next().at;
    const demand::RequestDraw& draw = draws_.next();
    wanted_ += draw.at - drawn_at_;
    drawn_at_ = draw.at;
    double second = 0;
    is_over_ = !reach(second);
    if (is_over_) return;
    batch.time.push_back(sim::ticks_of_nanoseconds(std::llround((second - span_.from) * 1e9)));
    batch.tokens_in.push_back(std::max(1, draw.input));
    batch.tokens_out.push_back(std::max(1, draw.output));
  }
}

}  // namespace loadfactor::serving
