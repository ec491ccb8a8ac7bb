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

// Whether it learns as the model does: a value model of another size has rows of its own.
bool learns_alike(const MethodPhase& phase, const std::vector<MethodPhase>& phases) {
  if (phase.kind != Kind::kValueTraining) return phase.kind == Kind::kTraining;
  return std::any_of(phases.begin(), phases.end(), [&](const MethodPhase& other) {
    return other.kind == Kind::kTraining && other.time.value() == phase.time.value();
  });
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

// Tokens over the pace at which the GPUs of a phase got through them.
ExplainNode paced_node(const MethodPhase& phase, ExplainNode tokens, const std::string& gpus_from) {
  const double gpus = phase.gpus;
  const double pace = tokens.value.value / (gpus * phase.time.value().base());
  return node(
      Term::kPhase, Operation::kQuotient,
      {std::move(tokens),
       node(Term::kTokensPerSecond, Operation::kProduct,
            {leaf(Term::kGpus, any(gpus), gpus_from),
             leaf(Term::kGpuPace, any(TokensPerSecond::from_base(pace)), source_of(phase))})},
      std::string(name_of(phase.kind)));
}

ExplainNode written_tokens(const MethodAnswer& method, const SourceFinder& where) {
  const auto key = [&](const char* name) { return where.find({name}, {}, "general-knowledge"); };
  return node(
      Term::kWrittenTokens, Operation::kProduct,
      {leaf(Term::kPromptsOfStep, any(static_cast<double>(method.prompts)),
            key("train.method.prompts")),
       leaf(Term::kAnswersOfPrompt, any(static_cast<double>(method.group)),
            key("train.method.group")),
       leaf(Term::kAnswerLength, any(method.answer_tokens), key("train.method.answer_tokens"))});
}

// What the model, a copy or a judge reads of all texts, or writes of all answers.
ExplainNode phase_node(const MethodPhase& phase, const MethodAnswer& method,
                       const SourceFinder& where) {
  if (phase.kind == Kind::kTransfer || phase.kind == Kind::kSwap || phase.time.value() <= Seconds())
    return leaf(Term::kPhase, any(phase.time.value()), source_of(phase),
                std::string(name_of(phase.kind)));
  if (phase.kind == Kind::kRollout)
    return paced_node(phase, written_tokens(method, where),
                      where.find({"train.method.rollout.gpus", "limits.gpus"}, {}, "train"));
  const auto tokens =
      leaf(Term::kReadTokens, any(method.step_tokens),
           where.find({"train.method.answer_tokens", "train.sequence"}, {}, "general-knowledge"));
  return paced_node(phase, tokens, where.find({"train.layout.gpus", "limits.gpus"}, {}, "train"));
}

}  // namespace

ExplainNode method_step_node(const PlanAnswer& answer, const std::vector<ExplainNode>& parts) {
  const SourceFinder where(answer);
  std::vector<ExplainNode> phases;
  for (const MethodPhase& phase : deciding_phases(*answer.training->method)) {
    if (learns_alike(phase, answer.training->method->phases))
      phases.push_back(training_node(phase, parts,
                                     where.find({"train.method.epochs"}, {}, "general-knowledge")));
    else
      phases.push_back(phase_node(phase, *answer.training->method, where));
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
