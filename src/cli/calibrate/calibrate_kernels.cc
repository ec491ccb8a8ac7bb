#include "cli/calibrate/calibrate_kernels.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "calibrate/kernels/kernels.h"
#include "catalog/catalog.h"
#include "cli/session/files.h"
#include "cli/session/session.h"

namespace loadfactor::cli {
namespace {

struct KernelOptions {
  std::vector<std::string> files;  // FILE or SOURCE=FILE, later ones replacing earlier.
  std::vector<std::string> names;  // WORD=CHIP for chips that tables name in their own way.
  std::string chip;
  std::string date;
  std::string folder;
  double worst = 20;  // Percent.
};

// A fit that misses shapes it has not seen by more than this is worth less than a borrowed one.
// Returns what was left out.
std::vector<std::string> drop_poor_fits(calibrate::KernelCalibration& calibration, double worst) {
  std::vector<std::string> dropped;
  for (auto& chip : calibration.chips) {
    for (std::size_t i = chip.groups.size(); i-- > 0;) {
      const double median = calibrate::spread_of(chip.groups[i].held_out).median;
      if (100.0 * median <= worst) continue;
      const auto kernel = static_cast<std::size_t>(chip.groups[i].fit.key.kernel);
      dropped.push_back(fmt::format("{} of {}: {:.1f} % off on shapes left out",
                                    cost::kKernelClasses[kernel], chip.spec->name, 100.0 * median));
      chip.groups.erase(chip.groups.begin() + static_cast<std::ptrdiff_t>(i));
      chip.sources.erase(chip.sources.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return dropped;
}

// The two sides of `a=b`; the first is empty where there is no sign.
std::pair<std::string, std::string> sides(const std::string& text) {
  const auto sign = text.find('=');
  if (sign == std::string::npos) return {"", text};
  return {text.substr(0, sign), text.substr(sign + 1)};
}

Result<std::vector<calibrate::KernelTableFile>> read_tables(const KernelOptions& options) {
  std::vector<calibrate::KernelTableFile> tables;
  for (const std::string& word : options.files) {
    const auto [source, path] = sides(word);
    TRY(auto text, read_file(path));
    tables.push_back(
        {path, std::move(text), source.empty() ? "own-measurement" : source, options.chip});
  }
  return tables;
}

Result<bool> write_fits(const calibrate::KernelCalibration& calibration,
                        const calibrate::KernelCalibrationOptions& how, const std::string& folder) {
  for (const auto& chip : calibration.chips) {
    const auto below = std::filesystem::path(folder) / chip.spec->name;
    std::error_code failed;
    std::filesystem::create_directories(below, failed);
    if (failed) {
      return Error{.code = lf::kCannotWrite,
                   .message = fmt::format("cannot make the folder '{}'", below.string()),
                   .hint = "choose another with --folder"};
    }
    TRY(const bool written, write_file((below / "fit.yaml").string(), fit_yaml(chip, how)));
    if (!written) break;
  }
  return true;
}

void run_kernels(Session& session, const KernelOptions& options) {
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  const auto tables = read_tables(options);
  if (!tables) return session.fail(tables.error());
  std::map<std::string, std::string, std::less<>> names;
  for (const std::string& word : options.names) names.insert(sides(word));
  const auto find = [&](std::string_view word) -> const catalog::AcceleratorSpec* {
    const auto renamed = names.find(word);
    const auto found = engine->catalog().find_accelerator(
        renamed == names.end() ? word : std::string_view(renamed->second));
    return found ? *found : nullptr;
  };
  Diagnostics diagnostics;
  const calibrate::KernelCalibrationOptions how{.date = options.date};
  auto calibration = calibrate::calibrate_kernels(*tables, find, diagnostics, how);
  if (!diagnostics.empty()) session.fail(diagnostics);
  for (const auto& fit : drop_poor_fits(calibration, options.worst))
    session.tell(fmt::format("left out: {}", fit));
  if (!options.folder.empty()) {
    const auto written = write_fits(calibration, how, options.folder);
    if (!written) return session.fail(written.error());
  }
  session.write(calibrate::kernel_error_table(calibration));
}

}  // namespace

void add_calibrate_kernels(CLI::App& calibrate, Session& session) {
  CLI::App* verb =
      calibrate.add_subcommand("kernels", "fit kernel costs to measured tables, and say how well");
  session.add_common_options(*verb);
  auto options = std::make_shared<KernelOptions>();
  verb->add_option("files", options->files, "tables, as FILE or SOURCE=FILE")->required();
  verb->add_option("--chip", options->chip, "the chip of tables that do not name one");
  verb->add_option("--name", options->names, "WORD=CHIP: what a table calls a chip")
      ->allow_extra_args(false);  // What follows is a table.
  verb->add_option("--date", options->date, "when it was measured, YYYY or YYYY-MM")
      ->default_val("2026");
  verb->add_option("--folder", options->folder, "writes <folder>/<chip>/fit.yaml");
  verb->add_option("--worst", options->worst,
                   "leaves out fits that miss unseen shapes by more, median in percent")
      ->default_val("20");
  verb->callback([&session, options] { run_kernels(session, *options); });
}

}  // namespace loadfactor::cli
