// A plan in words: each finding of the engine as people read it.
#pragma once

#include <string>
#include <string_view>

#include "engine/plan/plan.h"
#include "report/describe/option_words.h"

namespace loadfactor::report {

// The decisions of a plan as JSON writes them.
inline constexpr std::string_view kDecisions[] = {"scale up",
                                                  "hold",
                                                  "shrink",
                                                  "use the API",
                                                  "use one bigger GPU",
                                                  "split training and serving",
                                                  "not feasible"};

// The answer in a sentence or two, with the numbers.
std::string plan_verdict(const engine::PlanAnswer& answer);
// What most of the empty share is lost to, or why a run is not faster; empty where neither is
// known.
std::string plan_because(const engine::PlanAnswer& answer);
// The work: a model with its requests, or with its sequences.
std::string plan_title(const engine::PlanAnswer& answer);

// The layout of a plan's machines; of a run with all its switches.
std::string layout_words(const engine::PlanAnswer& answer);
// In whole GPUs that add up to the plan's: `own 2 × h100-sxm, up to 1 on demand`, `up to 4 ×
// l40s, rented on demand as needed`.
std::string words_of(const engine::PaidMachines& machines);
// How the machines are paid for; empty where they have no price.
std::string option_words(const engine::PlanMachine& machine);
std::string cooling_words(const engine::PlanMachine& machine);
std::string network_words(const engine::PlanMachine& machine);
std::string link_words(const std::optional<engine::PlanLink>& link);
// How the run beside a service is done; empty where there is none.
std::string run_beside_words(const engine::PlanAnswer& answer);
// A run on the machines of its own plan.
std::string own_run_words(const engine::PlanAnswer& run);

// Why an option was not chosen; empty for the first.
std::string why_not(const engine::PlanOption& option);

std::string close_call_words(const engine::CloseCall& call);
std::string broken_limit_words(const engine::BrokenLimit& broken);

// A change, and what it would do.
struct LeverWords {
  std::string name;
  std::string effect;
};
LeverWords lever_words(const engine::PlanLever& lever);
std::string pooled_words(const engine::PooledRun& pooled);

// Machines that were not chosen, and why.
struct RunnerUpWords {
  std::string name;
  std::string why;
};
RunnerUpWords runner_up_words(const engine::RunnerUp& other, const engine::PlanAnswer& answer);
std::string run_words(const engine::PlannedRun& run);

// A comparison with its figures: `load_factor 22.0 % >= break_even 27.0 %`.
std::string gate_words(const engine::PlanGate& gate, const engine::PlanAnswer& answer);

// Said of files that launch machines though the plan is to buy tokens.
std::string_view launched_despite_api();

// Why targets are not among the files, and what to do.
std::string targets_not_written(std::string_view targets, const Error& error);

// What the pictured plans are compared by.
std::string_view front_x_words(const engine::PlanAnswer& answer);
std::string_view front_y_words(const engine::PlanAnswer& answer);
std::string front_dot_words(const engine::PlanDot& dot);

}  // namespace loadfactor::report
