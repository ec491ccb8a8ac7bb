// Trees of what `train` prints of a scenario, of the very layout that it prints.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/layout_text.h"
#include "engine/explain/explain.h"
#include "engine/plan/plan_figures.h"
#include "engine/plan/plan_sizes.h"

namespace loadfactor::engine {
namespace {

TrainRequest request_of(const PlanQuestion& question) {
  TrainRequest request;
  request.scenario = question.scenario();
  request.model_files = question.training_files;
  return request;
}

std::optional<ExplainNode> cost_node(const PlanAnswer& answer) {
  const TrainAnswer& train = *answer.training;
  if (!train.duration || !train.cost) return std::nullopt;
  const auto way =
      std::find_if(train.options.begin(), train.options.end(),
                   [&train](const RunOption& one) { return one.kind == train.option; });
  if (way == train.options.end()) return std::nullopt;
  const SourceFinder where(answer);
  ExplainNode time = *explain_training(answer, "duration");
  if (way->commitment > train.duration->value())
    time = leaf("time that it binds", any(way->commitment), glossary_line("year"));
  const Seconds paid =
      train.cost->value() / (way->rate.value() * Gpus::from_base(way->gpus));  // At its rate.
  const Seconds expected = std::max(train.duration->value(), way->commitment);
  if (paid < expected * (1 - 1e-9) || paid > expected * (1 + 1e-9))
    time = leaf("time that is paid: what binds to its end, the rest by the hour", any(paid),
                glossary_line("year"));
  const auto working = leaf("GPUs that work", any(Gpus::from_base(train.layout.gpus)),
                            where.find({"train.layout.gpus", "limits.gpus"}, {}, "train"));
  const auto spare =
      leaf("GPUs of spare nodes", any(Gpus::from_base(way->gpus - train.layout.gpus)),
           way->goodput.source());
  return node(fmt::format("cost of the run: {}", name_of(way->kind)), Operation::kProduct,
              {node("GPUs that are paid", Operation::kSum, {working, spare}), std::move(time),
               leaf(fmt::format("{}, per GPU", name_of(way->kind)), any(way->rate.value()),
                    where.find({"money.rent.price"}, {}, way->rate.source()))});
}

}  // namespace

std::string subject_of(const TrainAnswer& train) {
  return fmt::format(" ({} × {}, {})", train.layout.gpus, train.accelerator,
                     parallel_text(train.layout));
}

std::optional<ExplainNode> explain_run(const Core& engine, const PlanQuestion& question,
                                       const std::string& quantity) {
  if (quantity == "cost" || quantity == "days") return std::nullopt;  // The plan's, as in gates.
  if (!question.scenario().train || question.scenario().serve) return std::nullopt;
  Diagnostics unread;
  const auto train = engine.train(request_of(question), unread);
  if (!train || !train->fits) return std::nullopt;
  PlanAnswer answer;
  answer.scenario = train->scenario;
  answer.training = *train;
  answer.duration = train->duration;
  answer.facts = train->facts;
  add_assumptions(question, answer);
  if (quantity == "duration" && !train->duration) return std::nullopt;
  if (quantity == "goodput" && !train->goodput) return std::nullopt;
  auto tree = quantity == "run_cost" ? cost_node(answer) : explain_training(answer, quantity);
  if (tree) tree->name += subject_of(*train);
  return tree;
}

std::string why_of_the_plan(const Core& engine, const PlanQuestion& question) {
  const auto& scenario = question.scenario();
  if (!scenario.train || scenario.serve) return {};
  Diagnostics unread;
  const auto train = engine.train(request_of(question), unread);
  if (!train || train->fits) return {};
  std::string text = fmt::format(
      "what `train` chooses, {} × {}, does not fit: this is of the plan, which searches",
      train->layout.gpus, train->accelerator);
  if (scenario.hardware.size() > 1)
    text += " every accelerator; --set 'hardware=[NAME]' asks about one";
  return text;
}

}  // namespace loadfactor::engine
