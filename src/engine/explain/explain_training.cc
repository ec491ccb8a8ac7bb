// Trees of a training run and of what fits on a GPU.
#include <algorithm>

#include <fmt/format.h>

#include "engine/explain/explain.h"
#include "engine/explain/explain_method.h"
#include "serving/closed_form.h"

namespace loadfactor::engine {
namespace {

std::string source_or(const std::string& source, const std::string& otherwise) {
  return source.empty() ? otherwise : source;
}

using Parts = std::vector<ExplainNode>;

ExplainNode step_node(const PlanAnswer& answer, const Parts& known) {
  const TrainAnswer& train = *answer.training;
  Parts parts;
  for (const auto& part : train.parts) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const ExplainNode& one) { return one.of == part.key; });
    if (found != known.end())
      parts.push_back(*found);
    else
      parts.push_back(leaf(Term::kStepPart, any(part.time.value()),
                           source_or(part.time.source(), train.step_time.source()), part.key));
  }
  if (train.method) return method_step_node(answer, parts);
  return node(Term::kStepTime, Operation::kSum, std::move(parts));
}

ExplainNode rate_node(const PlanAnswer& answer, const Parts& parts) {
  const TrainAnswer& train = *answer.training;
  const SourceFinder where(answer);
  const auto tokens = [](std::int64_t count) {
    return any(Tokens::from_base(static_cast<double>(count)));
  };
  return node(Term::kTokensPerSecond, Operation::kQuotient,
              {node(Term::kStepTokens, Operation::kProduct,
                    {leaf(Term::kGlobalBatch, any(static_cast<double>(train.global_batch)),
                          where.find({"train.global_batch", "train.method.prompts"}, {},
                                     "general-knowledge")),
                     leaf(Term::kSequence, tokens(train.sequence),
                          where.find({"train.sequence", "train.method.answer_tokens"}, {},
                                     "general-knowledge"))}),
               step_node(answer, parts)});
}

// Work of a token as MFU counts it, over what the chips could do meanwhile.
ExplainNode mfu_node(const PlanAnswer& answer, const Parts& parts) {
  const TrainAnswer& train = *answer.training;
  const SourceFinder where(answer);
  const auto token =
      train.mfu.value() * train.peak * train.layout.gpus / train.tokens_per_s.value();
  const auto each = leaf(Term::kTokenWork, any(token),
                         where.find({"train.model", "train.model.config", "train.model.params"},
                                    {"architecture"}, "general-knowledge"));
  ExplainNode rate = rate_node(answer, parts);
  return node(Term::kMfu, Operation::kQuotient,
              {node(Term::kWorkRate, Operation::kProduct, {each, std::move(rate)}),
               node(Term::kPeakOfAll, Operation::kProduct,
                    {leaf(Term::kGpus, any(static_cast<double>(train.layout.gpus)),
                          where.find({"train.layout.gpus", "limits.gpus"}, {}, "train")),
                     leaf(Term::kPeak, any(train.peak),
                          where.find({}, {"arithmetic"}, "general-knowledge"))})});
}

// The key or the fact that decides a loss.
std::string place_of_loss(const SourceFinder& where, GoodputLoss::Cause cause,
                          const std::string& otherwise) {
  using Cause = GoodputLoss::Cause;
  switch (cause) {
    case Cause::kRestarts:
      return where.find({"train.failures.restart"}, {"restart-time"}, otherwise);
    case Cause::kLostWork:
      return where.find({"train.failures.interval", "money.spot.loss"},
                        {"hazard-node-ampere", "hazard-gpu", "hazard-software"}, otherwise);
    case Cause::kCheckpoints:
      return where.find({"train.failures.checkpoint", "train.failures.storage"},
                        {"checkpoint-bytes-per-parameter"}, otherwise);
    case Cause::kDetection:
      return where.find({"train.failures.detection"}, {"detection-time"}, otherwise);
    case Cause::kRareCheckpoints:
      return where.find({}, {"checkpoint-interval-shortest"}, otherwise);
    case Cause::kEvaluations:
      return where.find({}, {"evaluation-share"}, otherwise);
    case Cause::kSlowNodes:
      return where.find({}, {"slow-nodes-share"}, otherwise);
    case Cause::kTakenAgain:
      return where.find({}, {"rewind-share"}, otherwise);
    case Cause::kWarmUp:
      return where.find({}, {"warm-up-time"}, otherwise);
    case Cause::kUnexplained:
      return where.find({}, {"run-unexplained"}, otherwise);
    case Cause::kRepairs:
      break;
  }
  return where.find({"train.failures.spares", "train.failures.repair"}, {"repair-time"}, otherwise);
}

// The paid time without its losses.
ExplainNode share_node(Term term, const PlanAnswer& answer,
                       const std::vector<GoodputLoss>& all_losses, const std::string& source) {
  const SourceFinder where(answer);
  std::vector<ExplainNode> losses;
  for (const auto& loss : all_losses)
    losses.push_back(leaf(Term::kLoss, any(loss.share), place_of_loss(where, loss.cause, source),
                          std::string(name_of(loss.cause))));
  return node(term, Operation::kDifference,
              {leaf(Term::kAllPaidTime, any(1.0), glossary_line("goodput")),
               node(Term::kLosses, Operation::kSum, std::move(losses))});
}

ExplainNode goodput_node(const PlanAnswer& answer) {
  const auto& goodput = *answer.training->goodput;
  return share_node(Term::kGoodput, answer, goodput.losses, goodput.value.source());
}

// Steps of every stage, over their share of the paid time.
ExplainNode staged_duration_node(const PlanAnswer& answer, ExplainNode first) {
  const SourceFinder where(answer);
  const auto& stages = answer.training->stages;
  std::vector<ExplainNode> works;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const RunStage& stage = stages[i];
    const std::string key = i == 0 ? "train.tokens" : fmt::format("train.stages.{}.tokens", i - 1);
    ExplainNode rate = i == 0 ? std::move(first)
                              : leaf(Term::kStageRate, any(stage.tokens / stage.work.value()),
                                     stage.step_time.source(), stage.layout_keys);
    works.push_back(node(
        Term::kStageWork, Operation::kQuotient,
        {leaf(Term::kTokensOfRun, any(stage.tokens), where.find({key}, {}, "general-knowledge")),
         std::move(rate)}));
  }
  ExplainNode all = node(Term::kStages, Operation::kSum, std::move(works));
  if (!answer.training->whole) return all;
  return node(Term::kDuration, Operation::kQuotient, {std::move(all), paid_share_node(answer)});
}

ExplainNode duration_node(const PlanAnswer& answer, const Parts& parts) {
  const SourceFinder where(answer);
  if (answer.training->method)
    return method_duration_node(
        answer, step_node(answer, parts),
        answer.training->whole ? std::optional(paid_share_node(answer)) : std::nullopt);
  ExplainNode rate = rate_node(answer, parts);
  if (!answer.training->stages.empty()) return staged_duration_node(answer, std::move(rate));
  if (answer.training->whole)
    rate =
        node(Term::kUsefulTokens, Operation::kProduct, {std::move(rate), paid_share_node(answer)});
  return node(Term::kDuration, Operation::kQuotient,
              {leaf(Term::kTokensOfRun, any(*answer.training->tokens),
                    where.find({"train.tokens"}, {}, "general-knowledge")),
               std::move(rate)});
}

// What is counted from the model, what the software takes, and what the chip has left.
struct MemoryPlaces {
  std::string model;
  std::string software;
  std::string chip;
};

const std::string& place_of_line(const MemoryPlaces& places, MemoryUse use) {
  switch (use) {
    case MemoryUse::kBuffers:
    case MemoryUse::kContext:
    case MemoryUse::kContextAndGraphs:
      return places.software;
    case MemoryUse::kKeptFree:
    case MemoryUse::kFree:
    case MemoryUse::kEngineAndFree:
      return places.chip;
    default:
      return places.model;
  }
}

ExplainNode memory_node(const std::vector<MemoryLine>& lines, const MemoryPlaces& places) {
  std::vector<ExplainNode> parts;
  for (const auto& line : lines)
    parts.push_back(leaf(Term::kMemoryLine, any(line.bytes.value()),
                         place_of_line(places, line.use), std::string(name_of(line.use))));
  return node(Term::kGpuMemory, Operation::kSum, std::move(parts));
}

MemoryPlaces places_of_run(const SourceFinder& where) {
  const std::string chip = where.find({}, {"memory"}, "general-knowledge");
  return {where.find({"train.model.config", "train.model.params", "train.model"}, {"architecture"},
                     chip),
          where.find({}, {"switches"}, chip), chip};
}

// The first fact of an answer with this id.
std::string fact_place(const std::vector<UsedFact>& facts, std::string_view id,
                       const std::string& otherwise) {
  for (const auto& fact : facts)
    if (fact.id == id) return fact.where;
  return otherwise;
}

}  // namespace

ExplainNode paid_share_node(const PlanAnswer& answer) {
  const WholeRun& run = *answer.training->whole;
  return share_node(Term::kPaidShareOfRun, answer, run.losses, run.share.source());
}

std::optional<ExplainNode> explain_training(const PlanAnswer& answer, Explained quantity,
                                            const std::vector<ExplainNode>& parts) {
  const TrainAnswer& train = *answer.training;
  const SourceFinder where(answer);
  switch (quantity) {
    case Explained::kStepTime:
      return step_node(answer, parts);
    case Explained::kTokensPerSecond:
      return rate_node(answer, parts);
    case Explained::kMfu:
      return mfu_node(answer, parts);
    case Explained::kGoodput:
      return goodput_node(answer);
    case Explained::kDuration:
      return duration_node(answer, parts);
    case Explained::kGpuMemory:
      return memory_node(train.lines, places_of_run(where));
    default:
      return std::nullopt;
  }
}

std::optional<ExplainNode> explain_fit(const Core& engine, const PlanInputs& question,
                                       const PlanAnswer& answer, Explained quantity) {
  if (quantity != Explained::kGpuMemory && quantity != Explained::kSequences) return std::nullopt;
  const auto& serve = question.scenario().serve;
  if (!serve) return std::nullopt;
  Diagnostics unread;
  FitInputs request;
  const auto* named = std::get_if<config::CatalogModel>(&serve->model.model);
  if (named != nullptr)
    request.model = named->name.value;
  else
    request.model_files = question.serving.model_files;
  request.accelerator = answer.machine->accelerator;
  request.tp = answer.machine->layout.tp;
  request.pp = answer.machine->layout.pp;
  request.quantisation = answer.machine->precision;
  request.context = static_cast<std::int64_t>(answer.fill->input + answer.fill->output);
  const auto fit = engine.fit(request);
  if (!fit) return std::nullopt;
  const SourceFinder where(answer);
  const std::string model = fit->facts.empty() ? "general-knowledge" : fit->facts.front().where;
  const std::string chip = fact_place(fit->facts, "memory", model);
  if (quantity == Explained::kGpuMemory)
    return memory_node(fit->lines, {model, fact_place(fit->facts, "engine", chip), chip});
  return node(
      Term::kSequences, Operation::kFloor,
      {node(Term::kSequenceRoom, Operation::kQuotient,
            {leaf(Term::kKvTokens, any(fit->kv_tokens.value()), chip),
             leaf(Term::kSequence, any(Tokens::from_base(static_cast<double>(fit->context))),
                  where.find({"serve.demand.tokens_in", "serve.demand.trace"}, {},
                             "general-knowledge"))})});
}

double saturated_sequences(const Core& engine, const PlanInputs& question,
                           const PlanAnswer& answer) {
  if (!answer.fill) return 0;
  ServingInputs serving = question.serving;
  serving.scenario = answer.priced->scenario;
  Diagnostics unread;
  const auto world = ServingWorld::create(serving, engine.catalog(), unread);
  if (!world) return 0;
  const auto plan = world->replica(Side::kDecode, *world->service().chip);
  if (!plan || !plan->fits()) return 0;
  const auto& ask = world->ask();
  const serving::Pool pool = plan->pool(ask);
  const serving::Load full{
      .kind = serving::LoadKind::kOffline, .input = ask.input, .output = ask.output};
  return serving::closed_form(pool, full, world->service().constants).batch * pool.replicas;
}

}  // namespace loadfactor::engine
