// Trees of what `train` prints of a scenario, of the very layout that it prints.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "catalog/catalog.h"
#include "engine/explain/explain.h"
#include "engine/explain/explain_step.h"
#include "engine/method/candidates.h"
#include "engine/plan/plan_figures.h"
#include "engine/plan/plan_sizes.h"

namespace loadfactor::engine {
namespace {

// What `train` answers; of a run with phases beside the training, the whole of it.
std::optional<TrainAnswer> trained(const Core& engine, const PlanInputs& question) {
  TrainInputs request;
  request.scenario = question.scenario();
  request.model_files = question.training_files;
  Diagnostics unread;
  if (!has_phases(request.scenario)) return engine.train(request, unread);
  auto run = train_by_method(engine,
                             {.train = std::move(request),
                              .reward_files = question.reward_files,
                              .teacher_files = question.teacher_files,
                              .value_files = question.value_files,
                              .seed = question.serving.seed},
                             unread);
  if (!run) return std::nullopt;
  return whole_run(*std::move(run));
}

// The row of the price list that has the chip's rent by a way to pay, else any of the chip's.
std::string rent_place(const Core& engine, const TrainAnswer& train, OptionKind kind) {
  using catalog::RentTerm;
  const RentTerm term = kind == OptionKind::kSpot         ? RentTerm::kSpot
                        : kind == OptionKind::kReserved1y ? RentTerm::kReserved1y
                        : kind == OptionKind::kReserved3y ? RentTerm::kReserved3y
                                                          : RentTerm::kOnDemand;
  std::string place = "general-knowledge";
  for (const auto& row : engine.catalog().prices().rent) {
    if (row.accelerator != train.accelerator) continue;
    const bool exact = row.term == term && row.provider == "market";
    place = fmt::format("{}:{}", row.provenance.file, row.provenance.line);
    if (exact) break;
  }
  return place;
}

std::optional<ExplainNode> cost_node(const Core& engine, const PlanAnswer& answer,
                                     const std::vector<ExplainNode>& parts) {
  const TrainAnswer& train = *answer.training;
  if (!train.duration || !train.cost) return std::nullopt;
  const auto way =
      std::find_if(train.options.begin(), train.options.end(),
                   [&train](const RunOption& one) { return one.kind == train.option; });
  if (way == train.options.end()) return std::nullopt;
  const SourceFinder where(answer);
  ExplainNode time = *explain_training(answer, Explained::kDuration, parts);
  if (way->commitment > train.duration->value())
    time = leaf(Term::kBindingTime, any(way->commitment), glossary_line("year"));
  const Seconds paid =
      train.cost->value() / (way->rate.value() * Gpus::from_base(way->gpus));  // At its rate.
  const Seconds expected = std::max(train.duration->value(), way->commitment);
  if (paid < expected * (1 - 1e-9) || paid > expected * (1 + 1e-9))
    time = leaf(Term::kPaidTime, any(paid), glossary_line("year"));
  const auto working = leaf(Term::kWorkingGpus, any(Gpus::from_base(train.layout.gpus)),
                            where.find({"train.layout.gpus", "limits.gpus"}, {}, "train"));
  const auto spare = leaf(Term::kSpareGpus, any(Gpus::from_base(way->gpus - train.layout.gpus)),
                          where.find({"train.failures.spares", "train.failures.repair"},
                                     {"repair-time"}, way->goodput.source()));
  const std::string option(name_of(way->kind));
  return node(
      Term::kRunCost, Operation::kProduct,
      {node(Term::kPaidGpus, Operation::kSum, {working, spare}), std::move(time),
       leaf(Term::kRateOfOption, any(way->rate.value()),
            where.find({"money.rent.price"}, {}, rent_place(engine, train, way->kind)), option)},
      option);
}

}  // namespace

RunSubject subject_of(const TrainAnswer& train) {
  return {train.accelerator, train.layout};
}

std::optional<ExplainNode> explain_run(const Core& engine, const PlanInputs& question,
                                       const std::string& name) {
  const auto quantity = find_explained(name);
  if (!quantity || *quantity == Explained::kCost) return std::nullopt;  // The plan's, as in gates.
  if (!question.scenario().train || question.scenario().serve) return std::nullopt;
  const auto train = trained(engine, question);
  if (!train || !train->fits) return std::nullopt;
  PlanAnswer answer;
  answer.scenario = train->scenario;
  answer.training = *train;
  answer.duration = train->duration;
  answer.facts = train->facts;
  add_assumptions(question, answer);
  if (*quantity == Explained::kDuration && !train->duration) return std::nullopt;
  if (*quantity == Explained::kGoodput && !train->goodput) return std::nullopt;
  if (*quantity == Explained::kMfu && train->method) return std::nullopt;
  const auto parts = explain_step_parts(engine, question, answer);
  auto tree = *quantity == Explained::kRunCost ? cost_node(engine, answer, parts)
              : *quantity == Explained::kTp    ? explain_training_tp(engine, question, answer)
                                               : explain_training(answer, *quantity, parts);
  if (tree) tree->subject = subject_of(*train);
  return tree;
}

std::optional<MisfitRun> misfit_run(const Core& engine, const PlanInputs& question) {
  const auto& scenario = question.scenario();
  if (!scenario.train || scenario.serve) return std::nullopt;
  const auto train = trained(engine, question);
  if (!train || train->fits) return std::nullopt;
  return MisfitRun{train->layout.gpus, train->accelerator, scenario.hardware.size() > 1};
}

}  // namespace loadfactor::engine
