#include "cli/calibrate/calibrate_site.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "calibrate/site/site_file.h"
#include "calibrate/site/site_serving.h"
#include "catalog/load/calibration_loader.h"
#include "cli/calibrate/site_chip.h"
#include "cli/calibrate/site_inputs.h"
#include "cli/calibrate/site_overlay.h"
#include "cli/calibrate/site_serving.h"
#include "cli/calibrate/site_training.h"
#include "cli/session/session.h"
#include "report/calibrate/site_report.h"
#include "resolve/serve/serve_site.h"

namespace loadfactor::cli {
namespace {

using calibrate::ProbeFile;

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

// What a bit of memory takes, as the shipped terms say.
Joules energy_of_bit(const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  const auto* file = catalog.find_file("calibration/site-terms.yaml");
  if (file == nullptr) return {};
  const auto terms = calibrate::load_site(*file, diagnostics);
  return terms && terms->memory_energy ? terms->memory_energy->per_bit : Joules{};
}

// One file for each chip: two of one cannot both be laid over it.
Result<bool> check_apart(const std::vector<const catalog::AcceleratorSpec*>& chips,
                         const std::vector<ProbeFile>& probes) {
  for (std::size_t i = 0; i < chips.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (chips[i] != chips[j]) continue;
      return Error{.code = lf::kUsage,
                   .message = fmt::format("'{}' and '{}' are both of {}", probes[j].file,
                                          probes[i].file, chips[i]->name),
                   .hint = "give one of them, or calibrate each into a folder of its own"};
    }
  }
  return true;
}

// What the probe's kernels leave in doubt of serving steps on this chip, whatever the engine.
bool add_probed(Session& session, const calibrate::SiteKernels& kernels, const std::string& date,
                Overlay& overlay) {
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
  overlay.add("site-serving.yaml", calibrate::serving_site_yaml(*site));
  return true;
}

// Kernels that the refit leaves far from what was measured.
void tell_far_off(const ProbeFile& probe, const calibrate::SiteKernels& kernels,
                  report::SiteAnswer& answer) {
  constexpr double kFar = 0.4;
  for (const auto& group : kernels.groups) {
    if (group.after.median < kFar) continue;
    answer.notices.push_back(
        {"far-off", Severity::kCaution,
         fmt::format("{}: '{}' is {:.0f} % off after the refit: this is no usual {}, or it was "
                     "held back while it was measured",
                     probe.file, report::kernel_name(group.key), 100 * group.after.median,
                     kernels.chip)});
  }
}

bool refit_kernels(Session& session, const ProbeFile& probe, const catalog::AcceleratorSpec& chip,
                   report::SiteAnswer& answer, Overlay& overlay) {
  Diagnostics diagnostics;
  const Shipped shipped = load_shipped(session.engine()->catalog(), diagnostics);
  const auto model = cost::ChipModel::make(chip, shipped.measured);
  if (!model) return session.fail(model.error()), false;
  auto kernels = calibrate::refit_kernels(probe, chip, *model, diagnostics);
  kernels.energy_of_bit = energy_of_bit(session.engine()->catalog(), diagnostics);
  if (!diagnostics.empty()) return session.fail(diagnostics), false;
  if (kernels.groups.empty() && kernels.clocks.empty()) {
    session.fail(Error{.code = lf::kNoMeasurement,
                       .message = fmt::format("nothing of it speaks of the kernels of {}: four "
                                              "shapes of one class and format are the least",
                                              chip.name),
                       .hint = "probe all of it: `loadfactor probe -o probe.json`",
                       .where = {.file = probe.file}});
    return false;
  }
  catalog::CalibrationTable base;
  base.chip = chip.name;
  for (const auto& table : shipped.tables) {
    if (table.chip == chip.name) base = table;
  }
  const auto table = calibrate::updated_table(base, kernels, "site", probe.date);
  overlay.add("calibration/" + chip.name + "/fit.yaml", calibrate::calibration_yaml(table));
  answer.notices.insert(answer.notices.end(), kernels.notices.begin(), kernels.notices.end());
  tell_far_off(probe, kernels, answer);
  // Of serving, a folder speaks of one chip.
  const bool first = answer.kernels.empty();
  answer.kernels.push_back(std::move(kernels));
  return !first || add_probed(session, answer.kernels.back(), probe.date, overlay);
}

bool refit_probes(Session& session, const SiteFlags& flags, const SiteInputs& inputs,
                  report::SiteAnswer& answer, Overlay& overlay) {
  std::vector<const catalog::AcceleratorSpec*> chips;
  for (const ProbeFile& probe : inputs.probes) {
    const auto chip = measured_chip(session.engine()->catalog(), flags, probe.device, probe.file);
    if (!chip) return session.fail(chip.error()), false;
    chips.push_back(*chip);
  }
  const auto apart = check_apart(chips, inputs.probes);
  if (!apart) return session.fail(apart.error()), false;
  for (std::size_t i = 0; i < chips.size(); ++i) {
    if (!refit_kernels(session, inputs.probes[i], *chips[i], answer, overlay)) return false;
  }
  if (chips.size() > 1)
    answer.notices.push_back(
        {"one-site", Severity::kCaution,
         fmt::format("kernels of each chip are refitted; terms of steps and their intervals are "
                     "those of {} alone, since a folder has one site",
                     chips.front()->name)});
  return true;
}

std::string rendered(const Session& session, const std::string& format,
                     const report::SiteAnswer& answer) {
  if (format == "json") return report::site_json(answer);
  if (format == "csv") return report::site_csv(answer);
  if (format == "md") return report::site_markdown(answer);
  return report::site_text(answer, session.environment().width, session.environment().colour);
}

void run_site(Session& session, const SiteFlags& flags) {
  const auto format = session.format();
  if (!format) return session.fail(format.error());
  if (session.engine() == nullptr) return;
  auto inputs = read_site_inputs(flags);
  if (!inputs) return session.fail(inputs.error());
  if (!read_site_scenarios(session, flags, *inputs)) return;
  if (flags.where && inputs->steps.empty() && inputs->serving.empty())
    return session.fail(Error{.code = lf::kUsage,
                              .message = "--where-did-it-go asks of steps, and none was measured",
                              .hint = "add a log, or --for scenario.yaml --step-time 12.3s"});
  report::SiteAnswer answer;
  answer.files = flags.files;
  answer.notices = inputs->notices;
  Overlay overlay;
  if (!refit_probes(session, flags, *inputs, answer, overlay)) return;
  if (!fit_steps(session, flags, *inputs, answer, overlay)) return;
  if (!fit_serving(session, flags, *inputs, answer, overlay)) return;
  if (answer.kernels.empty() && !answer.fit && !answer.serving_fit)
    return session.fail(Error{.code = lf::kNothingUsable,
                              .message = "nothing was given that a parameter can be fitted to",
                              .hint = "a probe's JSON, or --for scenario.yaml --step-time 12.3s"});
  if (!flags.folder.empty()) {
    const auto written = overlay.write(flags.folder, session.environment().today, flags.replace);
    if (!written) return session.fail(written.error());
    answer.folder = flags.folder;
  }
  session.write(rendered(session, *format, answer));
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
  verb.add_option("--gpu", flags->gpu, "the catalogue's name of the device measured")
      ->type_name("NAME");
  verb.add_option("--engine", flags->engine, "what served a measured load; vllm unless said")
      ->type_name("NAME");
  verb.add_option("--precision", flags->precision,
                  "of its weights and arithmetic; bf16 unless said")
      ->type_name("NAME");
  verb.add_option("--tp", flags->tp, "GPUs that shared each layer of it")
      ->check(CLI::Range(1, 1024));
  verb.add_option("--folder", flags->folder, "writes the overlay here, for --catalog")
      ->type_name("DIR");
  verb.add_flag("--replace", flags->replace, "writes over what an earlier calibration left there");
  verb.add_flag("--where-did-it-go", flags->where, "which term the missing time went to");
  verb.callback([&verb, flags, &session] {
    if (verb.get_subcommands().empty()) run_site(session, *flags);
  });
}

}  // namespace loadfactor::cli
