#include "calibrate/measurement/server_log.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "base/error_codes.h"

namespace loadfactor::calibrate {
namespace {

struct LogForm {
  std::string_view tool;
  std::string_view rate;     // Stands before the tokens per second that were generated,
  std::string_view running;  // before the sequences that run,
  std::string_view model;    // Before the quoted name of the model.
};
constexpr std::array kForms{
    LogForm{"vllm-log", "generation throughput:", "Running:", "model='"},
    LogForm{"sglang-log", "gen throughput (token/s):", "#running-req:", "model_path='"}};

std::optional<double> number_after(std::string_view line, std::string_view label) {
  const auto at = line.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string rest(line.substr(at + label.size(), 40));
  char* end = nullptr;
  const double value = std::strtod(rest.c_str(), &end);
  if (end == rest.c_str() || !std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

struct Line {
  double rate = 0;
  double running = 0;
};

std::string quoted_after(std::string_view line, std::string_view label) {
  const auto at = line.find(label);
  if (at == std::string_view::npos) return "";
  const auto begin = at + label.size();
  const auto end = line.find('\'', begin);
  return end == std::string_view::npos ? "" : std::string(line.substr(begin, end - begin));
}

double median_running(std::vector<Line> lines) {
  std::sort(lines.begin(), lines.end(),
            [](const Line& a, const Line& b) { return a.running < b.running; });
  return lines[lines.size() / 2].running;
}

// The mean over lines with the usual number of sequences: a server fills and drains.
ServingPoint point_of(std::string_view tool, const std::vector<Line>& lines) {
  constexpr double kNear = 0.1;
  const double usual = median_running(lines);
  ServingPoint point;
  point.tool = tool;
  double counted = 0;
  for (const Line& line : lines) {
    if (std::abs(line.running - usual) > kNear * usual) continue;
    point.concurrency += line.running;
    point.output_throughput += line.rate;
    ++counted;
  }
  point.concurrency /= counted;
  point.output_throughput /= counted;
  return point;
}

}  // namespace

std::optional<Result<ServingFile>> read_server_log(const std::string& file, std::string_view text) {
  const auto form = std::find_if(kForms.begin(), kForms.end(), [&](const LogForm& row) {
    return text.find(row.rate) != std::string_view::npos;
  });
  if (form == kForms.end()) return std::nullopt;
  std::vector<Line> lines;
  std::string model;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (model.empty()) model = quoted_after(line, form->model);
    const auto rate = number_after(line, form->rate);
    const auto running = number_after(line, form->running);
    if (rate && running && *rate > 0 && *running > 0) lines.push_back({*rate, *running});
  }
  if (lines.empty())
    return Error{.code = lf::kNoMeasurement,
                 .message = "a server's log, and no line of it generates a token",
                 .hint = "keep the log of a server under load",
                 .where = {.file = file}};
  ServingFile found;
  found.points.push_back(point_of(form->tool, lines));
  found.points.back().model = model;
  return found;
}

}  // namespace loadfactor::calibrate
