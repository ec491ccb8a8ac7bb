#include "demand/read/headless_jobs.h"

#include <algorithm>
#include <array>

#include "demand/read/cell_text.h"
#include "demand/read/csv_rows.h"
#include "demand/stamp.h"

namespace loadfactor::demand {
namespace {

constexpr std::size_t kRowsLookedAt = 500;

bool is_job_number(std::string_view cell) {
  return !cell.empty() && std::all_of(cell.begin(), cell.end(),
                                      [](char c) { return (c >= '0' && c <= '9') || c == '_'; });
}

bool is_state(std::string_view cell) {
  static constexpr std::array<std::string_view, 9> kStates{
      "COMPLETED", "FAILED",    "CANCELLED",     "TIMEOUT", "NODE_FAIL",
      "RUNNING",   "PREEMPTED", "OUT_OF_MEMORY", "REQUEUED"};
  return std::any_of(kStates.begin(), kStates.end(),
                     [cell](std::string_view state) { return cell.starts_with(state); });
}

bool has_gpus(std::string_view cell) {
  return cell.find("gres/gpu") != std::string_view::npos || cell.starts_with("gpu:");
}

// `01:00:00`, `1-02:00:00`.
bool is_elapsed(std::string_view cell) {
  return std::count(cell.begin(), cell.end(), ':') == 2 &&
         cell.find_first_not_of("0123456789:-.") == std::string_view::npos;
}

// Names of a row's columns, or nothing if it does not have them all.
std::optional<std::vector<std::string>> names_of(const std::vector<std::string_view>& row) {
  std::vector<std::string> names(row.size());
  std::vector<std::pair<Nanoseconds, std::size_t>> dates;
  bool has_gpu_column = false;
  if (row.empty() || !is_job_number(row[0])) return std::nullopt;
  names[0] = "JobID";
  for (std::size_t i = 1; i < row.size(); ++i) {
    const std::string_view cell = trimmed(row[i]);
    if (const auto at = DateReader().read(cell)) {
      dates.emplace_back(*at, i);
    } else if (is_state(cell)) {
      names[i] = "State";
    } else if (has_gpus(cell) && !has_gpu_column) {
      names[i] = "AllocTRES";
      has_gpu_column = true;
    } else if (is_elapsed(cell)) {
      names[i] = "Elapsed";
    }
  }
  // A job is submitted before it starts, and starts before it ends.
  static constexpr std::array<std::string_view, 3> kTimes{"Submit", "Start", "End"};
  if (!has_gpu_column || dates.size() < 2 || dates.size() > kTimes.size()) return std::nullopt;
  std::stable_sort(dates.begin(), dates.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < dates.size(); ++i)
    names[dates[i].second] = kTimes[i + kTimes.size() - dates.size()];
  return names;
}

}  // namespace

std::optional<std::vector<std::string>> headless_job_columns(std::string_view text) {
  CsvRows rows(guess_delimiter(text));
  for (std::size_t looked = 0; looked < kRowsLookedAt && !text.empty(); ++looked) {
    const std::size_t size = rows.read(text, /*is_last=*/true);
    if (size == 0) break;
    text.remove_prefix(size);
    if (auto names = names_of(rows.cells())) return names;
  }
  return std::nullopt;
}

}  // namespace loadfactor::demand
