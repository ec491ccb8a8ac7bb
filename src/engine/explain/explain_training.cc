// Trees of a training run and of what fits on a GPU.
#include <fmt/format.h>

#include "engine/explain/explain.h"
#include "engine/explain/explain_method.h"
#include "serving/closed_form.h"

namespace loadfactor::engine {
namespace {

std::string source_or(const std::string& source, const std::string& otherwise) {
  return source.empty() ? otherwise : source;
}

ExplainNode step_node(const PlanAnswer& answer) {
  const TrainAnswer& train = *answer.training;
  std::vector<ExplainNode> parts;
  for (const auto& part : train.parts)
    parts.push_back(leaf(Term::kStepPart, any(part.time.value()),
                         source_or(part.time.source(), train.step_time.source()), part.key));
  if (train.method) return method_step_node(answer, parts);
  return node(Term::kStepTime, Operation::kSum, std::move(parts));
}

ExplainNode rate_node(const PlanAnswer& answer) {
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
               step_node(answer)});
}

// Work of a token as MFU counts it, over what the chips could do meanwhile.
ExplainNode mfu_node(const PlanAnswer& answer) {
  const TrainAnswer& train = *answer.training;
  const SourceFinder where(answer);
  const double peak = train.peak.base() * train.layout.gpus;
  const Flops token =
      Flops::from_base(train.mfu.value() * peak / train.tokens_per_s.value().base());
  const auto each = leaf(Term::kTokenWork, {token.base(), any(token).dimension},
                         where.find({"train.model", "train.model.config", "train.model.params"},
                                    {"architecture"}, "general-knowledge"));
  ExplainNode rate = rate_node(answer);
  // Tokens are counted, so that operations per second stand over operations per second.
  rate = node(
      Term::kCountedTokens, Operation::kQuotient,
      {std::move(rate), leaf(Term::kToken, any(Tokens::from_base(1.0)), glossary_line("mfu"))});
  return node(Term::kMfu, Operation::kQuotient,
              {node(Term::kWorkRate, Operation::kProduct, {each, std::move(rate)}),
               node(Term::kPeakOfAll, Operation::kProduct,
                    {leaf(Term::kGpus, any(static_cast<double>(train.layout.gpus)),
                          where.find({"train.layout.gpus", "limits.gpus"}, {}, "train")),
                     leaf(Term::kPeak, any(train.peak),
                          where.find({}, {"arithmetic"}, "general-knowledge"))})});
}

ExplainNode goodput_node(const PlanAnswer& answer) {
  const auto& goodput = *answer.training->goodput;
  std::vector<ExplainNode> losses;
  for (const auto& loss : goodput.losses)
    losses.push_back(leaf(Term::kLoss, any(loss.share), goodput.value.source(),
                          std::string(name_of(loss.cause))));
  return node(Term::kGoodput, Operation::kDifference,
              {leaf(Term::kAllPaidTime, any(1.0), glossary_line("goodput")),
               node(Term::kLosses, Operation::kSum, std::move(losses))});
}

// Steps of every stage, over what failures leave of the paid time.
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
  if (!answer.training->goodput) return all;
  return node(Term::kDuration, Operation::kQuotient, {std::move(all), goodput_node(answer)});
}

ExplainNode duration_node(const PlanAnswer& answer) {
  const SourceFinder where(answer);
  if (answer.training->method)
    return method_duration_node(
        answer, step_node(answer),
        answer.training->goodput ? std::optional(goodput_node(answer)) : std::nullopt);
  ExplainNode rate = rate_node(answer);
  if (!answer.training->stages.empty()) return staged_duration_node(answer, std::move(rate));
  if (answer.training->goodput)
    rate = node(Term::kUsefulTokens, Operation::kProduct, {std::move(rate), goodput_node(answer)});
  return node(Term::kDuration, Operation::kQuotient,
              {leaf(Term::kTokensOfRun, any(*answer.training->tokens),
                    where.find({"train.tokens"}, {}, "general-knowledge")),
               std::move(rate)});
}

ExplainNode memory_node(const std::vector<MemoryLine>& lines, const std::string& otherwise) {
  std::vector<ExplainNode> parts;
  for (const auto& line : lines)
    parts.push_back(leaf(Term::kMemoryLine, any(line.bytes.value()),
                         source_or(line.bytes.source(), otherwise),
                         std::string(name_of(line.use))));
  return node(Term::kGpuMemory, Operation::kSum, std::move(parts));
}

}  // namespace

std::optional<ExplainNode> explain_training(const PlanAnswer& answer, Explained quantity) {
  const TrainAnswer& train = *answer.training;
  const SourceFinder where(answer);
  switch (quantity) {
    case Explained::kStepTime:
      return step_node(answer);
    case Explained::kTokensPerSecond:
      return rate_node(answer);
    case Explained::kMfu:
      return mfu_node(answer);
    case Explained::kGoodput:
      return goodput_node(answer);
    case Explained::kDuration:
      return duration_node(answer);
    case Explained::kGpuMemory:
      return memory_node(train.lines, where.find({}, {"memory"}, "general-knowledge"));
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
  if (quantity == Explained::kGpuMemory) return memory_node(fit->lines, model);
  return node(
      Term::kSequences, Operation::kFloor,
      {node(Term::kSequenceRoom, Operation::kQuotient,
            {leaf(Term::kKvTokens, any(fit->kv_tokens.value()),
                  source_or(fit->kv_tokens.source(), model)),
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
