// Trees of a training run and of what fits on a GPU.
#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "engine/explain/data_lines.h"
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
    const std::string asked = fmt::format("train.stages.{}.", i - 1);
    const std::string key = i == 0 ? "train.tokens" : asked + "tokens";
    // The step of another stage is one more run, which its own lines ask for.
    ExplainNode rate = i == 0 ? std::move(first)
                              : leaf(Term::kStageRate, any(stage.tokens / stage.work.value()),
                                     where.find({asked + "sequence", asked + "global_batch", key},
                                                {}, stage.step_time.source()),
                                     stage.layout_keys);
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

namespace {

// The replica of a plan, and how many sequences run in it when it is never idle.
struct FullReplica {
  std::unique_ptr<ServingWorld> world;
  serving::ReplicaPlan plan;
  double sequences = 0;
};

std::optional<FullReplica> full_replica(const Core& engine, const PlanInputs& question,
                                        const PlanAnswer& answer) {
  if (!answer.fill) return std::nullopt;
  ServingInputs serving = question.serving;
  serving.scenario = answer.priced->scenario;
  Diagnostics unread;
  FullReplica full{.world = ServingWorld::create(serving, engine.catalog(), unread)};
  if (!full.world) return std::nullopt;
  auto plan = full.world->replica(Side::kDecode, *full.world->service().chip);
  if (!plan || !plan->fits()) return std::nullopt;
  full.plan = *std::move(plan);
  const auto& ask = full.world->ask();
  const serving::Pool pool = full.plan.pool(ask);
  const serving::Load endless{
      .kind = serving::LoadKind::kOffline, .input = ask.input, .output = ask.output};
  full.sequences =
      serving::closed_form(pool, endless, full.world->service().constants).batch * pool.replicas;
  return full;
}

std::string place_of(const catalog::Provenance& from) {
  return fmt::format("{}:{}", from.file, from.line);
}

// Tokens of the cache: whole blocks in what the other uses leave of the memory.
std::optional<ExplainNode> cache_tree(const serving::ReplicaPlan& plan, const DataLines& lines) {
  const auto& setup = plan.memory_setup;
  const auto blocks_of = [&](const serving::GpuMemory& gpu) {
    return gpu.kv.value /
           (gpu.profile.per_token() * static_cast<double>(setup.engine->memory.block));
  };
  const auto& stages = plan.memory.stages;
  const auto fullest =
      std::min_element(stages.begin(), stages.end(),
                       [&](const auto& a, const auto& b) { return blocks_of(a) < blocks_of(b); });
  if (fullest == stages.end() || fullest->profile.per_token() <= Bytes()) return std::nullopt;
  const std::string model = place_of(setup.model->provenance);
  const std::string software =
      lines.place(fmt::format("engines/{}.yaml", setup.engine->name), {}, "overhead");
  const auto used = [](MemoryUse use, Bytes bytes, const std::string& source) {
    return leaf(Term::kMemoryLine, any(bytes), source, std::string(name_of(use)));
  };
  ExplainNode room =
      node(Term::kCacheBytes, Operation::kDifference,
           {leaf(Term::kGpuMemory, any(fullest->total), place_of(setup.chip->memory.provenance)),
            used(MemoryUse::kWeights, fullest->weights.total(), model),
            used(MemoryUse::kActivations, fullest->activations.value, model),
            used(MemoryUse::kContextAndGraphs, fullest->overhead.value, software),
            used(MemoryUse::kKeptFree, fullest->reserve, software)});
  const ExplainNode each =
      leaf(Term::kBlockTokens, any(static_cast<double>(setup.engine->memory.block)),
           lines.place(fmt::format("engines/{}.yaml", setup.engine->name), {}, "block"));
  ExplainNode block =
      node(Term::kBlockBytes, Operation::kProduct,
           {leaf(Term::kKvOfToken, any(fullest->profile.per_token()), model), each});
  ExplainNode whole =
      node(Term::kKvBlocks, Operation::kFloor,
           {node(Term::kKvBlocks, Operation::kQuotient, {std::move(room), std::move(block)})});
  std::vector<ExplainNode> factors{std::move(whole), each};
  if (plan.memory.sharding.dp > 1)
    factors.push_back(
        leaf(Term::kAttentionCopies, any(static_cast<double>(plan.memory.sharding.dp)), model));
  return node(Term::kKvTokens, Operation::kProduct, std::move(factors));
}

}  // namespace

double saturated_sequences(const Core& engine, const PlanInputs& question,
                           const PlanAnswer& answer) {
  const auto full = full_replica(engine, question, answer);
  return full ? full->sequences : 0;
}

std::optional<ExplainNode> explain_running(const Core& engine, const PlanInputs& question,
                                           const PlanAnswer& answer) {
  const auto full = full_replica(engine, question, answer);
  if (!full || full->sequences <= 0) return std::nullopt;
  const SourceFinder where(answer);
  const DataLines lines(engine.catalog());
  const auto& plan = full->plan;
  constexpr double kHalf = 0.5;
  const auto most = static_cast<double>(plan.max_seqs * plan.memory.sharding.dp);
  if (plan.max_seqs > 0 && full->sequences > most - kHalf)
    return leaf(
        Term::kRunningSequences, any(full->sequences),
        where.find({"serve.deployment.max_seqs"}, {},
                   lines.place(fmt::format("engines/{}.yaml", plan.memory_setup.engine->name), {},
                               "max_sequences")));
  auto cache = cache_tree(plan, lines);
  if (!cache) return std::nullopt;
  const double each = cache->value.value / full->sequences;
  return node(
      Term::kRunningSequences, Operation::kQuotient,
      {*std::move(cache), leaf(Term::kContextTokens, any(each),
                               where.find({"serve.demand.tokens_in", "serve.demand.trace"}, {},
                                          place_of(plan.memory_setup.model->provenance)))});
}

}  // namespace loadfactor::engine
