#include "calibrate/site_kernels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "calibrate/kernels_fitter.h"
#include "calibrate/kernels_table.h"
#include "calibrate/robust_fit.h"

namespace loadfactor::calibrate {
namespace {

using cost::KernelFit;
using cost::KernelKey;
using cost::KernelParameters;
using Samples = std::vector<const KernelSample*>;

// A section of the probe as the table of its kind, so that one reader serves both.
struct SectionTable {
  std::string_view section;
  std::vector<std::pair<std::string_view, std::string_view>>
      columns;  // Of the table, of the probe.
};

const std::vector<SectionTable>& section_tables() {
  static const std::vector<SectionTable> kTables{
      {"gemm", {{"dtype", "dtype"}, {"m", "m"}, {"n", "n"}, {"k", "k"}, {"seconds", "seconds"}}},
      {"memory", {{"op", "pattern"}, {"bytes_moved", "bytes"}, {"seconds", "seconds"}}},
      {"attention",
       {{"phase", "phase"},
        {"batch", "batch"},
        {"heads", "heads"},
        {"kv_heads", "kv_heads"},
        {"q_len", "q_len"},
        {"kv_len", "kv_len"},
        {"head_dim", "head_dim"},
        {"seconds", "seconds"}}}};
  return kTables;
}

std::string cell(const ProbeRow& row, std::string_view name) {
  if (const auto number = row.number(name)) return fmt::format("{}", *number);
  return std::string(row.word(name));
}

std::string table_text(const SectionTable& table, const std::vector<ProbeRow>& rows) {
  std::string text;
  for (const auto& [column, name] : table.columns)
    text += (text.empty() ? "" : ",") + std::string(column);
  text += '\n';
  for (const ProbeRow& row : rows) {
    if (row.word("implementation") == "own") continue;
    std::string line;
    for (const auto& [column, name] : table.columns) {
      if (!line.empty()) line += ',';
      line += cell(row, name);
    }
    text += line + '\n';
  }
  return text;
}

std::vector<KernelSample> samples_of(const ProbeFile& probe, const std::string& chip,
                                     Diagnostics& diagnostics) {
  std::vector<KernelTableFile> files;
  for (const SectionTable& table : section_tables()) {
    const std::string text = table_text(table, probe.section(table.section));
    if (std::count(text.begin(), text.end(), '\n') > 1)
      files.push_back({std::string(table.section), text, "site", chip});
  }
  const ChipResolver resolve = [&](std::string_view) { return std::optional(chip); };
  auto samples = read_kernel_tables(files, resolve, diagnostics).kernels;
  // The probe rotates its operands out of the cache.
  for (KernelSample& sample : samples) sample.warm = false;
  return samples;
}

constexpr std::size_t kNumFree = 3;
// Standard deviation of the logarithm of sustained, memory and fixed between machines of one chip.
constexpr std::array<double, kNumFree> kWidths{0.05, 0.05, 0.25};

KernelParameters moved(const KernelParameters& from, std::span<const double> logs) {
  KernelParameters to = from;
  to.sustained = std::min(1.0, from.sustained * std::exp(logs[0]));
  to.memory = std::min(1.0, from.memory * std::exp(logs[1]));
  to.fixed = from.fixed * std::exp(logs[2]);
  return to;
}

double log_ratio(const KernelSample& sample, const cost::ChipRates& rates, const KernelFit& fit) {
  return std::log(predict_sample(sample, rates, fit, {}) / sample.measured);
}

KernelParameters refit(const Samples& samples, const cost::ChipRates& rates, KernelFit shipped) {
  // The shipped value counts as one shape per unit of width; each shape as a residual of its own.
  RobustProblem problem;
  problem.num_residuals = samples.size();
  for (const double width : kWidths)
    problem.parameters.push_back({0.0, -4 * width, 4 * width, 0.0, width});
  const KernelParameters start = shipped.parameters;
  problem.residuals = [&](std::span<const double> logs, std::span<double> residuals) {
    shipped.parameters = moved(start, logs);
    for (std::size_t i = 0; i < samples.size(); ++i)
      residuals[i] = log_ratio(*samples[i], rates, shipped);
  };
  return moved(start, fit_robust(problem).values);
}

KernelRefit refit_group(const Samples& samples, const cost::ChipRates& rates,
                        const KernelFit& shipped) {
  KernelRefit result{shipped.key, shipped.parameters, refit(samples, rates, shipped)};
  result.points = static_cast<int>(samples.size());
  KernelFit fitted = shipped;
  fitted.parameters = result.fitted;
  std::vector<double> before;
  std::vector<double> after;
  std::vector<double> left_out;
  constexpr std::uint64_t kFolds = 5;
  for (const KernelSample* sample : samples) {
    before.push_back(log_ratio(*sample, rates, shipped));
    after.push_back(log_ratio(*sample, rates, fitted));
  }
  for (std::uint64_t fold = 0; fold < kFolds; ++fold) {
    Samples kept;
    for (const KernelSample* sample : samples)
      if (sample->shape % kFolds != fold) kept.push_back(sample);
    if (kept.size() == samples.size()) continue;
    KernelFit part = shipped;
    if (!kept.empty()) part.parameters = refit(kept, rates, shipped);
    for (const KernelSample* sample : samples)
      if (sample->shape % kFolds == fold) left_out.push_back(log_ratio(*sample, rates, part));
  }
  result.held_out = spread_of(left_out);
  result.before = error_figures(std::move(before));
  result.after = error_figures(std::move(after));
  result.left_out = error_figures(std::move(left_out));
  return result;
}

}  // namespace

SiteKernels refit_kernels(const ProbeFile& probe, const catalog::AcceleratorSpec& chip,
                          const cost::ChipModel& shipped, Diagnostics& diagnostics) {
  SiteKernels site;
  site.chip = chip.name;
  const auto samples = samples_of(probe, chip.name, diagnostics);
  std::map<std::tuple<int, int, int>, Samples> groups;
  for (const KernelSample& sample : samples)
    groups[{static_cast<int>(sample.key.kernel), static_cast<int>(sample.key.dtype),
            static_cast<int>(sample.key.variant)}]
        .push_back(&sample);
  constexpr std::size_t kLeast = 4;
  for (const auto& [key, group] : groups) {
    if (group.size() >= kLeast)
      site.groups.push_back(refit_group(group, shipped.rates(), shipped.fit(group.front()->key)));
  }
  return site;
}

catalog::CalibrationTable updated_table(const catalog::CalibrationTable& shipped,
                                        const SiteKernels& site, const std::string& source,
                                        const std::string& date) {
  catalog::CalibrationTable table = shipped;
  for (const KernelRefit& group : site.groups) {
    if (!group.helps()) continue;
    for (catalog::CalibratedKernel& kernel : table.kernels) {
      const bool same =
          kernel.kernel == cost::kKernelClasses[static_cast<std::size_t>(group.key.kernel)] &&
          kernel.dtype == catalog::name(group.key.dtype) &&
          kernel.variant == cost::kKernelVariants[static_cast<std::size_t>(group.key.variant)];
      if (!same) continue;
      const KernelParameters& p = group.fitted;
      kernel.parameters.sustained = p.sustained;
      kernel.parameters.memory = p.memory;
      kernel.parameters.fixed = p.fixed;
      kernel.held_out = {group.held_out.median, group.held_out.p90, group.held_out.low,
                         group.held_out.high};
      kernel.in_sample.median = group.after.median;
      kernel.in_sample.p90 = group.after.p90;
      kernel.points += group.points;
      kernel.provenance.sources.push_back(source);
      kernel.provenance.date = date;
    }
  }
  return table;
}

}  // namespace loadfactor::calibrate
