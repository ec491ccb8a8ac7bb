// Logs of training runs: the steps as `calibrate` reads them, when they were written, and where a
// checkpoint was saved.
#include <algorithm>

#include "launch/vocabulary/table.h"
#include "observe/read/cells.h"
#include "observe/read/readers.h"

namespace loadfactor::observe {
namespace {

// The first `2026-11-10 10:00:00` of a line.
std::optional<double> stamp_of(std::string_view line) {
  constexpr std::string_view kShape = "0000-00-00 00:00:00";
  for (std::size_t at = line.find("20");
       at != std::string_view::npos && at + kShape.size() <= line.size();
       at = line.find("20", at + 1)) {
    const std::string_view part = line.substr(at, kShape.size());
    if (part[4] == '-' && part[7] == '-' && part[13] == ':') return read_stamp(part);
  }
  return std::nullopt;
}

// Whether the reader of steps took one from this line.
bool tells_step(const calibrate::TrainingLog& log, std::string_view line) {
  const auto alone = calibrate::read_training_log(log.file, line);
  return alone && alone->framework == log.framework;
}

std::vector<std::string> save_marks() {
  std::vector<std::string> marks;
  for (auto& row : launch::read_table("log_lines.csv"))
    if (row[1] == "save") marks.push_back(std::move(row[2]));
  return marks;
}

}  // namespace

bool looks_like_step_log(const TextFile& file) {
  // Settings fill the first part of a log.
  constexpr std::size_t kMostHead = 4 << 20;
  return calibrate::read_training_log(file.name, file.text.substr(0, kMostHead)).has_value();
}

Result<StepLog> read_step_log(const TextFile& file) {
  StepLog log;
  TRY(log.training, calibrate::read_training_log(file.name, file.text));
  const auto marks = save_marks();
  std::string_view rest = file.text;
  while (!rest.empty()) {
    const std::string_view text = take_line(rest);
    if (log.stamps.size() < log.training.steps.size() && tells_step(log.training, text))
      log.stamps.push_back(stamp_of(text));
    const bool saves = std::any_of(marks.begin(), marks.end(), [&](const std::string& mark) {
      return text.find(mark) != std::string_view::npos;
    });
    // Every rank may say so.
    if (saves && (log.saves.empty() || log.saves.back() != log.stamps.size()))
      log.saves.push_back(log.stamps.size());
  }
  log.stamps.resize(log.training.steps.size());
  return log;
}

}  // namespace loadfactor::observe
