// Reads the throughput lines of Megatron, torchtitan and DeepSpeed.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "calibrate/measurement/measurement.h"

namespace loadfactor::calibrate {
namespace {

// The number that follows `label` in the line, thousands separators left out.
std::optional<double> number_after(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  std::string digits;
  std::size_t i = at + label.size();
  while (i < line.size() && (line[i] == ' ' || line[i] == '\t')) ++i;
  for (; i < line.size(); ++i) {
    const char c = line[i];
    if (c == ',' && i + 1 < line.size() && line[i + 1] >= '0' && line[i + 1] <= '9') continue;
    const bool part =
        (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
    if (!part) break;
    digits += c;
  }
  char* end = nullptr;
  const double value = std::strtod(digits.c_str(), &end);
  if (digits.empty() || end == digits.c_str() || !std::isfinite(value) || value <= 0)
    return std::nullopt;
  return value;
}

std::int64_t step_number(std::optional<double> value) {
  constexpr double kLargestStep = 1e15;
  return value && *value < kLargestStep ? static_cast<std::int64_t>(*value) : 0;
}

// " iteration  10/ 100 | … | elapsed time per iteration (ms): 1234.5 | throughput per GPU
// (TFLOP/s/GPU): 410.2 |", or as NeMo prints it: "iteration 10/99 | … | train_step_timing in
// s: 6.4"
std::optional<TrainingLogStep> read_megatron(std::string_view line) {
  auto time = number_after(line, "elapsed time per iteration (ms):");
  if (time) *time *= 1e-3;
  if (!time) time = number_after(line, "train_step_timing in s:");
  if (!time) return std::nullopt;
  TrainingLogStep step;
  step.step = step_number(number_after(line, "iteration"));
  step.duration = Seconds::from_base(*time);
  step.tflops = number_after(line, "throughput per GPU (TFLOP/s/GPU):").value_or(0);
  return step;
}

// "step: 10  loss: 8.0  grad_norm: 1.2  memory: 47.5GiB(60%)  tps: 5,234  tflops: 301.2  mfu: 30%"
std::optional<TrainingLogStep> read_torchtitan(std::string_view line) {
  const auto rate = number_after(line, "tps:");
  const auto number = number_after(line, "step:");
  if (!rate || !number) return std::nullopt;
  TrainingLogStep step;
  step.step = step_number(number);
  step.tokens_per_second = *rate;
  step.tflops = number_after(line, "tflops:").value_or(0);
  return step;
}

// "… global_step=100, RunningAvgSamplesPerSec=12.3, CurrSamplesPerSec=12.4, MemAllocated=…" or
// "steps: 10 loss: 5.1 iter time (s): 1.23 samples/sec: 52.0"
std::optional<TrainingLogStep> read_deepspeed(std::string_view line) {
  TrainingLogStep step;
  if (const auto time = number_after(line, "iter time (s):")) {
    step.step = step_number(number_after(line, "steps:"));
    step.duration = Seconds::from_base(*time);
    step.samples_per_second = number_after(line, "samples/sec:").value_or(0);
    return step;
  }
  const auto rate = number_after(line, "CurrSamplesPerSec=");
  if (!rate) return std::nullopt;
  step.step = step_number(number_after(line, "global_step="));
  step.samples_per_second = *rate;
  return step;
}

struct Format {
  std::string_view framework;
  std::string_view title;
  std::vector<std::string_view> marks;  // Words of the lines that say how long a step took.
  std::optional<TrainingLogStep> (*read)(std::string_view line);
};

const std::vector<Format>& formats() {
  static const std::vector<Format> kFormats{
      {"megatron",
       "Megatron",
       {"elapsed time per iteration (ms):", "train_step_timing in s:"},
       read_megatron},
      {"torchtitan", "torchtitan", {"tps:"}, read_torchtitan},
      {"deepspeed", "DeepSpeed", {"iter time (s):", "CurrSamplesPerSec="}, read_deepspeed}};
  return kFormats;
}

bool is_marked(const Format& format, std::string_view line) {
  return std::any_of(format.marks.begin(), format.marks.end(), [&](std::string_view mark) {
    return line.find(mark) != std::string_view::npos;
  });
}

// The number that follows a name and any dots, colons and equal signs: `seq_length ..... 8192`,
// `global batch size:  64`, `world_size=8`.
std::optional<double> figure_after(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t start = line.find_first_not_of(" .:=\t", at + name.size());
  if (start == std::string_view::npos || start == at + name.size()) return std::nullopt;
  return number_after(line.substr(start), "");
}

void take(std::string_view line, std::initializer_list<std::string_view> names,
          std::uint32_t number, std::optional<StatedFigure>& figure) {
  for (const std::string_view name : names) {
    if (const auto value = figure_after(line, name)) figure = {*value, number};
  }
}

// "Model llama3 8B size: 8,030,261,248 total parameters", "Total number of parameters in
// billions: 8.03".
void take_parameters(std::string_view line, std::uint32_t number, TrainingLog& log) {
  constexpr double kBillion = 1e9;
  if (line.find("total parameters") != std::string_view::npos) {
    if (const auto count = figure_after(line, "size")) log.parameters = {*count, number};
  }
  if (const auto billions = figure_after(line, "Total number of parameters in billions"))
    log.parameters = {*billions * kBillion, number};
}

// What frameworks print of their own settings.
void read_settings(std::string_view line, std::uint32_t number, TrainingLog& log) {
  take(line, {"global batch size", "global_batch_size", "train_batch_size"}, number,
       log.global_batch);
  take(line, {"sequence length", "seq_length", "seq_len"}, number, log.sequence);
  take(line, {"world size", "world_size"}, number, log.gpus);
  take_parameters(line, number, log);
}

// Lines that should tell a time and tell none.
struct Timeless {
  int count = 0;
  std::uint32_t first = 0;
  std::string_view title;
};

// The first fifth of a run compiles, allocates and fills queues.
std::vector<double> settled_logs(const std::vector<TrainingLogStep>& steps) {
  std::vector<double> logs;
  for (std::size_t i = steps.size() / 5; i < steps.size(); ++i) {
    if (steps[i].duration > Seconds()) logs.push_back(std::log(steps[i].duration.base()));
  }
  std::sort(logs.begin(), logs.end());
  return logs;
}

}  // namespace

std::optional<Seconds> TrainingLog::typical_step() const {
  const auto logs = settled_logs(steps);
  if (logs.empty()) return std::nullopt;
  const std::size_t middle = logs.size() / 2;
  const double log = logs.size() % 2 == 1 ? logs[middle] : 0.5 * (logs[middle - 1] + logs[middle]);
  return Seconds::from_base(std::exp(log));
}

double TrainingLog::spread() const {
  const auto logs = settled_logs(steps);
  if (logs.size() < 2) return 0;
  // Half of the distance from the 16 to the 84 % point: outliers do not widen it.
  const auto at = [&](double share) {
    return logs[static_cast<std::size_t>(share * static_cast<double>(logs.size() - 1) + 0.5)];
  };
  return 0.5 * (at(0.84) - at(0.16));
}

TrainingLog TrainingLog::with_work(double tokens, double samples) const {
  TrainingLog filled = *this;
  for (TrainingLogStep& step : filled.steps) {
    if (step.duration > Seconds()) continue;
    if (step.tokens_per_second > 0) {
      step.duration = Seconds::from_base(tokens / step.tokens_per_second);
    } else if (step.samples_per_second > 0) {
      step.duration = Seconds::from_base(samples / step.samples_per_second);
    }
  }
  return filled;
}

namespace {

void read_line(std::string_view line, std::uint32_t number, TrainingLog& log, Timeless& timeless) {
  read_settings(line, number, log);
  for (const Format& format : formats()) {
    if (!log.framework.empty() && log.framework != format.framework) continue;
    if (auto step = format.read(line)) {
      log.framework = format.framework;
      if (log.steps.empty()) log.first_line = number;
      log.steps.push_back(*step);
      return;
    }
    if (is_marked(format, line)) {
      if (timeless.count++ == 0) timeless.first = number;
      timeless.title = format.title;
      return;
    }
  }
}

}  // namespace

Result<TrainingLog> read_training_log(const std::string& file, std::string_view text) {
  TrainingLog log;
  log.file = file;
  Timeless timeless;
  std::size_t at = 0;
  for (std::uint32_t number = 1; at < text.size(); ++number) {
    std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) end = text.size();
    read_line(text.substr(at, end - at), number, log, timeless);
    at = end + 1;
  }
  if (log.steps.empty() && timeless.count > 0)
    return Error{
        .code = lf::kNoMeasurement,
        .message = fmt::format("{} line{} of {}, and none tells a time above 0", timeless.count,
                               timeless.count == 1 ? "" : "s", timeless.title),
        .hint = "keep the log of a run that made steps",
        .where = {.file = file, .line = timeless.first}};
  if (log.steps.empty())
    return Error{.code = lf::kNoMeasurement,
                 .message = "no line tells how long a step took",
                 .hint = "Megatron, torchtitan and DeepSpeed lines are understood",
                 .where = {.file = file}};
  if (timeless.count > 0)
    log.notices.push_back(
        {"lines-without-time", Severity::kCaution,
         fmt::format("{}:{}: {} line{} left out that tell no time above 0", file, timeless.first,
                     timeless.count, timeless.count == 1 ? "" : "s")});
  return log;
}

}  // namespace loadfactor::calibrate
