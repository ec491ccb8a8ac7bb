#include "demand/read/week_file.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "config/csv.h"
#include "demand/read/import.h"

namespace loadfactor::demand {
namespace {

constexpr std::size_t kHoursOfWeek = 7 * 24;
constexpr Nanoseconds kHourTicks = 3600 * kNanosecondsPerSecond;
constexpr Nanoseconds kWeekTicks = static_cast<Nanoseconds>(kHoursOfWeek) * kHourTicks;
constexpr std::size_t kMostParts = kHoursOfWeek * 60;  // Minutes.

Error week_error(const std::string& file, std::string message) {
  return Error{.code = lf::kNotAWeek,
               .message = fmt::format("'{}' is not a week: {}", file, message),
               .hint =
                   "one row for each of 168 hours from Monday 0 h UTC on, or for each half or "
                   "quarter of them; or times and rates of whole weeks; or what "
                   "`loadfactor demand FILE --fit` writes"};
}

Result<std::vector<double>> with_mean_one(const std::string& file, std::vector<double> parts) {
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  if (!(sum > 0) || !std::isfinite(sum)) return week_error(file, "nothing comes in it");
  const double mean = sum / static_cast<double>(parts.size());
  for (double& part : parts) part /= mean;
  return parts;
}

// 1970 began on a Thursday.
Nanoseconds since_monday(const RateProfile& profile, Nanoseconds at) {
  constexpr Nanoseconds kThursday = 3 * 24 * kHourTicks;
  const Nanoseconds offset = profile.has_calendar ? profile.origin + kThursday : 0;
  return ((at + offset) % kWeekTicks + kWeekTicks) % kWeekTicks;
}

Result<std::vector<double>> fold(const std::string& file, const RateProfile& profile) {
  const Nanoseconds window = profile.windows.empty() ? 0 : profile.windows.front().length;
  if (window <= 0 || window > kHourTicks || kWeekTicks % window != 0)
    return week_error(file, "its windows are longer than an hour, or none of a week's parts");
  const auto size = static_cast<std::size_t>(kWeekTicks / window);
  if (size > kMostParts) return week_error(file, "its windows are shorter than a minute");
  std::vector<double> sums(size, 0.0);
  std::vector<int> counts(size, 0);
  for (const auto& each : profile.windows) {
    const auto part = static_cast<std::size_t>(since_monday(profile, each.start) / window) % size;
    sums[part] += each.rate.base();
    ++counts[part];
  }
  const auto missing = std::count(counts.begin(), counts.end(), 0);
  if (missing > 0)
    return week_error(file, fmt::format("{} of its {} parts have no rate", missing, size));
  for (std::size_t i = 0; i < size; ++i) sums[i] /= counts[i];
  return with_mean_one(file, std::move(sums));
}

std::optional<double> number_in(const config::CsvCell& cell) {
  const auto number = parse_quantity(cell.text, Dimension{}, Expect::kRatio);
  return number ? std::optional(number->value) : std::nullopt;
}

// The numbers of the last column; the first row may be a heading.
Result<std::vector<double>> read_column(const std::string& file, std::string_view bytes) {
  Diagnostics ragged;
  auto table = config::parse_csv(file, std::string(bytes), ragged);
  if (!table) return table.error();
  if (!ragged.empty()) return ragged.errors().front();
  if (table->header.empty()) return week_error(file, "it is empty");
  std::vector<double> parts;
  if (const auto first = number_in(table->header.back())) parts.push_back(*first);
  for (const auto& row : table->rows) {
    const auto number = number_in(row.back());
    if (!number || !(*number >= 0))
      return table->error(lf::kNotANumber, row.back(),
                          fmt::format("'{}' is not a rate", row.back().text),
                          "write a number, 0 or more, in the last column of every row");
    parts.push_back(*number);
  }
  if (parts.empty() || parts.size() % kHoursOfWeek != 0 || parts.size() > kMostParts)
    return week_error(file, fmt::format("it has {} rows", parts.size()));
  return with_mean_one(file, std::move(parts));
}

}  // namespace

Result<std::vector<double>> read_week(const std::string& file, std::string_view bytes) {
  const auto import = import_demand(file, bytes);
  if (import)
    if (const auto* profile = std::get_if<RateProfile>(&import->data)) return fold(file, *profile);
  return read_column(file, bytes);
}

}  // namespace loadfactor::demand
