#include "facade/calibrate/site_training.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "calibrate/site/site_collectives.h"
#include "calibrate/site/site_errors.h"
#include "calibrate/site/site_gap_terms.h"
#include "engine/calibrate/probe_terms.h"
#include "facade/calibrate/site_chip.h"
#include "facade/files.h"
#include "report/calibrate/calibration_words.h"
#include "report/train/step_words.h"
#include "resolve/serve/serve_site.h"
#include "resolve/train/train_site.h"
#include "serving/hardware.h"

namespace loadfactor::facade {
namespace {

using calibrate::SiteObservation;
using calibrate::StatedFigure;
using calibrate::TrainingLog;

// Kinds of observations, as the report knows them.
constexpr const char* kSteps = "steps";
constexpr const char* kCollectives = "collectives";
constexpr const char* kHeld = "held";

// Noise of one step that nobody repeated, and the least of a log: days differ.
constexpr double kLeastNoise = 0.01;

// Observations of one site, and what each is.
struct Observed {
  calibrate::SiteCalibration site;
  std::vector<SiteObservation> seen;
  std::vector<std::string> kinds;

  void add(SiteObservation row, const char* kind) {
    seen.push_back(std::move(row));
    kinds.emplace_back(kind);
  }
};

// How long a step of the answer's job took, and how far steps differ.
std::optional<std::pair<Seconds, double>> duration_of(const MeasuredStep& step,
                                                      const TrainAnswer& answer) {
  if (!step.log) return std::pair(step.duration, kLeastNoise);
  const auto samples = static_cast<double>(answer.global_batch);
  const double tokens =
      samples * static_cast<double>(answer.sequence) / std::max(1, answer.layout.gpus);
  const TrainingLog log = step.log->with_work(tokens, samples);
  const auto typical = log.typical_step();
  if (!typical) return std::nullopt;
  return std::pair(*typical, std::max(kLeastNoise, log.spread()));
}

Error contradiction_error(const TrainingLog& log, std::uint32_t line, std::string message,
                          std::string hint) {
  return Error{.code = lf::kInconsistentFigures,
               .message = std::move(message),
               .hint = std::move(hint),
               .where = {.file = log.file, .line = line}};
}

struct Compared {
  const char* message;  // How the error names it.
  std::optional<StatedFigure> said;
  double asked;
  double within = 0;  // Share of the figure.
};

// Frameworks whose lines a stack prints; none where it prints lines of its own.
std::vector<std::string_view> frameworks_of(std::string_view stack) {
  struct Word {
    std::string_view part;
    std::string_view framework;
  };
  constexpr Word kWords[] = {{"megatron", "megatron"},
                             {"nemo", "megatron"},
                             {"torchtitan", "torchtitan"},
                             {"deepspeed", "deepspeed"}};
  std::vector<std::string_view> found;
  for (const Word& word : kWords) {
    if (stack.find(word.part) != std::string_view::npos) found.push_back(word.framework);
  }
  return found;
}

// How many times the peak of its GPUs a step would take in such a time, for the model's own
// arithmetic alone.
double share_of_peak(const TrainAnswer& answer, Seconds took) {
  return answer.mfu.value() * (answer.step_time.value() / took);
}

// The scenario's step beside what was measured of it.
bool observe_step(const Desk& desk, const SiteMeasurements& given, const ScenarioWithFiles& about,
                  const MeasuredStep& step, Observed& observed) {
  const config::Scenario& scenario = about.scenario;
  const auto request = training_request(about);
  if (!request) return desk.fail(request.error());
  const auto& catalog = desk.engine.catalog();
  Diagnostics diagnostics;
  const auto answer = answer_that_fits(desk, *request, "a step");
  if (!answer) return false;
  const auto same_chip = check_gpu_flag(catalog, given, answer->accelerator, scenario.file());
  if (!same_chip) return desk.fail(same_chip.error());
  if (step.log) {
    const auto same = check_log(*step.log, *answer);
    if (!same) return desk.fail(same.error());
  }
  const auto site = engine::shipped_site(catalog, diagnostics);
  if (!site) return desk.fail(diagnostics);
  if (observed.seen.empty()) {
    observed.site = *site;
    observed.site.chip = answer->accelerator;
    observed.site.stack = answer->stack;
  } else if (observed.site.chip != answer->accelerator || observed.site.stack != answer->stack) {
    desk.fail(Error{
        .code = lf::kUsage,
        .message = fmt::format("the steps are of {} with {} and of {} with {}", observed.site.chip,
                               observed.site.stack, answer->accelerator, answer->stack),
        .hint = "calibrate one chip and software at a time"});
    return false;
  }
  const auto took = duration_of(step, *answer);
  if (!took) {
    desk.fail(Error{.code = lf::kNoMeasurement,
                    .message = fmt::format("'{}' does not say how long a step took", step.file),
                    .hint = "write it: --for scenario.yaml --step-time 12.3s"});
    return false;
  }
  if (const double used = share_of_peak(*answer, took->first); used > 1)
    return desk.fail(Error{.code = lf::kInconsistentFigures,
                           .message = report::beyond_peak_words(*answer, took->first, used),
                           .hint = report::kWholeStep,
                           .where = {.file = step.file}});
  observed.add({scenario.file(), observed.site.terms_of(engine::step_of(*answer)),
                took->first.base(), took->second, ""},
               kSteps);
  return true;
}

// The one chip that all files were measured on.
Result<const catalog::AcceleratorSpec*> chip_of(const catalog::Catalog& catalog,
                                                const SiteMeasurements& given,
                                                const SiteInputs& inputs) {
  const catalog::AcceleratorSpec* first = nullptr;
  for (const auto& file : inputs.collectives) {
    TRY(const auto* chip, measured_chip(catalog, given, file.device, file.file));
    if (first == nullptr) first = chip;
    if (chip != first)
      return Error{.code = lf::kUsage,
                   .message = fmt::format("{} is of {} and {} of {}", inputs.collectives[0].file,
                                          first->name, file.file, chip->name),
                   .hint = "calibrate one chip at a time, each into a folder of its own"};
  }
  return first;
}

// Collectives that name another chip than the steps do.
Result<bool> check_devices(const catalog::Catalog& catalog, const SiteInputs& inputs,
                           const Observed& observed) {
  for (const auto& file : inputs.collectives) {
    const auto chip = catalog.find_accelerator(file.device);
    if (file.device.empty() || !chip || (*chip)->name == observed.site.chip) continue;
    return Error{.code = lf::kUnknownDevice,
                 .message = fmt::format("the collectives are of a '{}', the steps of a '{}'",
                                        (*chip)->name, observed.site.chip),
                 .hint = "calibrate one chip at a time",
                 .where = {.file = file.file}};
  }
  return true;
}

// Adds what collectives say of the communication of this site's chip.
bool add_collectives(const Desk& desk, const SiteMeasurements& given, const SiteInputs& inputs,
                     Observed& observed) {
  const auto& catalog = desk.engine.catalog();
  Diagnostics diagnostics;
  const bool alone = observed.seen.empty();
  if (alone) {
    const auto chip = chip_of(catalog, given, inputs);
    if (!chip) return desk.fail(chip.error());
    const auto site = engine::shipped_site(catalog, diagnostics);
    if (!site) return desk.fail(diagnostics);
    observed.site = *site;
    observed.site.chip = (*chip)->name;
  }
  const auto same = check_devices(catalog, inputs, observed);
  if (!same) return desk.fail(same.error());
  const auto chip = catalog.find_accelerator(observed.site.chip);
  if (!chip) return desk.fail(chip.error());
  serving::HardwareShelf hardware(catalog, engine::calibration_files(catalog), diagnostics);
  const auto network = hardware.network(**chip, false);
  if (!network) return desk.fail(network.error());
  for (const auto& file : inputs.collectives) {
    auto seen =
        calibrate::observe_collectives(file, **network, observed.site.priors(), "communication");
    if (seen.empty()) {
      desk.fail(Error{.code = lf::kNoMeasurement,
                      .message = "no collective of a mebibyte or more was measured",
                      .hint = "run nccl-tests with -b 1M -e 1G -f 2",
                      .where = {.file = file.file}});
      return false;
    }
    for (auto& row : seen) {
      row.group = file.file;
      observed.add(std::move(row), kCollectives);
    }
    for (const auto& point : file.points) {
      if (alone) observed.site.reach = std::max(observed.site.reach, point.ranks);
    }
  }
  return true;
}

// Adds what a probe says of the terms of training steps on its chip.
bool add_probe(const Desk& desk, const SiteMeasurements& given, const calibrate::ProbeFile& probe,
               Observed& observed) {
  const auto& catalog = desk.engine.catalog();
  const auto chip = measured_chip(catalog, given, probe.device, probe.file);
  if (!chip) return desk.fail(chip.error());
  Diagnostics diagnostics;
  if (observed.seen.empty()) {
    const auto site = engine::shipped_site(catalog, diagnostics);
    if (!site) return desk.fail(diagnostics);
    observed.site = *site;
    observed.site.chip = (*chip)->name;
  }
  if (observed.site.chip != (*chip)->name) return true;
  for (auto& row : engine::observe_probe(probe, catalog, **chip, observed.site, diagnostics))
    observed.add(std::move(row), kHeld);
  if (!diagnostics.empty()) return desk.fail(diagnostics);
  return true;
}

// Measurements that contradict the scenario or one another are not laid over predictions.
Error refutation(const calibrate::SiteFit& fit) {
  return Error{
      .code = lf::kNothingUsable,
      .message = fmt::format("the measurements contradict the prediction or one another: median "
                             "error {:.1f} % before the fit, {:.1f} % after; nothing was written",
                             100 * fit.before.median, 100 * fit.after.median),
      .hint =
          "is each scenario what ran: batch, sequence, GPUs, software? without --folder the "
          "fit is shown all the same"};
}

std::optional<Observed> observe(const Desk& desk, const SiteMeasurements& given,
                                const SiteInputs& inputs) {
  Observed observed;
  for (std::size_t i = 0; i < inputs.steps.size(); ++i) {
    if (!observe_step(desk, given, inputs.training_scenarios[i], inputs.steps[i], observed))
      return std::nullopt;
  }
  if (!inputs.collectives.empty() && !add_collectives(desk, given, inputs, observed))
    return std::nullopt;
  for (const auto& probe : inputs.probes) {
    if (!add_probe(desk, given, probe, observed)) return std::nullopt;
  }
  return observed;
}

std::string site_text(const std::string& today, Observed observed, const calibrate::SiteFit& fit) {
  observed.site.take(fit);
  observed.site.memory_energy.reset();  // No step measures it.
  observed.site.title = report::kStepsTitle;
  observed.site.provenance.kind = catalog::SourceKind::kMeasured;
  observed.site.provenance.sources = {"site"};
  observed.site.provenance.date = today;
  return calibrate::site_yaml(observed.site);
}

}  // namespace

Result<TrainInputs> training_request(const ScenarioWithFiles& about) {
  TrainInputs request;
  request.scenario = about.scenario;
  request.as_shipped = true;
  if (about.scenario.train) {
    TRY(request.model_files, model_files(about, about.scenario.train->model));
  }
  return request;
}

std::optional<TrainAnswer> answer_that_fits(const Desk& desk, const TrainInputs& request,
                                            std::string_view measured) {
  Diagnostics diagnostics;
  auto answer = desk.engine.train(request, diagnostics);
  if (!answer) return desk.fail(diagnostics), std::nullopt;
  if (answer->fits) return answer;
  desk.fail(Error{.code = lf::kDoesNotFit,
                  .message = fmt::format("the layout that {} is said to be of does not fit: {}",
                                         measured, report::shortage_words(*answer)),
                  .hint = "is the scenario what ran?",
                  .where = {.file = request.scenario.file()}});
  return std::nullopt;
}

Result<bool> check_log(const TrainingLog& log, const TrainAnswer& answer) {
  const auto printed_by = frameworks_of(answer.stack);
  if (!printed_by.empty() && !log.framework.empty() &&
      std::find(printed_by.begin(), printed_by.end(), log.framework) == printed_by.end())
    return contradiction_error(
        log, log.first_line,
        fmt::format("a log of {}, and the scenario ran {}", log.framework, answer.stack),
        fmt::format("write what ran: `stack: {{framework: {}}}`", log.framework));
  const Compared figures[] = {
      {.message = "a global batch of",
       .said = log.global_batch,
       .asked = static_cast<double>(answer.global_batch)},
      {.message = "sequences of",
       .said = log.sequence,
       .asked = static_cast<double>(answer.sequence)},
      {.message = "GPUs:", .said = log.gpus, .asked = static_cast<double>(answer.layout.gpus)},
      {.message = "parameters:",
       .said = log.parameters,
       .asked = static_cast<double>(answer.parameters_total),
       .within = 0.1}};
  for (const Compared& figure : figures) {
    if (!figure.said || std::abs(figure.said->value / figure.asked - 1) <= figure.within + 1e-9)
      continue;
    return contradiction_error(log, figure.said->line,
                               fmt::format("the log says {} {:.10g}, the scenario {:.10g}",
                                           figure.message, figure.said->value, figure.asked),
                               "correct the scenario, or give the one that ran");
  }
  return true;
}

bool fit_steps(const Desk& desk, const SiteMeasurements& given, const SiteInputs& inputs,
               report::SiteAnswer& answer, Overlay& overlay) {
  // Without a step to fit, scenarios say what a profile or NCCL's output is of.
  const bool explains = inputs.steps.empty() && !inputs.only_fits();
  const std::size_t scenarios = explains ? 0 : inputs.training_scenarios.size();
  if (inputs.steps.size() != scenarios) {
    desk.fail(
        Error{.code = lf::kUsage,
              .message = fmt::format("{} measured training steps and {} training scenarios",
                                     inputs.steps.size(), scenarios),
              .hint = "say for each log or step what ran: --for scenario.yaml --step-time 12.3s"});
    return false;
  }
  auto observed = observe(desk, given, inputs);
  if (!observed) return false;
  if (observed->seen.empty()) return true;
  const auto priors = observed->site.priors();
  answer.fit = calibrate::fit_terms(priors, observed->seen);
  answer.fit_errors =
      calibrate::errors_by_kind(priors, {observed->seen, observed->kinds}, *answer.fit);
  if (given.find_gap && !inputs.steps.empty()) {
    const std::span<const SiteObservation> all(observed->seen);
    answer.gap = calibrate::attribute_gap(calibrate::gap_terms(observed->site),
                                          all.first(inputs.steps.size()));
  }
  if (given.for_overlay && answer.fit->refuted()) return desk.fail(refutation(*answer.fit));
  overlay.add("site.yaml", site_text(inputs.today, *std::move(observed), *answer.fit));
  return true;
}

}  // namespace loadfactor::facade
