#include "calibrate/measurement/run_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include "base/error_codes.h"
#include "calibrate/measurement/measurement_json.h"
#include "config/csv.h"

namespace loadfactor::calibrate {
namespace {

enum class Metric : std::uint8_t { kNone, kDuration, kTokenRate, kSampleRate, kStep, kMoment };

struct MetricName {
  std::string_view name;
  Metric metric;
  double scale = 1;
};
// Names that frameworks log under; a prefix such as `train/` or `run - ` does not matter.
constexpr std::array kNames{
    MetricName{"train_step_timing in s", Metric::kDuration},
    MetricName{"train_step_timing", Metric::kDuration},
    MetricName{"iteration-time", Metric::kDuration},
    MetricName{"iteration_time", Metric::kDuration},
    MetricName{"step_time", Metric::kDuration},
    MetricName{"step_time_s", Metric::kDuration},
    MetricName{"step_time(s)", Metric::kDuration},
    MetricName{"seconds_per_step", Metric::kDuration},
    MetricName{"end_to_end(s)", Metric::kDuration},
    MetricName{"step_time_ms", Metric::kDuration, 1e-3},
    MetricName{"throughput(tps)", Metric::kTokenRate},
    MetricName{"tps", Metric::kTokenRate},
    MetricName{"tokens_per_second_per_gpu", Metric::kTokenRate},
    MetricName{"tokens_per_sec_per_gpu", Metric::kTokenRate},
    MetricName{"train_samples_per_second", Metric::kSampleRate},
    MetricName{"samples_per_second", Metric::kSampleRate},
    MetricName{"samples_per_sec", Metric::kSampleRate},
    MetricName{"_step", Metric::kStep},
    MetricName{"step", Metric::kStep},
    MetricName{"global_step", Metric::kStep},
    MetricName{"_timestamp", Metric::kMoment},
    MetricName{"_runtime", Metric::kMoment},
    MetricName{"timestamp", Metric::kMoment},
};

MetricName metric_of(std::string_view name) {
  std::string small(name);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const auto found = std::find_if(kNames.begin(), kNames.end(), [&](const MetricName& row) {
    return small == row.name || (small.size() > row.name.size() && small.ends_with(row.name) &&
                                 (small[small.size() - row.name.size() - 1] == '/' ||
                                  small[small.size() - row.name.size() - 1] == ' '));
  });
  return found == kNames.end() ? MetricName{"", Metric::kNone} : *found;
}

// One row of a run's history; what it does not say is nothing.
struct Row {
  std::optional<double> step;
  std::optional<double> moment;  // Seconds.
  double duration = 0;
  double token_rate = 0;
  double sample_rate = 0;

  void take(std::string_view name, double value) {
    if (!std::isfinite(value)) return;
    const MetricName known = metric_of(name);
    if (known.metric == Metric::kStep) step = value;
    if (known.metric == Metric::kMoment && !moment) moment = value;
    if (value <= 0) return;
    if (known.metric == Metric::kDuration) duration = value * known.scale;
    if (known.metric == Metric::kTokenRate) token_rate = value;
    if (known.metric == Metric::kSampleRate) sample_rate = value;
  }
  bool says_time() const { return duration > 0 || token_rate > 0 || sample_rate > 0; }
};

// Steps between two rows take what lies between their moments. Rows that repeat a step, or go back,
// say nothing.
std::vector<TrainingLogStep> steps_between(const std::vector<Row>& rows) {
  std::vector<TrainingLogStep> steps;
  const Row* last = nullptr;
  for (const Row& row : rows) {
    if (!row.step || !row.moment) continue;
    if (last != nullptr && *row.step > *last->step && *row.moment > *last->moment)
      steps.push_back({.step = static_cast<std::int64_t>(std::clamp(*row.step, 0.0, 1e15)),
                       .duration = Seconds::from_base((*row.moment - *last->moment) /
                                                      (*row.step - *last->step))});
    if (last == nullptr || *row.step > *last->step) last = &row;
  }
  return steps;
}

Result<TrainingLog> log_of(const std::string& file, const std::vector<Row>& rows) {
  TrainingLog log;
  log.file = file;
  log.first_line = 1;
  for (const Row& row : rows) {
    if (row.says_time())
      log.steps.push_back(
          {.step = static_cast<std::int64_t>(std::clamp(row.step.value_or(0), 0.0, 1e15)),
           .duration = Seconds::from_base(row.duration),
           .tokens_per_second = row.token_rate,
           .samples_per_second = row.sample_rate});
  }
  if (log.steps.empty()) log.steps = steps_between(rows);
  if (log.steps.empty())
    return Error{.code = lf::kNoMeasurement,
                 .message = "metrics of a run, and none tells how long a step took",
                 .hint = "log `step_time`, or keep the steps and times of any metric",
                 .where = {.file = file}};
  return log;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") != std::string_view::npos) lines.push_back(line);
  }
  return lines;
}

// Whether the head of a table names steps and something beside them.
bool has_step_column(std::string_view head) {
  if (head.find(',') == std::string_view::npos) return false;
  while (!head.empty()) {
    const auto end = std::min(head.find(','), head.size());
    std::string_view cell = head.substr(0, end);
    head.remove_prefix(std::min(end + 1, head.size()));
    constexpr std::string_view kAround = " \t\r\"";
    cell.remove_prefix(std::min(cell.find_first_not_of(kAround), cell.size()));
    cell = cell.substr(0, cell.find_last_not_of(kAround) + 1);
    if (metric_of(cell).metric == Metric::kStep) return true;
  }
  return false;
}

std::string_view last_part(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

}  // namespace

std::optional<Result<TrainingLog>> read_mlflow_metric(const std::string& file,
                                                      std::string_view text) {
  constexpr double kMilli = 1e-3;
  constexpr double kYear2001 = 1e12;  // In milliseconds.
  std::vector<Row> rows;
  for (const std::string_view line : lines_of(text)) {
    std::istringstream words{std::string(line)};
    double moment = 0;
    double value = 0;
    double step = 0;
    std::string rest;
    if (!(words >> moment >> value >> step) || words >> rest || moment < kYear2001)
      return std::nullopt;
    Row row{.step = step, .moment = kMilli * moment};
    row.take(last_part(file), value);
    rows.push_back(row);
  }
  if (rows.empty()) return std::nullopt;
  return log_of(file, rows);
}

std::optional<Result<TrainingLog>> read_mlflow_json(const config::Document& document) {
  constexpr double kMilli = 1e-3;
  const config::Node* metrics = member(&document.root, "metrics");
  if (metrics == nullptr) metrics = member(&document.root, "run", "data", "metrics");
  if (metrics == nullptr || metrics->kind != config::NodeKind::kList || metrics->items.empty() ||
      member(metrics->items.data(), "key") == nullptr)
    return std::nullopt;
  std::map<double, Row> by_step;
  for (const config::Node& item : metrics->items) {
    const auto step = finite_number(member(&item, "step"));
    const auto value = finite_number(member(&item, "value"));
    if (!step || !value) continue;
    Row& row = by_step[*step];
    row.step = *step;
    if (const auto moment = finite_number(member(&item, "timestamp")))
      row.moment = kMilli * *moment;
    row.take(text_or_empty(member(&item, "key")), *value);
  }
  std::vector<Row> rows;
  for (const auto& [step, row] : by_step) rows.push_back(row);
  return log_of(document.file, rows);
}

std::optional<Result<TrainingLog>> read_wandb_lines(const std::string& file,
                                                    std::string_view text) {
  std::vector<Row> rows;
  bool has_step = false;
  for (const std::string_view line : lines_of(text)) {
    const auto document = config::parse_json(file, std::string(line));
    // A loss that is not a number makes a line that is not JSON.
    if (!document && line.starts_with('{') && line.ends_with('}')) continue;
    if (!document || document->root.kind != config::NodeKind::kMap) return std::nullopt;
    Row& row = rows.emplace_back();
    for (const config::Member& entry : document->root.members) {
      if (const auto value = finite_number(&entry.value)) row.take(entry.key, *value);
    }
    has_step = has_step || row.step;
  }
  if (!has_step) return std::nullopt;
  return log_of(file, rows);
}

std::optional<Result<TrainingLog>> read_metric_table(const std::string& file,
                                                     std::string_view text) {
  if (!has_step_column(text.substr(0, std::min(text.find('\n'), text.size())))) return std::nullopt;
  Diagnostics diagnostics;
  const auto table = config::parse_csv(file, std::string(text), diagnostics);
  if (!table) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& cell : table->header) names.push_back(cell.text);
  std::vector<Row> rows;
  for (const auto& cells : table->rows) {
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < cells.size() && i < names.size(); ++i) {
      char* last = nullptr;
      const std::string& cell = cells[i].text;
      const double value = std::strtod(cell.c_str(), &last);
      if (!cell.empty() && *last == '\0') row.take(names[i], value);
    }
  }
  return log_of(file, rows);
}

}  // namespace loadfactor::calibrate
