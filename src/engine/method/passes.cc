#include "engine/method/passes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/plural.h"
#include "resolve/serve/serve_setup.h"
#include "resolve/serve/service_model.h"
#include "serving/closed_form.h"

namespace loadfactor::engine {
namespace {

constexpr config::Position kPlannerPosition{.giver = config::Giver::kPlanner};

config::Scenario reading_scenario(const config::Scenario& scenario, const ReadingTask& task) {
  config::Scenario service = scenario;
  const config::Position at = scenario.train->position;
  config::ServeSection serve;
  serve.model = task.model;
  serve.position = at;
  serve.precision = task.precision;
  config::Demand demand;
  demand.position = at;
  demand.requests = config::Placed<Hertz>{Hertz::from_base(1.0), kPlannerPosition};
  demand.tokens_in =
      config::Placed<Tokens>{Tokens::from_base(std::max(1.0, task.tokens)), kPlannerPosition};
  demand.tokens_out = config::Placed<Tokens>{Tokens::from_base(1.0), kPlannerPosition};
  serve.demand = demand;
  config::Deployment deployment;
  deployment.position = at;
  if (!scenario.hardware.empty()) deployment.pool.gpu = scenario.hardware.front();
  serve.deployment = std::move(deployment);
  service.serve = std::move(serve);
  service.train.reset();
  service.limits = {};
  return service;
}

// What a step is longer by, per token that it reads, where the head runs for every token and not
// for the last of a text alone. The logits are written and read once, to sum over the vocabulary.
Seconds scoring_time(const ServeSetup& setup, const serving::Pool& pool, double tokens) {
  constexpr double kPasses = 2;
  constexpr double kBytes = 4;  // One logit in 32 bits.
  serving::StepBatch batch{.prompt_tokens = pool.chunk,
                           .chunk = std::min(tokens, pool.chunk),
                           .finishing = pool.chunk / tokens};
  const Seconds last = pool.step->duration(batch, setup.constants);
  batch.finishing = batch.prompt_tokens;
  const Seconds all = pool.step->duration(batch, setup.constants);
  const auto words = static_cast<double>(setup.model->embedding.vocab) / setup.layout().tp;
  const Bytes traffic = Bytes::from_base(kPasses * kBytes * words);
  const BytesPerSecond memory = pool.step->deployment().kernels->rates().memory;
  return (all - last) * pool.pace / pool.chunk + traffic / memory;
}

}  // namespace

bool can_read(const Core& core, const config::Scenario& scenario, const ReadingTask& task,
              bool teaches, Diagnostics& diagnostics) {
  Service service;
  service.catalog = &core.catalog();
  service.scenario = reading_scenario(scenario, task);
  resolve_model(service, task.model_files, diagnostics);
  if (service.model == nullptr) return false;
  const catalog::ModelSpec& model = *service.model;
  const auto refuse = [&](int code, std::string message, std::string hint) {
    diagnostics.add(scenario.error(code, task.model.position, std::move(message), std::move(hint)));
    return false;
  };
  if (model.has_decoder_apart())
    return refuse(lf::kContradictoryKeys,
                  fmt::format("{} hears sound, and prompts and answers are text", model.name),
                  "name a model that reads text, such as model: llama-3.1-8b");
  if (teaches && !model.generates())
    return refuse(
        lf::kContradictoryKeys,
        fmt::format("{} writes no text, and a teacher says how likely each token is", model.name),
        "name a model that writes text, such as model: llama-3.3-70b");
  const auto longest = static_cast<double>(model.context);
  if (longest <= 0 || task.tokens <= longest) return true;
  return refuse(
      lf::kContextTooLong,
      fmt::format("texts of up to {:.0f} tokens are longer than the {:.0f} that {} was "
                  "made for",
                  task.tokens, longest, model.name),
      teaches
          ? fmt::format("write sequence: {:.0f}, or name a model with a longer context", longest)
          : "lower method.answer_most, or name a model with a longer context");
}

std::int64_t vocabulary_of(const Core& core, const config::Scenario& scenario,
                           const ReadingTask& task) {
  Service service;
  service.catalog = &core.catalog();
  service.scenario = reading_scenario(scenario, task);
  Diagnostics unread;
  resolve_model(service, task.model_files, unread);
  return service.model == nullptr ? 0 : service.model->embedding.vocab;
}

std::optional<ReadingTime> read_texts(const Core& core, const config::Scenario& scenario,
                                      const ReadingTask& task, Diagnostics& diagnostics) {
  const ServeInputs inputs{.scenario = reading_scenario(scenario, task),
                           .model_files = task.model_files};
  const auto setup = make_serve_setup(inputs, core.catalog(), diagnostics);
  if (!setup) return std::nullopt;
  const int each = setup->plan.gpus();
  if (each > task.gpus) {
    diagnostics.add(scenario.error(lf::kDoesNotFit, task.model.position,
                                   fmt::format("one copy of {} takes {}, and {} read",
                                               setup->model->name, counted(each, "GPU"), task.gpus),
                                   "give the run more GPUs, or the model a narrower precision"));
    return std::nullopt;
  }
  const serving::Load load{.kind = serving::LoadKind::kOffline,
                           .input = setup->promise.input,
                           .output = setup->promise.output};
  // A text is read by one copy.
  const int copies = static_cast<int>(std::min<double>(task.gpus / each, std::ceil(task.texts)));
  const serving::Pool pool = setup->pool(std::max(1, copies));
  const auto figures = serving::closed_form(pool, load, setup->constants);
  Seconds time = Seconds::from_base(task.texts / figures.request_rate.base());
  if (task.scores_tokens && setup->model->generates())
    time += scoring_time(*setup, pool, load.input) * (task.texts * load.input / pool.replicas);
  const auto width = setup->calibration().interval_of(serving::Metric::kThroughput,
                                                      setup->plan.step->deployment(), load.kind);
  return ReadingTime{{time, time * std::exp(-width.high), time * std::exp(-width.low),
                      Basis::kCalibrated, "serving model"},
                     each,
                     setup->plan.memory.fullest_weights()};
}

}  // namespace loadfactor::engine
