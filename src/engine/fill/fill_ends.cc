// The answer of `fill` with what is uncertain at its ends: the speed of replicas, and every price.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/statistics.h"
#include "economics/uncertainty.h"
#include "engine/fill/fill.h"

namespace loadfactor::engine {
namespace {

// A simulated replica that is slower is fuller, later, and within the SLO as much less often as the
// fluid limit has it.
void move_simulated(const FillContext& context, const FillAnswer& middle, FillAnswer& end) {
  if (!end.simulated || context.speed == 1) return;
  SimulatedFill& moved = *end.simulated;
  const bool is_slow = context.speed < 1;
  const auto time = [&](serving::Metric metric, Seconds& value) {
    const auto width = context.width(metric);
    value = value * std::exp(is_slow ? width.high : width.low);
  };
  moved.load_factor = std::min(1.0, moved.load_factor / context.speed);
  time(serving::Metric::kFirstToken, moved.ttft);
  time(serving::Metric::kTimePerToken, moved.tpot);
  moved.within_slo =
      std::clamp(moved.within_slo + end.load.within_slo - middle.load.within_slo, 0.0, 1.0);
}

// What a deployment of another chip must carry moves with the prices as this one's does.
void move_smallest(const FillContext& context, const FillAnswer& middle, FillAnswer& end) {
  if (!end.smallest || middle.thresholds.empty() || end.thresholds.empty()) return;
  const double dearer = end.thresholds.front().requests / middle.thresholds.front().requests;
  end.smallest->requests = end.smallest->requests * dearer;
  end.smallest->break_even *= dearer / context.speed;
}

FillAnswer answer_at_end(FillContext& context, const FillAnswer& middle) {
  FillAnswer end = middle;
  end.ways.clear();
  end.pooling.clear();
  end.crowd.clear();
  end.thresholds.clear();
  const serving::CapacityFigures predicted = context.figures;
  context.figures = at_speed(predicted, context.speed);
  end.replica = context.figures;
  add_load(context, end);
  add_ways(context, end);
  fill_curve(context, end);
  add_pooling(context, end);
  add_crowd(context, end);
  add_thresholds(context, end);
  move_smallest(context, middle, end);
  move_simulated(context, middle, end);
  context.figures = predicted;
  return end;
}

void add_ends_of_speed(FillContext& context, const FillAnswer& middle,
                       std::vector<FillAnswer>& ends) {
  const auto width = context.width(serving::Metric::kThroughput);
  for (const double by : {width.low, width.high}) {
    context.speed = std::exp(by);
    ends.push_back(answer_at_end(context, middle));
  }
  context.speed = 1;
}

// The interval of the break-even, as every other figure of the answer gets its own.
void widen_break_even(const std::vector<FillAnswer>& ends, EstimateOf<double>& even) {
  MovedFigure moved(even.value());
  const auto at = [&](const FillAnswer& end) { return end.break_even.value_or(even).value(); };
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2) moved.move(at(ends[i]), at(ends[i + 1]));
  even = {even.value(), moved.low(), moved.high(), even.basis(), even.source()};
}

}  // namespace

void add_ends(FillContext& context, FillAnswer& answer) {
  std::vector<FillAnswer> ends;
  add_ends_of_speed(context, answer, ends);
  if (context.cost) {
    const economics::CostCase terms = context.cost->terms;
    for (auto& input : economics::cases_at_ends(terms, context.cost->plan.variations)) {
      // The demand is as stated, and the speed of replicas is as far from known as measured.
      if (input.factor == CostFactor::kLoad || input.factor == CostFactor::kRate) continue;
      for (economics::CostCase* end : {&input.low, &input.high}) {
        context.cost->terms = *end;
        ends.push_back(answer_at_end(context, answer));
      }
    }
    context.cost->terms = terms;
  }
  if (answer.break_even) widen_break_even(ends, *answer.break_even);
  answer.ends = std::move(ends);
}

}  // namespace loadfactor::engine
