// Logs of training runs: the steps as `calibrate` reads them, when they were written, and where a
// checkpoint was saved.
#include <algorithm>
#include <unordered_map>

#include "observe/read/cells.h"
#include "observe/read/log_rank.h"
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

// `mfu: 35.20%`, as torchtitan prints it; 0 where the line does not.
double mfu_of(std::string_view line) {
  constexpr std::string_view kLabel = "mfu:";
  constexpr double kPercent = 0.01;
  const auto at = line.find(kLabel);
  if (at == std::string_view::npos) return 0;
  const double share =
      kPercent * leading_number(trimmed(line.substr(at + kLabel.size()))).value_or(0);
  return share > 0 && share <= 1 ? share : 0;
}

bool has_any(std::string_view line, const std::vector<std::string>& marks) {
  return std::any_of(marks.begin(), marks.end(), [&](const std::string& mark) {
    return line.find(mark) != std::string_view::npos;
  });
}

// Megatron's times of every rank, below the line of the step that they are of:
//   times across ranks (ms):
//     forward-compute:
//        rank  0: 512.30
class TimerReader {
 public:
  void read(std::string_view line, std::int64_t step, std::vector<RankTimer>& timers) {
    const std::string_view text = trimmed(line);
    if (has_any(text, heads_)) {
      is_inside_ = true;
      places_.clear();
    } else if (is_inside_ && text.ends_with(':')) {
      is_compute_ = has_any(text, computes_);
    } else if (is_inside_ && text.starts_with(kRank)) {
      if (is_compute_) add(text.substr(kRank.size()), step, timers);
    } else {
      is_inside_ = is_compute_ = false;
    }
  }

 private:
  static constexpr std::string_view kRank = "rank";

  // The parts of a rank's work are added up.
  void add(std::string_view text, std::int64_t step, std::vector<RankTimer>& timers) {
    const auto mark = text.find(':');
    if (mark == std::string_view::npos) return;
    const auto time = leading_number(trimmed(text.substr(mark + 1)));
    if (!time || *time <= 0) return;
    constexpr double kMillisecond = 1e-3;
    const std::string rank = "rank " + std::string(trimmed(text.substr(0, mark)));
    const auto [place, is_new] = places_.emplace(rank, timers.size());
    if (is_new) timers.push_back({rank, step, 0});
    timers[place->second].seconds += *time * kMillisecond;
  }

  std::vector<std::string> heads_ = log_words("rank-times");
  std::vector<std::string> computes_ = log_words("compute");
  bool is_inside_ = false, is_compute_ = false;
  std::unordered_map<std::string, std::size_t> places_;  // The timers of this step.
};

}  // namespace

bool looks_like_step_log(const TextFile& file) {
  // Settings fill the first part of a log.
  constexpr std::size_t kMostHead = 4 << 20;
  return calibrate::read_training_log(file.name, file.text.substr(0, kMostHead)).has_value();
}

Result<StepLog> read_step_log(const TextFile& file) {
  StepLog log;
  TRY(log.training, calibrate::read_training_log(file.name, file.text));
  const auto marks = log_words("save");
  const LinePrefixes prefixes;
  TimerReader timers;
  std::string_view rest = file.text;
  while (!rest.empty()) {
    const std::string_view text = take_line(rest);
    const auto told = prefixes.read(text);
    if (log.stamps.size() < log.training.steps.size() && tells_step(log.training, text)) {
      log.stamps.push_back(stamp_of(text));
      log.ranks.push_back(told.rank);
      log.mfus.push_back(mfu_of(text));
    }
    const std::size_t steps = log.stamps.size();
    timers.read(told.text, steps > 0 ? log.training.steps[steps - 1].step : 0, log.timers);
    // Every rank may say so.
    if (has_any(text, marks) && (log.saves.empty() || log.saves.back() != steps))
      log.saves.push_back(steps);
  }
  log.stamps.resize(log.training.steps.size());
  log.ranks.resize(log.training.steps.size());
  log.mfus.resize(log.training.steps.size());
  return log;
}

}  // namespace loadfactor::observe
