// sacct and squeue, with or without header lines. Columns are found by their names or,
// without a header, by what stands in them.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "observe/read/cells.h"
#include "observe/read/slurm_table.h"
#include "observe/read/slurm_words.h"

namespace loadfactor::observe {
namespace {

// squeue writes these where no end is known.
bool is_open_end(std::string_view cell) {
  return cell == "NONE" || cell == "N/A" || cell == "Unknown";
}

// sacct writes what a whole job has, `gres/gpu=8`; squeue what it has on each node, `gres/gpu:4`.
const char* tres_column(std::string_view cell) {
  return cell.find('=') == std::string_view::npos ? "tres_per_node" : "tres";
}

// Whether a row has the columns that our own commands ask for. The name stands last, and may hold
// marks.
constexpr std::size_t kUsualCells = 9;
bool is_usual(const std::vector<std::string_view>& cells, const std::vector<std::size_t>& times) {
  if (cells.size() < kUsualCells || !find_job_end(cells[3])) return false;
  const auto is_time = [&](std::size_t i) {
    return is_open_end(cells[i]) || std::find(times.begin(), times.end(), i) != times.end();
  };
  return is_time(4) && is_time(5);
}

// A row of sacct or squeue that nobody named: the first cell is the job, times come as start and
// end, hosts last.
Columns guess_job_columns(const std::vector<std::string_view>& cells) {
  Columns columns{{"id", 0}};
  std::vector<std::size_t> times;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const std::string_view cell = cells[i];
    if (find_job_end(cell)) columns.emplace("state", i);
    const bool has_time =
        (cell.size() >= 19 && read_stamp(cell).has_value()) || looks_like_date(cell);
    const bool is_next = times.size() == 1 && times.front() + 1 == i;
    if (has_time || cell == "Unknown" || (is_next && is_open_end(cell))) times.push_back(i);
    if (count_gpus(cell) > 0 || cell.find("cpu=") != std::string_view::npos)
      columns.emplace(tres_column(cell), i);
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
  if (is_usual(cells, times))
    columns = {{"id", 0},
               {"user", 1},
               {"account", 2},
               {"state", 3},
               {"start", 4},
               {"end", 5},
               {tres_column(cells[6]), 6},
               {"nodes", 7},
               {"name", 8}};
  return columns;
}

// What all tasks of a row used, in GPUs: what each used stands beside how many there are. Slurm
// adds up the GPUs of a task. Without their number, a task has one GPU.
std::optional<double> gpus_used(const std::vector<std::string_view>& cells, const Columns& columns,
                                int gpus) {
  constexpr std::string_view kUse = "gres/gpuutil=";
  constexpr double kPercent = 0.01;
  const auto read = [&](const char* column) -> std::optional<double> {
    const std::string_view usage = cell_of(cells, columns, column);
    const auto at = usage.find(kUse);
    if (at == std::string_view::npos) return std::nullopt;
    const auto percent = leading_number(usage.substr(at + kUse.size()));
    return percent ? std::optional(*percent * kPercent) : std::nullopt;
  };
  if (const auto all = read("usage_of_all")) return all;
  const auto each = read("usage");
  if (!each) return std::nullopt;
  return *each * leading_number(cell_of(cells, columns, "tasks")).value_or(gpus);
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

// What a step of a job used of its GPUs.
struct StepUse {
  std::string job;
  bool is_script = false;  // The batch script itself, or what was there before it.
  double gpu_seconds = 0;
};

constexpr const char* kOddDate = "jobs-odd-date";
constexpr const char* kUnknownState = "jobs-of-unknown-state";
constexpr const char* kNoNodes = "jobs-without-nodes";
constexpr const char* kOddNodes = "jobs-odd-nodes";

// A row of a table, and why it was passed over or read in part.
struct JobRow {
  std::optional<JobRecord> job;
  std::optional<StepUse> step;
  const char* oddity = nullptr;  // The id of a notice.
  bool has_state = false;
  double told_to = 0;  // The last time that it tells of.
};

void find_gpus(const std::vector<std::string_view>& cells, const Columns& columns, JobRecord& job) {
  const auto nodes = static_cast<int>(std::max<std::size_t>(1, job.nodes.size()));
  for (const auto& [column, times] : {std::pair{"tres", 1}, {"gres", 1}, {"tres_per_node", nodes}})
    if (job.gpus + job.shards == 0) {
      job.gpus = count_gpus(cell_of(cells, columns, column)) * times;
      job.accelerator = gpu_kind(cell_of(cells, columns, column));
      job.shards = count_shards(cell_of(cells, columns, column)) * times;
    }
}

// Beginning and end, each from the other where one is missing and the time between is told.
void find_times(const std::vector<std::string_view>& cells, const Columns& columns, double time,
                std::string_view state, JobRecord& job) {
  job.start = read_stamp(cell_of(cells, columns, "start")).value_or(0);
  job.end = read_stamp(cell_of(cells, columns, "end")).value_or(0);
  auto elapsed = leading_number(cell_of(cells, columns, "elapsed_seconds"));
  if (!elapsed) elapsed = read_elapsed(cell_of(cells, columns, "elapsed"));
  // A queue tells when a job that runs will end; what was resized or staged out ended.
  const bool is_over =
      job.end > 0 && (time <= 0 || job.end <= time) && state != "RUNNING" && state != "R";
  if (job.end_state == JobEnd::kRunning && is_over)
    job.end_state = JobEnd::kFinished;
  else if (job.end_state == JobEnd::kRunning)
    job.end = std::max(job.start, time);
  if (job.end <= 0 && job.start > 0 && elapsed) job.end = job.start + *elapsed;
  if (job.start <= 0 && job.end > 0 && elapsed) job.start = job.end - *elapsed;
}

// When a job of a row began or ended, or, while it runs, how long it had run.
double told_to(const std::vector<std::string_view>& cells, const Columns& columns,
               const JobRecord& job) {
  if (job.end_state == JobEnd::kPending) return 0;
  if (job.end_state != JobEnd::kRunning) return std::max(job.start, job.end);
  auto elapsed = leading_number(cell_of(cells, columns, "elapsed_seconds"));
  if (!elapsed) elapsed = read_elapsed(cell_of(cells, columns, "elapsed"));
  return job.start > 0 ? job.start + elapsed.value_or(0) : 0;
}

// What stands in the place of nodes where there are none.
bool is_no_host(std::string_view cell) {
  return cell.empty() || cell.front() == '(' || cell == "None assigned" || cell == "Unknown" ||
         cell == "None" || cell == "N/A";
}

// Whether a column was too narrow for what decides: how many GPUs, and on which nodes.
bool is_cut_short(const std::vector<std::string_view>& cells, const Columns& columns) {
  return cell_of(cells, columns, "tres").ends_with('+') ||
         cell_of(cells, columns, "nodes").ends_with('+');
}

// Why it is not known on which nodes a job held its GPUs.
const char* oddity_of_nodes(const std::vector<std::string_view>& cells, const Columns& columns,
                            const JobRecord& job) {
  if (!job.nodes.empty() || job.end <= job.start) return nullptr;
  return is_no_host(cell_of(cells, columns, "nodes")) ? kNoNodes : kOddNodes;
}

// A job that ends before it begins, or holds more GPUs than anybody has, is a row that is broken.
const char* oddity_of_figures(const JobRecord& job) {
  constexpr int kMostGpus = 1'000'000;
  if (job.gpus > kMostGpus) return "jobs-odd-count";
  return job.end > 0 && job.end < job.start ? "jobs-end-before-start" : nullptr;
}

const char* oddity_of(const std::vector<std::string_view>& cells, const Columns& columns,
                      const JobRecord& job, bool has_state) {
  if (is_cut_short(cells, columns)) return "jobs-cut-short";
  for (const char* column : {"tres", "gres", "tres_per_node"})
    if (has_odd_count(cell_of(cells, columns, column))) return "jobs-odd-count";
  if (job.gpus + job.shards == 0 || job.end_state == JobEnd::kPending) return nullptr;
  for (const auto& [column, time, none] :
       {std::tuple{"start", job.start, "jobs-without-start"}, {"end", job.end, "jobs-without-end"}})
    if (time <= 0) return looks_like_date(cell_of(cells, columns, column)) ? kOddDate : none;
  if (const char* odd = oddity_of_figures(job)) return odd;
  if (const char* odd = oddity_of_nodes(cells, columns, job)) return odd;
  return has_state ? nullptr : kUnknownState;
}

// None of a list that is cut off: the rest of it would hold what all of them held.
std::vector<std::string> hosts_of(std::string_view cell) {
  if (is_no_host(cell)) return {};
  HostList list = read_hosts(cell);
  return list.is_whole ? std::move(list.hosts) : std::vector<std::string>();
}

std::optional<StepUse> step_of(const std::vector<std::string_view>& cells, const Columns& columns,
                               std::string_view id, double time) {
  const auto dot = id.find('.');
  const std::string_view name = id.substr(dot + 1);
  StepUse step{std::string(id.substr(0, dot)), name == "batch" || name == "extern"};
  const int gpus = std::max(1, count_gpus(cell_of(cells, columns, "tres")));
  const auto used = gpus_used(cells, columns, gpus);
  if (!used) return std::nullopt;
  JobRecord times;
  times.end_state = find_job_end(cell_of(cells, columns, "state")).value_or(JobEnd::kFinished);
  find_times(cells, columns, time, cell_of(cells, columns, "state"), times);
  step.gpu_seconds = *used * std::max(0.0, times.end - times.start);
  return step;
}

JobRow job_of(const std::vector<std::string_view>& cells, const Columns& columns, double time) {
  JobRow row;
  JobRecord job;
  job.id = std::string(cell_of(cells, columns, columns.contains("id") ? "id" : "raw_id"));
  if (job.id.empty()) return row;
  // Steps of a job (`56.batch`) hold what the job holds.
  if (job.id.find('.') != std::string::npos)
    return row.step = step_of(cells, columns, job.id, time), row;
  const std::string_view state = cell_of(cells, columns, "state");
  auto end = find_job_end(state);
  if (!end) end = find_job_end_by_code(state);
  row.has_state = end.has_value();
  // What has no end yet runs.
  const bool is_ended = read_stamp(cell_of(cells, columns, "end")).has_value();
  job.end_state = end.value_or(is_ended ? JobEnd::kFinished : JobEnd::kRunning);
  job.cluster = std::string(cell_of(cells, columns, "cluster"));
  job.name = std::string(cell_of(cells, columns, "name"));
  job.user = std::string(cell_of(cells, columns, "user"));
  job.account = std::string(cell_of(cells, columns, "account"));
  job.nodes = hosts_of(cell_of(cells, columns, "nodes"));
  find_gpus(cells, columns, job);
  if (const auto used = gpus_used(cells, columns, job.gpus); used && job.gpus > 0)
    job.busy = std::min(1.0, *used / job.gpus);
  find_times(cells, columns, time, state, job);
  row.told_to = told_to(cells, columns, job);
  row.oddity = oddity_of(cells, columns, job, row.has_state);
  if (job.end <= 0) job.end = job.start;
  // A table without a column of nodes still tells which jobs there were.
  const bool is_placeless = row.oddity == kNoNodes && !columns.contains("nodes");
  const bool is_read = row.oddity == nullptr || is_placeless || row.oddity == kUnknownState;
  const bool holds_none = job.end_state == JobEnd::kPending || job.gpus + job.shards == 0;
  if ((is_read && job.start > 0) || (row.oddity == nullptr && holds_none)) row.job = std::move(job);
  return row;
}

// Adds up what the steps below a job's row used. Scripts start the other steps: where these are
// told of, they say all of it.
class StepSum {
 public:
  void add(const StepUse& step, std::vector<JobRecord>& jobs) {
    if (jobs.empty() || jobs.back().id != step.job) return;
    JobRecord& job = jobs.back();
    if (std::exchange(row_, jobs.size()) != jobs.size()) scripts_ = others_ = 0;
    (step.is_script ? scripts_ : others_) += step.gpu_seconds;
    const double held = job.gpus * (job.end - job.start);
    if (held > 0) job.busy = std::min(1.0, (others_ > 0 ? others_ : scripts_) / held);
  }

 private:
  std::size_t row_ = 0;
  double scripts_ = 0;
  double others_ = 0;
};

// A date of a row of jobs that cannot be read.
Error odd_date_of(const TextFile& file, const JobTable& table,
                  const std::vector<std::string_view>& cells, const Columns& columns) {
  const bool is_start = !read_stamp(cell_of(cells, columns, "start"));
  return odd_date({.file = file.name,
                   .line = table.line(),
                   .row = table.text(),
                   .column = is_start ? "Start" : "End",
                   .cell = cell_of(cells, columns, is_start ? "start" : "end")},
                  "SLURM_TIME_FORMAT=standard sacct");
}

struct JobRows {
  std::vector<JobRecord> jobs;
  std::optional<Error> odd_date;  // The first.
  double told_to = 0;             // The last time of all rows.
  bool is_empty_table = false;    // Its header says what it is, and no row of it is at fault.
};

void count_odd(const char* id, std::size_t line, ReadCount& count) {
  auto& odd = count.odd_rows[id];
  if (odd.rows++ == 0) odd.first_line = line;
}

JobRows read_job_table(const TextFile& file, double time, ReadCount& count) {
  JobRows rows;
  std::vector<JobRecord>& jobs = rows.jobs;
  bool has_state = false;
  bool has_rows = false;
  bool has_gpu_column = false;
  JobTable table(file.text);
  StepSum steps;
  std::vector<std::string_view> cells;
  while (table.next(cells)) {
    if (cells.size() < 3) continue;
    has_rows = true;
    if (table.is_too_wide(cells)) {
      count_odd("jobs-many-cells", table.line(), count);
      continue;
    }
    if (table.is_cut_off(cells)) {
      count_odd("jobs-cut-off", table.line(), count);
      continue;
    }
    const Columns columns = table.header() ? *table.header() : guess_job_columns(cells);
    if (!table.header() && columns.contains("name")) join_rest(cells, kUsualCells);
    auto row = job_of(cells, columns, time);
    has_state = has_state || row.has_state;
    rows.told_to = std::max(rows.told_to, row.told_to);
    if (row.oddity != nullptr) count_odd(row.oddity, table.line(), count);
    if (row.oddity == kOddDate && !rows.odd_date)
      rows.odd_date = odd_date_of(file, table, cells, columns);
    for (const char* column : {"tres", "gres", "tres_per_node"})
      has_gpu_column = has_gpu_column || columns.contains(column);
    if (row.step) steps.add(*row.step, jobs);
    if (row.job) jobs.push_back(*std::move(row.job));
  }
  // Where no word of a state is known, this is no table of jobs.
  if (!has_state) jobs.clear();
  rows.is_empty_table =
      jobs.empty() && table.header() && (has_state || !has_rows) && count.odd_rows.empty();
  if (!has_gpu_column && !jobs.empty()) count.odd_rows["jobs-without-gpus"] = {jobs.size(), 0};
  return rows;
}

// What most rows lack that were passed over, by the id of their notice: `jobs-without-end`.
std::string most_odd(const ReadCount& count) {
  std::string most;
  std::size_t rows = 0;
  for (const auto& [id, odd] : count.odd_rows)
    if (odd.rows > rows) most = id, rows = odd.rows;
  return most;
}

Error no_jobs(const TextFile& file, const ReadCount& count) {
  Error error{.code = lf::kNothingUsable,
              .message = "no job stands in this file",
              .hint =
                  "TZ=UTC sacct -a -X -D -P -o JobID,User,Account,State,Start,End,AllocTRES,"
                  "NodeList,JobName",
              .where = {file.name, 0, 0, 1}};
  const std::string odd = most_odd(count);
  if (odd.empty()) return error;
  const auto [rows, line] = count.odd_rows.at(odd);
  std::string why = odd.substr(odd.find('-') + 1);
  std::replace(why.begin(), why.end(), '-', ' ');
  const bool is_of_nodes = odd == kNoNodes || odd == kOddNodes;
  error.message = fmt::format("no job of this file can be read: rows passed over: {} ({}{})", rows,
                              why, is_of_nodes ? ": see the column NodeList" : "");
  error.where.line = static_cast<std::uint32_t>(line);
  return error;
}

}  // namespace

double last_time_of(const TextFile& file) {
  ReadCount ignored;
  return looks_like_completions(file.text) ? 0 : read_job_table(file, 0, ignored).told_to;
}

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
  const bool is_completions = looks_like_completions(file.text);
  JobRows rows = is_completions ? JobRows{.jobs = read_completions(file.text), .odd_date = {}}
                                : read_job_table(file, time, count);
  std::vector<JobRecord>& jobs = rows.jobs;
  const auto has_gpus = [](const JobRecord& job) { return job.gpus > 0; };
  const bool holds_none = std::none_of(jobs.begin(), jobs.end(), has_gpus);
  if (rows.odd_date && holds_none) return *rows.odd_date;
  if (is_completions && holds_none)
    return Error{.code = lf::kNothingUsable,
                 .message = "no job of this file says how many GPUs it held",
                 .hint =
                     "AccountingStorageTRES=gres/gpu in slurm.conf, with slurmdbd, makes Slurm "
                     "write them",
                 .where = {file.name, 0, 0, 1}};
  if (jobs.empty() && !rows.is_empty_table) return no_jobs(file, count);
  return jobs;
}

}  // namespace loadfactor::observe
