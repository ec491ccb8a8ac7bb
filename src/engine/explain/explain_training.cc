// Trees of a training run and of what fits on a GPU.
#include <fmt/format.h>

#include "engine/explain/explain.h"
#include "serving/closed_form.h"

namespace loadfactor::engine {
namespace {

std::string source_or(const std::string& source, const std::string& otherwise) {
  return source.empty() ? otherwise : source;
}

ExplainNode step_node(const TrainAnswer& train) {
  std::vector<ExplainNode> parts;
  for (const auto& part : train.parts)
    parts.push_back(leaf(part.name, any(part.time.value()),
                         source_or(part.time.source(), train.step_time.source())));
  return node("step time", Operation::kSum, std::move(parts));
}

ExplainNode rate_node(const PlanAnswer& answer) {
  const TrainAnswer& train = *answer.training;
  const SourceFinder where(answer);
  const auto tokens = [](std::int64_t count) {
    return any(Tokens::from_base(static_cast<double>(count)));
  };
  return node("tokens per second", Operation::kQuotient,
              {node("tokens of a step", Operation::kProduct,
                    {leaf("sequences of a step", any(static_cast<double>(train.global_batch)),
                          where.find({"train.global_batch"}, {}, "general-knowledge")),
                     leaf("tokens of a sequence", tokens(train.sequence),
                          where.find({"train.sequence"}, {}, "general-knowledge"))}),
               step_node(train)});
}

// Work of a token as MFU counts it, over what the chips could do meanwhile.
ExplainNode mfu_node(const PlanAnswer& answer) {
  const TrainAnswer& train = *answer.training;
  const SourceFinder where(answer);
  const double peak = train.peak.base() * train.layout.gpus;
  const Flops token =
      Flops::from_base(train.mfu.value() * peak / train.tokens_per_s.value().base());
  const auto each = leaf("operations of a token", {token.base(), any(token).dimension},
                         where.find({"train.model", "train.model.config", "train.model.params"},
                                    {"model"}, "general-knowledge"));
  ExplainNode rate = rate_node(answer);
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
                          where.find({}, {"arithmetic"}, "general-knowledge"))})});
}

ExplainNode goodput_node(const PlanAnswer& answer) {
  const auto& goodput = *answer.training->goodput;
  std::vector<ExplainNode> losses;
  for (const auto& loss : goodput.losses)
    losses.push_back(leaf(loss.name, any(loss.share), goodput.value.source()));
  return node("goodput", Operation::kDifference,
              {leaf("paid time", any(1.0), glossary_line("goodput")),
               node("losses", Operation::kSum, std::move(losses))});
}

ExplainNode duration_node(const PlanAnswer& answer) {
  const SourceFinder where(answer);
  ExplainNode rate = rate_node(answer);
  if (answer.training->goodput)
    rate = node("useful tokens per second", Operation::kProduct,
                {std::move(rate), goodput_node(answer)});
  return node("duration", Operation::kQuotient,
              {leaf("tokens of the run", any(*answer.training->tokens),
                    where.find({"train.tokens"}, {}, "general-knowledge")),
               std::move(rate)});
}

ExplainNode memory_node(const std::vector<MemoryLine>& lines, const std::string& otherwise) {
  std::vector<ExplainNode> parts;
  for (const auto& line : lines)
    parts.push_back(
        leaf(line.name, any(line.bytes.value()), source_or(line.bytes.source(), otherwise)));
  return node("memory of a GPU", Operation::kSum, std::move(parts));
}

}  // namespace

std::optional<ExplainNode> explain_training(const PlanAnswer& answer, const std::string& quantity) {
  const TrainAnswer& train = *answer.training;
  const SourceFinder where(answer);
  if (quantity == "step_time") return step_node(train);
  if (quantity == "tokens_per_s") return rate_node(answer);
  if (quantity == "mfu") return mfu_node(answer);
  if (quantity == "goodput") return goodput_node(answer);
  if (quantity == "duration") return duration_node(answer);
  if (quantity == "gpu_memory")
    return memory_node(train.lines, where.find({}, {"memory of"}, "general-knowledge"));
  return std::nullopt;
}

std::optional<ExplainNode> explain_fit(const Core& engine, const PlanQuestion& question,
                                       const PlanAnswer& answer, const std::string& quantity) {
  if (quantity != "gpu_memory" && quantity != "sequences") return std::nullopt;
  const auto& serve = question.scenario().serve;
  if (!serve) return std::nullopt;
  Diagnostics unread;
  FitRequest request;
  const auto* named = std::get_if<config::CatalogModel>(&serve->model.model);
  if (named != nullptr)
    request.model = named->name.value;
  else
    request.model_files = question.serving.model_files;
  request.accelerator = answer.machine->accelerator;
  request.tp = answer.machine->layout.tp;
  request.pp = answer.machine->layout.pp;
  if (answer.machine->precision != "16 bits") request.quantisation = answer.machine->precision;
  request.context = static_cast<std::int64_t>(answer.fill->input + answer.fill->output);
  const auto fit = engine.fit(request);
  if (!fit) return std::nullopt;
  const SourceFinder where(answer);
  const std::string model = fit->facts.empty() ? "general-knowledge" : fit->facts.front().where;
  if (quantity == "gpu_memory") return memory_node(fit->lines, model);
  return node(
      "sequences of a replica", Operation::kFloor,
      {node("room for sequences", Operation::kQuotient,
            {leaf("tokens that the KV cache holds", any(fit->kv_tokens.value()),
                  source_or(fit->kv_tokens.source(), model)),
             leaf("tokens of a sequence", any(Tokens::from_base(static_cast<double>(fit->context))),
                  where.find({"serve.demand.tokens_in", "serve.demand.trace"}, {},
                             "general-knowledge"))})});
}

double saturated_sequences(const Core& engine, const PlanQuestion& question,
                           const PlanAnswer& answer) {
  if (!answer.fill) return 0;
  ServingQuestion serving = question.serving;
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
