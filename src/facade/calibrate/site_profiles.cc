#include "facade/calibrate/site_profiles.h"

#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "calibrate/profile/kernel_rules.h"
#include "engine/calibrate/predicted_work.h"
#include "facade/calibrate/site_chip.h"
#include "facade/calibrate/site_training.h"
#include "facade/files.h"
#include "report/train/step_words.h"

namespace loadfactor::facade {
namespace {

using calibrate::ComparedStep;
using calibrate::StepKind;
using calibrate::Timeline;

// A profile that was taken on another machine than the scenario names.
Result<bool> check_run(const catalog::Catalog& catalog, const Timeline& profile,
                       const std::string& chip, int gpus) {
  const auto device = catalog.find_accelerator(profile.device);
  if (!profile.device.empty() && device && (*device)->name != chip)
    return Error{.code = lf::kInconsistentFigures,
                 .message = fmt::format("the profile is of a '{}', the scenario of a '{}'",
                                        (*device)->name, chip),
                 .hint = "correct the scenario, or give the one that ran",
                 .where = {.file = profile.file}};
  if (gpus > 0 && profile.world_size > 0 && profile.world_size != gpus)
    return Error{.code = lf::kInconsistentFigures,
                 .message = fmt::format("the profile is of {} processes, the scenario of {} GPUs",
                                        profile.world_size, gpus),
                 .hint = "correct the scenario, or give the one that ran",
                 .where = {.file = profile.file}};
  return true;
}

bool predict_training(const Desk& desk, const ScenarioWithFiles& about, const Timeline& profile,
                      ComparedStep& step) {
  const auto request = training_request(about);
  if (!request) return desk.fail(request.error());
  const auto& catalog = desk.engine.catalog();
  Diagnostics diagnostics;
  const auto answer = answer_that_fits(desk, *request, "the profile");
  if (!answer) return false;
  const auto same = check_run(catalog, profile, answer->accelerator, answer->layout.gpus);
  if (!same) return desk.fail(same.error());
  const auto predicted = engine::predicted_work(catalog, *request, *answer, diagnostics);
  if (!predicted) return desk.fail(diagnostics);
  step.kind = StepKind::kTraining;
  step.predicted = *predicted;
  return true;
}

// Takes a profile as the nearer of a step that decodes and one that computes a prompt.
void choose_step(const engine::ServingWork& work, ComparedStep& step) {
  const Seconds measured = step.measured.busy();
  const auto distance = [&](const calibrate::WorkTimes& times) {
    return std::abs(std::log(times.total() / measured));
  };
  const bool decodes = distance(work.decode_step) <= distance(work.prompt_step);
  step.kind = decodes ? StepKind::kDecode : StepKind::kPrompt;
  step.kind_guessed = true;
  step.sequences = decodes ? work.sequences : 1;
  step.tokens = decodes ? work.context : work.prompt;
  step.predicted = decodes ? work.decode_step : work.prompt_step;
}

bool predict_serving(const Desk& desk, const ScenarioWithFiles& about, const Timeline& profile,
                     ComparedStep& step) {
  ServeInputs request{.scenario = about.scenario};
  auto files = model_files(about, about.scenario.serve->model);
  if (!files) return desk.fail(files.error());
  request.model_files = *std::move(files);
  const auto& catalog = desk.engine.catalog();
  Diagnostics diagnostics;
  const auto work = engine::predicted_work(catalog, request, diagnostics);
  if (!work) return desk.fail(diagnostics);
  const auto same = check_run(catalog, profile, work->chip, 0);
  if (!same) return desk.fail(same.error());
  choose_step(*work, step);
  return true;
}

// Nothing where none is given.
Result<const ScenarioWithFiles*> scenario_of(const SiteMeasurements& given, std::size_t profiles,
                                             std::size_t i) {
  const auto& scenarios = given.scenarios;
  if (scenarios.empty()) return nullptr;
  if (scenarios.size() == 1) return &scenarios[0];
  if (scenarios.size() == profiles) return &scenarios[i];
  return Error{.code = lf::kUsage,
               .message = fmt::format("{} profiles and {} scenarios", profiles, scenarios.size()),
               .hint = "name one scenario for all of them, or one for each in their order"};
}

// Groups of more ranks than the scenario has GPUs are of another run.
bool check_networks(const Desk& desk, const SiteInputs& inputs) {
  for (const auto& network : inputs.networks) {
    for (const ScenarioWithFiles& about : inputs.training_scenarios) {
      const auto& layout = about.scenario.train->layout;
      if (!layout || !layout->gpus || network.ranks <= layout->gpus->value) continue;
      return desk.fail(Error{.code = lf::kInconsistentFigures,
                             .message = fmt::format("NCCL ran in a group of {} ranks, the scenario "
                                                    "has {} GPUs",
                                                    network.ranks, layout->gpus->value),
                             .hint = "correct the scenario, or give the one that ran",
                             .where = {.file = network.file}});
    }
  }
  return true;
}

std::optional<calibrate::KernelRules> rules_of(const Desk& desk) {
  const auto* file = desk.engine.catalog().find_file("integrations/kernels.yaml");
  if (file == nullptr)
    return desk.refuse(Error{.code = lf::kNothingUsable,
                             .message = "the catalogue holds no integrations/kernels.yaml"});
  Diagnostics diagnostics;
  auto rules = calibrate::load_kernel_rules(*file, diagnostics);
  if (!rules) return desk.refuse(diagnostics);
  return rules;
}

}  // namespace

bool compare_profiles(const Desk& desk, const SiteMeasurements& given, const SiteInputs& inputs,
                      report::SiteAnswer& answer) {
  if (!check_networks(desk, inputs)) return false;
  if (inputs.profiles.empty()) return true;
  const auto rules = rules_of(desk);
  if (!rules) return false;
  for (std::size_t i = 0; i < inputs.profiles.size(); ++i) {
    const Timeline& profile = inputs.profiles[i];
    ComparedStep step{.file = profile.file, .tool = profile.tool, .device = profile.device};
    step.whole_graphs = profile.whole_graphs;
    step.measured = calibrate::account_for(profile, *rules);
    const auto about = scenario_of(given, inputs.profiles.size(), i);
    if (!about) return desk.fail(about.error());
    if (*about != nullptr) {
      const bool serves = (*about)->scenario.serve && !(*about)->scenario.train;
      if (serves ? !predict_serving(desk, **about, profile, step)
                 : !predict_training(desk, **about, profile, step))
        return false;
    }
    answer.profiles.push_back(std::move(step));
  }
  return true;
}

}  // namespace loadfactor::facade
