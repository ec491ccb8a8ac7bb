#include "catalog/load/region_loader.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/error_codes.h"
#include "catalog/load/entry_reader.h"

namespace loadfactor::catalog {
namespace {

using config::MapReader;
using config::Range;

// 0.001 to 2 USD/kWh, in dollars per joule.
constexpr Range kTariff{0.001 / 3.6e6, 2.0 / 3.6e6, true};
constexpr Range kTemperature{-60, 60};
constexpr Range kLatitude{-90, 90};
constexpr Range kLongitude{-180, 180};

void read_electricity(MapReader& reader, RegionSpec& spec) {
  auto block = reader.map("electricity");
  if (!block) return;
  spec.electricity = block->quantity<DollarsPerJoule>("price", kTariff);
  spec.electricity_low = block->maybe_quantity<DollarsPerJoule>("low", kTariff);
  spec.electricity_high = block->maybe_quantity<DollarsPerJoule>("high", kTariff);
  spec.electricity_provenance = read_provenance(*block);
  const bool is_known = spec.electricity > DollarsPerJoule();
  if (is_known && (spec.electricity_low.value_or(spec.electricity) > spec.electricity ||
                   spec.electricity_high.value_or(spec.electricity) < spec.electricity)) {
    block->report("price", lf::kInconsistentFigures, "the price lies outside its own bounds",
                  "low <= price <= high must hold");
  }
  block->finish();
}

void read_carbon(MapReader& reader, RegionSpec& spec) {
  auto block = reader.map("carbon", false);
  if (!block) return;
  spec.carbon_grams_per_kwh = read_measure(*block, "intensity", "g/kWh", {0, 2000});
  spec.carbon_provenance = read_provenance(*block);
  block->finish();
}

void read_climate(MapReader& reader, RegionSpec& spec) {
  auto block = reader.map("climate", false);
  if (!block) return;
  RegionClimate climate;
  climate.kind = block->text("class");
  climate.mean_celsius = read_measure(*block, "mean", "C", kTemperature).value_or(0.0);
  climate.design_celsius = read_measure(*block, "design", "C", kTemperature).value_or(0.0);
  climate.provenance = read_provenance(*block);
  if (climate.design_celsius < climate.mean_celsius) {
    block->report("design", lf::kInconsistentFigures, "the design temperature is below the mean",
                  "swap them, or correct one");
  }
  block->finish();
  spec.climate = climate;
}

void read_location(MapReader& reader, RegionSpec& spec) {
  auto block = reader.map("location", false);
  if (!block) return;
  RegionLocation location;
  location.place = block->text("place");
  const auto latitude = read_measure(*block, "latitude", "deg", kLatitude);
  const auto longitude = read_measure(*block, "longitude", "deg", kLongitude);
  location.provenance = read_provenance(*block);
  block->finish();
  if (!latitude || !longitude) return;
  location.latitude = *latitude;
  location.longitude = *longitude;
  spec.location = location;
}

}  // namespace

RegionSpec load_region(const DataFile& file, Diagnostics& diagnostics) {
  RegionSpec spec;
  spec.name = stem(file.path);
  const auto document = open_entry(file, diagnostics);
  if (!document) return spec;
  MapReader reader(*document, document->root, "region", diagnostics);
  spec.title = read_head(reader, "region/1", file).title;
  read_electricity(reader, spec);
  read_carbon(reader, spec);
  read_climate(reader, spec);
  read_location(reader, spec);
  spec.note = reader.maybe_text("note").value_or("");
  reader.finish();
  spec.provenance = combine({&spec.electricity_provenance}, file.shown_as);
  return spec;
}

}  // namespace loadfactor::catalog
