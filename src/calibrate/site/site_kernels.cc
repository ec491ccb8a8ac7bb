#include "calibrate/site/site_kernels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "calibrate/kernels/kernels_fitter.h"
#include "calibrate/kernels/kernels_table.h"
#include "calibrate/robust_fit.h"
#include "calibrate/site/site_clocks.h"

namespace loadfactor::calibrate {
namespace {

using cost::KernelFit;
using cost::KernelKey;
using cost::KernelParameters;
using Samples = std::vector<const KernelSample*>;

// A section of the probe as the table of its kind, so that one reader serves both.
struct SectionTable {
  std::string_view section;
  // Pairs of a column of the table and a column of the probe.
  std::vector<std::pair<std::string_view, std::string_view>> columns;
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

// The probe's own kernels reach the rate of what programs run only where they use the
// instructions of warp groups; decoding streams the cache, and does so on such a machine.
bool like_programs(const ProbeRow& row, bool warp_groups) {
  if (row.word("implementation") != "own") return true;
  if (row.word("phase") == "decode") return warp_groups;
  return !row.word("phase").empty() && row.word("instructions") == kWarpGroups;
}

std::string table_text(const SectionTable& table, const std::vector<ProbeRow>& rows) {
  const bool warp_groups = std::any_of(rows.begin(), rows.end(), [](const ProbeRow& row) {
    return row.word("instructions") == kWarpGroups;
  });
  std::string text;
  for (const auto& [column, name] : table.columns)
    text += (text.empty() ? "" : ",") + std::string(column);
  text += '\n';
  for (const ProbeRow& row : rows) {
    if (!like_programs(row, warp_groups)) continue;
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
using Widths = std::array<double, kNumFree>;
// Standard deviation of the logarithm of sustained, memory and fixed between machines of one chip.
constexpr Widths kStreamWidths{0.05, 0.05, 0.25};
// Only the rate of products moves, as far as a burst may be above what lasts.
constexpr Widths kProductWidths{0.15, 0.0, 0.0};

KernelParameters moved(const KernelParameters& from, std::span<const double> logs) {
  KernelParameters to = from;
  to.sustained = std::min(1.0, from.sustained * std::exp(logs[0]));
  to.memory = std::min(1.0, from.memory * std::exp(logs[1]));
  to.fixed = from.fixed * std::exp(logs[2]);
  return to;
}

// A sample and how much it counts: a product by the share of its time that follows the clock.
struct Weighed {
  const KernelSample* sample = nullptr;
  double share = 1;
};
using Group = std::vector<Weighed>;

double share_of(const KernelSample& sample, const cost::ChipRates& rates, const KernelFit& fit) {
  if (sample.key.kernel != cost::KernelClass::kGemm) return 1.0;
  const SampleBody body = sample_body(sample, rates, fit.parameters);
  const Seconds whole = cost::overlapped(body.arithmetic, body.memory);
  const double arithmetic = body.arithmetic / whole;
  const double square = arithmetic * arithmetic;
  return square * square * (whole / (whole + fit.parameters.fixed));
}

double log_ratio(const KernelSample& sample, const cost::ChipRates& rates, const KernelFit& fit) {
  return std::log(predict_sample(sample, rates, fit, {}) / sample.measured);
}

// What the parameters leave over moves the shipped correction, where shapes speak.
cost::CorrectionGrid refit_correction(const Group& group, const cost::ChipRates& rates,
                                      const KernelFit& fit) {
  const cost::CorrectionGrid& shipped = fit.correction;
  if (shipped.empty() || fit.key.kernel != cost::KernelClass::kGemm) return shipped;
  std::vector<CorrectionPoint> points;
  for (const Weighed& row : group)
    points.push_back({sample_body(*row.sample, rates, fit.parameters).point,
                      -log_ratio(*row.sample, rates, fit) * row.share, 1.0});
  const auto slopes = correction_slopes(fit.key.kernel);
  const auto more = fit_correction(points, shipped.axes(), slopes);
  if (more.empty()) return shipped;
  std::vector<double> values = shipped.values();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += more.values()[i];
  return limit_slopes({shipped.axes(), std::move(values)}, slopes);
}

KernelFit refit(const Group& group, const cost::ChipRates& rates, KernelFit fit) {
  // The shipped value counts as one shape per unit of width; each shape as a residual of its own.
  const Widths& widths =
      fit.key.kernel == cost::KernelClass::kGemm ? kProductWidths : kStreamWidths;
  std::vector<std::size_t> free;
  RobustProblem problem;
  problem.num_residuals = group.size();
  for (std::size_t i = 0; i < kNumFree; ++i) {
    if (widths[i] <= 0) continue;
    free.push_back(i);
    problem.parameters.push_back({0.0, -4 * widths[i], 4 * widths[i], 0.0, widths[i]});
  }
  const KernelParameters start = fit.parameters;
  const auto all_of = [&](std::span<const double> logs) {
    Widths all{};
    for (std::size_t i = 0; i < free.size(); ++i) all[free[i]] = logs[i];
    return all;
  };
  problem.residuals = [&](std::span<const double> logs, std::span<double> residuals) {
    fit.parameters = moved(start, all_of(logs));
    for (std::size_t i = 0; i < group.size(); ++i)
      residuals[i] = group[i].share * log_ratio(*group[i].sample, rates, fit);
  };
  fit.parameters = moved(start, all_of(fit_robust(problem).values));
  fit.correction = refit_correction(group, rates, fit);
  return fit;
}

KernelRefit refit_group(const Samples& samples, const cost::ChipRates& rates,
                        const KernelFit& shipped) {
  constexpr double kLeastShareToCount = 0.5;  // Shapes with a smaller share are in no figure.
  Group group;
  for (const KernelSample* sample : samples)
    group.push_back({sample, share_of(*sample, rates, shipped)});
  const KernelFit fitted = refit(group, rates, shipped);
  KernelRefit result{shipped.key, shipped.parameters, fitted.parameters, fitted.correction};
  std::vector<double> before;
  std::vector<double> after;
  std::vector<double> left_out;
  constexpr std::uint64_t kFolds = 5;
  for (const Weighed& row : group) {
    if (row.share < kLeastShareToCount) continue;
    ++result.points;
    before.push_back(log_ratio(*row.sample, rates, shipped));
    after.push_back(log_ratio(*row.sample, rates, fitted));
  }
  for (std::uint64_t fold = 0; fold < kFolds; ++fold) {
    Group kept;
    for (const Weighed& row : group)
      if (row.sample->shape % kFolds != fold) kept.push_back(row);
    if (kept.size() == group.size()) continue;
    const KernelFit part = kept.empty() ? shipped : refit(kept, rates, shipped);
    for (const Weighed& row : group) {
      if (row.sample->shape % kFolds == fold && row.share >= kLeastShareToCount)
        left_out.push_back(log_ratio(*row.sample, rates, part));
    }
  }
  result.held_out = spread_of(left_out);
  result.before = error_figures(std::move(before));
  result.after = error_figures(std::move(after));
  result.left_out = error_figures(std::move(left_out));
  return result;
}

// A kernel of a chip that is faster than its peak is of another chip, or mistimed.
struct TooFast {
  const KernelSample* worst = nullptr;
  double excess = 1;  // Time at the peak over the measured time, for the worst sample.
  std::size_t count = 0;
  std::size_t all = 0;
};

TooFast drop_too_fast(const cost::ChipModel& shipped, Samples& group) {
  constexpr double kMargin = 1.05;  // Clocks may exceed what the peak is stated at.
  TooFast found;
  found.all = group.size();
  std::erase_if(group, [&](const KernelSample* sample) {
    const auto& parameters = shipped.fit(sample->key).parameters;
    const cost::Roofline limit = sample_body(*sample, shipped.rates(), parameters).limit;
    const bool stream = sample->key.kernel == cost::KernelClass::kMemory;
    const double excess = (stream ? limit.memory : limit.arithmetic) / sample->measured;
    if (!(excess > kMargin)) return false;
    ++found.count;
    if (excess > found.excess) {
      found.excess = excess;
      found.worst = sample;
    }
    return true;
  });
  return found;
}

void tell_too_fast(const ProbeFile& probe, const TooFast& found, SiteKernels& site,
                   Diagnostics& diagnostics) {
  if (found.count == 0) return;
  const auto& key = found.worst->key;
  const std::string words = fmt::format(
      "{} of {} kernels '{} {}' are faster than the peak of '{}', by up to {:.0f} %", found.count,
      found.all, cost::kKernelClasses[static_cast<std::size_t>(key.kernel)],
      catalog::name(key.dtype), site.chip, 100 * (found.excess - 1));
  constexpr std::size_t kOneInMany = 10;  // One in ten may be a clock's fault.
  if (found.count * kOneInMany > found.all) {
    diagnostics.add(Error{.code = lf::kNoMeasurement,
                          .message = words,
                          .hint = "is it that chip? `--gpu` names another",
                          .where = {.file = probe.file}});
    return;
  }
  site.notices.push_back({"faster-than-peak", Severity::kCaution,
                          fmt::format("{}: {}; they are left out", probe.file, words)});
}

}  // namespace

SiteKernels refit_kernels(const ProbeFile& probe, const catalog::AcceleratorSpec& chip,
                          const cost::ChipModel& shipped, Diagnostics& diagnostics) {
  SiteKernels site;
  site.chip = chip.name;
  site.limit = Watts::from_base(probe.power_limit_w);
  const auto samples = samples_of(probe, chip.name, diagnostics);
  std::map<std::tuple<int, int, int>, Samples> groups;
  for (const KernelSample& sample : samples)
    groups[{static_cast<int>(sample.key.kernel), static_cast<int>(sample.key.dtype),
            static_cast<int>(sample.key.variant)}]
        .push_back(&sample);
  constexpr std::size_t kLeast = 4;
  for (auto& [key, group] : groups) {
    // A format that the chip's table lacks follows its neighbour's; so does its refit.
    if (group.size() < kLeast || shipped.fit(group.front()->key).basis != cost::FitBasis::kMeasured)
      continue;
    tell_too_fast(probe, drop_too_fast(shipped, group), site, diagnostics);
    if (group.size() < kLeast) continue;
    auto refitted = refit_group(group, shipped.rates(), shipped.fit(group.front()->key));
    if (refitted.points >= static_cast<int>(kLeast)) site.groups.push_back(std::move(refitted));
  }
  add_clocks(probe, shipped, site);
  return site;
}

namespace {

bool is_of(const catalog::CalibratedKernel& kernel, const KernelKey& key) {
  return kernel.kernel == cost::kKernelClasses[static_cast<std::size_t>(key.kernel)] &&
         kernel.dtype == catalog::name(key.dtype) &&
         kernel.variant == cost::kKernelVariants[static_cast<std::size_t>(key.variant)];
}

}  // namespace

catalog::CalibrationTable updated_table(const catalog::CalibrationTable& shipped,
                                        const SiteKernels& site, const std::string& source,
                                        const std::string& date) {
  catalog::CalibrationTable table = shipped;
  for (const KernelRefit& group : site.groups) {
    if (!group.helps()) continue;
    for (catalog::CalibratedKernel& kernel : table.kernels) {
      if (!is_of(kernel, group.key)) continue;
      const KernelParameters& p = group.fitted;
      kernel.parameters.sustained = p.sustained;
      kernel.parameters.memory = p.memory;
      kernel.parameters.fixed = p.fixed;
      if (kernel.correction && !group.correction.empty())
        kernel.correction->log = group.correction.values();
      kernel.held_out = {group.held_out.median, group.held_out.p90, group.held_out.low,
                         group.held_out.high};
      kernel.in_sample.median = group.after.median;
      kernel.in_sample.p90 = group.after.p90;
      kernel.points += group.points;
      kernel.provenance.sources.push_back(source);
      kernel.provenance.date = date;
    }
  }
  if (!site.clocks.empty()) table.power = updated_power(table, site, source, date);
  return table;
}

}  // namespace loadfactor::calibrate
