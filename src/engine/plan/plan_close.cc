#include "engine/plan/plan_close.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "engine/plan/plan_sizes.h"

namespace loadfactor::engine {
namespace {

// A decision that turns at the end of an interval, not in its middle, is close to it within this.
constexpr double kEdge = 0.05;

template <typename Q>
bool may_be_equal(const EstimateOf<Q>& a, const EstimateOf<Q>& b) {
  const auto difference = a - b;
  return difference.low() <= Q() && difference.high() >= Q();
}

template <typename Q>
bool contains(const EstimateOf<Q>& figure, Q value) {
  return figure.low() <= value && figure.high() >= value;
}

// How far the rate of a replica may lie from the prediction: the least and the most.
struct RateError {
  double low = 1;
  double high = 1;
};

RateError rate_error(const EstimateOf<double>& load) {
  if (load.value() <= 0 || load.low() <= 0) return {};
  // A fuller fleet is a slower replica.
  return {load.value() / load.high(), load.value() / load.low()};
}

// GPUs that the plan would have if a replica took `rate` times what it is predicted to take.
int gpus_at_rate(const ServingFacts& facts, double rate) {
  if (facts.row.prompt_replicas > 0) {
    for (const auto& row : facts.found.at_traffic(1 / rate))
      if (row.accelerator == facts.row.accelerator) return row.gpus;
    return facts.row.gpus;
  }
  const double needed = facts.fill.load.replicas_needed;
  const int each = facts.fill.gpus / facts.fill.units;
  const double replicas =
      facts.fill.units + std::ceil(needed / rate - 1e-9) - std::ceil(needed - 1e-9);
  return each * static_cast<int>(std::max(1.0, replicas));
}

void add_size_call(const ServingFacts& facts, PlanAnswer& answer) {
  if (facts.present == 0 || facts.fill.units == 0) return;
  const RateError error = answer.decision == PlanDecision::kHold
                              ? RateError{1 - kEdge, 1 + kEdge}
                              : rate_error(facts.fill.load_factor);
  for (const double rate : {error.low, error.high}) {
    const int gpus = gpus_at_rate(facts, rate);
    if (serving_decision(gpus, facts.present, least_gpus(facts.found)) == answer.decision) continue;
    return add_close_call(answer, OtherReplicaRate{rate - 1, gpus});
  }
}

// A replica that barely keeps the promise when it is idle keeps it only if the model is right.
void add_promise_call(const ServingFacts& facts, PlanAnswer& answer) {
  const double slower = 1 / rate_error(facts.fill.load_factor).low;
  const auto& figures = facts.fill.replica;
  const auto& ask = facts.found.ask;
  const auto barely = [&](Seconds idle, Seconds bound) {
    return bound > Seconds() && idle * slower > bound;
  };
  if (barely(figures.idle_tpot, ask.tpot))
    add_close_call(answer, BarelyKeptPromise{false, figures.idle_tpot, ask.tpot});
  if (barely(figures.idle_ttft, ask.ttft))
    add_close_call(answer,
                   BarelyKeptPromise{true, figures.idle_ttft, ask.ttft, facts.fill.output > 0});
}

// A smaller fleet that a little less time or money would make the answer.
void add_smaller_call(const TrainingFacts& facts, PlanAnswer& answer) {
  const auto& layout = facts.scenario.train->layout;
  if (!layout || !layout->gpus || !facts.best.duration) return;
  for (const auto& size : facts.sizes) {
    if (size.layout.gpus >= facts.best.layout.gpus || !size.duration) continue;
    const auto& deadline = facts.best.deadline;
    const double late = deadline ? size.duration->value() / *deadline - 1 : -1;
    const auto saved = gpu_time(facts.best) - gpu_time(size);
    const double surely = saved.low() / gpu_time(facts.best).value();
    const bool turns_on_money = std::abs(surely) < kEdge && late < kEdge;
    const bool turns_on_time = std::abs(late) < kEdge && surely > -kEdge;
    if (!turns_on_money && !turns_on_time) continue;
    return add_close_call(answer,
                          NearlySmaller{size.layout.gpus, size.duration->value(), surely > 0});
  }
}

// The interval of the run's cost, at the price of the way that was chosen to pay.
void add_budget_call(const TrainingFacts& facts, PlanAnswer& answer) {
  const auto& budget = facts.scenario.limits.budget;
  const auto& cost = facts.best.cost;
  if (!budget || !cost || cost->value() <= Dollars()) return;
  const double times = answer.options.empty() ? 1 : answer.options[0].amount / cost->value();
  if (!contains(*cost * times, budget->value)) return;
  add_close_call(answer,
                 NearBudget{cost->low() * times, cost->high() * times, budget->value, true});
}

// What a run takes, over what it is said to take, as sure as its steps and failures are. What whole
// runs lose beside them, two sizes of one run lose alike.
EstimateOf<double> by_steps(const TrainAnswer& train) {
  const auto over_itself = [](const auto& figure) -> EstimateOf<double> {
    return {1, figure.low() / figure.value(), figure.high() / figure.value(), figure.basis(),
            figure.source()};
  };
  const EstimateOf<double> steps = over_itself(train.step_time);
  if (!train.goodput) return steps;
  return EstimateOf<double>(divide(steps.erased(), over_itself(train.goodput->value).erased()));
}

// A figure with doubt about it.
template <typename Q>
EstimateOf<Q> times(Q figure, const EstimateOf<double>& doubt) {
  return {figure, figure * doubt.low(), figure * doubt.high(), doubt.basis(), doubt.source()};
}

// What a run costs, as sure as its time is: rents of two machines are asked by the same market, and
// move together.
EstimateOf<Dollars> cost_by_time(const TrainAnswer& train) {
  if (!train.duration || train.duration->value() <= Seconds()) return *train.cost;
  return times(train.cost->value(), by_steps(train));
}

// One GPU or several: another verdict.
void add_other_size_call(const TrainingFacts& facts, PlanAnswer& answer) {
  const auto& best = facts.best;
  if (!best.cost) return;
  for (const auto* plans : {&facts.found.plans, &facts.found.front}) {
    for (const auto& plan : *plans) {
      const auto& train = plan.train;
      const bool other = (train.layout.gpus == 1) != (best.layout.gpus == 1);
      const bool is_late =
          best.deadline && train.duration && train.duration->value() > *best.deadline;
      if (!other || is_late || !train.cost) continue;
      if (!may_be_equal(cost_by_time(train), cost_by_time(best))) continue;
      return add_close_call(answer, SameCostElsewhere{train.layout.gpus, train.accelerator});
    }
  }
}

}  // namespace

void add_close_call(PlanAnswer& answer, CloseCall call) {
  answer.is_close = true;
  answer.close_calls.push_back(std::move(call));
}

std::vector<int> least_gpus(const SizeAnswer& found) {
  std::map<std::string, int> least;
  for (const auto& row : found.rows) least.try_emplace(row.accelerator, row.gpus);
  std::vector<int> gpus;
  for (const auto& entry : least) gpus.push_back(entry.second);
  return gpus;
}

PlanDecision serving_decision(int gpus, int present, const std::vector<int>& least) {
  if (present > 0 && gpus < present) return PlanDecision::kShrink;
  if (present > 0 && gpus == present) return PlanDecision::kHold;
  const bool smaller_need_many =
      std::any_of(least.begin(), least.end(), [](int each) { return each > 1; });
  if (gpus == 1 && smaller_need_many) return PlanDecision::kOneBiggerGpu;
  return PlanDecision::kScaleUp;
}

void add_serving_close_calls(const ServingFacts& facts,
                             const std::vector<ServingCandidate>& candidates, PlanAnswer& answer) {
  add_promise_call(facts, answer);
  if (answer.decision == PlanDecision::kUseApi || candidates.empty()) return;
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    const auto& other = candidates[i];
    if (serving_decision(other.gpus, facts.present, least_gpus(facts.found)) == answer.decision)
      continue;
    if (!may_be_equal(other.per_month, candidates[0].per_month)) continue;
    add_close_call(answer, SameCostElsewhere{other.gpus, other.name});
    break;
  }
  add_size_call(facts, answer);
}

bool nearly_feasible(const Core& engine, const PlanInputs& question) {
  Diagnostics unread;
  ServingInputs looser = question.serving;
  if (looser.scenario.serve->slo)
    for (auto& bound : looser.scenario.serve->slo->bounds)
      bound.most.value = bound.most.value * (1 + kLooserPromise);
  return search_deployment({.serving = looser, .confirm = 0, .relaxed = false}, engine.catalog(),
                           unread)
      .has_value();
}

EstimateOf<Seconds> gpu_time(const TrainAnswer& train) {
  return times(train.duration->value() * static_cast<double>(train.layout.gpus), by_steps(train));
}

void add_training_close_calls(const TrainingFacts& facts, PlanAnswer& answer) {
  const auto& best = facts.best;
  if (best.deadline && best.duration && contains(*best.duration, *best.deadline))
    add_close_call(answer,
                   NearDeadline{best.duration->low(), best.duration->high(), *best.deadline});
  add_budget_call(facts, answer);
  add_smaller_call(facts, answer);
  add_other_size_call(facts, answer);
}

}  // namespace loadfactor::engine
