// Writes data/calibration/<chip>/fit.yaml.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "calibrate/kernels/kernels.h"
#include "cost/attention.h"
#include "cost/sustained_clock.h"

namespace loadfactor::calibrate {
namespace {

using cost::KernelClass;
using Chip = KernelCalibration::Chip;

constexpr auto kMicrosecond = Seconds::from_base(1e-6);
constexpr auto kWatt = Watts::from_base(1.0);

std::string spread_text(const cost::Spread& spread) {
  return fmt::format("{{median: {:.1f} %, p90: {:.1f} %, low: {:.3f}, high: {:.3f}}}",
                     spread.median * 100.0, spread.p90 * 100.0, spread.low, spread.high);
}

std::string provenance_text(const std::vector<std::string>& sources, std::string_view date) {
  return fmt::format("kind: measured, source: [{}], date: {}", fmt::join(sources, ", "), date);
}

// The numbers of a correction, wrapped to the width of the files.
std::string correction_text(const cost::CorrectionGrid& grid) {
  if (grid.empty()) return {};
  const auto& axes = grid.axes();
  std::string text = fmt::format(
      "    correction:\n      origin: [{}, {}, {}]\n      step: [{}, {}, {}]\n"
      "      nodes: [{}, {}, {}]\n      log_thousandths: [\n",
      axes[0].origin, axes[1].origin, axes[2].origin, axes[0].step, axes[1].step, axes[2].step,
      axes[0].nodes, axes[1].nodes, axes[2].nodes);
  std::string line = "       ";
  for (std::size_t i = 0; i < grid.values().size(); ++i) {
    const std::string number = fmt::format(" {}{}", std::lround(grid.values()[i] * 1000.0),
                                           i + 1 < grid.values().size() ? "," : "]");
    if (line.size() + number.size() > 99) {
      text += line + "\n";
      line = "       ";
    }
    line += number;
  }
  return text + line + "\n";
}

std::string kernel_text(const GroupFit& group, const std::vector<std::string>& sources,
                        std::string_view date) {
  const cost::KernelFit& fit = group.fit;
  const cost::KernelParameters& p = fit.parameters;
  return fmt::format(
             "  - kernel: {}\n    dtype: {}\n    variant: {}\n"
             "    parameters: {{sustained: {:.4f}, half: {:.1f}, tile_cost: {:.1f},\n"
             "                 wave_paid: {:.3f}, split: {:.3f}, memory: {:.4f}, fixed: {:.2f} "
             "us}}\n"
             "    in_sample: {}\n    held_out: {}\n    points: {}\n",
             cost::kKernelClasses[static_cast<std::size_t>(fit.key.kernel)],
             catalog::name(fit.key.dtype),
             cost::kKernelVariants[static_cast<std::size_t>(fit.key.variant)], p.sustained, p.half,
             p.tile_cost, p.wave_paid, p.split, p.memory, p.fixed / kMicrosecond,
             spread_text(group.in_sample), spread_text(fit.spread), fit.points) +
         fmt::format("    kind: measured\n    source: [{}]\n    date: {}\n",
                     fmt::join(sources, ", "), date) +
         correction_text(fit.correction);
}

std::string launch_text(const Chip& chip, std::string_view date) {
  std::optional<Seconds> eager;
  std::optional<Seconds> graph;
  for (const LaunchSample& sample : chip.launches) {
    if (sample.what.starts_with("eager")) eager = sample.duration;
    if (sample.what.starts_with("graph")) graph = sample.duration;
  }
  if (!eager || !graph) return {};
  // Compiled host code lies between: nobody interprets, but every kernel is still launched.
  const Seconds compiled = (*eager + *graph) * 0.5;
  return fmt::format(
      "launch: {{eager: {:.2f} us, compiled: {:.2f} us, graph: {:.2f} us,\n"
      "         {}}}\n",
      *eager / kMicrosecond, compiled / kMicrosecond, *graph / kMicrosecond,
      provenance_text({chip.launches.front().source}, date));
}

// What a load's name says of it.
struct LoadWord {
  std::string_view prefix;
  KernelClass kernel;
  catalog::Dtype dtype;
};
constexpr std::array kLoadWords{
    LoadWord{"gemm_bf16_8192", KernelClass::kGemm, catalog::Dtype::kBf16},
    LoadWord{"gemm_fp8_8192", KernelClass::kGemm, catalog::Dtype::kFp8},
    LoadWord{"attention_prefill", KernelClass::kAttention, catalog::Dtype::kBf16}};

// The rate in TFLOP/s that the tables' fit gives for the load, in bursts.
std::optional<double> burst_rate(const Chip& chip, const LoadWord& word) {
  const cost::ChipRates rates = cost::make_chip_rates(*chip.spec);
  for (const GroupFit& group : chip.groups) {
    if (group.fit.key != cost::KernelKey{word.kernel, word.dtype, cost::KernelVariant::kPlain}) {
      continue;
    }
    if (word.kernel == KernelClass::kGemm) {
      constexpr std::int64_t kSide = 8192;
      const cost::GemmCall call{.shape = {kSide, kSide, kSide}, .dtype = word.dtype};
      const auto time = cost::estimate_gemm(call, rates, group.fit).duration;
      return 2.0 * std::pow(static_cast<double>(kSide), 3) / (time / Seconds::from_base(1.0)) /
             1e12;
    }
    const cost::AttentionCall call{
        .batch = 1, .heads = 32, .kv_heads = 8, .queries = 8192, .context = 8192};
    const auto time = cost::estimate_attention(call, rates, group.fit).duration;
    return cost::attention_flops(call, false) / time / FlopsPerSecond::from_base(1e12);
  }
  return std::nullopt;
}

// Loads with data of all zeros draw less than any real one.
bool tells_little(const PowerSample& sample) {
  return sample.load.ends_with("zeros");
}

std::string power_text(const Chip& chip, std::string_view date) {
  const PowerSample* idle = nullptr;
  Hertz full;
  for (const PowerSample& sample : chip.power) {
    if (sample.load == "idle") idle = &sample;
    full = std::max(full, sample.clock);
  }
  if (idle == nullptr || full <= Hertz{}) return {};
  std::string loads;
  for (const LoadWord& word : kLoadWords) {
    for (const PowerSample& sample : chip.power) {
      if (!sample.load.starts_with(word.prefix) || tells_little(sample)) continue;
      const double share = sample.clock / full;
      const cost::PowerModel seen{sample.power, idle->power, Seconds{}};
      const cost::PowerDraw draw = cost::draw_from_share(seen, Watts{}, share);
      const auto burst = burst_rate(chip, word);
      const double burst_share = burst ? std::clamp(share * *burst / sample.rate, share, 1.0) : 1.0;
      loads += fmt::format(
          "    - {{kernel: {}, dtype: {}, compute: {:.0f} W, memory: 0 W, burst: {:.3f}}}\n",
          cost::kKernelClasses[static_cast<std::size_t>(word.kernel)], catalog::name(word.dtype),
          draw.compute / kWatt, burst_share);
      break;
    }
  }
  return fmt::format(
      "power:\n  limit: {:.0f} W\n  idle: {:.0f} W\n  window: 100 ms\n  loads:\n{}"
      "  kind: measured\n  source: {}\n  date: {}\n",
      chip.spec->power.rated / kWatt, idle->power / kWatt, loads, idle->source, date);
}

}  // namespace

std::string fit_yaml(const Chip& chip, const KernelCalibrationOptions& options) {
  std::string text = fmt::format("schema: calibration/1\nchip: {}\n", chip.spec->name);
  text += launch_text(chip, options.date);
  text += power_text(chip, options.date);
  text += "kernels:\n";
  for (std::size_t i = 0; i < chip.groups.size(); ++i) {
    text += kernel_text(chip.groups[i], chip.sources[i], options.date);
  }
  return text;
}

}  // namespace loadfactor::calibrate
