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

// A simulation counts the requests of one sample.
void add_ends_of_sample(const FillAnswer& middle, std::vector<FillAnswer>& ends) {
  if (!middle.simulated || middle.simulated->requests <= 0) return;
  const SimulatedFill& seen = *middle.simulated;
  const ShareEnds share = ends_of_share(seen.within_slo, static_cast<double>(seen.requests));
  for (const double within : {share.low, share.high}) {
    FillAnswer& end = ends.emplace_back(middle);
    end.simulated->within_slo = within;
  }
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
  add_ends_of_sample(answer, ends);
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

// Prices and break-evens are those of `cost`, and so are their intervals: the same fleet, the same
// draws.
namespace {

// An end beyond every load is shown as the value, as `cost` shows it.
std::optional<RelativeEnds> ends_over(double value, double low, double high) {
  if (!std::isfinite(value) || value <= 0) return std::nullopt;
  const auto over = [value](double end) { return std::isfinite(end) ? end / value : 1.0; };
  return RelativeEnds{over(low), over(high)};
}

std::unique_ptr<CostSetup> terms_of(const FillInputs& question, const FillContext& context,
                                    const FillAnswer& answer) {
  ServingInputs serving = question.serving;
  serving.scenario = question.serving.scenario.with(
      {{"hardware", std::vector<std::string>{answer.accelerator}}, {"capacity"}});
  Diagnostics unread;
  return make_cost_setup(cost_question(serving, answer), *context.world->service().catalog, unread);
}

economics::OptionSet options_of(const FillAnswer& answer) {
  economics::OptionSet all = 0;
  for (const WayToPay& way : answer.ways) all |= economics::bit(way.way);
  return all;
}

void take_even_ends(const std::optional<RelativeEnds>& ends, FillAnswer& answer) {
  if (!ends) return;
  answer.break_even = ends->of(*answer.break_even);
  for (CrowdRow& row : answer.crowd)
    if (row.what == Crowd::kBreakEven) row.load_ends = ends;
  for (ThresholdRow& row : answer.thresholds) row.even_ends = ends;
}

void take_token_ends(const std::optional<RelativeEnds>& ends, FillAnswer& answer) {
  for (FillPoint& point : answer.curve) point.token_ends = ends;
  for (auto* next : {&answer.one_fewer, &answer.one_more})
    if (*next) (*next)->point.token_ends = ends;
  for (PoolingRow& row : answer.pooling)
    if (row.services == 1) row.token_ends = ends;
}

// How often the fleet is cheaper than the API, paid as single prices are.
void add_certainty(const CostSetup& setup, FillAnswer& answer) {
  const auto pair = economics::bit(answer.priced) | economics::bit(OptionKind::kApi);
  const auto figures = economics::evaluate(setup.terms, pair);
  const auto* fleet = figures.find(answer.priced);
  if (fleet == nullptr || figures.find(OptionKind::kApi) == nullptr) return;
  const auto spreads = economics::simulate(setup.terms, pair, setup.plan);
  answer.cheaper = spreads.options[static_cast<std::size_t>(fleet - figures.options.data())].wins;
  answer.draws = static_cast<std::int64_t>(spreads.draws);
}

}  // namespace

CostInputs cost_question(const ServingInputs& question, const FillAnswer& fleet) {
  const double rate = fleet.units * fleet.replica.capacity.saturated.base();
  CostInputs asked;
  asked.scenario = question.scenario;
  asked.demand = KnownDemand{.requests = fleet.mean,
                             .tokens_in = Tokens::from_base(fleet.input),
                             .tokens_out = Tokens::from_base(fleet.output)};
  asked.today = question.today;
  asked.seed = question.seed;
  asked.capacity =
      KnownCapacity{.gpus = static_cast<double>(fleet.gpus),
                    .full_plane = TokensPerSecond::from_base(rate * (fleet.input + fleet.output)),
                    .load_factor = fleet.load_factor.value(),
                    .load = fleet.load_factor,
                    .variation = fleet.variation,
                    .busy_by_hour = busy_hours(fleet.week, fleet.replica.capacity, fleet.units),
                    .source = "fill",
                    .replica = static_cast<double>(fleet.replica.capacity.gpus)};
  return asked;
}

void add_draws(const FillInputs& question, const FillContext& context, FillAnswer& answer) {
  if (!context.price()) return;
  const auto setup = terms_of(question, context, answer);
  if (!setup) return;
  const economics::OptionSet asked = options_of(answer) | economics::bit(answer.priced);
  const auto figures = economics::evaluate(setup->terms, asked);
  if (figures.count == 0) return;
  const auto spreads = economics::simulate(setup->terms, asked, setup->plan);
  const auto spread_of = [&](const economics::OptionFigures& one) -> const auto& {
    return spreads.options[static_cast<std::size_t>(&one - figures.options.data())];
  };
  for (WayToPay& way : answer.ways) {
    const auto* one = figures.find(way.way);
    if (one == nullptr) continue;
    const auto& spread = spread_of(*one);
    way.price_ends = ends_over(one->cost.base(), spread.low, spread.high);
    way.even_ends = ends_over(one->break_even, spread.break_even_low, spread.break_even_high);
    if (way.way == answer.priced) take_even_ends(way.even_ends, answer);
  }
  const auto* leading = figures.find(answer.priced);
  const double work = economics::work_of(setup->terms.capacity);
  if (leading == nullptr || work <= 0) return;
  const auto& spread = spread_of(*leading);
  take_token_ends(
      ends_over(leading->compared.base() / work, spread.per_work_low, spread.per_work_high),
      answer);
  if (answer.break_even) add_certainty(*setup, answer);
}

}  // namespace loadfactor::engine
