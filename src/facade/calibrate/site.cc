// A site's measurements: they become an overlay.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "calibrate/site/site_file.h"
#include "calibrate/site/site_serving.h"
#include "catalog/load/calibration_loader.h"
#include "facade/body.h"
#include "facade/calibrate/calibrations.h"
#include "facade/calibrate/overlay.h"
#include "facade/calibrate/site_chip.h"
#include "facade/calibrate/site_inputs.h"
#include "facade/calibrate/site_profiles.h"
#include "facade/calibrate/site_serving.h"
#include "facade/calibrate/site_training.h"
#include "report/calibrate/calibration_words.h"
#include "report/calibrate/site_report.h"
#include "resolve/serve/serve_site.h"

namespace loadfactor::facade {
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
bool add_probed(const Desk& desk, const calibrate::SiteKernels& kernels, const std::string& date,
                Overlay& overlay) {
  Diagnostics diagnostics;
  const auto* file = desk.engine.catalog().find_file("calibration/site-serving-terms.yaml");
  if (file == nullptr) return true;
  auto site = calibrate::load_serving_site(*file, diagnostics);
  if (!site) return desk.fail(diagnostics);
  if (!site->take_kernels(kernels)) return true;
  site->title = report::kProbedTitle;
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
        {.id = "far-off",
         .arguments = {{"file", probe.file},
                       {"kernel", report::kernel_name(group.key)},
                       {"error", fmt::format("{:.0f} %", 100 * group.after.median)},
                       {"chip", kernels.chip}}});
  }
}

bool refit_kernels(const Desk& desk, const ProbeFile& probe, const catalog::AcceleratorSpec& chip,
                   report::SiteAnswer& answer, Overlay& overlay) {
  Diagnostics diagnostics;
  const Shipped shipped = load_shipped(desk.engine.catalog(), diagnostics);
  const auto model = cost::ChipModel::make(chip, shipped.measured);
  if (!model) return desk.fail(model.error());
  auto kernels = calibrate::refit_kernels(probe, chip, *model, diagnostics);
  kernels.energy_of_bit = energy_of_bit(desk.engine.catalog(), diagnostics);
  if (!diagnostics.empty()) return desk.fail(diagnostics);
  if (kernels.groups.empty() && kernels.clocks.empty()) {
    desk.fail(Error{.code = lf::kNoMeasurement,
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
  // A folder speaks of serving on one chip.
  const bool first = answer.kernels.empty();
  answer.kernels.push_back(std::move(kernels));
  return !first || add_probed(desk, answer.kernels.back(), probe.date, overlay);
}

bool refit_probes(const Desk& desk, const SiteMeasurements& given, const SiteInputs& inputs,
                  report::SiteAnswer& answer, Overlay& overlay) {
  std::vector<const catalog::AcceleratorSpec*> chips;
  for (const ProbeFile& probe : inputs.probes) {
    const auto chip = measured_chip(desk.engine.catalog(), given, probe.device, probe.file);
    if (!chip) return desk.fail(chip.error());
    chips.push_back(*chip);
  }
  const auto apart = check_apart(chips, inputs.probes);
  if (!apart) return desk.fail(apart.error());
  for (std::size_t i = 0; i < chips.size(); ++i) {
    if (!refit_kernels(desk, inputs.probes[i], *chips[i], answer, overlay)) return false;
  }
  if (chips.size() > 1)
    answer.notices.push_back({.id = "one-site", .arguments = {{"chip", chips.front()->name}}});
  return true;
}

// A profiled step is slowed by its profiler: it explains a prediction and moves none, so it shares
// no call, and no scenario, with what does.
Result<bool> check_profiles_alone(const SiteMeasurements& given, const SiteInputs& inputs) {
  if (inputs.profiles.empty()) return true;
  if (!inputs.probes.empty() || !inputs.collectives.empty() || !inputs.serving.empty() ||
      !inputs.steps.empty())
    return Error{.code = lf::kUsage,
                 .message = "profiles and other measurements in one call",
                 .hint =
                     "give profiles in a call of their own: they explain, the others are "
                     "fitted"};
  if (given.for_overlay)
    return Error{.code = lf::kUsage,
                 .message = "a profiled step is slowed by its profiler: nothing is fitted to it",
                 .hint = "leave --folder out, or give the time of an unprofiled step: --step-time"};
  return true;
}

Result<std::string> render_site(const report::SiteAnswer& answer, Format format,
                                const Style& style) {
  report::SiteAnswer shown = answer;
  shown.folder = style.folder;
  switch (format) {
    case Format::kTable:
      return report::site_text(shown, style.width, style.colour);
    case Format::kJson:
      return report::site_json(shown);
    case Format::kCsv:
      return report::site_csv(shown);
    case Format::kMarkdown:
      return report::site_markdown(shown);
    default:
      return no_such_form(format);
  }
}

}  // namespace

std::optional<Answer> calibrate(const Desk& desk, const Settings& settings,
                                const SiteMeasurements& given) {
  const auto inputs = read_site_inputs(given, settings.today);
  if (!inputs) return desk.refuse(inputs.error());
  if (const auto apart = check_profiles_alone(given, *inputs); !apart)
    return desk.refuse(apart.error());
  if (given.find_gap && inputs->steps.empty() && inputs->serving.empty() && inputs->only_fits())
    return desk.refuse(Error{.code = lf::kUsage,
                             .message = "--where-did-it-go asks of steps, and none was measured",
                             .hint = "add a log, or --for scenario.yaml --step-time 12.3s"});
  report::SiteAnswer answer;
  for (const InputFile& file : given.files) answer.files.push_back(file.shown());
  answer.notices = inputs->notices;
  Overlay overlay;
  if (!refit_probes(desk, given, *inputs, answer, overlay) ||
      !fit_steps(desk, given, *inputs, answer, overlay) ||
      !fit_serving(desk, given, *inputs, answer, overlay) ||
      !compare_profiles(desk, given, *inputs, answer))
    return std::nullopt;
  answer.networks = inputs->networks;
  if (answer.kernels.empty() && !answer.fit && !answer.serving_fit && answer.profiles.empty() &&
      answer.networks.empty())
    return desk.refuse(Error{.code = lf::kNothingUsable,
                             .message = "nothing was given that a parameter can be fitted to",
                             .hint = "a probe's JSON, or --for scenario.yaml --step-time 12.3s"});
  if (inputs->only_fits()) overlay.add("SOURCES.md", report::site_sources(settings.today));
  return make_answer<report::SiteAnswer>("calibrate", std::move(answer), render_site,
                                         {.files = overlay.files()});
}

}  // namespace loadfactor::facade
