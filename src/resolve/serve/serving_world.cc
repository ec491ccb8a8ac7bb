#include "resolve/serve/serving_world.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "resolve/serve/fit_setup.h"
#include "resolve/serve/fleet_steps.h"
#include "resolve/serve/other_models.h"
#include "resolve/serve/serve_batch.h"
#include "resolve/serve/serve_setup.h"
#include "resolve/serve/serve_site.h"
#include "serving/generation.h"
#include "serving/worthwhile.h"

namespace loadfactor::engine {
namespace {

constexpr int kMostTp = 8;

// The engine's generation on this chip.
const serving::EngineTraits* traits_on(const SimulateSetup& setup,
                                       const catalog::AcceleratorSpec& chip) {
  const auto found =
      serving::generation_of(*setup.catalog, *setup.engine, release_of(setup.ask()), chip);
  return found ? *found : setup.traits;
}

// What to do with a scenario that serves nothing.
std::string no_service_hint(const config::Scenario& scenario) {
  if (scenario.train)
    return "it trains: `loadfactor train` and `plan` size that, and `fill --jobs JOBS.csv` says "
           "how "
           "full a training cluster is from its job table";
  return "add 'serve: {model: llama-3.3-70b, demand: {requests_per_month: 9.6 M, tokens_in: 2000, "
         "tokens_out: 400, shape: global-chat}, slo: {ttft_p95: 1.5 s, tpot_p95: 40 ms}}'; "
         "`loadfactor init` writes a whole scenario";
}

bool bounds_whole_requests(const config::ServeAsk& ask) {
  if (!ask.slo) return false;
  const auto& bounds = ask.slo->bounds;
  return std::any_of(bounds.begin(), bounds.end(), [](const auto& bound) {
    return bound.metric == config::SloMetric::kWholeRequest;
  });
}

}  // namespace

std::shared_ptr<ServingModels> read_serving_models(const catalog::Catalog& catalog,
                                                   Diagnostics& diagnostics) {
  const auto files = calibration_files(catalog);
  auto models = std::make_shared<ServingModels>();
  models->calibration =
      serving::find_serving_calibration(files, catalog.generations(), diagnostics);
  models->hardware = std::make_shared<serving::HardwareShelf>(catalog, files, diagnostics);
  return diagnostics.empty() ? models : nullptr;
}

bool ServingWorld::read_demand(const ServingQuestion& question, Diagnostics& diagnostics) {
  if (!setup_->ask().demand) {
    diagnostics.add(
        setup_->error(lf::kNothingToFill, setup_->ask().position, "the scenario has no demand",
                      "write 'demand: {requests_per_month: 9.6 M, tokens_in: 2000, "
                      "tokens_out: 400, shape: global-chat}' or '{trace: requests.csv}'"));
    return false;
  }
  auto derived = derive_demand({.scenario = &setup_->scenario,
                                .serve = &setup_->ask(),
                                .catalog = setup_->catalog,
                                .trace_bytes = question.trace_bytes,
                                .seed = seed_},
                               setup_->notices, diagnostics);
  if (!derived) return false;
  demand_ = *std::move(derived);
  clip_lengths(static_cast<double>(setup_->model->context), demand_);
  ask_ = service_of(setup_->ask(), demand_.input, demand_.output);
  return true;
}

std::unique_ptr<ServingWorld> ServingWorld::create(const ServingQuestion& question,
                                                   const catalog::Catalog& catalog,
                                                   Diagnostics& diagnostics) {
  std::unique_ptr<ServingWorld> world(new ServingWorld());
  world->seed_ = question.seed;
  world->setup_ = std::make_unique<SimulateSetup>();
  SimulateSetup& setup = *world->setup_;
  setup.catalog = &catalog;
  setup.scenario = question.scenario;
  if (!setup.scenario.serve) {
    diagnostics.add(setup.error(lf::kMissingKey, {}, "the scenario has no 'serve' section",
                                no_service_hint(setup.scenario)));
    return nullptr;
  }
  const auto models = question.models ? question.models : read_serving_models(catalog, diagnostics);
  if (!models) return nullptr;
  setup.calibration = models->calibration;
  setup.hardware = models->hardware;
  setup.constants = setup.calibration.values();
  setup.files.model_files = question.model_files;
  if (!choose_simulated_model(setup, diagnostics)) return nullptr;
  if (!setup.ask().others.empty()) setup.note("other-models", kOthersLeftOut, Severity::kCaution);
  if (!world->read_demand(question, diagnostics)) return nullptr;
  if (bounds_whole_requests(setup.ask()))
    setup.note("unsized-slo",
               "a bound on the whole request is not sized for; `serve --simulate` judges it",
               Severity::kCaution);
  return world;
}

double ServingWorld::slo_quantile() const {
  return engine::slo_quantile(ask_);
}

Result<serving::ReplicaChoice> ServingWorld::choice(const catalog::AcceleratorSpec& chip,
                                                    const std::string& precision,
                                                    const serving::ServingLayout& layout) const {
  const auto& written = setup_->ask().precision;
  const std::string word = !precision.empty() ? precision : written ? written->value : "";
  serving::ReplicaChoice choice{.model = setup_->model,
                                .chip = &chip,
                                .engine = setup_->engine,
                                .traits = traits_on(*setup_, chip),
                                .precision = word,
                                .layout = layout};
  TRY(choice.formats, choose_formats(word, *setup_->model, chip));
  const auto& deployment = setup_->ask().deployment;
  if (deployment && deployment->pool.kv) {
    const auto dtype = catalog::find_dtype(deployment->pool.kv->value);
    if (dtype) choice.formats.kernels.kv = *dtype;
  }
  if (deployment && (deployment->pool.max_seqs || deployment->pool.chunk)) {
    TRY(const auto limits, choose_batch(deployment->pool, *setup_->engine, *choice.traits, chip,
                                        setup_->operations()));
    if (deployment->pool.chunk) choice.chunk = limits.chunk;
    if (deployment->pool.max_seqs || lowered_words(limits)) choice.max_seqs = limits.max_sequences;
  }
  if (const auto& fraction = setup_->operations().memory_fraction)
    choice.memory_fraction = fraction->value;
  return choice;
}

Result<serving::ReplicaPlan> ServingWorld::plan(const serving::ReplicaChoice& choice) {
  return serving::plan_replica(choice, hardware());
}

serving::CapacityFigures ServingWorld::capacity(const serving::ReplicaPlan& plan) const {
  return serving::measure_capacity(plan, ask_, setup_->constants);
}

serving::CapacityFigures ServingWorld::capacity(const serving::ReplicaPlan& plan,
                                                const serving::ServiceAsk& ask) const {
  return serving::measure_capacity(plan, ask, setup_->constants);
}

Result<serving::ReplicaPlan> ServingWorld::asked_replica() {
  const auto deployment = setup_->ask().deployment.value_or(config::Deployment{});
  return planned_pool(deployment.decode ? *deployment.decode : deployment.pool);
}

Result<serving::ReplicaPlan> ServingWorld::asked_prompts() {
  return planned_pool(*setup_->ask().deployment->prefill);
}

Result<serving::ReplicaPlan> ServingWorld::planned_pool(const config::Pool& pool) {
  const auto degree = [](const config::Given<int>& given) { return given ? given->value : 1; };
  serving::ServingLayout layout{
      .tp = degree(pool.tp), .pp = degree(pool.pp), .ep = degree(pool.ep), .dp = degree(pool.dp)};
  if (pool.ep && !pool.dp && layout.ep > layout.tp) layout.dp = layout.ep / layout.tp;
  while (true) {
    TRY(const auto chosen, choice(*setup_->chip, "", layout));
    TRY(auto planned, plan(chosen));
    const bool roomy = planned.kv_tokens >=
                       serving::worthwhile_cache(planned.chunk, demand_.input + demand_.output);
    if (planned.fits() && (roomy || pool.tp || layout.tp >= kMostTp)) {
      if (!pool.tp) setup_->note("chosen-tp", serving::chosen_tp_words(layout.tp));
      return planned;
    }
    if (pool.tp || layout.tp >= kMostTp) {
      return setup_->error(lf::kDoesNotFit, setup_->ask().position,
                           fmt::format("{} does not fit on {} × {}", setup_->model->title,
                                       layout.gpus(), setup_->chip->title),
                           "raise deployment.tp or pp, or choose a smaller precision");
    }
    layout.tp *= 2;
  }
}

}  // namespace loadfactor::engine
