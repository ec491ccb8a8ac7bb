// Reads the throughput lines of Megatron, torchtitan and DeepSpeed.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/error_codes.h"
#include "calibrate/measurement.h"

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
  constexpr double kMost = 1e15;
  return value && *value < kMost ? static_cast<std::int64_t>(*value) : 0;
}

// " iteration  10/ 100 | … | elapsed time per iteration (ms): 1234.5 | throughput per GPU
// (TFLOP/s/GPU): 410.2 |"
std::optional<TrainingLogStep> read_megatron(std::string_view line) {
  const auto time = number_after(line, "elapsed time per iteration (ms):");
  if (!time) return std::nullopt;
  TrainingLogStep step;
  step.step = step_number(number_after(line, "iteration"));
  step.duration = Seconds::from_base(*time * 1e-3);
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
  std::optional<TrainingLogStep> (*read)(std::string_view line);
};
constexpr Format kFormats[] = {
    {"megatron", read_megatron}, {"torchtitan", read_torchtitan}, {"deepspeed", read_deepspeed}};

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

Result<TrainingLog> read_training_log(const std::string& file, std::string_view text) {
  TrainingLog log;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    for (const Format& format : kFormats) {
      if (!log.framework.empty() && log.framework != format.framework) continue;
      if (auto step = format.read(line)) {
        log.framework = format.framework;
        log.steps.push_back(*step);
        break;
      }
    }
  }
  if (log.steps.empty())
    return Error{.code = lf::kNoMeasurement,
                 .message = "no line tells how long a step took",
                 .hint = "Megatron, torchtitan and DeepSpeed lines are understood",
                 .where = {.file = file}};
  return log;
}

}  // namespace loadfactor::calibrate
