// The same layout on other numbers of GPUs: whether a smaller fleet would do.
#include "engine/plan/plan_sizes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "catalog/catalog.h"
#include "catalog/used_fact.h"
#include "engine/plan/plan_close.h"
#include "engine/plan/plan_edit.h"

namespace loadfactor::engine {
namespace {

std::optional<TrainAnswer> at_width(const Core& engine, TrainInputs request,
                                    const TrainAnswer& best, int dp) {
  const int gpus = best.layout.gpus / best.layout.dp * dp;
  request.scenario = request.scenario.with(best.layout_edits)
                         .with({{"train.layout.dp", std::int64_t{dp}},
                                {"train.layout.gpus", std::int64_t{gpus}},
                                {"limits.gpus"}});
  request.accelerator = best.accelerator;
  Diagnostics unread;
  auto answer = engine.train(request, unread);
  if (!answer || !answer->fits) return std::nullopt;
  return answer;
}

double useful_per_gpu(const TrainAnswer& train) {
  return train.tokens_per_s_per_gpu.value().base() * train.paid_share();
}

// Useful tokens per GPU, over the best size, down to which a fleet is well used; 0 without a fact.
double well_used_share(const catalog::Catalog& catalog, PlanAnswer& answer) {
  for (const auto& fact : catalog.facility()) {
    if (fact.name != "well_used") continue;
    answer.facts.push_back(catalog::used_fact(fact));
    return fact.value;
  }
  return 0;
}

// What moves to the host of a node with the optimizer, and what the host has; nothing where either
// is not known.
std::optional<HostRoom> host_room(const catalog::Catalog& catalog, const TrainAnswer& best) {
  const auto chip = catalog.find_accelerator(best.accelerator);
  if (!chip) return std::nullopt;
  const auto node = catalog.find_node((*chip)->node);
  if (!node || !(*node)->host) return std::nullopt;
  const Bytes moved =
      best.optimizer * static_cast<double>(std::min((*node)->gpus, best.layout.gpus));
  if (moved <= Bytes()) return std::nullopt;
  return HostRoom{moved, (*node)->host->memory};
}

}  // namespace

std::vector<TrainAnswer> other_sizes(const Core& engine, const TrainInputs& request,
                                     const TrainAnswer& best) {
  constexpr int kHalvings = 4;
  std::vector<TrainAnswer> sizes;
  int least = best.layout.dp;
  for (int i = 0; i < kHalvings && least % 2 == 0; ++i) least /= 2;
  for (int dp = least; dp <= best.layout.dp * 4; dp *= 2) {
    if (dp == best.layout.dp) {
      sizes.push_back(best);
    } else if (auto answer = at_width(engine, request, best, dp)) {
      sizes.push_back(*std::move(answer));
    }
  }
  return sizes;
}

void add_size_curve(const catalog::Catalog& catalog, const std::vector<TrainAnswer>& sizes,
                    PlanAnswer& answer) {
  const double well_used = well_used_share(catalog, answer);
  double most = 0;
  for (const auto& size : sizes) most = std::max(most, useful_per_gpu(size));
  for (const auto& size : sizes) {
    const double efficiency = most > 0 ? useful_per_gpu(size) / most : 0;
    answer.curve.push_back({.gpus = size.layout.gpus,
                            .load_factor = size.paid_share(),
                            .within_slo = 1,
                            .efficiency = efficiency});
    if (efficiency >= well_used) answer.knee = size.layout.gpus;
  }
}

const TrainAnswer* smaller_that_pays(const std::vector<TrainAnswer>& sizes,
                                     const TrainAnswer& best) {
  if (!best.duration) return nullptr;
  const TrainAnswer* found = nullptr;
  for (const auto& size : sizes) {
    if (size.layout.gpus >= best.layout.gpus || !size.duration) continue;
    if (best.deadline && size.duration->value() > *best.deadline) continue;
    const auto saved = gpu_time(best) - gpu_time(size);
    const bool sure = saved.low() > Seconds();
    if (sure && (found == nullptr || gpu_time(size).value() < gpu_time(*found).value()))
      found = &size;
  }
  return found;
}

void add_size_levers(const Replanner& replans, const config::Scenario& scenario,
                     const std::vector<TrainAnswer>& sizes, const TrainAnswer& best,
                     PlanAnswer& answer) {
  if (!best.duration) return;
  for (const auto& size : sizes) {
    const bool neighbour =
        size.layout.gpus * 2 == best.layout.gpus || size.layout.gpus == best.layout.gpus * 2;
    if (!neighbour || !size.duration) continue;
    RunChange change = run_change(scenario, size);
    const auto plan = replans.with(change.edits);
    if (!plan || !plan->machine || !plan->duration) continue;
    if (plan->machine->layout.gpus != size.layout.gpus) continue;  // It would be shrunk again.
    const auto saved = gpu_time(best) - gpu_time(size);
    FleetSizeLever lever{.gpus = size.layout.gpus,
                         .gpus_now = best.layout.gpus,
                         .time = plan->duration->value(),
                         .cost = {},
                         .times = gpu_time(size).value() / gpu_time(best).value(),
                         .misses_deadline = plan->deadline_met && !*plan->deadline_met,
                         .is_within_error = saved.low() <= Seconds() && saved.high() >= Seconds()};
    if (!plan->options.empty()) lever.cost = plan->options[0].amount;
    if (lever.cost && !answer.options.empty()) lever.times = *lever.cost / answer.options[0].amount;
    answer.levers.push_back({std::move(lever), std::move(change.sets), outcome_of(*plan)});
  }
}

void add_offload_lever(const Core& engine, const Replanner& replans, SearchInputs request,
                       const TrainAnswer& best, PlanAnswer& answer) {
  if (!best.duration || !best.layout.offload.empty()) return;
  const config::Scenario scenario = request.train.scenario;
  request.train.scenario =
      scenario.with({{"train.layout.offload", std::vector<std::string>{"optimizer"}},
                     {"hardware", std::vector<std::string>{best.accelerator}},
                     {"limits.budget"},
                     {"train.deadline"}});
  request.gpus = {best.layout.gpus};
  request.keep = 1;
  request.objective = Objective::kTime;
  Diagnostics unread;
  const auto found = engine.search(request, unread);
  if (!found || found->plans.empty()) return;
  const TrainAnswer& other = found->plans[0].train;
  RunChange change = run_change(scenario, other);
  const auto plan = replans.with(change.edits);
  if (!plan || !plan->machine || !plan->duration) return;
  const Seconds time = plan->duration->value();
  answer.levers.push_back({OffloadLever{.layout = other.layout,
                                        .time = time,
                                        .more = time / best.duration->value() - 1,
                                        .host = host_room(engine.catalog(), best)},
                           std::move(change.sets), outcome_of(*plan)});
}

}  // namespace loadfactor::engine
