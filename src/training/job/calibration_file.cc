#include "training/job/calibration_file.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/document.h"
#include "config/reader.h"
#include "config/schema.h"

namespace loadfactor::training {

namespace {

using config::MapReader;
using config::Range;

constexpr Range kAnyPositive{0.0, 1e12};
constexpr std::array<std::string_view, kNumWidths> kWidthKeys{"sustained_16", "sustained_8",
                                                              "sustained_4"};

Fitted read_fitted(MapReader& reader) {
  Fitted fitted;
  fitted.value = reader.ratio("value", kAnyPositive);
  fitted.prior = reader.ratio("prior", kAnyPositive);
  fitted.width = reader.ratio("width", kAnyPositive);
  fitted.error = reader.ratio("error", kAnyPositive);
  return fitted;
}

void read_constants(MapReader& root, CalibrationFile& file) {
  auto map = root.map("constants");
  if (!map) return;
  for (std::size_t i = 0; i < kNumConstants; ++i) {
    auto one = map->map(name(static_cast<Constant>(i)));
    if (!one) continue;
    ConstantEntry& entry = file.constants[i];
    entry.fitted = read_fitted(*one);
    entry.unit = one->text("unit");
    entry.source = one->text("source");
    entry.what = one->text("what");
    one->finish();
  }
  map->finish();
}

Constant find_constant(MapReader& reader, std::string_view key) {
  const std::string text = reader.text(key);
  for (std::size_t i = 0; i < kNumConstants; ++i) {
    if (text == name(static_cast<Constant>(i))) return static_cast<Constant>(i);
  }
  reader.report(key, lf::kUnknownWord, fmt::format("'{}' is no constant of the step model", text));
  return Constant::kAttentionAmpere;
}

KernelFamily read_family(MapReader& reader, std::string family_name) {
  KernelFamily family;
  family.name = std::move(family_name);
  const auto tiles = reader.integers("tiles", {1, 1024});
  family.num_tiles = std::min(tiles.size() / 3, family.tiles.size());
  for (std::size_t i = 0; i < family.num_tiles; ++i) {
    family.tiles[i] = {static_cast<double>(tiles[3 * i]), static_cast<double>(tiles[3 * i + 1]),
                       static_cast<double>(tiles[3 * i + 2]) / 100.0};
  }
  if (family.num_tiles == 0 || tiles.size() % 3 != 0) {
    reader.report("tiles", lf::kWrongType, "tiles are rows, columns and a percentage, one to six");
  }
  const auto fill = reader.integers("fill", {0, 4096});
  for (std::size_t i = 0; i < std::min(fill.size(), kNumWidths); ++i) {
    family.fill[i] = static_cast<double>(fill[i]);
  }
  family.wave_share = reader.ratio("wave_share");
  family.attention = find_constant(reader, "attention");
  family.systolic = reader.boolean("systolic");
  family.newer_attention = reader.boolean("newer_attention");
  return family;
}

void read_families(MapReader& root, CalibrationFile& file) {
  auto families = root.map("families");
  const config::Node* node = root.node("families");
  if (!families || node == nullptr) return;
  for (const config::Member& member : node->members) {
    auto reader = families->map(member.key);
    if (!reader) continue;
    file.families.push_back(read_family(*reader, member.key));
    file.family_sources.push_back(reader->text("source"));
    reader->finish();
  }
}

ChipEntry read_chip(MapReader& reader, const std::string& chip_name, const CalibrationFile& file) {
  ChipEntry entry;
  entry.chip.accelerator = chip_name;
  entry.chip.chip_family = reader.text("family");
  const std::string kernels = reader.text("kernels");
  const auto found = std::find_if(file.families.begin(), file.families.end(),
                                  [&](const KernelFamily& f) { return f.name == kernels; });
  if (found == file.families.end()) {
    reader.report("kernels", lf::kUnknownWord, fmt::format("no kernel family '{}'", kernels));
  } else {
    entry.chip.family = static_cast<std::size_t>(found - file.families.begin());
  }
  entry.chip.has_tables = reader.boolean("tables");
  entry.runs = static_cast<int>(reader.integer("runs", {0, 1'000'000}));
  for (std::size_t i = 0; i < kNumWidths; ++i) {
    auto one = reader.map(kWidthKeys[i]);
    if (!one) continue;
    entry.sustained[i] = read_fitted(*one);
    entry.chip.sustained[i] = entry.sustained[i].value;
    one->finish();
  }
  entry.chip.attention = reader.ratio("attention");
  entry.chip.attention_half = reader.ratio("attention_half", kAnyPositive);
  entry.chip.scale_up = reader.ratio("scale_up");
  entry.doubt = reader.maybe_ratio("doubt", kAnyPositive).value_or(0.0);
  entry.source = reader.text("source");
  return entry;
}

void read_chips(MapReader& root, CalibrationFile& file) {
  auto chips = root.map("chips");
  const config::Node* node = root.node("chips");
  if (!chips || node == nullptr) return;
  for (const config::Member& member : node->members) {
    auto reader = chips->map(member.key);
    if (!reader) continue;
    file.chips.push_back(read_chip(*reader, member.key, file));
    reader->finish();
  }
}

void read_levels(MapReader& root, CalibrationFile& file) {
  auto software = root.map("software");
  const config::Node* node = root.node("software");
  if (!software || node == nullptr) return;
  for (const config::Member& member : node->members) {
    auto reader = software->map(member.key);
    if (!reader) continue;
    file.levels.push_back({member.key, read_fitted(*reader)});
    reader->finish();
  }
}

void read_intervals(MapReader& root, CalibrationFile& file) {
  auto map = root.map("intervals");
  if (!map) return;
  for (std::size_t i = 0; i < kNumJobClasses; ++i) {
    auto one = map->map(name(static_cast<JobClass>(i)));
    if (!one) continue;
    file.intervals[i] = {one->ratio("low", kAnyPositive), one->ratio("high", kAnyPositive)};
    one->finish();
  }
  map->finish();
}

std::string text_of(const Fitted& f) {
  return fmt::format("value: {:.6g}, prior: {:.6g}, width: {:.4g}, error: {:.4g}", f.value, f.prior,
                     f.width, f.error);
}

void write_family(std::string& out, const KernelFamily& family, const std::string& source) {
  std::vector<int> tiles;
  for (std::size_t i = 0; i < family.num_tiles; ++i) {
    tiles.push_back(static_cast<int>(family.tiles[i].rows));
    tiles.push_back(static_cast<int>(family.tiles[i].columns));
    tiles.push_back(static_cast<int>(family.tiles[i].share * 100.0 + 0.5));
  }
  out += fmt::format("  {}: {{tiles: [{}],\n    wave_share: {:g}, fill: [{:g}, {:g}, {:g}], ",
                     family.name, fmt::join(tiles, ", "), family.wave_share, family.fill[0],
                     family.fill[1], family.fill[2]);
  out += fmt::format("attention: {},\n    systolic: {}, newer_attention: {}, source: {}}}\n",
                     name(family.attention), family.systolic, family.newer_attention, source);
}

void write_chip(std::string& out, const ChipEntry& entry, const std::string& kernels) {
  const ChipConstants& chip = entry.chip;
  out += fmt::format("  {}:\n    family: {}\n    kernels: {}\n    tables: {}\n    runs: {}\n",
                     chip.accelerator, chip.chip_family, kernels, chip.has_tables, entry.runs);
  for (std::size_t i = 0; i < kNumWidths; ++i) {
    out += fmt::format("    {}: {{{}}}\n", kWidthKeys[i], text_of(entry.sustained[i]));
  }
  out += fmt::format("    attention: {:g}\n    attention_half: {:g}\n    scale_up: {:g}\n",
                     chip.attention, chip.attention_half, chip.scale_up);
  if (entry.doubt > 0) out += fmt::format("    doubt: {:.4g}\n", entry.doubt);
  out += fmt::format("    source: {}\n", entry.source);
}

}  // namespace

std::string_view name(JobClass job_class) {
  constexpr std::array<std::string_view, kNumJobClasses> kNames{
      "dense",   "dense_missing", "dense_no_tables", "moe",
      "foreign", "foreign_moe",   "new_chip",        "new_chip_moe"};
  return kNames[static_cast<std::size_t>(job_class)];
}

namespace {

// What a distance adds to the familiar width, in squares.
double added(double far, double familiar) {
  return std::max(0.0, far * far - familiar * familiar);
}

}  // namespace

IntervalWidth CalibrationFile::interval(JobClass job_class, Familiar familiar) const {
  const auto of = [this](JobClass c) { return intervals[static_cast<std::size_t>(c)]; };
  const bool moe = job_class == JobClass::kMoe;
  const IntervalWidth near = of(moe ? JobClass::kMoe : JobClass::kDense);
  const IntervalWidth width = of(job_class);
  double low = width.low * width.low;
  double high = width.high * width.high;
  const auto widen = [&](const IntervalWidth& far) {
    low += added(far.low, near.low);
    high += added(far.high, near.high);
  };
  if (!familiar.software) widen(of(moe ? JobClass::kForeignMoe : JobClass::kForeign));
  if (!familiar.chip) widen(of(moe ? JobClass::kNewChipMoe : JobClass::kNewChip));
  return {std::sqrt(low), std::sqrt(high)};
}

double CalibrationFile::doubt_of(std::string_view accelerator) const {
  for (const ChipEntry& entry : chips)
    if (entry.chip.accelerator == accelerator) return entry.doubt;
  return 0.0;
}

IntervalWidth CalibrationFile::interval_on(std::string_view accelerator, JobClass job_class,
                                           Familiar familiar) const {
  const IntervalWidth width = interval(job_class, familiar);
  const double least = doubt_of(accelerator);
  return {std::max(width.low, least), std::max(width.high, least)};
}

bool CalibrationFile::has_runs_on(std::string_view accelerator) const {
  return std::any_of(chips.begin(), chips.end(), [&](const ChipEntry& entry) {
    return entry.chip.accelerator == accelerator && entry.runs > 0;
  });
}

Calibration CalibrationFile::calibration() const {
  Calibration result;
  for (std::size_t i = 0; i < kNumConstants; ++i) {
    result.shared.values[i] = constants[i].fitted.value;
  }
  for (const LevelEntry& entry : levels)
    result.shared.levels.push_back({entry.family, entry.fitted.value});
  result.families = families;
  for (const ChipEntry& entry : chips) {
    result.chips.push_back(entry.chip);
    for (std::size_t i = 0; i < kNumWidths; ++i) {
      result.chips.back().sustained[i] = entry.sustained[i].value;
    }
  }
  return result;
}

CalibrationFile load_calibration(const catalog::DataFile& file, Diagnostics& diagnostics) {
  CalibrationFile result;
  auto document = config::parse_yaml(file.shown_as, file.text);
  if (!document) {
    diagnostics.add(std::move(document).error());
    return result;
  }
  MapReader root(*document, document->root, "calibration", diagnostics);
  config::check_schema(root, "training-calibration", 1);
  read_constants(root, result);
  read_families(root, result);
  read_chips(root, result);
  read_levels(root, result);
  read_intervals(root, result);
  root.finish();
  return result;
}

std::string write_calibration(const CalibrationFile& file) {
  std::string out =
      "schema: training-calibration/1\n"
      "# Priors are before the fit, values after it. `width` and `error` are standard deviations\n"
      "# of the logarithm. A prior whose source is `training-results` was moved, in several "
      "rounds, with\n"
      "# the errors on these same runs in sight: errors out of source are optimistic by that "
      "much.\n"
      "# Written by `loadfactor calibrate training`.\n"
      "constants:\n";
  for (std::size_t i = 0; i < kNumConstants; ++i) {
    const ConstantEntry& entry = file.constants[i];
    out += fmt::format("  {}: {{{}, unit: \"{}\",\n    source: {}, what: \"{}\"}}\n",
                       name(static_cast<Constant>(i)), text_of(entry.fitted), entry.unit,
                       entry.source, entry.what);
  }
  out += "families:\n";
  for (std::size_t i = 0; i < file.families.size(); ++i) {
    write_family(out, file.families[i], file.family_sources[i]);
  }
  out += "chips:\n";
  for (const ChipEntry& entry : file.chips) {
    write_chip(out, entry, file.families[entry.chip.family].name);
  }
  out +=
      "# Rates of a code base's runs over what all terms say, where two sources or more have "
      "any.\n";
  out += "software:\n";
  for (const LevelEntry& entry : file.levels)
    out += fmt::format("  {}: {{{}}}\n", entry.family, text_of(entry.fitted));
  out += "intervals:\n";
  for (std::size_t i = 0; i < kNumJobClasses; ++i) {
    out += fmt::format("  {}: {{low: {:.4g}, high: {:.4g}}}\n", name(static_cast<JobClass>(i)),
                       file.intervals[i].low, file.intervals[i].high);
  }
  return out;
}

}  // namespace loadfactor::training
