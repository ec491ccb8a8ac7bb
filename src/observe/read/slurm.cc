// sacct, squeue and sinfo, with or without header lines. Columns are found by their names or,
// without a header, by what stands in them.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "observe/read/cells.h"
#include "observe/read/slurm_words.h"

namespace loadfactor::observe {
namespace {

constexpr std::size_t kMostHosts = 65536;

int whole_number(std::string_view text) {
  int value = 0;
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr int kMost = 1 << 20;
  return failed == std::errc() && value >= 0 && value <= kMost ? value : 0;
}

// The columns of a table by what they hold.
using Columns = std::map<std::string, std::size_t>;

constexpr std::array<std::pair<std::string_view, std::string_view>, 29> kHeaders{
    {{"jobid", "id"},
     {"jobidraw", "raw_id"},
     {"jobname", "name"},
     {"name", "name"},
     {"user", "user"},
     {"account", "account"},
     {"state", "state"},
     {"st", "state"},
     {"start", "start"},
     {"start_time", "start"},
     {"end", "end"},
     {"end_time", "end"},
     {"nodelist", "nodes"},
     {"nodelist(reason)", "nodes"},
     {"alloctres", "tres"},
     {"reqtres", "req_tres"},
     {"tres_alloc", "tres"},
     {"tres_per_node", "tres_per_node"},
     {"gres", "gres"},
     {"gres_used", "gres_used"},
     {"tresusageinave", "usage"},
     {"elapsedraw", "elapsed_seconds"},
     {"elapsed", "elapsed"},
     {"time", "elapsed"},
     {"time_left", "left"},
     {"hostnames", "nodes"},
     {"nodes", "node_count"},
     {"partition", "partition"},
     {"submit", "submit"}}};

std::optional<Columns> header_of(const std::vector<std::string_view>& cells) {
  Columns columns;
  std::size_t known = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string word = lower_case(cells[i]);
    for (const auto& [name, meaning] : kHeaders)
      if (word == name) {
        columns.emplace(std::string(meaning), i);
        ++known;
      }
  }
  if (known < 2) return std::nullopt;
  return columns;
}

bool looks_like_hosts(std::string_view cell) {
  if (cell.empty() || cell.front() == '(' || cell == "None assigned") return false;
  const bool has_digit = cell.find_first_of("0123456789") != std::string_view::npos;
  return has_digit && cell.find_first_of("=:|/ ") == std::string_view::npos &&
         !(cell.front() >= '0' && cell.front() <= '9') && cell.find('.') == std::string_view::npos;
}

// A row of sacct or squeue that nobody named: the first cell is the job, times come as start and
// end, hosts last.
Columns guess_job_columns(const std::vector<std::string_view>& cells) {
  Columns columns{{"id", 0}};
  std::vector<std::size_t> times;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const std::string_view cell = cells[i];
    if (find_job_end(cell)) columns.emplace("state", i);
    const bool has_time = cell.size() >= 19 && read_stamp(cell).has_value();
    if (has_time || cell == "Unknown") times.push_back(i);
    if (count_gpus(cell) > 0 || cell.find("cpu=") != std::string_view::npos)
      columns.emplace("tres", i);
    if (looks_like_hosts(cell) && !find_job_end(cell) && !has_time && columns.contains("state"))
      columns.emplace("nodes", i);
  }
  if (times.size() >= 2) {
    columns["start"] = times[times.size() - 2];
    columns["end"] = times.back();
  } else if (times.size() == 1) {
    columns["start"] = times.front();
  }
  // The order that our own command asks for.
  const bool is_usual = cells.size() == 9 && find_job_end(cells[3]) && times.size() >= 2 &&
                        times[0] == 4 && times[1] == 5;
  if (is_usual)
    columns = {{"id", 0},  {"user", 1}, {"account", 2}, {"state", 3}, {"start", 4},
               {"end", 5}, {"tres", 6}, {"nodes", 7},   {"name", 8}};
  return columns;
}

std::string_view cell_of(const std::vector<std::string_view>& cells, const Columns& columns,
                         const std::string& name) {
  const auto found = columns.find(name);
  return found == columns.end() || found->second >= cells.size() ? std::string_view()
                                                                 : cells[found->second];
}

std::optional<double> usage_of(std::string_view usage) {
  const auto at = usage.find("gres/gpuutil=");
  if (at == std::string_view::npos) return std::nullopt;
  const auto percent = leading_number(usage.substr(at + std::string_view("gres/gpuutil=").size()));
  return percent ? std::optional(*percent / 100) : std::nullopt;
}

struct GpuCount {
  std::string_view kind;  // Empty: of any kind.
  int gpus = 0;
  bool is_odd = false;  // What stands there is no number, or more than anybody has.
};
std::vector<GpuCount> gpu_counts(std::string_view text) {
  std::vector<GpuCount> counts;
  for (std::string_view part : split_row(text, ',')) {
    part = part.substr(0, part.find('('));
    // squeue writes `gres:gpu:8` where sacct writes `gres/gpu=8`.
    if (part.starts_with("gres/") || part.starts_with("gres:")) part.remove_prefix(5);
    constexpr std::string_view kGpu = "gpu";
    const auto mark = part.find_last_of("=:");
    if (!part.starts_with(kGpu) || mark == std::string_view::npos || mark < kGpu.size()) continue;
    std::string_view kind = part.substr(kGpu.size(), mark - kGpu.size());
    // Anything else behind the word, as in `gpuutil`, counts no GPUs.
    if (!kind.empty() && !kind.starts_with(':')) continue;
    if (!kind.empty()) kind.remove_prefix(1);
    const std::string_view digits = part.substr(mark + 1);
    const int gpus = whole_number(digits);
    counts.push_back({kind, gpus, gpus == 0 && digits.find_first_not_of('0') != digits.npos});
  }
  return counts;
}

bool has_odd_count(std::string_view text) {
  const auto counts = gpu_counts(text);
  return std::any_of(counts.begin(), counts.end(), [](const auto& count) { return count.is_odd; });
}

// Seconds of `1-02:03:04`, `02:03:04` or `03:04`.
std::optional<double> read_elapsed(std::string_view text) {
  constexpr int kDaySeconds = 86400, kSixty = 60;
  const auto dash = text.find('-');
  double days = 0;
  if (dash != std::string_view::npos) {
    days = leading_number(text.substr(0, dash)).value_or(0);
    text.remove_prefix(dash + 1);
  }
  const auto parts = split_row(text, ':');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  double seconds = 0;
  for (const std::string_view part : parts) {
    const auto value = leading_number(part);
    if (!value) return std::nullopt;
    seconds = seconds * kSixty + *value;
  }
  return days * kDaySeconds + seconds;
}

// A row of a table, and why it was passed over or read in part.
struct JobRow {
  std::optional<JobRecord> job;
  const char* oddity = nullptr;  // The id of a notice.
  bool has_state = false;
};

void find_gpus(const std::vector<std::string_view>& cells, const Columns& columns, JobRecord& job) {
  const auto nodes = static_cast<int>(std::max<std::size_t>(1, job.nodes.size()));
  for (const auto& [column, times] : {std::pair{"tres", 1}, {"gres", 1}, {"tres_per_node", nodes}})
    if (job.gpus == 0) {
      job.gpus = count_gpus(cell_of(cells, columns, column)) * times;
      job.accelerator = gpu_kind(cell_of(cells, columns, column));
    }
}

// Beginning and end, each from the other where one is missing and the time between is told.
void find_times(const std::vector<std::string_view>& cells, const Columns& columns, double time,
                JobRecord& job) {
  job.start = read_stamp(cell_of(cells, columns, "start")).value_or(0);
  job.end = read_stamp(cell_of(cells, columns, "end")).value_or(0);
  auto elapsed = leading_number(cell_of(cells, columns, "elapsed_seconds"));
  if (!elapsed) elapsed = read_elapsed(cell_of(cells, columns, "elapsed"));
  if (job.end_state == JobEnd::kRunning) job.end = std::max(job.start, time);
  if (job.end <= 0 && job.start > 0 && elapsed) job.end = job.start + *elapsed;
  if (job.start <= 0 && job.end > 0 && elapsed) job.start = job.end - *elapsed;
}

// Whether a column was too narrow for what decides: how many GPUs, and on which nodes.
bool is_cut_short(const std::vector<std::string_view>& cells, const Columns& columns) {
  return cell_of(cells, columns, "tres").ends_with('+') ||
         cell_of(cells, columns, "nodes").ends_with('+');
}

const char* oddity_of(const std::vector<std::string_view>& cells, const Columns& columns,
                      const JobRecord& job, bool has_state) {
  if (is_cut_short(cells, columns)) return "jobs-cut-short";
  for (const char* column : {"tres", "gres", "tres_per_node"})
    if (has_odd_count(cell_of(cells, columns, column))) return "jobs-odd-count";
  if (job.gpus == 0 || job.end_state == JobEnd::kPending) return nullptr;
  if (job.start <= 0) return "jobs-without-start";
  if (job.end <= 0) return "jobs-without-end";
  return has_state ? nullptr : "jobs-of-unknown-state";
}

JobRow job_of(const std::vector<std::string_view>& cells, const Columns& columns, double time) {
  JobRow row;
  JobRecord job;
  job.id = std::string(cell_of(cells, columns, columns.contains("id") ? "id" : "raw_id"));
  // Steps of a job (`56.batch`) hold what the job holds.
  if (job.id.empty() || job.id.find('.') != std::string::npos) return row;
  const std::string_view state = cell_of(cells, columns, "state");
  auto end = find_job_end(state);
  if (!end) end = find_job_end_by_code(state);
  row.has_state = end.has_value();
  // What has no end yet runs.
  const bool is_ended = read_stamp(cell_of(cells, columns, "end")).has_value();
  job.end_state = end.value_or(is_ended ? JobEnd::kFinished : JobEnd::kRunning);
  job.name = std::string(cell_of(cells, columns, "name"));
  job.user = std::string(cell_of(cells, columns, "user"));
  job.account = std::string(cell_of(cells, columns, "account"));
  job.nodes = looks_like_hosts(cell_of(cells, columns, "nodes"))
                  ? expand_hosts(cell_of(cells, columns, "nodes"))
                  : std::vector<std::string>();
  find_gpus(cells, columns, job);
  job.busy = usage_of(cell_of(cells, columns, "usage"));
  find_times(cells, columns, time, job);
  row.oddity = oddity_of(cells, columns, job, row.has_state);
  if (job.end <= 0) job.end = job.start;
  const bool is_read = row.oddity == nullptr || !row.has_state;
  const bool holds_none = job.end_state == JobEnd::kPending || job.gpus == 0;
  if ((is_read && job.start > 0) || (row.oddity == nullptr && holds_none)) row.job = std::move(job);
  return row;
}

char mark_of(std::string_view text) {
  const auto line = text.substr(0, std::min(text.find('\n'), text.size()));
  for (const char mark : {'|', '\t'})
    if (line.find(mark) != std::string_view::npos) return mark;
  return ' ';
}

constexpr std::array<std::string_view, 21> kNodeStates{
    "idle",  "mix",     "mixed",    "alloc",    "allocated",  "down",    "drain",
    "drng",  "drained", "draining", "comp",     "completing", "fail",    "failing",
    "failg", "maint",   "resv",     "reserved", "plnd",       "planned", "unk"};

// `down*` is down: marks behind the word say more of it.
bool is_node_state(std::string_view cell) {
  const auto word = cell.substr(0, cell.find_last_not_of("*~#!%$@^-+") + 1);
  return std::find(kNodeStates.begin(), kNodeStates.end(), word) != kNodeStates.end();
}

// Partitions are called like hosts (`h100`) and features too, but they repeat: nodes stand in the
// column with the most names, the later of two, before the state where there is one.
std::optional<std::size_t> guess_node_column(std::string_view text, char mark, bool before_state) {
  std::map<std::size_t, std::set<std::string_view>> names;
  while (!text.empty()) {
    const auto cells = split_row(take_line(text), mark);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (before_state && is_node_state(cells[i])) break;
      if (looks_like_hosts(cells[i]) && !cells[i].ends_with('*')) names[i].insert(cells[i]);
    }
  }
  std::optional<std::size_t> best;
  for (const auto& [column, seen] : names)
    if (!best || seen.size() >= names[*best].size()) best = column;
  return best;
}

std::optional<std::size_t> find_node_column(std::string_view text, char mark) {
  std::string_view rest = text;
  if (const auto columns = header_of(split_row(take_line(rest), mark)))
    if (const auto found = columns->find("nodes"); found != columns->end()) return found->second;
  if (const auto column = guess_node_column(text, mark, true)) return column;
  return guess_node_column(text, mark, false);
}

std::optional<NodeRecord> node_of(const std::vector<std::string_view>& cells, std::size_t column) {
  NodeRecord node;
  if (column < cells.size()) node.name = std::string(cells[column]);
  for (const std::string_view cell : cells) {
    if (!cell.starts_with("gpu:")) continue;
    if (node.gpus > 0) {
      node.gpus_in_use = count_gpus(cell);
    } else {
      node.gpus = count_gpus(cell);
      node.accelerator = gpu_kind(cell);
    }
  }
  if (!looks_like_hosts(node.name) || node.gpus == 0) return std::nullopt;
  return node;
}

}  // namespace

int count_gpus(std::string_view text) {
  int all = 0;
  int by_kind = 0;
  // A total and its kinds stand side by side: `gres/gpu=8,gres/gpu:h100=8`.
  for (const GpuCount& count : gpu_counts(text)) (count.kind.empty() ? all : by_kind) += count.gpus;
  return std::max(all, by_kind);
}

std::string gpu_kind(std::string_view text) {
  std::set<std::string_view> kinds;
  for (const GpuCount& count : gpu_counts(text))
    if (!count.kind.empty()) kinds.insert(count.kind);
  return kinds.size() == 1 ? std::string(*kinds.begin()) : std::string();
}

std::vector<std::string> expand_hosts(std::string_view list) {
  std::vector<std::string> hosts;
  while (!list.empty() && hosts.size() < kMostHosts) {
    const auto open = list.find('[');
    const auto comma = list.find(',');
    if (open == std::string_view::npos || comma < open) {
      const auto end = std::min(comma, list.size());
      if (end > 0) hosts.emplace_back(list.substr(0, end));
      list.remove_prefix(std::min(end + 1, list.size()));
      continue;
    }
    const auto close = list.find(']', open);
    if (close == std::string_view::npos) return hosts;
    const std::string head(list.substr(0, open));
    for (const auto range : split_row(list.substr(open + 1, close - open - 1), ',')) {
      const auto dash = range.find('-');
      const auto first = range.substr(0, dash);
      const int from = whole_number(first);
      const int to = dash == std::string_view::npos ? from : whole_number(range.substr(dash + 1));
      for (int i = from; i <= to && hosts.size() < kMostHosts; ++i)
        hosts.push_back(
            head +
            fmt::format("{:0{}}", i, static_cast<int>(std::min<std::size_t>(first.size(), 12))));
    }
    list.remove_prefix(std::min(close + 1, list.size()));
    if (list.starts_with(',')) list.remove_prefix(1);
  }
  return hosts;
}

namespace {

// A job that ends before it begins, or holds more GPUs than anybody has, is a row that is broken.
bool is_possible(const JobRecord& job) {
  constexpr int kMostGpus = 1'000'000;
  return job.gpus <= kMostGpus && job.end >= job.start;
}

// Where the columns of a padded table begin, by the line of dashes below its header.
std::vector<std::size_t> column_starts(std::string_view dashes) {
  std::vector<std::size_t> starts;
  if (dashes.find_first_not_of("- ") != std::string_view::npos) return starts;
  for (std::size_t i = 0; i < dashes.size(); ++i)
    if (dashes[i] == '-' && (i == 0 || dashes[i - 1] == ' ')) starts.push_back(i);
  return starts;
}

// The cells of a table of jobs, line by line. In a padded table a cell may be empty.
class JobTable {
 public:
  explicit JobTable(std::string_view text) : rest_(text), mark_(mark_of(text)) {
    std::string_view rest = text;
    take_line(rest);
    if (mark_ == ' ') starts_ = column_starts(take_line(rest));
    header_ = header_of(split_row(take_line(text), mark_));
    if (header_) take_line(rest_), ++line_;
    if (!starts_.empty()) take_line(rest_), ++line_;
  }
  bool next(std::vector<std::string_view>& cells) {
    if (rest_.empty()) return false;
    const std::string_view line = take_line(rest_);
    ++line_;
    if (starts_.empty()) return cells = split_row(line, mark_), true;
    cells.clear();
    for (std::size_t i = 0; i < starts_.size() && starts_[i] < line.size(); ++i) {
      const std::size_t end = i + 1 < starts_.size() ? starts_[i + 1] : line.size();
      cells.push_back(trimmed(line.substr(starts_[i], end - starts_[i])));
    }
    return true;
  }
  std::size_t line() const { return line_; }
  const std::optional<Columns>& header() const { return header_; }

 private:
  std::string_view rest_;
  char mark_;
  std::size_t line_ = 0;
  std::vector<std::size_t> starts_;
  std::optional<Columns> header_;
};

std::vector<JobRecord> read_job_table(std::string_view text, double time, ReadCount& count) {
  std::vector<JobRecord> jobs;
  bool has_state = false;
  JobTable table(text);
  std::vector<std::string_view> cells;
  while (table.next(cells)) {
    if (cells.size() < 3) continue;
    auto row = job_of(cells, table.header() ? *table.header() : guess_job_columns(cells), time);
    has_state = has_state || row.has_state;
    if (row.oddity != nullptr) {
      auto& odd = count.odd_rows[row.oddity];
      if (odd.rows++ == 0) odd.first_line = table.line();
    }
    if (!row.job) continue;
    if (is_possible(*row.job))
      jobs.push_back(*std::move(row.job));
    else if (count.bad_lines++ == 0)
      count.first_bad_line = table.line();
  }
  // Where no word of a state is known, this is no table of jobs.
  if (!has_state) jobs.clear();
  return jobs;
}

}  // namespace

bool is_queue(const TextFile& file) {
  if (looks_like_completions(file.text)) return false;
  JobTable table(file.text);
  if (table.header()) {
    std::string_view text = file.text;
    const std::string header = lower_case(take_line(text));
    // Its own names of columns: sacct has `Start`, `AllocTRES`, `NodeList`, `Elapsed`.
    return header.find("nodelist(reason)") != std::string::npos ||
           header.find("start_time") != std::string::npos ||
           header.find("tres_") != std::string::npos ||
           header.find("time_left") != std::string::npos || table.header()->contains("left");
  }
  std::vector<std::string_view> cells;
  while (table.next(cells)) {
    const Columns columns = guess_job_columns(cells);
    const auto end = find_job_end(cell_of(cells, columns, "state"));
    const bool is_open = std::find(cells.begin(), cells.end(), "Unknown") != cells.end();
    if (end && (*end == JobEnd::kFinished || *end == JobEnd::kFailed || is_open)) return false;
  }
  return true;
}

Result<std::vector<JobRecord>> read_slurm_jobs(const TextFile& file, double time,
                                               ReadCount& count) {
  auto jobs = looks_like_completions(file.text) ? read_completions(file.text)
                                                : read_job_table(file.text, time, count);
  const auto has_gpus = [](const JobRecord& job) { return job.gpus > 0; };
  if (looks_like_completions(file.text) && std::none_of(jobs.begin(), jobs.end(), has_gpus))
    return Error{.code = lf::kNothingUsable,
                 .message = "no job of this file says how many GPUs it held",
                 .hint =
                     "AccountingStorageTRES=gres/gpu in slurm.conf, with slurmdbd, makes Slurm "
                     "write them",
                 .where = {file.name, 0, 0, 1}};
  if (jobs.empty())
    return Error{.code = lf::kNothingUsable,
                 .message = "no job stands in this file",
                 .hint =
                     "TZ=UTC sacct -a -X -D -P -o JobID,User,Account,State,Start,End,AllocTRES,"
                     "NodeList,JobName",
                 .where = {file.name, 0, 0, 1}};
  return jobs;
}

Result<std::vector<NodeRecord>> read_slurm_nodes(const TextFile& file) {
  std::map<std::string, NodeRecord> nodes;  // A node stands in every partition that has it.
  const char mark = mark_of(file.text);
  const auto column = find_node_column(file.text, mark);
  std::string_view rest = file.text;
  while (!rest.empty() && column) {
    auto node = node_of(split_row(take_line(rest), mark), *column);
    if (!node) continue;
    for (const auto& name : expand_hosts(node->name)) {
      NodeRecord one = *node;
      one.name = name;
      nodes.insert_or_assign(name, one);
    }
  }
  if (nodes.empty())
    return Error{.code = lf::kNothingUsable,
                 .message = "no node with GPUs stands in this file",
                 .hint = "sinfo -N -o '%P|%N|%t|%G'",
                 .where = {file.name, 0, 0, 1}};
  std::vector<NodeRecord> all;
  for (auto& [name, node] : nodes) all.push_back(std::move(node));
  return all;
}

}  // namespace loadfactor::observe
