#include "calibrate/kernels/kernels.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "cost/attention.h"

namespace loadfactor::calibrate {
namespace {

using cost::KernelClass;
using cost::KernelKey;

using KeyOrder = std::tuple<KernelClass, catalog::Dtype, cost::KernelVariant>;
using Samples = std::vector<KernelSample>;
using Groups = std::map<KeyOrder, Samples>;

KeyOrder order_of(const KernelKey& key) {
  return {key.kernel, key.dtype, key.variant};
}

// Takes the fitted forward pass out of samples that timed both. What is left of a sample that the
// host held up says nothing of the kernel and is dropped.
Samples backward_alone(const Samples& samples, const cost::ChipRates& rates,
                       const cost::KernelFit* forward) {
  constexpr double kLeastUse = 0.35;  // Time of the roofline over the measured time.
  Samples alone;
  for (KernelSample sample : samples) {
    const auto& call = std::get<cost::AttentionCall>(sample.call);
    if (sample.with_forward && forward != nullptr) {
      sample.measured -= cost::estimate_attention(call, rates, *forward).duration;
    }
    const Seconds least = cost::attention_roofline(call, true, rates).longer();
    if (least > sample.measured * kLeastUse) alone.push_back(std::move(sample));
  }
  return alone;
}

const cost::KernelFit* forward_fit(const KernelCalibration::Chip& chip, const KernelKey& key) {
  for (const GroupFit& group : chip.groups) {
    if (group.fit.key == KernelKey{KernelClass::kAttention, key.dtype, key.variant}) {
      return &group.fit;
    }
  }
  return nullptr;
}

void fit_chip(const Groups& groups, const KernelCalibrationOptions& options,
              KernelCalibration::Chip& chip) {
  const cost::ChipRates rates = cost::make_chip_rates(*chip.spec);
  // Keys order forward attention before backward, which needs it.
  for (const auto& [order, group] : groups) {
    const KernelKey key = group.front().key;
    const Samples samples = key.kernel == KernelClass::kAttentionBackward
                                ? backward_alone(group, rates, forward_fit(chip, key))
                                : group;
    if (static_cast<int>(samples.size()) < options.least_points) continue;
    std::vector<const KernelSample*> pointers;
    std::set<std::string> sources;
    for (const KernelSample& sample : samples) {
      pointers.push_back(&sample);
      sources.insert(sample.source);
    }
    chip.groups.push_back(fit_group(pointers, rates, options.folds));
    chip.sources.emplace_back(sources.begin(), sources.end());
  }
}

}  // namespace

KernelCalibration calibrate_kernels(std::span<const KernelTableFile> files, const SpecFinder& find,
                                    Diagnostics& diagnostics,
                                    const KernelCalibrationOptions& options) {
  const ChipResolver resolve = [&](std::string_view word) -> std::optional<std::string> {
    const catalog::AcceleratorSpec* spec = find(word);
    return spec == nullptr ? std::nullopt : std::optional(spec->name);
  };
  const KernelMeasurements measured = read_kernel_tables(files, resolve, diagnostics);
  std::map<std::string, Groups> by_chip;
  for (const KernelSample& sample : measured.kernels) {
    by_chip[sample.chip][order_of(sample.key)].push_back(sample);
  }
  KernelCalibration calibration;
  for (const auto& [name, groups] : by_chip) {
    KernelCalibration::Chip chip;
    chip.spec = find(name);
    if (chip.spec == nullptr) continue;
    fit_chip(groups, options, chip);
    const auto own = [&chip_name = name](const auto& sample) { return sample.chip == chip_name; };
    std::copy_if(measured.launches.begin(), measured.launches.end(),
                 std::back_inserter(chip.launches), own);
    std::copy_if(measured.power.begin(), measured.power.end(), std::back_inserter(chip.power), own);
    calibration.chips.push_back(std::move(chip));
  }
  return calibration;
}

std::string kernel_error_table(const KernelCalibration& calibration) {
  std::string text =
      "| chip | kernel | tables | points | in sample: median | p90 | shapes left out: median | p90 "
      "|\n|---|---|---:|---:|---:|---:|---:|---:|\n";
  for (const KernelCalibration::Chip& chip : calibration.chips) {
    std::map<KernelClass, std::vector<const GroupFit*>> classes;
    for (const GroupFit& group : chip.groups) classes[group.fit.key.kernel].push_back(&group);
    for (const auto& [kernel, groups] : classes) {
      std::vector<double> held_out;
      std::vector<double> in_sample;
      for (const GroupFit* group : groups) {
        held_out.insert(held_out.end(), group->held_out.begin(), group->held_out.end());
        in_sample.insert(in_sample.end(), group->fitted.begin(), group->fitted.end());
      }
      const cost::Spread in = spread_of(in_sample);
      const cost::Spread out = spread_of(held_out);
      text += fmt::format("| {} | {} | {} | {} | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % |\n",
                          chip.spec->name, cost::kKernelClasses[static_cast<std::size_t>(kernel)],
                          groups.size(), held_out.size(), 100 * in.median, 100 * in.p90,
                          100 * out.median, 100 * out.p90);
    }
  }
  return text;
}

}  // namespace loadfactor::calibrate
