// The answer of `fill` with what is uncertain at its ends: the speed of replicas, and every price.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/statistics.h"
#include "economics/evaluate.h"
#include "economics/uncertainty.h"
#include "engine/fill/fill.h"

namespace loadfactor::engine {
namespace {

using economics::FactorEnds;

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

// The interval that `cost` draws for the break-even of this fleet in the way to pay that is shown:
// one figure has one interval, wherever it is printed.
std::optional<FactorEnds> drawn_break_even(const FillInputs& question, const FillContext& context,
                                           const FillAnswer& answer) {
  const auto& demand = context.world->demand();
  const double gpus = answer.gpus;
  const KnownCapacity capacity{.gpus = gpus,
                               .full_plane = context.figures.capacity.saturated *
                                             static_cast<double>(answer.units) *
                                             Tokens::from_base(demand.input + demand.output),
                               .load_factor = answer.load.load_factor,
                               .variation = answer.variation,
                               .source = "fill",
                               .replica = static_cast<double>(context.gpus_each())};
  Diagnostics unread;
  const auto setup = price_chip(question.serving, *context.world, answer.accelerator, capacity,
                                CostInputs().draws, unread);
  if (!setup) return std::nullopt;
  const auto figures = economics::evaluate(setup->terms, setup->asked);
  const auto* way = figures.find(answer.priced);
  if (way == nullptr || way->break_even <= 0 || !std::isfinite(way->break_even))
    return std::nullopt;
  const auto spreads = economics::simulate(setup->terms, setup->asked, setup->plan);
  const auto& spread = spreads.options[static_cast<std::size_t>(way - figures.options.data())];
  // An end at which no load suffices is shown as the last that does.
  const auto over = [&](double end) { return std::isfinite(end) ? end / way->break_even : 1.0; };
  return FactorEnds{std::min(1.0, over(spread.break_even_low)),
                    std::max(1.0, over(spread.break_even_high))};
}

}  // namespace

void add_ends(const FillInputs& question, FillContext& context, FillAnswer& answer) {
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
  answer.ends = std::move(ends);
  if (!answer.break_even) return;
  const EstimateOf<double> even = *answer.break_even;
  if (const auto drawn = drawn_break_even(question, context, answer))
    answer.break_even = {even.value(), even.value() * drawn->low, even.value() * drawn->high,
                         even.basis(), even.source()};
}

}  // namespace loadfactor::engine
