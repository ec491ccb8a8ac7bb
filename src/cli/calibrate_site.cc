#include "cli/calibrate_site.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "calibrate/site_collectives.h"
#include "calibrate/site_serving.h"
#include "catalog/calibration_loader.h"
#include "cli/files.h"
#include "cli/scenario_files.h"
#include "cli/session.h"
#include "cli/site_inputs.h"
#include "cli/site_serving.h"
#include "engine/probe_terms.h"
#include "engine/serve_site.h"
#include "engine/train_site.h"
#include "report/site_report.h"
#include "serving/hardware.h"

namespace loadfactor::cli {
namespace {

using calibrate::ProbeFile;
using calibrate::SiteObservation;
using calibrate::TrainingLog;

// Of one step that nobody repeated, and the least of a log: what changes from day to day.
constexpr double kLeastNoise = 0.01;

const catalog::AcceleratorSpec* find_chip(Session& session, const SiteFlags& flags,
                                          const std::string& device) {
  const auto& catalog = session.engine()->catalog();
  const auto found = catalog.find_accelerator(flags.gpu.empty() ? device : flags.gpu);
  const auto measured = catalog.find_accelerator(device);
  if (found && !device.empty() && measured && *measured != *found) {
    session.fail(Error{.code = lf::kUnknownDevice,
                       .message = fmt::format("what was measured is a '{}', not a '{}'",
                                              (*measured)->name, (*found)->name),
                       .hint = "leave --gpu out"});
    return nullptr;
  }
  if (found) return *found;
  Error error = found.error();
  error.code = lf::kUnknownDevice;
  error.hint = "name it: --gpu h200-sxm";
  session.fail(error);
  return nullptr;
}

// The chip's shipped table and the model made of all tables.
struct Shipped {
  std::vector<catalog::CalibrationTable> tables;
  std::vector<cost::MeasuredChip> measured;
};

Shipped load_shipped(const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  Shipped shipped;
  shipped.tables = catalog::load_calibrations(engine::calibration_files(catalog), diagnostics);
  for (const auto& table : shipped.tables) {
    if (const auto spec = catalog.find_accelerator(table.chip))
      shipped.measured.push_back({*spec, &table});
  }
  return shipped;
}

bool make_folder(Session& session, const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (!failed) return true;
  session.fail(Error{.code = lf::kCannotWrite,
                     .message = fmt::format("cannot make the folder '{}'", folder.string()),
                     .hint = "choose another with --folder"});
  return false;
}

// What a bit of memory takes, as the shipped terms say.
Joules energy_of_bit(const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  const auto* file = catalog.find_file("calibration/site-terms.yaml");
  if (file == nullptr) return {};
  const auto terms = calibrate::load_site(*file, diagnostics);
  return terms && terms->memory_energy ? terms->memory_energy->per_bit : Joules{};
}

// What the probe's kernels leave in doubt of serving steps on this chip, whatever the engine.
bool write_probed(Session& session, const SiteFlags& flags, const calibrate::SiteKernels& kernels,
                  const std::string& date) {
  Diagnostics diagnostics;
  const auto* file = session.engine()->catalog().find_file("calibration/site-serving-terms.yaml");
  if (file == nullptr) return true;
  auto site = calibrate::load_serving_site(*file, diagnostics);
  if (!site) return session.fail(diagnostics), false;
  if (!site->take_kernels(kernels)) return true;
  site->title = "kernels of this machine, measured by a probe";
  site->chip = kernels.chip;
  site->provenance.kind = catalog::SourceKind::kMeasured;
  site->provenance.sources = {"site"};
  site->provenance.date = date;
  const auto path = std::filesystem::path(flags.folder) / "site-serving.yaml";
  const auto written = write_file(path.string(), calibrate::serving_site_yaml(*site));
  if (!written) session.fail(written.error());
  return written.has_value();
}

bool refit_kernels(Session& session, const SiteFlags& flags, const ProbeFile& probe,
                   report::SiteAnswer& answer) {
  const auto* chip = find_chip(session, flags, probe.device);
  if (chip == nullptr) return false;
  Diagnostics diagnostics;
  const Shipped shipped = load_shipped(session.engine()->catalog(), diagnostics);
  const auto model = cost::ChipModel::make(*chip, shipped.measured);
  if (!model) {
    session.fail(model.error());
    return false;
  }
  answer.kernels = calibrate::refit_kernels(probe, *chip, *model, diagnostics);
  answer.kernels->energy_of_bit = energy_of_bit(session.engine()->catalog(), diagnostics);
  if (!diagnostics.empty()) {
    session.fail(diagnostics);
    return false;
  }
  if (flags.folder.empty()) return true;
  catalog::CalibrationTable base;
  base.chip = chip->name;
  for (const auto& table : shipped.tables) {
    if (table.chip == chip->name) base = table;
  }
  const auto folder = std::filesystem::path(flags.folder) / "calibration" / chip->name;
  if (!make_folder(session, folder)) return false;
  const auto table = calibrate::updated_table(base, *answer.kernels, "site", probe.date);
  const auto written =
      write_file((folder / "fit.yaml").string(), calibrate::calibration_yaml(table));
  if (!written) session.fail(written.error());
  return written.has_value() && write_probed(session, flags, *answer.kernels, probe.date);
}

// One observation per pair of scenario and measured step, and the site they are of.
struct Observed {
  calibrate::SiteCalibration site;
  std::vector<SiteObservation> steps;
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

bool observe_step(Session& session, const std::string& scenario, const MeasuredStep& step,
                  Observed& observed) {
  auto request = training_request(scenario);
  if (!request) return session.fail(request.error()), false;
  request->as_shipped = true;
  Diagnostics diagnostics;
  const auto answer = session.engine()->train(*request, diagnostics);
  if (!answer || !answer->fits) return session.fail(diagnostics), false;
  const auto site = engine::shipped_site(session.engine()->catalog(), diagnostics);
  if (!site) return session.fail(diagnostics), false;
  if (observed.steps.empty()) {
    observed.site = *site;
    observed.site.chip = answer->accelerator;
    observed.site.stack = answer->stack;
  } else if (observed.site.chip != answer->accelerator || observed.site.stack != answer->stack) {
    session.fail(Error{
        .code = lf::kUsage,
        .message = fmt::format("the steps are of {} with {} and of {} with {}", observed.site.chip,
                               observed.site.stack, answer->accelerator, answer->stack),
        .hint = "calibrate one chip and software at a time"});
    return false;
  }
  const auto took = duration_of(step, *answer);
  if (!took) {
    session.fail(Error{.code = lf::kNoMeasurement,
                       .message = fmt::format("'{}' does not say how long a step took", step.label),
                       .hint = "write it: --for scenario.yaml --step-time 12.3s"});
    return false;
  }
  observed.steps.push_back({scenario, observed.site.terms_of(engine::step_of(*answer)),
                            took->first.base(), took->second, ""});
  return true;
}

std::optional<Observed> observe(Session& session, const SiteInputs& inputs) {
  Observed observed;
  for (std::size_t i = 0; i < inputs.steps.size(); ++i) {
    if (!observe_step(session, inputs.training_scenarios[i], inputs.steps[i], observed))
      return std::nullopt;
  }
  return observed;
}

// Adds what collectives say of the communication of this site's chip.
bool add_collectives(Session& session, const SiteFlags& flags, const SiteInputs& inputs,
                     Observed& observed) {
  const auto& catalog = session.engine()->catalog();
  Diagnostics diagnostics;
  const bool alone = observed.steps.empty();
  if (alone) {
    if (flags.gpu.empty() && inputs.collectives.device.empty()) {
      session.fail(Error{.code = lf::kUnknownDevice,
                         .message = "nothing says on which accelerator the collectives ran",
                         .hint = "name it: --gpu h200-sxm"});
      return false;
    }
    const auto* chip = find_chip(session, flags, inputs.collectives.device);
    if (chip == nullptr) return false;
    const auto site = engine::shipped_site(catalog, diagnostics);
    if (!site) return session.fail(diagnostics), false;
    observed.site = *site;
    observed.site.chip = chip->name;
  }
  const auto chip = catalog.find_accelerator(observed.site.chip);
  if (!chip) return session.fail(chip.error()), false;
  serving::HardwareShelf hardware(catalog, engine::calibration_files(catalog), diagnostics);
  const auto network = hardware.network(**chip, false);
  if (!network) return session.fail(network.error()), false;
  auto seen = calibrate::observe_collectives(inputs.collectives, **network, observed.site.priors(),
                                             "communication");
  if (seen.empty()) {
    session.fail(Error{.code = lf::kNoMeasurement,
                       .message = "no collective of a mebibyte or more was measured",
                       .hint = "run nccl-tests with -b 1M -e 1G -f 2"});
    return false;
  }
  for (auto& row : seen) observed.steps.push_back(std::move(row));
  for (const auto& point : inputs.collectives.points)
    if (alone) observed.site.reach = std::max(observed.site.reach, point.ranks);
  return true;
}

// Adds what a probe says of the terms of training steps on its chip.
bool add_probe(Session& session, const SiteFlags& flags, const ProbeFile& probe,
               Observed& observed) {
  const auto& catalog = session.engine()->catalog();
  const auto* chip = find_chip(session, flags, probe.device);
  if (chip == nullptr) return false;
  Diagnostics diagnostics;
  if (observed.steps.empty()) {
    const auto site = engine::shipped_site(catalog, diagnostics);
    if (!site) return session.fail(diagnostics), false;
    observed.site = *site;
    observed.site.chip = chip->name;
  }
  if (observed.site.chip != chip->name) return true;
  for (auto& row : engine::observe_probe(probe, catalog, *chip, observed.site, diagnostics))
    observed.steps.push_back(std::move(row));
  if (!diagnostics.empty()) return session.fail(diagnostics), false;
  return true;
}

// Measurements that contradict the scenario or one another are not laid over predictions.
Error contradiction(const calibrate::SiteFit& fit) {
  return Error{
      .code = lf::kNothingUsable,
      .message = fmt::format("the measurements contradict the prediction or one another: median "
                             "error {:.1f} % before the fit, {:.1f} % after; nothing was written",
                             100 * fit.before.median, 100 * fit.after.median),
      .hint =
          "is each scenario what ran: batch, sequence, GPUs, software? without --folder the "
          "fit is shown all the same"};
}

bool fit_steps(Session& session, const SiteFlags& flags, const SiteInputs& inputs,
               report::SiteAnswer& answer) {
  const std::size_t scenarios = inputs.training_scenarios.size();
  if (inputs.steps.size() != scenarios) {
    session.fail(
        Error{.code = lf::kUsage,
              .message = fmt::format("{} measured training steps and {} training scenarios",
                                     inputs.steps.size(), scenarios),
              .hint = "say for each log or step what ran: --for scenario.yaml --step-time 12.3s"});
    return false;
  }
  if (inputs.steps.empty() && inputs.collectives.points.empty() && inputs.probes.empty())
    return true;
  auto observed = observe(session, inputs);
  if (!observed) return false;
  if (!inputs.collectives.points.empty() && !add_collectives(session, flags, inputs, *observed))
    return false;
  for (const ProbeFile& probe : inputs.probes) {
    if (!add_probe(session, flags, probe, *observed)) return false;
  }
  if (observed->steps.empty()) return true;
  const auto priors = observed->site.priors();
  answer.fit = calibrate::fit_terms(priors, observed->steps);
  if (flags.where) answer.gap = calibrate::attribute_gap(priors, observed->steps);
  if (flags.folder.empty()) return true;
  if (answer.fit->refuted()) return session.fail(contradiction(*answer.fit)), false;
  observed->site.take(*answer.fit);
  observed->site.memory_energy.reset();  // No step measures it.
  observed->site.title = "measured steps of this site";
  observed->site.provenance.kind = catalog::SourceKind::kMeasured;
  observed->site.provenance.sources = {"site"};
  observed->site.provenance.date = session.environment().today;
  const auto written = write_file((std::filesystem::path(flags.folder) / "site.yaml").string(),
                                  calibrate::site_yaml(observed->site));
  if (!written) session.fail(written.error());
  return written.has_value();
}

bool write_sources(Session& session, const SiteFlags& flags) {
  if (flags.folder.empty()) return true;
  const auto written = write_file(
      (std::filesystem::path(flags.folder) / "SOURCES.md").string(),
      fmt::format(
          "| id | document | date |\n|---|---|---|\n| site | measurements of this site | {} |\n",
          session.environment().today.substr(0, 7)));
  if (!written) session.fail(written.error());
  return written.has_value();
}

void run_site(Session& session, const SiteFlags& flags) {
  const auto format = session.format();
  if (!format) return session.fail(format.error());
  if (*format == "csv" || *format == "md")
    return session.fail(Error{.code = lf::kUsage,
                              .message = fmt::format("calibrate does not answer as {}", *format),
                              .hint = "write --format json, or leave it out for tables"});
  if (session.engine() == nullptr) return;
  const auto inputs = read_site_inputs(flags);
  if (!inputs) return session.fail(inputs.error());
  if (flags.where && inputs->steps.empty() && inputs->serving.empty())
    return session.fail(Error{.code = lf::kUsage,
                              .message = "--where-did-it-go asks of steps, and none was measured",
                              .hint = "add a log, or --for scenario.yaml --step-time 12.3s"});
  report::SiteAnswer answer;
  answer.files = flags.files;
  if (!flags.folder.empty() && !make_folder(session, flags.folder)) return;
  for (const ProbeFile& probe : inputs->probes) {
    if (!refit_kernels(session, flags, probe, answer)) return;
  }
  if (!fit_steps(session, flags, *inputs, answer)) return;
  if (!fit_serving(session, flags, *inputs, answer)) return;
  if (!answer.kernels && !answer.fit && !answer.serving_fit)
    return session.fail(Error{.code = lf::kNothingUsable,
                              .message = "nothing was given that a parameter can be fitted to",
                              .hint = "a probe's JSON, or --for scenario.yaml --step-time 12.3s"});
  if (!write_sources(session, flags)) return;
  answer.folder = flags.folder;
  session.write(*format == "json" ? report::site_json(answer)
                                  : report::site_text(answer, session.environment().width,
                                                      session.environment().colour));
}

}  // namespace

void add_calibrate_site(CLI::App& verb, Session& session) {
  session.add_common_options(verb);
  auto flags = std::make_shared<SiteFlags>();
  verb.add_option("files", flags->files, "what was measured: probe JSON, logs, results")
      ->type_name("FILE");
  verb.add_option("--for", flags->scenarios, "the scenario that a step, log or run was measured on")
      ->type_name("SCENARIO")
      ->take_all();
  verb.add_option("--step-time", flags->step_times, "one measured training step, such as 12.3s")
      ->type_name("TIME")
      ->take_all();
  verb.add_option("--gpu", flags->gpu, "the catalogue's name of the probed device")
      ->type_name("NAME");
  verb.add_option("--engine", flags->engine, "what served a measured load")->type_name("NAME");
  verb.add_option("--precision", flags->precision, "of its weights and arithmetic")
      ->type_name("NAME");
  verb.add_option("--tp", flags->tp, "GPUs that shared each layer of it")
      ->check(CLI::Range(1, 1024));
  verb.add_option("--folder", flags->folder, "writes the overlay here, for --catalog")
      ->type_name("DIR");
  verb.add_flag("--where-did-it-go", flags->where, "which term the missing time went to");
  verb.callback([&verb, flags, &session] {
    if (verb.get_subcommands().empty()) run_site(session, *flags);
  });
}

}  // namespace loadfactor::cli
