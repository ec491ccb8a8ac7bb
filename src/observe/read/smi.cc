// Logs of nvidia-smi and rocm-smi.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "observe/read/cells.h"
#include "observe/read/readers.h"
#include "observe/read/slurm_words.h"

namespace loadfactor::observe {
namespace {

// `utilization.gpu [%]` is `utilization.gpu`; names with a unit in round brackets are whole.
std::string column_name(std::string_view cell) {
  return std::string(trimmed(cell.substr(0, cell.find(" ["))));
}

struct SmiColumns {
  std::vector<std::string> names;
  int find(std::initializer_list<std::string_view> wanted) const {
    for (const auto name : wanted)
      for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<int>(i);
    return -1;
  }
};

constexpr std::string_view kTableCommand =
    "nvidia-smi --query-gpu=timestamp,uuid,index,name,utilization.gpu,power.draw,clocks.sm "
    "--format=csv -l 30";

std::string cell_at(const std::vector<std::string_view>& cells, int column) {
  return column < 0 || column >= static_cast<int>(cells.size())
             ? std::string()
             : std::string(cells[static_cast<std::size_t>(column)]);
}

// What a cell says, NaN where it says that the sensor is absent: `[N/A]`, `[Not Supported]`, `-`.
std::optional<double> sensor_value(std::string_view cell) {
  cell = trimmed(cell);
  if (cell.starts_with('[') || cell == "N/A" || cell == "-")
    return std::numeric_limits<double>::quiet_NaN();
  return leading_number(cell);
}

}  // namespace

std::size_t looks_of_smi_table(const TextFile& file) {
  std::string_view rest = file.text;
  const std::string_view header = trimmed(take_line(rest));
  if (header.find("timestamp") != std::string_view::npos) return 1;
  std::size_t looks = 1;
  while (!rest.empty()) looks += trimmed(take_line(rest)) == header ? 1 : 0;
  return looks;
}

Result<ReadCount> read_smi_table(const TextFile& file, double time, SampleSink& sink,
                                 double interval) {
  std::string_view rest = file.text;
  SmiColumns columns;
  for (const auto cell : split_row(take_line(rest), ','))
    columns.names.push_back(column_name(cell));
  const int stamp = columns.find({"timestamp"});
  const int uuid = columns.find({"uuid", "gpu_uuid", "Unique ID"});
  const int index = columns.find({"index", "device", "pci.bus_id", "gpu_bus_id"});
  const int name = columns.find({"name", "gpu_name", "Card series", "Card Series"});
  const int host = columns.find({"hostname", "host", "node"});
  if (uuid < 0 && index < 0)
    return Error{.code = lf::kNothingUsable,
                 .message = "no column says which GPU a row is of",
                 .hint = std::string(kTableCommand),
                 .where = {file.name, 0, 0, 1}};
  ReadCount count;
  std::set<std::string> seen;  // GPUs of one look of a table without times.
  const auto looks = static_cast<double>(looks_of_smi_table(file));
  double look = time - interval * (looks - 1);
  std::optional<Error> odd_stamp;
  for (std::size_t number = 2; !rest.empty(); ++number) {
    const auto line = take_line(rest);
    if (trimmed(line).empty()) continue;
    const auto cells = split_row(line, ',');
    // A log that was started anew repeats its header.
    if (cells.size() == columns.names.size() && column_name(cells[0]) == columns.names[0]) {
      if (stamp < 0) look += interval;
      seen.clear();
      continue;
    }
    const auto when = read_stamp(cell_at(cells, stamp));
    if (stamp >= 0 && stamp < static_cast<int>(cells.size()) && !odd_stamp &&
        looks_like_date(cells[static_cast<std::size_t>(stamp)]))
      odd_stamp = odd_date({.file = file.name,
                            .line = number,
                            .row = line,
                            .column = "timestamp",
                            .cell = cells[static_cast<std::size_t>(stamp)]},
                           "nvidia-smi");
    if (cells.size() != columns.names.size() || (stamp >= 0 && !when)) {
      if (count.bad_lines++ == 0) count.first_bad_line = number;
      continue;
    }
    // Without times a table tells of one moment.
    if (stamp < 0 && !seen.insert(cell_at(cells, host) + " " + cell_at(cells, uuid) + " " +
                                  cell_at(cells, index))
                          .second)
      return Error{.code = lf::kNothingUsable,
                   .message = "several rows of a GPU, and no column `timestamp` tells them apart",
                   .hint = std::string(kTableCommand),
                   .where = {file.name, static_cast<std::uint32_t>(number), 1, 1}};
    const Labels labels{{"UUID", cell_at(cells, uuid)},
                        {"gpu", cell_at(cells, index)},
                        {"modelName", cell_at(cells, name)},
                        {"Hostname", cell_at(cells, host)}};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto value = sensor_value(cells[i]);
      if (!value) continue;
      const int series = sink.series(columns.names[i], labels);
      if (series < 0) continue;
      sink.sample(series, when.value_or(look), *value);
      count.samples += std::isnan(*value) ? 0U : 1U;
    }
  }
  if (count.samples == 0 && odd_stamp) return *odd_stamp;
  if (count.samples == 0)
    return Error{.code = lf::kNothingUsable,
                 .message = "no use of a GPU stands in this table",
                 .hint = std::string(kTableCommand),
                 .where = {file.name, 0, 0, 1}};
  return count;
}

Result<ReadCount> read_smi_monitor(const TextFile& file, double time, SampleSink& sink) {
  std::string_view rest = file.text;
  SmiColumns columns;
  ReadCount count;
  std::vector<std::vector<std::string_view>> rows;
  while (!rest.empty()) {
    const auto line = take_line(rest);
    if (line.starts_with('#')) {
      if (columns.names.empty())
        for (const auto cell : split_row(line.substr(1), ' '))
          columns.names.push_back(lower_case(cell));
      continue;
    }
    auto cells = split_row(line, ' ');
    if (cells.size() == columns.names.size())
      rows.push_back(std::move(cells));
    else if (!cells.empty())
      ++count.bad_lines;
  }
  const int gpu = columns.find({"gpu", "idx"});
  const int date = columns.find({"date"});
  const int clock = columns.find({"time"});
  // Without stamps the rows are a second apart and end at `time`.
  std::size_t ticks = 0;
  std::string first;
  for (const auto& row : rows) {
    if (first.empty()) first = cell_at(row, gpu);
    ticks += cell_at(row, gpu) == first ? 1U : 0U;
  }
  std::size_t tick = 0;
  for (const auto& row : rows) {
    tick += cell_at(row, gpu) == first ? 1U : 0U;
    std::string day = cell_at(row, date);
    if (day.size() == 8) day = day.substr(0, 4) + "-" + day.substr(4, 2) + "-" + day.substr(6);
    const auto when = read_stamp(day + " " + cell_at(row, clock));
    const Labels labels{{"gpu", cell_at(row, gpu)}};
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto value = sensor_value(row[i]);
      const int series = value ? sink.series(columns.names[i], labels) : -1;
      if (series < 0) continue;
      sink.sample(series, when.value_or(time - static_cast<double>(ticks - tick)), *value);
      count.samples += std::isnan(*value) ? 0U : 1U;
    }
  }
  if (count.samples == 0)
    return Error{.code = lf::kNothingUsable,
                 .message = "no use of a GPU stands in this log",
                 .hint = "nvidia-smi dmon -s puc -o DT",
                 .where = {file.name, 0, 0, 1}};
  return count;
}

Result<FileKind> find_kind(const TextFile& file) {
  constexpr std::size_t kTopBytes = 512;
  std::string_view rest = file.text;
  std::string_view line;
  while (!rest.empty() && trimmed(line).empty()) line = take_line(rest);
  const std::string_view head = trimmed(line);
  const auto has = [&](std::string_view word) { return head.find(word) != std::string_view::npos; };
  const std::string low = lower_case(head);
  if (head.empty())
    return Error{.code = lf::kEmptyFile, .message = "the file is empty", .where = {file.name}};
  const auto is_control = [](unsigned char c) { return c < ' ' && c != '\t'; };
  if (std::any_of(head.begin(), head.end(), is_control))
    return Error{.code = lf::kUnknownMeasurement,
                 .message = "this is no text",
                 .hint = "unpack it first where it is compressed",
                 .where = {file.name, 1, 1, 1}};
  if (looks_like_metrics(head)) return FileKind::kPrometheusText;
  if (head.front() != '{' && head.front() != '#' && looks_like_step_log(file))
    return FileKind::kStepLog;
  if (head.front() == '{' && low.find("__name__=") == std::string::npos)
    return FileKind::kPrometheusJson;
  if (head.front() == '[') return FileKind::kPrometheusJson;
  if (head.front() == '#' && (low.find(" gpu ") != std::string::npos) && !has("HELP") &&
      !has("TYPE"))
    return FileKind::kSmiMonitor;
  if (low.starts_with("timestamp") || has("utilization.gpu") || low.starts_with("device,"))
    return FileKind::kSmiTable;
  const bool has_node_gpus = has("gpu:") && !has("gres/gpu");
  const bool is_table = has("|") || low.starts_with("partition") || low.starts_with("nodelist") ||
                        (low.find("jobid") != std::string::npos && !has("{") && !has("#"));
  if (looks_like_completions(head)) return FileKind::kSlurmJobs;
  if (is_table) {
    const bool says_jobs = low.find("jobid") != std::string::npos;
    const bool says_nodes = low.find("gres") != std::string::npos && !has("gres/gpu");
    return !says_jobs && (has_node_gpus || says_nodes) ? FileKind::kSlurmNodes
                                                       : FileKind::kSlurmJobs;
  }
  if (head.front() == '<')
    return Error{.code = lf::kUnknownMeasurement,
                 .message = "this is a page of HTML, not metrics",
                 .hint = "a proxy or a login may have answered instead of the server",
                 .where = {file.name, 1, 1, 1}};
  if (head.starts_with("NVIDIA-SMI has failed"))
    return Error{
        .code = lf::kUnknownMeasurement,
        .message = "nvidia-smi failed, and the file holds only its complaint",
        .hint = "mend the driver of that machine, then log again: " + std::string(kTableCommand),
        .where = {file.name, 1, 1, 1}};
  const std::string_view top = file.text.substr(0, kTopBytes);
  if (top.find("NVIDIA-SMI") != std::string_view::npos || head.starts_with("GPU 0: "))
    return Error{.code = lf::kUnknownMeasurement,
                 .message = "this is what nvidia-smi shows on a screen, not a log of it",
                 .hint = std::string(kTableCommand),
                 .where = {file.name, 1, 1, 1}};
  if (read_stamp(trimmed(head.substr(0, head.find(',')))))
    return Error{.code = lf::kUnknownMeasurement,
                 .message = "this is a log without its header, which tells what the columns are",
                 .hint = "leave out `noheader`: " + std::string(kTableCommand),
                 .where = {file.name, 1, 1, 1},
                 .source_line = std::string(head.substr(0, 120))};
  const char first = head.front();
  const bool is_metric = first == '#' || first == '{' || first == '_' || first == ':' ||
                         (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
  if (is_metric) return FileKind::kPrometheusText;
  return Error{
      .code = lf::kUnknownMeasurement,
      .message = "this is no output of a monitor that is known here",
      .hint =
          "Prometheus text or JSON, sacct, squeue, sinfo, nvidia-smi CSV or dmon, rocm-smi "
          "--showuse --showmemuse --showpower --csv, logs of training runs",
      .where = {file.name, 1, 1, 1},
      .source_line = std::string(head.substr(0, 120))};
}

}  // namespace loadfactor::observe
