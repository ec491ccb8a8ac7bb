// Measured tables of kernels: costs are fitted to them, and how well is said.
#include "calibrate/kernels/kernels.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "facade/calibrate/calibrations.h"
#include "facade/texts.h"
#include "report/calibrate/calibration_words.h"

namespace loadfactor::facade {
namespace {

// A fit that misses shapes it has not seen by more than this is worth less than a borrowed one.
// Returns what was left out.
std::vector<report::PoorFit> drop_poor_fits(calibrate::KernelCalibration& calibration,
                                            double worst) {
  std::vector<report::PoorFit> dropped;
  for (auto& chip : calibration.chips) {
    for (std::size_t i = chip.groups.size(); i-- > 0;) {
      const double median = calibrate::spread_of(chip.groups[i].held_out).median;
      if (100.0 * median <= worst) continue;
      const auto kernel = static_cast<std::size_t>(chip.groups[i].fit.key.kernel);
      dropped.push_back({std::string(cost::kKernelClasses[kernel]), chip.spec->name, median});
      chip.groups.erase(chip.groups.begin() + static_cast<std::ptrdiff_t>(i));
      chip.sources.erase(chip.sources.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return dropped;
}

std::vector<calibrate::KernelTableFile> files_of(const KernelTables& tables) {
  std::vector<calibrate::KernelTableFile> files;
  for (const MeasuredTable& table : tables.tables)
    files.push_back({table.file.shown(), std::string(table.file.bytes), table.source, tables.chip});
  return files;
}

}  // namespace

std::optional<Answer> calibrate(const Desk& desk, const Settings& /*settings*/,
                                const KernelTables& tables) {
  std::map<std::string, std::string, std::less<>> names;
  for (const auto& [word, chip] : tables.names) names.emplace(word, chip);
  const auto find = [&](std::string_view word) -> const catalog::AcceleratorSpec* {
    const auto renamed = names.find(word);
    const auto found = desk.engine.catalog().find_accelerator(
        renamed == names.end() ? word : std::string_view(renamed->second));
    return found ? *found : nullptr;
  };
  Diagnostics diagnostics;
  const calibrate::KernelCalibrationOptions how{.date = tables.date};
  auto calibration = calibrate::calibrate_kernels(files_of(tables), find, diagnostics, how);
  if (!diagnostics.empty()) return desk.refuse(diagnostics);
  Beside beside;
  for (const auto& fit : drop_poor_fits(calibration, tables.worst))
    beside.remarks.push_back(report::words_of(fit));
  for (const auto& chip : calibration.chips)
    beside.files.push_back({chip.spec->name + "/fit.yaml", fit_yaml(chip, how)});
  return text_answer("calibrate", {calibrate::kernel_error_table(calibration)}, std::move(beside));
}

}  // namespace loadfactor::facade
