#include "engine/method/candidates.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

namespace loadfactor::engine {
namespace {

// Most numbers of GPUs: as written, or all that the limit allows and powers of two below it.
std::vector<int> sizes_of(const config::Scenario& scenario) {
  const auto& layout = scenario.train->layout;
  const auto& rollout = scenario.train->method->rollout;
  const bool is_written = (layout && layout->gpus) || (rollout && rollout->gpus);
  if (is_written || !scenario.limits.gpus) return {0};
  constexpr std::size_t kSizes = 4;
  const int most = static_cast<int>(scenario.limits.gpus->value);
  std::vector<int> sizes{most};
  auto gpus = static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max(1, most))));
  for (; gpus > 0 && sizes.size() < kSizes; gpus /= 2)
    if (gpus < most) sizes.push_back(gpus);
  return sizes;
}

// The scenario with each of its candidates alone.
std::vector<config::Scenario> candidates_of(const config::Scenario& scenario) {
  if (scenario.hardware.size() <= 1) return {scenario};
  std::vector<config::Scenario> candidates;
  for (const auto& chip : scenario.hardware)
    candidates.push_back(scenario.with({{"hardware", std::vector<std::string>{chip.value}}}));
  return candidates;
}

bool is_late(const TrainAnswer& train) {
  return train.deadline && train.duration && train.duration->value() > *train.deadline;
}

// Runs by cost where a deadline is written, as a search has them; by time otherwise. Those that
// keep their limits go first.
class Ranking {
 public:
  explicit Ranking(const config::Scenario& scenario)
      : budget_(scenario.limits.budget), by_cost_(scenario.train->deadline.has_value()) {}

  bool operator()(const TrainAnswer& a, const TrainAnswer& b) const {
    if (misses(a) != misses(b)) return misses(b);
    if (by_cost_ && !misses(a) && a.cost && b.cost) return a.cost->value() < b.cost->value();
    if (a.duration && b.duration) return a.duration->value() < b.duration->value();
    return a.step_time.value() < b.step_time.value();
  }

  // How much more it takes than the best of all, in what the best is best in; in time where it
  // misses a limit, as it may be cheaper.
  double behind(const TrainAnswer& run, const TrainAnswer& best) const {
    const auto more = [](auto value, auto least) { return value / least - 1; };
    if (by_cost_ && !misses(best) && !misses(run) && run.cost && best.cost)
      return more(run.cost->value(), best.cost->value());
    if (run.duration && best.duration) return more(run.duration->value(), best.duration->value());
    return more(run.step_time.value(), best.step_time.value());
  }

 private:
  bool misses(const TrainAnswer& run) const {
    return is_late(run) || (budget_ && run.cost && run.cost->value() > budget_->value);
  }

  config::Given<Dollars> budget_;
  bool by_cost_;
};

Seconds writing_time(const MethodAnswer& method) {
  Seconds time;
  for (const MethodPhase& phase : method.phases)
    if (phase.kind == MethodPhase::Kind::kRollout) time += phase.time.value();
  return time;
}

// What takes longer than in the best: answers until the last is written, or everything else.
LayoutReasons reasons_of(const TrainAnswer& run, const TrainAnswer& best) {
  LayoutReasons why;
  why.is_best = &run == &best;
  why.gpus = run.method->gpus;
  why.best_gpus = best.method->gpus;
  why.memory_share = run.memory_fill;
  const Seconds writing = writing_time(*run.method), best_writing = writing_time(*best.method);
  const Seconds step = best.step_time.value();
  const auto add = [&](const char* part, Seconds more) {
    if (more > Seconds{}) why.losses.push_back({part, more / step});
  };
  add("rollout", writing - best_writing);
  add("learning", (run.step_time.value() - writing) - (step - best_writing));
  std::stable_sort(why.losses.begin(), why.losses.end(),
                   [](const auto& a, const auto& b) { return a.more > b.more; });
  return why;
}

loadfactor::SearchAnswer as_search(std::vector<TrainAnswer> runs, const Ranking& ranking) {
  std::stable_sort(runs.begin(), runs.end(), ranking);
  loadfactor::SearchAnswer found;
  found.scenario = runs.front().scenario;
  found.model = runs.front().model;
  found.title = runs.front().title;
  found.sequence = runs.front().sequence;
  found.machines = found.machines_searched = static_cast<std::int64_t>(runs.size());
  std::vector<LayoutReasons> reasons;
  std::vector<double> behind;
  for (const TrainAnswer& run : runs) {
    reasons.push_back(reasons_of(run, runs.front()));
    behind.push_back(ranking.behind(run, runs.front()));
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    TrainAnswer& run = runs[i];
    SearchPlan plan;
    plan.why = std::move(reasons[i]);
    plan.memory_share = run.memory_fill;
    plan.behind = behind[i];
    plan.train = std::move(run);
    found.plans.push_back(std::move(plan));
  }
  return found;
}

// A limit that leaves GPUs unused gives the same run as a smaller one.
void add_run(TrainAnswer run, std::vector<TrainAnswer>& runs) {
  const bool is_known = std::any_of(runs.begin(), runs.end(), [&](const TrainAnswer& known) {
    return known.accelerator == run.accelerator && known.layout.gpus == run.layout.gpus;
  });
  if (!is_known) runs.push_back(std::move(run));
}

}  // namespace

TrainAnswer whole_run(TrainAnswer train) {
  const MethodAnswer& method = *train.method;
  const double beside = method.gpus - train.layout.gpus;
  train.layout.gpus = method.gpus;
  train.paid_gpus += beside;
  train.step_time = method.step;
  train.tokens_per_s = {
      method.step_tokens / method.step.value(), method.step_tokens / method.step.high(),
      method.step_tokens / method.step.low(), method.step.basis(), method.step.source()};
  train.tokens_per_s_per_gpu = train.tokens_per_s * (1.0 / method.gpus);
  if (method.steps) train.tokens = method.step_tokens * static_cast<double>(*method.steps);
  train.duration = method.duration;
  train.cost = method.cost;
  return train;
}

std::optional<TrainAnswer> best_candidate(const Core& core, const MethodInputs& inputs,
                                          Diagnostics& diagnostics) {
  const config::Scenario& scenario = inputs.train.scenario;
  const Ranking is_better(scenario);
  std::optional<TrainAnswer> best, best_whole;
  Diagnostics first;
  for (config::Scenario& candidate : candidates_of(scenario)) {
    MethodInputs one = inputs;
    one.train.scenario = std::move(candidate);
    Diagnostics problems;
    auto run = train_by_method(core, one, problems);
    if (first.empty()) first = problems;
    if (!run) continue;
    TrainAnswer whole = whole_run(*run);
    if (best_whole && !is_better(whole, *best_whole)) continue;
    best_whole = std::move(whole);
    best = std::move(run);
  }
  if (!best) diagnostics.add_all(first);
  return best;
}

std::optional<loadfactor::SearchAnswer> search_by_method(const Core& core,
                                                         const MethodInputs& inputs,
                                                         Diagnostics& diagnostics) {
  const config::Scenario& scenario = inputs.train.scenario;
  const std::vector<config::Scenario> candidates = candidates_of(scenario);
  std::vector<TrainAnswer> runs;
  Diagnostics first;
  for (const config::Scenario& candidate : candidates)
    for (const int gpus : sizes_of(scenario)) {
      MethodInputs sized = inputs;
      sized.train.scenario =
          gpus > 0 ? candidate.with({{"limits.gpus", std::int64_t{gpus}}}) : candidate;
      Diagnostics problems;
      auto run = train_by_method(core, sized, problems);
      if (run) add_run(whole_run(*std::move(run)), runs);
      if (first.empty()) first = problems;
    }
  if (!runs.empty()) return as_search(std::move(runs), Ranking(scenario));
  diagnostics.add_all(first);
  return std::nullopt;
}

}  // namespace loadfactor::engine
