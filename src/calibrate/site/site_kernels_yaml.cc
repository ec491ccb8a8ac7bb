// Writes a calibration table as the file it is read from.
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "calibrate/site/site_kernels.h"
#include "catalog/load/entry_reader.h"

namespace loadfactor::calibrate {
namespace {

constexpr auto kMicrosecond = Seconds::from_base(1e-6);
constexpr auto kWatt = Watts::from_base(1.0);

std::string provenance_text(const catalog::Provenance& from, std::string_view separator) {
  return fmt::format("kind: {}{}source: [{}]{}date: {}", catalog::text_of(from.kind), separator,
                     fmt::join(from.sources, ", "), separator, from.date);
}

std::string spread_text(const catalog::CalibratedSpread& spread) {
  return fmt::format("{{median: {:.1f} %, p90: {:.1f} %, low: {:.3f}, high: {:.3f}}}",
                     spread.median * 100.0, spread.p90 * 100.0, spread.low, spread.high);
}

std::string list(const auto& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string correction_text(const catalog::CalibratedCorrection& correction) {
  std::string text =
      fmt::format("    correction:\n      origin: {}\n      step: {}\n      nodes: {}\n",
                  list(correction.origin), list(correction.step), list(correction.nodes));
  text += "      log_thousandths: [\n";
  std::string line = "       ";
  for (std::size_t i = 0; i < correction.log.size(); ++i) {
    const std::string number = fmt::format(" {}{}", std::lround(correction.log[i] * 1000.0),
                                           i + 1 < correction.log.size() ? "," : "]");
    if (line.size() + number.size() > 99) {
      text += line + "\n";
      line = "       ";
    }
    line += number;
  }
  return text + line + "\n";
}

std::string kernel_text(const catalog::CalibratedKernel& kernel) {
  const catalog::CalibratedParameters& p = kernel.parameters;
  std::string text = fmt::format(
      "  - kernel: {}\n    dtype: {}\n    variant: {}\n"
      "    parameters: {{sustained: {:.4f}, half: {:.1f}, tile_cost: {:.1f},\n"
      "                 wave_paid: {:.3f}, split: {:.3f}, memory: {:.4f}, fixed: {:.2f} us}}\n",
      kernel.kernel, kernel.dtype, kernel.variant, p.sustained, p.half, p.tile_cost, p.wave_paid,
      p.split, p.memory, p.fixed / kMicrosecond);
  text += fmt::format("    in_sample: {}\n    held_out: {}\n    points: {}\n    {}\n",
                      spread_text(kernel.in_sample), spread_text(kernel.held_out), kernel.points,
                      provenance_text(kernel.provenance, "\n    "));
  if (kernel.correction) text += correction_text(*kernel.correction);
  return text;
}

std::string power_text(const catalog::CalibratedPower& power) {
  std::string text =
      fmt::format("power:\n  limit: {:.0f} W\n  idle: {:.0f} W\n  window: {:.0f} ms\n  loads:\n",
                  power.limit / kWatt, power.idle / kWatt, power.window / Seconds::from_base(1e-3));
  for (const catalog::CalibratedLoad& load : power.loads)
    text += fmt::format(
        "    - {{kernel: {}, dtype: {}, compute: {:.0f} W, memory: {:.0f} W, burst: {:.3f}{}}}\n",
        load.kernel, load.dtype, load.compute / kWatt, load.memory / kWatt, load.burst,
        load.bursts ? ", bursts: true" : "");
  return text + "  " + provenance_text(power.provenance, "\n  ") + "\n";
}

}  // namespace

std::string calibration_yaml(const catalog::CalibrationTable& table) {
  std::string text = fmt::format("schema: calibration/1\nchip: {}\n", table.chip);
  if (table.launch)
    text += fmt::format(
        "launch: {{eager: {:.2f} us, compiled: {:.2f} us, graph: {:.2f} us,\n         {}}}\n",
        table.launch->eager / kMicrosecond, table.launch->compiled / kMicrosecond,
        table.launch->graph / kMicrosecond, provenance_text(table.launch->provenance, ", "));
  if (table.power) text += power_text(*table.power);
  text += "kernels:\n";
  for (const auto& kernel : table.kernels) text += kernel_text(kernel);
  return text;
}

}  // namespace loadfactor::calibrate
