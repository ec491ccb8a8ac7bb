#include "cli/calibrate_site.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "calibrate/measurement.h"
#include "calibrate/site_collectives.h"
#include "catalog/calibration_loader.h"
#include "cli/files.h"
#include "cli/session.h"
#include "engine/train_site.h"
#include "report/site_report.h"
#include "serving/hardware.h"
#include "validation/inference_run.h"

namespace loadfactor::cli {
namespace {

using calibrate::Measurement;
using calibrate::ProbeFile;
using calibrate::SiteObservation;
using calibrate::TrainingLog;

struct SiteFlags {
  std::vector<std::string> files;
  std::vector<std::string> scenarios;
  std::vector<std::string> step_times;
  std::string gpu;
  std::string engine = "vLLM";
  int tp = 1;
  std::string folder;
  bool where = false;
};

struct SiteInputs {
  std::vector<ProbeFile> probes;
  calibrate::CollectiveFile collectives;  // Of all files together.
  calibrate::ServingFile serving;
  std::vector<std::pair<Seconds, double>> steps;  // Duration and noise, in the order given.
  std::vector<Notice> notices;
};

// Of one step that nobody repeated, and the least of a log: what changes from day to day.
constexpr double kLeastNoise = 0.01;

void take_log(const std::string& file, const TrainingLog& log, SiteInputs& inputs) {
  if (const auto step = log.typical_step()) {
    inputs.steps.emplace_back(*step, std::max(kLeastNoise, log.spread()));
    return;
  }
  inputs.notices.push_back(
      {"rates-only", Severity::kCaution,
       fmt::format("{} gives rates but no step time; write it with --step-time", file)});
}

Result<SiteInputs> read_inputs(const SiteFlags& flags) {
  SiteInputs inputs;
  for (const std::string& file : flags.files) {
    TRY(const auto text, read_file(file));
    TRY(auto measurement, calibrate::read_measurement(file, text));
    if (auto* probe = std::get_if<ProbeFile>(&measurement)) {
      inputs.probes.push_back(std::move(*probe));
    } else if (const auto* log = std::get_if<TrainingLog>(&measurement)) {
      take_log(file, *log, inputs);
    } else if (const auto* points = std::get_if<calibrate::CollectiveFile>(&measurement)) {
      auto& all = inputs.collectives.points;
      all.insert(all.end(), points->points.begin(), points->points.end());
    } else if (const auto* runs = std::get_if<calibrate::ServingFile>(&measurement)) {
      auto& all = inputs.serving.points;
      all.insert(all.end(), runs->points.begin(), runs->points.end());
    }
  }
  for (const std::string& word : flags.step_times) {
    const auto time = parse_as<Dimension{.time = 1}>(word);
    if (!time || *time <= Seconds())
      return Error{.code = lf::kWrongUnit,
                   .message = fmt::format("'{}' is no time of a step", word),
                   .hint = "write `--step-time 12.3s`"};
    inputs.steps.emplace_back(*time, kLeastNoise);
  }
  return inputs;
}

const catalog::AcceleratorSpec* find_chip(Session& session, const SiteFlags& flags,
                                          const std::string& device) {
  const auto found =
      session.engine()->catalog().find_accelerator(flags.gpu.empty() ? device : flags.gpu);
  if (found) return *found;
  Error error = found.error();
  error.code = lf::kUnknownDevice;
  error.hint = "name it: --gpu h200-sxm";
  session.fail(error);
  return nullptr;
}

// Files of data/calibration, those of the user's overlay in place of ours.
std::vector<catalog::DataFile> calibration_files(const catalog::Catalog& catalog) {
  std::vector<catalog::DataFile> files;
  for (const auto& path : catalog.paths_below("calibration/"))
    files.push_back(*catalog.find_file(path));
  return files;
}

// The chip's shipped table and the model made of all tables.
struct Shipped {
  std::vector<catalog::CalibrationTable> tables;
  std::vector<cost::MeasuredChip> measured;
};

Shipped load_shipped(const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  Shipped shipped;
  shipped.tables = catalog::load_calibrations(calibration_files(catalog), diagnostics);
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
  return written.has_value();
}

// One observation per pair of scenario and measured step, and the site they are of.
struct Observed {
  calibrate::SiteCalibration site;
  std::vector<SiteObservation> steps;
};

std::optional<Observed> observe(Session& session, const SiteFlags& flags,
                                const SiteInputs& inputs) {
  Observed observed;
  for (std::size_t i = 0; i < flags.scenarios.size(); ++i) {
    const auto text = read_file(flags.scenarios[i]);
    if (!text) return session.fail(text.error()), std::nullopt;
    Diagnostics diagnostics;
    const auto answer =
        session.engine()->train({.file = flags.scenarios[i], .text = *text}, diagnostics);
    if (!answer || !answer->fits) {
      session.fail(diagnostics);
      return std::nullopt;
    }
    const auto site = engine::find_site(session.engine()->catalog(), answer->accelerator,
                                        answer->stack, diagnostics);
    if (!site) return session.fail(diagnostics), std::nullopt;
    if (i == 0) observed.site = *site;
    observed.site.chip = answer->accelerator;
    observed.site.stack = answer->stack;
    const auto& [duration, noise] = inputs.steps[i];
    observed.steps.push_back(
        {flags.scenarios[i], site->terms_of(engine::step_of(*answer)), duration.base(), noise});
  }
  return observed;
}

// Adds what collectives say of the communication of this site's chip.
bool add_collectives(Session& session, const SiteFlags& flags, const SiteInputs& inputs,
                     Observed& observed) {
  const auto& catalog = session.engine()->catalog();
  Diagnostics diagnostics;
  if (observed.steps.empty()) {
    const auto* chip = find_chip(session, flags, flags.gpu);
    if (chip == nullptr) return false;
    const auto site = engine::find_site(catalog, chip->name, "", diagnostics);
    if (!site) return session.fail(diagnostics), false;
    observed.site = *site;
    observed.site.chip = chip->name;
  }
  const auto chip = catalog.find_accelerator(observed.site.chip);
  if (!chip) return session.fail(chip.error()), false;
  serving::HardwareShelf hardware(catalog, calibration_files(catalog), diagnostics);
  const auto network = hardware.network(**chip, false);
  if (!network) return session.fail(network.error()), false;
  for (auto& seen : calibrate::observe_collectives(inputs.collectives, **network,
                                                   observed.site.priors(), "communication"))
    observed.steps.push_back(std::move(seen));
  return true;
}

// What the serving model says of each run of a load generator.
bool compare_serving(Session& session, const SiteFlags& flags, const SiteInputs& inputs,
                     report::SiteAnswer& answer) {
  const auto& catalog = session.engine()->catalog();
  Diagnostics diagnostics;
  const auto files = calibration_files(catalog);
  const auto calibration = serving::find_serving_calibration(files, diagnostics);
  serving::HardwareShelf hardware(catalog, files, diagnostics);
  if (!diagnostics.empty()) return session.fail(diagnostics), false;
  validation::RunMaker maker(catalog, hardware, calibration);
  for (const auto& point : inputs.serving.points) {
    validation::InferenceRow row;
    row.model = point.model;
    row.accelerator = flags.gpu.empty() ? catalog.lineup().standard : flags.gpu;
    row.precision = "bf16";
    row.engine = flags.engine;
    row.gpus = row.tp = flags.tp;
    row.input = point.input_tokens;
    row.output = point.output_tokens;
    row.batch = point.concurrency > 0 ? fmt::format("{}", point.concurrency) : "";
    row.rate = point.request_rate > 0 ? fmt::format("{}", point.request_rate) : "closed-loop";
    const std::pair<const char*, double> metrics[] = {
        {"total_output_tok_s", point.output_throughput},
        {"ttft_ms", point.first_token.base() * 1e3},
        {"tpot_ms", point.per_token.base() * 1e3}};
    for (const auto& [metric, value] : metrics) {
      if (value <= 0) continue;
      row.metric = metric;
      row.value = value;
      const auto run = maker.make(row);
      if (!run) return session.fail(run.error()), false;
      answer.serving.push_back({point.tool, metric, value, (*run)->predict(calibration.values())});
    }
  }
  return true;
}

bool fit_steps(Session& session, const SiteFlags& flags, const SiteInputs& inputs,
               report::SiteAnswer& answer) {
  if (inputs.steps.size() != flags.scenarios.size()) {
    session.fail(
        Error{.code = lf::kUsage,
              .message = fmt::format("{} measured steps and {} scenarios", inputs.steps.size(),
                                     flags.scenarios.size()),
              .hint = "say for each step what ran: --for scenario.yaml --step-time 12.3s"});
    return false;
  }
  if (inputs.steps.empty() && inputs.collectives.points.empty()) return true;
  auto observed = observe(session, flags, inputs);
  if (!observed) return false;
  if (!inputs.collectives.points.empty() && !add_collectives(session, flags, inputs, *observed))
    return false;
  const auto priors = observed->site.priors();
  answer.fit = calibrate::fit_terms(priors, observed->steps);
  if (flags.where) answer.gap = calibrate::attribute_gap(priors, observed->steps);
  if (flags.folder.empty()) return true;
  observed->site.take(*answer.fit);
  observed->site.title = "measured steps of this site";
  observed->site.provenance.kind = catalog::SourceKind::kMeasured;
  observed->site.provenance.sources = {"site"};
  observed->site.provenance.date = session.environment().today;
  if (!make_folder(session, flags.folder)) return false;
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
  if (session.engine() == nullptr) return;
  const auto inputs = read_inputs(flags);
  if (!inputs) return session.fail(inputs.error());
  report::SiteAnswer answer;
  answer.files = flags.files;
  answer.notices = inputs->notices;
  for (const ProbeFile& probe : inputs->probes) {
    if (!refit_kernels(session, flags, probe, answer)) return;
  }
  if (!fit_steps(session, flags, *inputs, answer)) return;
  if (!compare_serving(session, flags, *inputs, answer)) return;
  if (!answer.kernels && !answer.fit && answer.serving.empty())
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
  verb.add_option("--for", flags->scenarios, "the scenario that a step or log was measured on")
      ->type_name("SCENARIO")
      ->take_all();
  verb.add_option("--step-time", flags->step_times, "one measured training step, such as 12.3s")
      ->type_name("TIME")
      ->take_all();
  verb.add_option("--gpu", flags->gpu, "the catalogue's name of the probed device")->type_name(" ");
  verb.add_option("--engine", flags->engine, "what served a measured load")->type_name(" ");
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
