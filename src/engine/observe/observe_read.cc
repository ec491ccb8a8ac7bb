// From files and servers to a cluster.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include <fmt/format.h>

#include "base/byte_order_mark.h"
#include "base/calendar.h"
#include "base/error_codes.h"
#include "base/text/stamp_text.h"
#include "engine/observe/observe.h"
#include "engine/observe/observe_files.h"

namespace loadfactor::engine {
namespace {

using observe::Cluster;
using observe::FileKind;
using observe::Labels;
using observe::ReadCount;
using observe::TextFile;

// Only when samples are, of metrics that are known.
class TimeSink final : public observe::SampleSink {
 public:
  int series(std::string_view metric, const Labels& /*labels*/) override {
    return signals_.find(metric) == nullptr ? -1 : 0;
  }
  void sample(int /*series*/, double time, double /*value*/) override {
    if (!std::isfinite(time)) return;
    first = std::min(first, time);
    last = std::max(last, time);
  }
  double first = std::numeric_limits<double>::infinity();
  double last = -std::numeric_limits<double>::infinity();

 private:
  observe::SignalTable signals_;
};

bool is_slurm(FileKind kind) {
  return kind == FileKind::kSlurmJobs || kind == FileKind::kSlurmNodes;
}

bool has_kind(const std::vector<KnownFile>& files, FileKind kind) {
  return std::any_of(files.begin(), files.end(),
                     [&](const KnownFile& known) { return known.kind == kind; });
}

// Time that was asked for and lies before anything that is told: left out, or taken to be empty.
void note_empty_before(bool is_left_out, double first, double asked, std::vector<Notice>& notices) {
  constexpr double kNoticeable = 60;
  if (first - asked < kNoticeable) return;
  notices.push_back(
      {.id = is_left_out ? "window-from-first-job" : "empty-before-first-job",
       .arguments = {{"hours", fmt::format("{:.1f}", (first - asked) / kHour.base())}}});
}

// Files without stamps are an interval apart and end now.
void find_times(const ObserveInputs& inputs, double end, std::vector<KnownFile>& files) {
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    file->time = end;
    file->interval = inputs.interval;
    const bool is_log = file->kind == FileKind::kSmiTable;
    const auto looks = static_cast<double>(is_log ? observe::looks_of_smi_table(file->file) : 1);
    if (!is_slurm(file->kind)) end -= looks * inputs.interval;
  }
}

// Whether nothing is known of the time before now: squeue and sinfo tell of the present alone.
bool is_present_alone(const ObserveInputs& inputs, const std::vector<KnownFile>& files) {
  return !inputs.feed && !files.empty() &&
         std::all_of(files.begin(), files.end(), [](const KnownFile& known) {
           return known.kind == FileKind::kSlurmNodes ||
                  (known.kind == FileKind::kSlurmJobs && observe::is_queue(known.file));
         });
}

// Whether jobs that ended are not told of, and metrics tell of the time in which they ran.
bool is_queue_beside_metrics(const ObserveInputs& inputs, const std::vector<KnownFile>& files) {
  bool has_queue = false;
  bool has_metrics = inputs.feed != nullptr;
  for (const KnownFile& known : files) {
    if (known.kind == FileKind::kSlurmJobs && !observe::is_queue(known.file)) return false;
    has_queue = has_queue || known.kind == FileKind::kSlurmJobs;
    has_metrics = has_metrics || !is_slurm(known.kind);
  }
  return has_queue && has_metrics;
}

// In slots as long as was asked for, else in round ones.
Result<observe::Grid> cut_window(const ObserveInputs& inputs, double from, double to,
                                 double least_step) {
  if (!inputs.step) return observe::make_grid(from, to, least_step);
  // One look, or two, say nothing of a window.
  constexpr double kFewestLooks = 4;
  if (*inputs.step * kFewestLooks > to - from)
    return Error{.code = lf::kOutOfRange,
                 .message = fmt::format("--step of {:.0f} s is too long for a window of {:.0f} s: "
                                        "that is fewer than {:.0f} looks",
                                        *inputs.step, to - from, kFewestLooks),
                 .hint = "a shorter --step, or a longer --since"};
  if (observe::is_fine_enough(from, to, *inputs.step)) return observe::Grid{from, to, *inputs.step};
  return Error{.code = lf::kOutOfRange,
               .message = fmt::format("--step cuts this window into {:.0f} parts, which is more "
                                      "than can be held",
                                      (to - from) / *inputs.step),
               .hint = "a longer --step, or a shorter --since"};
}

std::optional<observe::Grid> checked(Result<observe::Grid> grid, Diagnostics& diagnostics) {
  if (grid) return *grid;
  diagnostics.add(grid.error());
  return std::nullopt;
}

// The window: as long as was asked for, and no longer than what files tell.
std::optional<observe::Grid> window_of(const ObserveInputs& inputs,
                                       const std::vector<KnownFile>& files,
                                       const std::vector<observe::JobRecord>& jobs, double end,
                                       std::vector<Notice>& notices, Diagnostics& diagnostics) {
  TimeSink times;
  for (const KnownFile& known : files)
    if (const auto count = read_samples(known, times); !count)
      return diagnostics.add(count.error()), std::nullopt;
  if (!(times.last >= times.first))
    for (const auto& job : jobs) {
      if (job.start > 0) times.first = std::min(times.first, job.start);
      times.last = std::max(times.last, job.end);
    }
  const bool is_told = times.last >= times.first;
  if (!is_told) times.first = times.last = end;
  if (inputs.now && !inputs.is_live && *inputs.now < times.first) {
    diagnostics.add({.code = lf::kOutOfRange,
                     .message = fmt::format("everything that the files tell lies after the time "
                                            "that is taken for now: {} to {}",
                                            stamp_text(times.first), stamp_text(times.last)),
                     .hint = fmt::format("--now {}, or leave it out: the files' last time is taken",
                                         stamp_text(times.last))});
    return std::nullopt;
  }
  double to = times.last;
  // What lies ahead of now comes from a clock that is wrong.
  const bool ends_now = inputs.is_live || inputs.is_end_said;
  if (inputs.now) to = ends_now ? *inputs.now : std::min(to, *inputs.now);
  const double asked = to - inputs.since;
  double from = std::max(times.first, asked);
  // A list of nodes says that their GPUs are there when no job runs, too.
  if (has_kind(files, FileKind::kSlurmNodes) && from > asked && !is_present_alone(inputs, files)) {
    if (inputs.is_since_said || !is_told) from = asked;
    // A live one was asked about all of the window.
    if (!inputs.is_live) note_empty_before(from > asked, times.first, asked, notices);
  }
  if (is_present_alone(inputs, files)) from = to;
  // One instant stands for the interval before it, or for as much of it as was asked for.
  const double least = std::min(inputs.interval, inputs.since);
  if (to - from < least) {
    from = to - least;
    return observe::Grid{from, to, std::min(least, inputs.step.value_or(least))};
  }
  return checked(cut_window(inputs, from, to, 1), diagnostics);
}

void note_warning(const ReadCount& count, std::vector<Notice>& notices) {
  if (!count.warning.empty())
    notices.push_back({.id = "server-warnings", .arguments = {{"first", count.warning}}});
}

void note_count(const TextFile& file, const ReadCount& count, std::vector<Notice>& notices) {
  for (const auto& [id, odd] : count.odd_rows) {
    Notice notice{.id = id, .arguments = {{"file", file.name}, {"rows", std::to_string(odd.rows)}}};
    if (odd.first_line > 0) notice.arguments.push_back({"first", std::to_string(odd.first_line)});
    notices.push_back(std::move(notice));
  }
  note_warning(count, notices);
  if (count.bad_lines == 0) return;
  notices.push_back({.id = "bad-lines",
                     .arguments = {{"file", file.name},
                                   {"lines", std::to_string(count.bad_lines)},
                                   {"first", std::to_string(count.first_bad_line)}}});
}

void note_gaps(const Cluster& cluster, std::vector<Notice>& notices) {
  const auto& gaps = cluster.gaps();
  const auto note = [&](const char* id, std::size_t count) {
    if (count > 0)
      notices.push_back({.id = id, .arguments = {{"samples", fmt::format("{}", count)}}});
  };
  note("absent-samples", gaps.absent_samples);
  note("late-samples", gaps.late_samples);
  if (gaps.restarts > 0)
    notices.push_back({.id = "counter-restarts",
                       .arguments = {{"restarts", fmt::format("{}", gaps.restarts)},
                                     {"first", gaps.first_restart}}});
  if (gaps.moved > 0)
    notices.push_back(
        {.id = "moved-gpus",
         .arguments = {{"gpus", fmt::format("{}", gaps.moved)}, {"first", gaps.first_moved}}});
  if (gaps.joined > 0)
    notices.push_back(
        {.id = "joined-by-place",
         .arguments = {{"gpus", fmt::format("{}", gaps.joined)}, {"first", gaps.first_joined}}});
  if (const auto& nodes = cluster.renamed_nodes(); !nodes.empty())
    notices.push_back({.id = "renamed-nodes",
                       .arguments = {{"nodes", fmt::format("{}", nodes.size())},
                                     {"old", nodes.begin()->first},
                                     {"name", nodes.begin()->second}}});
  for (const auto& [old_name, name] : cluster.renamed_clusters())
    if (!old_name.empty())
      notices.push_back(
          {.id = "renamed-cluster", .arguments = {{"old", old_name}, {"name", name}}});
  if (gaps.duplicates > 0)
    notices.push_back(
        {.id = "duplicate-series", .arguments = {{"series", fmt::format("{}", gaps.duplicates)}}});
}

// Jobs on nodes that GPUs without a name of their host may be on.
void note_unseen_nodes(const Cluster& cluster, std::vector<Notice>& notices) {
  if (!cluster.has_gpu_metrics()) return;
  std::set<std::string> seen;
  for (const auto& gpu : cluster.gpus()) seen.insert(observe::short_host(gpu.node));
  std::set<std::string> unseen;
  for (const observe::JobRecord& job : cluster.jobs())
    for (const std::string& node : job.nodes)
      if (job.gpus > 0 && cluster.is_inside(job) && !seen.contains(observe::short_host(node)))
        unseen.insert(node);
  if (seen.empty() || unseen.empty()) return;
  notices.push_back(
      {.id = "unseen-nodes",
       .arguments = {{"nodes", std::to_string(unseen.size())}, {"first", *unseen.begin()}}});
}

// A list of nodes that names fewer GPUs than a job held there.
void note_short_nodes(const Cluster& cluster, std::vector<Notice>& notices) {
  if (cluster.short_nodes().empty()) return;
  const observe::NodeRecord& first = cluster.short_nodes().front();
  notices.push_back({.id = "short-nodes",
                     .arguments = {{"nodes", std::to_string(cluster.short_nodes().size())},
                                   {"first", first.name},
                                   {"listed", std::to_string(first.gpus)},
                                   {"held", std::to_string(first.gpus_in_use.value_or(0))}}});
}

// Jobs that overlap on more GPUs than their nodes have, and those of shards of a size not told.
void note_jobs_left_out(const Cluster& cluster, std::vector<Notice>& notices) {
  if (const auto& crowding = cluster.crowding(); crowding.jobs > 0)
    notices.push_back(
        {.id = "overlapping-jobs",
         .arguments = {{"jobs", std::to_string(crowding.jobs)},
                       {"first", crowding.first},
                       {"hours", fmt::format("{:.1f}", crowding.gpu_seconds / kHour.base())}}});
  if (const auto& shards = cluster.unknown_shards(); shards.jobs > 0)
    notices.push_back(
        {.id = "jobs-of-shards",
         .arguments = {{"jobs", std::to_string(shards.jobs)}, {"first", shards.first}}});
}

// Jobs of another time, of which the source tells as well.
void note_jobs_outside(const JobsOutside& jobs, std::vector<Notice>& notices) {
  const auto note = [&](const char* id, std::size_t count, const std::string& first,
                        const char* option, const std::string& shows) {
    if (count == 0) return;
    notices.push_back({.id = id, .arguments = {{"jobs", std::to_string(count)}, {"first", first}}});
    if (!shows.empty()) notices.back().arguments.push_back({option, shows});
  };
  note("jobs-before-window", jobs.before, jobs.first_before, "since", jobs.since);
  note("jobs-after-window", jobs.after, jobs.first_after, "now", jobs.now);
}

// Metrics whose values do not look like what their names say.
void note_scales(const Cluster& cluster, std::vector<Notice>& notices) {
  for (const observe::OddScale& odd : cluster.odd_scales()) {
    notices.push_back({.id = odd.is_percent ? "ratio-as-percent" : "small-percent",
                       .arguments = {{"metric", odd.metric}}});
    if (odd.is_percent) continue;
    if (odd.ratio_name.empty())
      notices.back().arguments.push_back({"leave", ""});
    else
      notices.back().arguments.push_back({"ratio", odd.ratio_name});
  }
}

void note_renamed(const Cluster& cluster, std::vector<Notice>& notices) {
  const auto& renamed = cluster.renamed();
  if (renamed.empty()) return;
  notices.push_back({.id = "renamed-metrics",
                     .arguments = {{"metrics", std::to_string(renamed.size())},
                                   {"first", renamed.begin()->first},
                                   {"known", renamed.begin()->second}}});
}

// Jobs, or GPUs, that may be of any of several clusters.
void note_clusters(const Cluster& cluster, std::vector<Notice>& notices) {
  const auto& hosts = cluster.ambiguous_hosts();
  if (hosts.empty()) return;
  notices.push_back(
      {.id = "ambiguous-clusters",
       .arguments = {{"hosts", std::to_string(hosts.size())}, {"first", *hosts.begin()}}});
}

// Until when jobs of a table run that had not ended: those that Slurm printed just now, or beside
// metrics, to the end of the window; those of a table that was kept, to the last time it tells of.
double end_of_running(const ObserveInputs& inputs, const std::vector<KnownFile>& files,
                      const KnownFile& table, double end) {
  const bool has_metrics = inputs.feed != nullptr ||
                           !std::all_of(files.begin(), files.end(), [](const KnownFile& known) {
                             return is_slurm(known.kind);
                           });
  if (inputs.is_live || inputs.is_end_said || has_metrics || observe::is_queue(table.file))
    return end;
  const double told = observe::last_time_of(table.file);
  if (told <= 0) return end;
  return end > 0 ? std::min(told, end) : told;
}

void note_running(const TextFile& file, const std::vector<observe::JobRecord>& jobs, double until,
                  double end, std::vector<Notice>& notices) {
  const auto running = std::count_if(jobs.begin(), jobs.end(), [](const auto& job) {
    return job.end_state == observe::JobEnd::kRunning && job.gpus + job.shards > 0;
  });
  if (running == 0 || until >= end) return;
  notices.push_back(
      {.id = "running-until",
       .arguments = {
           {"file", file.name}, {"jobs", std::to_string(running)}, {"time", stamp_text(until)}}});
}

struct Records {
  std::vector<observe::JobRecord> jobs;
  std::vector<observe::NodeRecord> nodes;
  bool has_job_table = false;  // One that tells of GPUs, be it that no job ran.
};

std::set<std::string> hosts_of(const Records& records) {
  std::set<std::string> hosts;
  for (const observe::NodeRecord& node : records.nodes)
    hosts.insert(observe::short_host(node.name));
  for (const observe::JobRecord& job : records.jobs)
    for (const std::string& node : job.nodes) hosts.insert(observe::short_host(node));
  return hosts;
}

bool read_records(const ObserveInputs& inputs, const std::vector<KnownFile>& files, double end,
                  Records& records, std::vector<Notice>& notices, Diagnostics& diagnostics) {
  for (const KnownFile& known : files) {
    if (known.kind == FileKind::kSlurmJobs) {
      ReadCount count;
      const double until = end_of_running(inputs, files, known, end);
      auto jobs = observe::read_slurm_jobs(known.file, until, count);
      if (!jobs) return diagnostics.add(jobs.error()), false;
      note_count(known.file, count, notices);
      // Who holds GPUs is not known from jobs whose table leaves them out.
      if (count.odd_rows.contains("jobs-without-gpus")) continue;
      note_running(known.file, *jobs, until, end, notices);
      records.has_job_table = true;
      records.jobs.insert(records.jobs.end(), jobs->begin(), jobs->end());
    } else if (known.kind == FileKind::kSlurmNodes) {
      auto nodes = observe::read_slurm_nodes(known.file);
      if (!nodes) return diagnostics.add(nodes.error()), false;
      records.nodes.insert(records.nodes.end(), nodes->begin(), nodes->end());
    }
  }
  return true;
}

}  // namespace

JobsOutside jobs_outside(const Cluster& cluster, const ObserveInputs& inputs) {
  const observe::Grid& grid = cluster.grid();
  JobsOutside found;
  double earliest = grid.from, latest = grid.to;
  for (const observe::JobRecord& job : cluster.jobs()) {
    const bool has_run = job.gpus + job.shards > 0 && job.start > 0 && job.end > job.start &&
                         job.end_state != observe::JobEnd::kPending;
    if (!has_run || job.nodes.empty() || cluster.is_inside(job)) continue;
    const bool is_before = job.end <= grid.from;
    if ((is_before ? found.before : found.after)++ == 0)
      (is_before ? found.first_before : found.first_after) = job.id;
    earliest = std::min(earliest, job.start);
    latest = std::max(latest, job.end);
  }
  // Where samples begin later than what was asked for, a longer window shows no more.
  const bool is_cut = grid.from <= grid.to - inputs.since + grid.step;
  if (found.before > 0 && is_cut)
    found.since = fmt::format("{:.0f}d", std::ceil((grid.to - earliest) / kDay.base()));
  if (found.after > 0 && inputs.is_end_said) found.now = stamp_text(latest);
  return found;
}

std::vector<TextFile> step_logs(std::span<const TextFile> files) {
  std::vector<TextFile> logs;
  for (TextFile file : files) {
    file.text = without_mark(file.text);
    if (const auto kind = observe::find_kind(file); kind && *kind == FileKind::kStepLog)
      logs.push_back(file);
  }
  return logs;
}

std::unique_ptr<Cluster> read_cluster(const ObserveInputs& inputs, std::vector<Notice>& notices,
                                      Diagnostics& diagnostics) {
  std::vector<KnownFile> files;
  for (TextFile file : inputs.files) {
    file.text = without_mark(file.text);
    const auto kind = observe::find_kind(file);
    if (!kind) return diagnostics.add(kind.error()), nullptr;
    if (*kind != FileKind::kStepLog) files.push_back({.file = file, .kind = *kind});
  }
  const double end = inputs.now.value_or(0);
  find_times(inputs, end, files);
  if (const auto named = name_hosts(files, notices); !named)
    return diagnostics.add(named.error()), nullptr;
  Records records;
  if (!read_records(inputs, files, end, records, notices, diagnostics)) return nullptr;
  if (const auto placed = place_by_file(hosts_of(records), files, notices); !placed)
    return diagnostics.add(placed.error()), nullptr;
  constexpr double kServerStep = 60;
  const auto grid =
      inputs.feed ? checked(cut_window(inputs, end - inputs.since, end, kServerStep), diagnostics)
                  : window_of(inputs, files, records.jobs, end, notices, diagnostics);
  if (!grid) return nullptr;
  if (is_present_alone(inputs, files)) {
    notices.push_back({.id = "present-alone"});
    for (observe::JobRecord& job : records.jobs) job.start = std::min(job.start, grid->from);
  }
  if (is_queue_beside_metrics(inputs, files)) notices.push_back({.id = "queue-alone"});
  auto cluster = std::make_unique<Cluster>(*grid);
  for (const KnownFile& known : files) {
    const auto count = read_samples(known, *cluster);
    if (!count) return diagnostics.add(count.error()), nullptr;
    note_count(known.file, *count, notices);
  }
  if (inputs.feed) {
    const auto count = read_feed(inputs, *cluster);
    if (!count) return diagnostics.add(count.error()), nullptr;
    note_warning(*count, notices);
  }
  if (records.has_job_table) cluster->note_job_table();
  cluster->add_jobs(std::move(records.jobs));
  cluster->add_nodes(std::move(records.nodes));
  cluster->finish();
  if (cluster->is_too_fine())
    return diagnostics.add({.code = lf::kOutOfRange,
                            .message = fmt::format("{} slots of --step are more than can be held "
                                                   "of so many GPUs",
                                                   grid->slots()),
                            .hint = "a longer --step, or a shorter --since"}),
           nullptr;
  note_gaps(*cluster, notices);
  note_unseen_nodes(*cluster, notices);
  note_short_nodes(*cluster, notices);
  note_jobs_left_out(*cluster, notices);
  note_jobs_outside(jobs_outside(*cluster, inputs), notices);
  note_scales(*cluster, notices);
  note_renamed(*cluster, notices);
  note_clusters(*cluster, notices);
  return cluster;
}

}  // namespace loadfactor::engine
