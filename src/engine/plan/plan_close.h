// Which verdicts another one is close to: each close call names the difference that cannot be told
// from zero.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/plan.h"
#include "engine/plan/plan_levers.h"

namespace loadfactor::engine {

void add_close_call(PlanAnswer& answer, CloseCall call);

// What to do about so many GPUs, when so many are there (0: none) and machines beat the API.
// `least`: GPUs of each accelerator's cheapest deployment.
PlanDecision serving_decision(int gpus, int present, const std::vector<int>& least);
std::vector<int> least_gpus(const SizeAnswer& found);

// The cheapest way to run one accelerator.
struct ServingCandidate {
  std::string name;
  int gpus = 0;
  EstimateOf<Dollars> per_month;
};
// Another accelerator, another size of the fleet that is there, or a promise that can just be kept.
void add_serving_close_calls(const ServingFacts& facts,
                             const std::vector<ServingCandidate>& candidates, PlanAnswer& answer);

// Whether a promise so little looser that nobody could tell them apart can be kept.
inline constexpr double kLooserPromise = 0.05;
bool nearly_feasible(const Core& engine, const PlanInputs& question);

// The question of a training run as far as it decides.
struct TrainingFacts {
  const config::Scenario& scenario;
  const loadfactor::SearchAnswer& found;
  const std::vector<TrainAnswer>& sizes;  // The same layout on other numbers of GPUs.
  const TrainAnswer& best;                // What the search found.
};
void add_training_close_calls(const TrainingFacts& facts, PlanAnswer& answer);

// Seconds of all GPUs together.
EstimateOf<Seconds> gpu_time(const TrainAnswer& train);

}  // namespace loadfactor::engine
