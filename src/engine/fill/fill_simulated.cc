// The fleet of `fill` through the simulator, over the same demand.
#include <algorithm>
#include <cmath>

#include "base/quantity_text.h"
#include "engine/fill/fill.h"
#include "search/serving_fleet.h"

namespace loadfactor::engine {
namespace {

constexpr double kWeek = 7 * 86400;
constexpr double kQuick = 2e6;              // Requests that take a second or two.
constexpr double kMaxRequests = 12e6;       // Where asked for.
constexpr double kMostOfManySteps = 400e3;  // Where every step is simulated.
constexpr int kMostReplicas = 20'000;       // That are simulated one by one.

search::SizingProblem problem_of(const FillInputs& question, const FillContext& context,
                                 double most) {
  const FleetDemand& demand = context.world->demand();
  search::SizingProblem problem;
  problem.constants = &context.world->constants(*context.plan.choice.chip);
  problem.ask = context.world->ask();
  problem.model = demand.week_model;
  problem.most_requests = static_cast<std::int64_t>(most);
  problem.stop = question.serving.stop;
  if (demand.trace) problem.trace = &*demand.trace;
  return problem;
}

}  // namespace

void add_simulated(const FillInputs& question, const FillContext& context, FillAnswer& answer) {
  if (question.simulating == Simulating::kNever) return;
  if (answer.units > kMostReplicas) {
    context.world->service().note(
        {.id = "not-simulated", .arguments = {{"too_many", format_count(answer.units)}}});
    return;
  }
  const FleetDemand& demand = context.world->demand();
  search::SizedDeployment fleet{.plan = context.plan, .figures = context.figures};
  if (context.prompts) fleet.prompts = search::PromptPool{.plan = *context.prompts};
  const double all =
      demand.trace ? static_cast<double>(demand.trace->size()) : demand.mean() * kWeek;
  search::SizingProblem problem = problem_of(question, context, kMaxRequests);
  const search::SimulatedFleet simulated(problem, fleet);
  const bool is_asked = question.simulating == Simulating::kAlways;
  const bool is_quick = simulated.is_quick() && all <= kQuick;
  if (!is_asked && !is_quick) {
    context.world->service().note(
        {.id = "not-simulated", .arguments = {{"requests", format_short_count(all)}}});
    return;
  }
  const double most = simulated.is_quick() ? kMaxRequests : kMostOfManySteps;
  problem.most_requests = static_cast<std::int64_t>(most);
  const double share = std::min(1.0, most / std::max(1.0, all));
  search::FleetQuestion ask{.replicas = answer.units * context.answer_replicas,
                            .prompt_replicas = answer.units * context.prompt_replicas,
                            .model = &problem.model,
                            .seed = context.world->seed(),
                            .seconds = demand.trace ? 0 : kWeek * share};
  if (question.serving.progress)
    ask.progress = [&](std::int64_t requests) {
      question.serving.progress(std::min(1.0, static_cast<double>(requests) / (all * share)));
    };
  const search::FleetRun run = simulated.run(ask);
  ask.progress = {};
  ask.replicas = context.answer_replicas;
  ask.prompt_replicas = context.prompt_replicas;
  // A replica that delivered more than the one with a queue is the better witness.
  const double each = run.served_rate.base() / answer.units;
  const double saturated = std::max(each, simulated.saturated_rate(ask));
  if (run.requests == 0 || saturated <= 0) return;
  answer.simulated = SimulatedFill{.load_factor = each / saturated,
                                   .within_slo = run.within,
                                   .ttft = run.ttft,
                                   .tpot = run.tpot,
                                   .kept = run.kept,
                                   .requests = run.requests,
                                   .share_of_demand = share};
  if (!run.kept && context.world->slo_quantile() < 1)
    context.world->service().note({.id = "misses-slo"});
}

}  // namespace loadfactor::engine
