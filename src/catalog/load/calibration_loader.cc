#include "catalog/load/calibration_loader.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/error_codes.h"
#include "catalog/load/entry_reader.h"

namespace loadfactor::catalog {
namespace {

using config::MapReader;
using config::Range;

constexpr Range kKernelTime{0.0, 1.0};
constexpr Range kAnyWatts{0.0, 1e5};
constexpr std::string_view kCalibrationSchema = "calibration/1";

CalibratedParameters read_parameters(MapReader& entry) {
  CalibratedParameters parameters;
  auto block = entry.map("parameters");
  if (!block) return parameters;
  parameters.sustained = block->ratio("sustained", {0.001, 2.0});
  parameters.half = block->maybe_ratio("half", {0.0, 1e7}).value_or(0.0);
  parameters.tile_cost = block->maybe_ratio("tile_cost", {0.0, 1e4}).value_or(0.0);
  parameters.wave_paid = block->maybe_ratio("wave_paid", {0.0, 1.0}).value_or(0.0);
  parameters.split = block->maybe_ratio("split", {0.0, 1.0}).value_or(0.0);
  parameters.memory = block->ratio("memory", {0.001, 2.0});
  parameters.fixed = block->quantity<Seconds>("fixed", kKernelTime);
  block->finish();
  return parameters;
}

CalibratedSpread read_spread(MapReader& entry, std::string_view key) {
  CalibratedSpread spread;
  auto block = entry.map(key);
  if (!block) return spread;
  spread.median = block->ratio("median", {0.0, 100.0});
  spread.p90 = block->ratio("p90", {0.0, 100.0});
  spread.low = block->ratio("low", {-10.0, 10.0});
  spread.high = block->ratio("high", {-10.0, 10.0});
  block->finish();
  return spread;
}

// The numbers of a correction are whole thousandths.
std::optional<CalibratedCorrection> read_correction(MapReader& entry) {
  auto block = entry.map("correction", false);
  if (!block) return std::nullopt;
  CalibratedCorrection correction;
  const auto origin = block->integers("origin", {-64, 64});
  const auto step = block->integers("step", {1, 64});
  const auto nodes = block->integers("nodes", {1, 64});
  const auto thousandths = block->integers("log_thousandths", {-10000, 10000});
  block->finish();
  std::size_t product = 1;
  for (const auto count : nodes) product *= static_cast<std::size_t>(count);
  if (origin.size() != 3 || step.size() != 3 || nodes.size() != 3 ||
      thousandths.size() != product) {
    entry.report("correction", lf::kWrongType, "the correction's numbers do not fill its axes",
                 "three axes, and as many numbers as the product of their nodes");
    return std::nullopt;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    correction.origin[i] = static_cast<double>(origin[i]);
    correction.step[i] = static_cast<double>(step[i]);
    correction.nodes[i] = static_cast<int>(nodes[i]);
  }
  for (const auto value : thousandths) correction.log.push_back(static_cast<double>(value) * 1e-3);
  return correction;
}

CalibratedKernel read_kernel(MapReader& entry) {
  CalibratedKernel kernel;
  kernel.kernel = entry.text("kernel");
  kernel.dtype = entry.text("dtype");
  kernel.variant = entry.text("variant");
  kernel.parameters = read_parameters(entry);
  kernel.correction = read_correction(entry);
  kernel.in_sample = read_spread(entry, "in_sample");
  kernel.held_out = read_spread(entry, "held_out");
  kernel.points = static_cast<int>(entry.integer("points", {1, 1e9}));
  kernel.provenance = read_provenance(entry);
  entry.finish();
  return kernel;
}

std::optional<CalibratedLaunch> read_launch(MapReader& reader) {
  auto block = reader.map("launch", false);
  if (!block) return std::nullopt;
  CalibratedLaunch launch;
  launch.eager = block->quantity<Seconds>("eager", kKernelTime);
  launch.compiled = block->quantity<Seconds>("compiled", kKernelTime);
  launch.graph = block->quantity<Seconds>("graph", kKernelTime);
  launch.provenance = read_provenance(*block);
  block->finish();
  return launch;
}

CalibratedLoad read_load(MapReader& entry) {
  CalibratedLoad load;
  load.kernel = entry.text("kernel");
  load.dtype = entry.text("dtype");
  load.compute = entry.quantity<Watts>("compute", kAnyWatts);
  load.memory = entry.quantity<Watts>("memory", kAnyWatts);
  load.burst = entry.ratio("burst", {0.1, 1.0});
  load.bursts = entry.maybe_boolean("bursts").value_or(false);
  entry.finish();
  return load;
}

std::optional<CalibratedPower> read_calibrated_power(MapReader& reader) {
  auto block = reader.map("power", false);
  if (!block) return std::nullopt;
  CalibratedPower power;
  power.limit = block->quantity<Watts>("limit", kAnyWatts);
  power.idle = block->quantity<Watts>("idle", kAnyWatts);
  power.window = block->quantity<Seconds>("window", {1e-6, 3600.0});
  for (MapReader& load : block->maps("loads")) power.loads.push_back(read_load(load));
  power.provenance = read_provenance(*block);
  block->finish();
  return power;
}

bool is_calibration(std::string_view path) {
  constexpr std::string_view kFolder = "calibration/";
  constexpr std::string_view kFile = "/fit.yaml";
  return path.substr(0, kFolder.size()) == kFolder && path.size() > kFolder.size() + kFile.size() &&
         path.substr(path.size() - kFile.size()) == kFile;
}

}  // namespace

std::optional<CalibrationTable> load_calibration(const DataFile& file, Diagnostics& diagnostics) {
  const auto document = open_entry(file, diagnostics);
  if (!document) return std::nullopt;
  MapReader reader(*document, document->root, "calibration", diagnostics);
  const std::string schema = reader.text("schema");
  if (!schema.empty() && schema != kCalibrationSchema) {
    reader.report(
        "schema", lf::kWrongSchema,
        "a calibration is '" + std::string(kCalibrationSchema) + "', not '" + schema + "'",
        "write 'schema: " + std::string(kCalibrationSchema) + "'");
  }
  CalibrationTable table;
  table.chip = reader.text("chip");
  table.launch = read_launch(reader);
  table.power = read_calibrated_power(reader);
  for (MapReader& entry : reader.maps("kernels")) table.kernels.push_back(read_kernel(entry));
  reader.finish();
  return table;
}

std::vector<CalibrationTable> load_calibrations(std::span<const DataFile> files,
                                                Diagnostics& diagnostics) {
  std::vector<CalibrationTable> tables;
  for (const DataFile& file : files) {
    if (!is_calibration(file.path)) continue;
    auto table = load_calibration(file, diagnostics);
    if (!table) continue;
    const auto same = std::find_if(tables.begin(), tables.end(), [&](const CalibrationTable& t) {
      return t.chip == table->chip;
    });
    if (same != tables.end()) {
      *same = *std::move(table);
    } else {
      tables.push_back(*std::move(table));
    }
  }
  std::sort(tables.begin(), tables.end(),
            [](const CalibrationTable& a, const CalibrationTable& b) { return a.chip < b.chip; });
  return tables;
}

}  // namespace loadfactor::catalog
