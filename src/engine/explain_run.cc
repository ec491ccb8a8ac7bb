// Trees of what `train` prints of a scenario, of the very layout that it prints.
#include <algorithm>
#include <optional>
#include <utility>

#include "engine/explain.h"
#include "engine/plan_figures.h"
#include "engine/plan_scenario.h"

namespace loadfactor::engine {
namespace {

TrainRequest request_of(const PlanQuestion& question) {
  TrainRequest request;
  request.file = question.serving.file;
  request.text = question.serving.text;
  request.model_files = question.training_files;
  return request;
}

// Work of a token as MFU counts it, over what the chips could do meanwhile.
ExplainNode mfu_node(const PlanAnswer& answer) {
  const TrainAnswer& train = *answer.training;
  const SourceFinder where(answer);
  const double peak = train.peak.base() * train.layout.gpus;
  const Flops token =
      Flops::from_base(train.mfu.value() * peak / train.tokens_per_s.value().base());
  const auto each =
      leaf("operations of a token", {token.base(), any(token).dimension}, train.model);
  ExplainNode rate = *explain_training(answer, "tokens_per_s");
  // Tokens are counted, so that operations per second stand over operations per second.
  rate =
      node("tokens per second, counted", Operation::kQuotient,
           {std::move(rate), leaf("a token", any(Tokens::from_base(1.0)), glossary_line("mfu"))});
  return node("MFU", Operation::kQuotient,
              {node("operations per second", Operation::kProduct, {each, std::move(rate)}),
               node("peak of all GPUs", Operation::kProduct,
                    {leaf("GPUs", any(static_cast<double>(train.layout.gpus)),
                          where.find({"train.layout.gpus", "limits.gpus"}, {}, "train")),
                     leaf("peak of a GPU", any(train.peak),
                          where.find({}, {"arithmetic"}, train.accelerator))})});
}

std::optional<ExplainNode> cost_node(const PlanAnswer& answer) {
  const TrainAnswer& train = *answer.training;
  if (!train.duration || !train.cost) return std::nullopt;
  const auto way = std::find_if(train.ways.begin(), train.ways.end(),
                                [&train](const RunWay& one) { return one.option == train.option; });
  if (way == train.ways.end()) return std::nullopt;
  const SourceFinder where(answer);
  ExplainNode time = *explain_training(answer, "duration");
  if (way->binds > train.duration->value())
    time = leaf("time that it binds", any(way->binds), glossary_line("year"));
  const auto working = leaf("GPUs that work", any(Gpus::from_base(train.layout.gpus)),
                            where.find({"train.layout.gpus", "limits.gpus"}, {}, "train"));
  const auto spare =
      leaf("GPUs of spare nodes", any(Gpus::from_base(way->gpus - train.layout.gpus)),
           way->goodput.source());
  return node("cost of the run: " + way->option, Operation::kProduct,
              {node("GPUs that are paid", Operation::kSum, {working, spare}), std::move(time),
               leaf(way->option + ", per GPU", any(way->rate.value()),
                    where.find({"money.rent.price"}, {}, way->rate.source()))});
}

}  // namespace

std::optional<ExplainNode> explain_run(const Engine& engine, const PlanQuestion& question,
                                       const std::string& quantity) {
  if (quantity == "cost" || quantity == "days") return std::nullopt;  // The plan's, as in gates.
  const auto scenario = scenario_of(question.serving);
  if (!scenario || !scenario->train || scenario->serve) return std::nullopt;
  Diagnostics unread;
  const auto train = engine.train(request_of(question), unread);
  if (!train || !train->fits) return std::nullopt;
  PlanAnswer answer;
  answer.scenario = train->scenario;
  answer.training = *train;
  answer.duration = train->duration;
  answer.facts = train->facts;
  add_assumptions(engine.catalog(), question, answer);
  if (quantity == "duration" && !train->duration) return std::nullopt;
  if (quantity == "goodput" && !train->goodput) return std::nullopt;
  if (quantity == "mfu") return mfu_node(answer);
  if (quantity == "run_cost") return cost_node(answer);
  return explain_training(answer, quantity);
}

}  // namespace loadfactor::engine
