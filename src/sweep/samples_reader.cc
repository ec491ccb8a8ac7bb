// Points that are sampled, and cases that a table lists.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/csv.h"
#include "sweep/parts_reader.h"

namespace loadfactor::sweep {
namespace {

using config::MapReader;

constexpr std::array<config::Word<Sampling>, 3> kMethods{
    {{"sobol", Sampling::kSobol},
     {"latin-hypercube", Sampling::kLatinHypercube},
     {"saltelli", Sampling::kSaltelli}}};

struct SampledAxis {
  std::size_t target = 0;
  Ends ends;
  config::Position position;
};

std::vector<SampledAxis> read_sampled(const Desk& desk, MapReader& samples) {
  std::vector<SampledAxis> axes;
  if (!desk.needs(samples, "over", "[{key: seed, from: 1, to: 8}]")) return axes;
  for (MapReader& axis : samples.maps("over")) {
    const std::string key =
        desk.needs(axis, "key", "money.electricity, --context or seed") ? axis.text("key") : "";
    const std::string name = axis.maybe_text("name").value_or("");
    auto ends = read_ends(desk, axis);
    axis.finish();
    if (key.empty() || !ends) continue;
    const auto target = add_target(desk, key, axis.position_of("key"), name);
    if (!target) continue;
    ends->is_whole = ends->is_whole || desk.sweep().targets[*target].kind == TargetKind::kSeed;
    axes.push_back({*target, *ends, axis.position()});
  }
  return axes;
}

bool is_sound(const Desk& desk, const MapReader& samples, Sampling method, std::size_t axes,
              std::int64_t count) {
  const std::size_t needs = method == Sampling::kSaltelli ? 2 * axes : axes;
  if (needs > kMostDimensions && method != Sampling::kLatinHypercube) {
    desk.refuse(lf::kTooLarge, samples.position_of("over"),
                fmt::format("{} axes are sampled", axes),
                fmt::format("at most {} with sobol, {} with saltelli; latin-hypercube takes any",
                            kMostDimensions, kMostDimensions / 2));
    return false;
  }
  const std::size_t rows = method == Sampling::kSaltelli ? axes + 2 : 1;
  if (static_cast<std::size_t>(count) * rows <= kMostPoints) return true;
  desk.refuse(lf::kTooLarge, samples.position_of("count"),
              fmt::format("{} points are sampled", static_cast<std::size_t>(count) * rows),
              fmt::format("at most {}", kMostPoints));
  return false;
}

// The cells of a CSV file as the tree of a document, for errors alone.
std::shared_ptr<const config::Document> document_of(const config::CsvTable& table) {
  auto document = std::make_shared<config::Document>();
  document->file = table.file;
  document->text = table.text;
  document->lines = config::LineIndex(document->text);
  return document;
}

// An empty cell leaves the case as the scenario has it, so that rows of several scenarios may stand
// in one table; `null` takes the key out, as it does in a list.
WrittenText table_value(const config::CsvCell& cell, const config::Document* document) {
  const bool is_blank = cell.text == "null";
  return {.text = is_blank ? "" : cell.text,
          .is_blank = is_blank,
          .is_base = cell.text.empty(),
          .position = cell.position,
          .document = document};
}

}  // namespace

void read_samples(const Desk& desk, MapReader& map) {
  auto samples = map.map("samples", false);
  if (!samples) return;
  const auto method = samples->word<Sampling>("method", kMethods, Sampling::kNone);
  const config::Range counts{
      .low = 1, .high = static_cast<double>(kMostPoints), .hint = "count: 256"};
  const std::int64_t count =
      desk.needs(*samples, "count", "256") ? samples->integer("count", counts) : 0;
  const auto seed = samples->maybe_integer("seed", {0, static_cast<double>(kMostSeed)}).value_or(1);
  const auto axes = read_sampled(desk, *samples);
  samples->finish();
  if (method == Sampling::kNone || count < 1 || axes.empty()) return;
  if (!is_sound(desk, *samples, method, axes.size(), count)) return;
  Block block{.sampling = method, .is_numeric = true};
  for (const SampledAxis& axis : axes) block.targets.push_back(axis.target);
  const auto points = sample_points(method, static_cast<std::size_t>(count), axes.size(),
                                    static_cast<std::uint64_t>(seed));
  for (const UnitPoint& unit : points) {
    Point point;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      const Ends& ends = axes[d].ends;
      // A whole number of [from, to] is as likely as any other.
      const double value =
          ends.is_whole ? std::floor(Ends{ends.from, ends.to + 1, "", ends.is_log}.at(unit[d]))
                        : ends.at(unit[d]);
      point.values.push_back({.text = ends.is_whole ? whole_number(value, ends.unit)
                                                    : number_with_unit(value, ends.unit),
                              .position = axes[d].position});
    }
    block.points.push_back(std::move(point));
  }
  desk.sweep().blocks.push_back(std::move(block));
}

void read_case_table(const Desk& desk, MapReader& map) {
  const auto path = map.maybe_text("cases");
  if (!path) return;
  const auto text = desk.open(*path);
  if (!text) {
    Error error = text.error();
    desk.refuse(error.code, map.position_of("cases"), error.message, error.hint);
    return;
  }
  const auto table = config::parse_csv(*path, *text, desk.diagnostics);
  if (!table) {
    Error error = table.error();
    if (error.hint.empty()) error.hint = "a header of keys, and a row for each case";
    return desk.diagnostics.add(std::move(error));
  }
  const auto document = document_of(*table);
  desk.file.tables.push_back(document);
  Block block;
  if (table->header.size() == 1 && table->header[0].text.find(';') != std::string::npos)
    return desk.diagnostics.add(document->error(
        lf::kSyntax, table->header[0].position, "the columns are separated by semicolons",
        "separate them by commas, as spreadsheets save `CSV (comma delimited)`; a decimal is 0.5"));
  for (const auto& cell : table->header) {
    const auto target = add_target(desk, cell.text, cell.position, "", document.get());
    if (!target) return;
    block.targets.push_back(*target);
  }
  if (table->rows.empty() || table->rows.size() > kMostPoints)
    return desk.refuse(lf::kEmptyFile, map.position_of("cases"),
                       fmt::format("'{}' has {} cases", *path, table->rows.size()),
                       fmt::format("a header and from 1 to {} rows", kMostPoints));
  for (const auto& row : table->rows) {
    Point point;
    for (const auto& cell : row) point.values.push_back(table_value(cell, document.get()));
    block.points.push_back(std::move(point));
  }
  desk.sweep().blocks.push_back(std::move(block));
}

}  // namespace loadfactor::sweep
