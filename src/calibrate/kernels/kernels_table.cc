#include "calibrate/kernels/kernels_table.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/error_codes.h"
#include "calibrate/kernels/kernels_formats.h"
#include "calibrate/kernels/kernels_rows.h"
#include "config/csv.h"

namespace loadfactor::calibrate {
namespace {

using Group = std::tuple<std::string, int, int, int>;

Group group_of(const KernelSample& sample) {
  return {sample.chip, static_cast<int>(sample.key.kernel), static_cast<int>(sample.key.dtype),
          static_cast<int>(sample.key.variant)};
}

std::optional<std::string> chip_of(const TableRow& row, const KernelTableFile& file,
                                   const ChipResolver& resolve) {
  for (const std::string_view column : {"system", "device"}) {
    if (row.has(column)) return resolve(row.text(column));
  }
  if (file.chip.empty()) return std::nullopt;
  return file.chip;
}

const TableFormat* format_of(const config::CsvTable& table) {
  for (const TableFormat& format : table_formats()) {
    const bool fits =
        std::all_of(format.columns.begin(), format.columns.end(), [&](std::string_view column) {
          return column.empty() || table.column(column).has_value();
        });
    if (fits) return &format;
  }
  return nullptr;
}

KernelMeasurements read_file(const KernelTableFile& file, const ChipResolver& resolve,
                             Diagnostics& diagnostics) {
  KernelMeasurements found;
  const auto table = config::parse_csv(file.name, file.text, diagnostics);
  if (!table) {
    diagnostics.add(table.error());
    return found;
  }
  const TableFormat* format = format_of(*table);
  if (format == nullptr) {
    diagnostics.add(Error{.code = lf::kMissingColumn,
                          .message = "the columns are not those of a kernel table",
                          .hint = "a matrix-product table has m, n, k, dtype and seconds",
                          .where = {.file = file.name}});
    return found;
  }
  TableRow row(*table, diagnostics);
  for (std::size_t i = 0; i < table->rows.size(); ++i) {
    row.select(i);
    const auto chip = chip_of(row, file, resolve);
    if (chip) format->read(row, {*chip, file.source}, found);
  }
  return found;
}

// Where rows with evenly spread tokens exist, uneven ones are left out, and of the kernels that
// serve one format the first stays.
void settle(std::vector<KernelSample>& samples) {
  std::map<Group, std::pair<int, std::string>> best;
  for (const KernelSample& sample : samples) {
    const auto [place, fresh] = best.try_emplace(group_of(sample), sample.rank, sample.maker);
    if (!fresh && sample.rank < place->second.first) place->second = {sample.rank, sample.maker};
  }
  std::erase_if(samples, [&](const KernelSample& sample) {
    const auto& [rank, maker] = best.at(group_of(sample));
    return sample.rank != rank || sample.maker != maker;
  });
}

}  // namespace

KernelMeasurements read_kernel_tables(std::span<const KernelTableFile> files,
                                      const ChipResolver& resolve, Diagnostics& diagnostics) {
  KernelMeasurements all;
  for (const KernelTableFile& file : files) {
    KernelMeasurements found = read_file(file, resolve, diagnostics);
    settle(found.kernels);
    std::set<Group> replaced;
    for (const KernelSample& sample : found.kernels) replaced.insert(group_of(sample));
    std::erase_if(all.kernels,
                  [&](const KernelSample& s) { return replaced.count(group_of(s)) > 0; });
    std::move(found.kernels.begin(), found.kernels.end(), std::back_inserter(all.kernels));
    std::move(found.launches.begin(), found.launches.end(), std::back_inserter(all.launches));
    std::move(found.power.begin(), found.power.end(), std::back_inserter(all.power));
  }
  return all;
}

}  // namespace loadfactor::calibrate
