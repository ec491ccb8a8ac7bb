// Trees of a run whose steps have phases beside the training.
#include "engine/explain/explain_method.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace loadfactor::engine {
namespace {

using Kind = MethodPhase::Kind;

std::string source_of(const MethodPhase& phase) {
  return phase.time.basis() == Basis::kCalibrated ? "published-serving-results"
                                                  : "general-knowledge";
}

// The trainer's rows, as often as it goes over what was written.
ExplainNode training_node(const MethodPhase& phase, std::vector<ExplainNode> parts,
                          const std::string& passes_from) {
  const std::string name(name_of(phase.kind));
  ExplainNode once = node(Term::kPhase, Operation::kSum, std::move(parts), name);
  const double passes = std::round(phase.time.value().base() / once.value.value);
  if (passes <= 1) return once;
  once.term = Term::kStepTime;
  once.of.clear();
  return node(Term::kPhase, Operation::kProduct,
              {leaf(Term::kPasses, any(passes), passes_from), std::move(once)}, name);
}

Seconds sum_of(const std::vector<MethodPhase>& phases) {
  Seconds sum;
  for (const MethodPhase& phase : phases) sum += phase.time.value();
  return sum;
}

// The phases that a step waits for. Where answers are written beside the learning, those are of the
// longer of the two, with the transfer in both.
std::vector<MethodPhase> deciding_phases(const MethodAnswer& method) {
  std::vector<MethodPhase> writing, learning;
  bool overlaps = false;
  for (const MethodPhase& phase : method.phases) {
    overlaps = overlaps || phase.beside;
    if (phase.beside || phase.kind == Kind::kTransfer) writing.push_back(phase);
    if (!phase.beside) learning.push_back(phase);
  }
  return overlaps && sum_of(writing) > sum_of(learning) ? writing : learning;
}

}  // namespace

ExplainNode method_step_node(const PlanAnswer& answer, const std::vector<ExplainNode>& parts) {
  const SourceFinder where(answer);
  std::vector<ExplainNode> phases;
  for (const MethodPhase& phase : deciding_phases(*answer.training->method)) {
    const bool trains = phase.kind == Kind::kTraining || phase.kind == Kind::kValueTraining;
    if (trains)
      phases.push_back(training_node(phase, parts,
                                     where.find({"train.method.epochs"}, {}, "general-knowledge")));
    else
      phases.push_back(leaf(Term::kPhase, any(phase.time.value()), source_of(phase),
                            std::string(name_of(phase.kind))));
  }
  return node(Term::kStepTime, Operation::kSum, std::move(phases));
}

ExplainNode method_duration_node(const PlanAnswer& answer, ExplainNode step,
                                 std::optional<ExplainNode> share) {
  const SourceFinder where(answer);
  const auto steps = static_cast<double>(*answer.training->method->steps);
  ExplainNode all =
      node(Term::kTimeOfSteps, Operation::kProduct,
           {leaf(Term::kStepsOfRun, any(steps),
                 where.find({"train.method.steps", "train.tokens"}, {}, "general-knowledge")),
            std::move(step)});
  if (!share) {
    all.term = Term::kDuration;
    return all;
  }
  return node(Term::kDuration, Operation::kQuotient, {std::move(all), *std::move(share)});
}

}  // namespace loadfactor::engine
