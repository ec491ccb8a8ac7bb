// A service as it runs today, beside the advice on it.
#include <algorithm>
#include <utility>

#include "engine/explain/diff.h"

namespace loadfactor::engine {
namespace {

// Machines that are there whatever the hour. Tokens of an API, other machines and fewer of them at
// night are not what runs, unless replicas come and go with the load.
bool pays_for_what_runs(OptionKind kind, bool scales) {
  switch (kind) {
    case OptionKind::kOnDemand:
    case OptionKind::kReserved1y:
    case OptionKind::kReserved3y:
    case OptionKind::kSpot:
    case OptionKind::kOwn:
      return true;
    case OptionKind::kAutoscaled:
    case OptionKind::kOwnBurst:
    case OptionKind::kOwnSpotBurst:
    case OptionKind::kThreeTier:
      return scales;
    default:
      return false;
  }
}

// The replicas that the scenario says, in place of those that were sized.
void put_replicas(const config::Deployment& said, PlanMachine& machine) {
  const auto put = [](const config::Given<int>& replicas, ServeLayout& layout) {
    if (replicas) layout.replicas = replicas->value;
  };
  put(said.pool.replicas, machine.layout);
  if (said.decode) put(said.decode->replicas, machine.layout);
  if (said.prefill && machine.prompts) put(said.prefill->replicas, *machine.prompts);
}

}  // namespace

void keep_what_runs(const config::Deployment& said, const std::optional<CostAnswer>& priced,
                    PlanAnswer& plan) {
  if (!plan.machine) return;
  std::vector<PlanOption> options;
  const auto add = [&](const CostOption& option, const std::string& accelerator, int gpus) {
    const bool scales = said.operations.scaling.has_value();
    if (pays_for_what_runs(option.kind, scales))
      options.push_back({option, accelerator, option.per_month.value(), gpus});
  };
  if (priced) {
    for (const CostOption& option : priced->options)
      add(option, plan.machine->accelerator, plan.present_gpus);
  } else {
    for (const PlanOption& option : plan.options)
      if (option.accelerator == plan.machine->accelerator)
        add(option.cost, option.accelerator, option.gpus);
  }
  std::stable_sort(options.begin(), options.end(),
                   [](const PlanOption& a, const PlanOption& b) { return a.amount < b.amount; });
  plan.options = std::move(options);
  plan.decision = PlanDecision::kHold;
  plan.break_even.reset();
  if (priced) {
    put_replicas(said, *plan.machine);
    plan.machine->layout.gpus = plan.present_gpus;
  }
  if (plan.options.empty()) return;
  const CostOption& paid = plan.options.front().cost;
  if (paid.load_factor) plan.load_factor = paid.load_factor;
  plan.break_even = paid.break_even;
  plan.against = paid.against;
}

void count_from_what_runs(const PlanAnswer& runs, PlanAnswer& advice) {
  const bool sizes =
      advice.decision == PlanDecision::kScaleUp || advice.decision == PlanDecision::kOneBiggerGpu;
  const bool gives_up = advice.decision == PlanDecision::kUseApi;
  // Where the scenario says no replicas, those run that its layout needs.
  const int present = runs.present_gpus > 0 ? runs.present_gpus
                      : runs.machine        ? runs.machine->layout.gpus
                                            : 0;
  if (present <= 0 || !(sizes || gives_up) || !advice.machine) return;
  advice.present_gpus = present;
  if (gives_up) return;
  const int gpus = advice.machine->layout.gpus;
  if (gpus < present) advice.decision = PlanDecision::kShrink;
  if (gpus == present) advice.decision = PlanDecision::kHold;
}

}  // namespace loadfactor::engine
