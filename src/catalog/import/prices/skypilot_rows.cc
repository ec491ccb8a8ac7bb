#include "catalog/import/prices/skypilot_rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/csv.h"

namespace loadfactor::catalog {
namespace {

using config::CsvCell;
using config::CsvTable;

constexpr std::array<std::string_view, 5> kRequiredColumns{"InstanceType", "AcceleratorName",
                                                           "AcceleratorCount", "Region", "Price"};
// Dollars per hour: the largest TPU pod costs a quarter of it.
constexpr double kMaxPricePerHour = 1e5;
constexpr double kMaxAccelerators = 1e5;
constexpr std::size_t kMaxRowErrors = 100;
constexpr std::size_t kLongestCell = std::size_t{64} << 10U;
constexpr config::Limits kListLimits{.bytes = std::size_t{32} << 20U, .nodes = 2'000'000};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

class Reader {
 public:
  Reader(const CsvTable& table, Diagnostics& diagnostics)
      : table_(table), diagnostics_(diagnostics) {}

  // Reports the columns that are missing.
  bool check_header() {
    const std::size_t before = diagnostics_.size();
    for (const std::string_view name : kRequiredColumns) {
      if (table_.column(name)) continue;
      diagnostics_.add(table_.error(lf::kMissingColumn, table_.header.front(),
                                    fmt::format("there is no column '{}'", name),
                                    "SkyPilot writes it in every vms.csv"));
    }
    return diagnostics_.size() == before;
  }

  const CsvCell* cell(std::size_t row, std::string_view column) const {
    const auto index = table_.column(column);
    return index ? &table_.rows[row][*index] : nullptr;
  }

  std::string text(std::size_t row, std::string_view column) const {
    const CsvCell* found = cell(row, column);
    return found == nullptr ? std::string() : std::string(trimmed(found->text));
  }

  std::optional<double> number(std::size_t row, std::string_view column, double most) {
    const CsvCell* found = cell(row, column);
    if (found == nullptr || trimmed(found->text).empty()) return std::nullopt;
    const std::string_view written = trimmed(found->text);
    double value = 0.0;
    const auto parsed = std::from_chars(written.data(), written.data() + written.size(), value);
    const bool whole = parsed.ptr == written.data() + written.size();
    const bool too_large = parsed.ec == std::errc::result_out_of_range;
    if (!whole || (parsed.ec != std::errc() && !too_large)) {
      return refuse(lf::kNotANumber, *found,
                    fmt::format("{} is '{}', not a number", column, written));
    }
    if (too_large || !std::isfinite(value)) {
      return refuse(lf::kNotFinite, *found, fmt::format("{} is not a finite number", column));
    }
    if (value < 0) return refuse(lf::kOutOfRange, *found, fmt::format("{} is negative", column));
    if (value > most) {
      return refuse(lf::kAbsurdMagnitude, *found,
                    fmt::format("{} is {}, more than {} is not believed", column, written, most));
    }
    return value;
  }

  std::optional<double> refuse(int code, const CsvCell& at, std::string message) {
    diagnostics_.add(table_.error(code, at, std::move(message)));
    return std::nullopt;
  }

  // Reports a cell that is no value but a dump.
  void check_length(std::size_t row) {
    for (const CsvCell& found : table_.rows[row]) {
      if (found.text.size() <= kLongestCell) continue;
      refuse(lf::kTooLarge, found, fmt::format("a cell of {} bytes", found.text.size()));
    }
  }

  // The accelerators of a row that names some.
  double count(std::size_t row) {
    const CsvCell& at = *cell(row, "AcceleratorCount");
    const std::size_t before = diagnostics_.size();
    const auto value = number(row, "AcceleratorCount", kMaxAccelerators);
    if (!value && diagnostics_.size() == before) {
      refuse(lf::kMissingKey, at, "AcceleratorCount is empty, but there is an accelerator");
    }
    if (value && *value == 0) refuse(lf::kOutOfRange, at, "AcceleratorCount is 0");
    return value.value_or(0.0);
  }

 private:
  const CsvTable& table_;
  Diagnostics& diagnostics_;
};

SkypilotRow read_row(Reader& reader, std::size_t i, const SkypilotInput& input) {
  SkypilotRow row{.file = input.file, .as_of = input.as_of};
  reader.check_length(i);
  row.cloud = lower(reader.text(i, "Cloud"));
  if (row.cloud.empty()) row.cloud = lower(input.cloud);
  row.instance = reader.text(i, "InstanceType");
  row.accelerator = reader.text(i, "AcceleratorName");
  row.place = reader.text(i, "AvailabilityZone");
  if (row.place.empty()) row.place = reader.text(i, "Region");
  if (!row.accelerator.empty()) row.count = reader.count(i);
  row.price = reader.number(i, "Price", kMaxPricePerHour);
  row.spot = reader.number(i, "SpotPrice", kMaxPricePerHour);
  row.line = reader.cell(i, "Price")->position.line;
  return row;
}

}  // namespace

std::vector<SkypilotRow> read_skypilot_rows(SkypilotInput input, Diagnostics& diagnostics) {
  std::vector<SkypilotRow> rows;
  const std::size_t before = diagnostics.size();
  const auto table = config::parse_csv(input.file, std::move(input.text), diagnostics, kListLimits);
  if (!table) {
    diagnostics.add(table.error());
    return rows;
  }
  Reader reader(*table, diagnostics);
  if (!reader.check_header()) return rows;
  if (input.cloud.empty() && !table->column("Cloud")) {
    diagnostics.add(table->error(lf::kMissingColumn, table->header.front(),
                                 "neither a column 'Cloud' nor the file's folder names the cloud",
                                 "keep the file as <cloud>/vms.csv"));
    return rows;
  }
  for (std::size_t i = 0; i < table->rows.size(); ++i) {
    if (diagnostics.size() - before >= kMaxRowErrors) break;
    rows.push_back(read_row(reader, i, input));
  }
  return rows;
}

}  // namespace loadfactor::catalog
