#include "facade/tools/probe_advice.h"

#include <utility>

#include "engine/calibrate/probe_plan.h"
#include "engine/core.h"
#include "facade/files.h"
#include "report/calibrate/calibration_words.h"

namespace loadfactor::facade {
namespace {

std::optional<engine::ProbePlan> plan_serving(const engine::Core& core,
                                              const ScenarioWithFiles& about,
                                              Diagnostics& diagnostics) {
  ServeInputs request{.scenario = about.scenario};
  auto files = model_files(about, about.scenario.serve->model);
  if (!files) return diagnostics.add(files.error()), std::nullopt;
  request.model_files = *std::move(files);
  return engine::plan_serving_probe(core.catalog(), request, diagnostics);
}

std::optional<engine::ProbePlan> plan_training(const engine::Core& core,
                                               const ScenarioWithFiles& about,
                                               Diagnostics& diagnostics) {
  TrainInputs request;
  request.scenario = about.scenario;
  if (about.scenario.train) {
    auto files = model_files(about, about.scenario.train->model);
    if (!files) return diagnostics.add(files.error()), std::nullopt;
    request.model_files = *std::move(files);
  }
  const auto answer = core.train(request, diagnostics);
  if (!answer) return std::nullopt;
  return engine::plan_training_probe(core.catalog(), request, *answer, diagnostics);
}

}  // namespace

std::optional<ProbeAdvice> advise_probe(const Engine& engine, const ScenarioWithFiles& about,
                                        Diagnostics& diagnostics) {
  const engine::Core& core = engine::Core::behind(engine);
  const bool serves = about.scenario.serve && !about.scenario.train;
  const auto plan =
      serves ? plan_serving(core, about, diagnostics) : plan_training(core, about, diagnostics);
  if (!plan || !diagnostics.empty()) return std::nullopt;
  ProbeAdvice advice;
  for (const auto& row : plan->advice) advice.sentences.push_back(report::words_of(row));
  advice.shapes = plan->shapes;
  return advice;
}

}  // namespace loadfactor::facade
