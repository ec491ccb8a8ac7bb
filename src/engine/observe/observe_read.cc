// From files and servers to a cluster.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include <fmt/format.h>

#include "base/byte_order_mark.h"
#include "base/error_codes.h"
#include "engine/observe/observe.h"

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

Result<ReadCount> read_samples(const TextFile& file, FileKind kind, double time,
                               observe::SampleSink& sink) {
  switch (kind) {
    case FileKind::kPrometheusText:
      return read_prometheus_text(file, time, sink);
    case FileKind::kPrometheusJson:
      return read_prometheus_json(file, time, sink);
    case FileKind::kSmiTable:
      return read_smi_table(file, time, sink);
    case FileKind::kSmiMonitor:
      return read_smi_monitor(file, time, sink);
    default:
      return ReadCount{};
  }
}

struct KnownFile {
  TextFile file;
  FileKind kind;
};

bool is_slurm(FileKind kind) {
  return kind == FileKind::kSlurmJobs || kind == FileKind::kSlurmNodes;
}

// Files without stamps are an interval apart and end now.
double time_of(const ObserveInputs& inputs, const std::vector<KnownFile>& files, std::size_t index,
               double end) {
  std::size_t later = 0;
  for (std::size_t i = index + 1; i < files.size(); ++i) later += is_slurm(files[i].kind) ? 0U : 1U;
  return end - static_cast<double>(later) * inputs.interval;
}

// Where a queue is all that is known, nothing is known of the time before now.
bool is_present_alone(const ObserveInputs& inputs, const std::vector<observe::JobRecord>& jobs) {
  return !inputs.knows_past && !inputs.feed &&
         std::none_of(jobs.begin(), jobs.end(), [](const observe::JobRecord& job) {
           return job.end_state == observe::JobEnd::kFinished ||
                  job.end_state == observe::JobEnd::kFailed;
         });
}

// The window: as long as was asked for, and no longer than what files tell.
std::optional<observe::Grid> window_of(const ObserveInputs& inputs,
                                       const std::vector<KnownFile>& files,
                                       const std::vector<observe::JobRecord>& jobs, double end,
                                       Diagnostics& diagnostics) {
  TimeSink times;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto count =
        read_samples(files[i].file, files[i].kind, time_of(inputs, files, i, end), times);
    if (!count) {
      diagnostics.add(count.error());
      return std::nullopt;
    }
  }
  if (!(times.last >= times.first))
    for (const auto& job : jobs) {
      if (job.start > 0) times.first = std::min(times.first, job.start);
      times.last = std::max(times.last, job.end);
    }
  if (!(times.last >= times.first)) times.first = times.last = end;
  if (inputs.now && !inputs.is_live && *inputs.now < times.first) {
    diagnostics.add({.code = lf::kOutOfRange,
                     .message = "everything that the files tell lies after the time that is taken "
                                "for now",
                     .hint = "give a later --now, or leave it out: the files' last time is taken"});
    return std::nullopt;
  }
  double to = times.last;
  // What lies ahead of now comes from a clock that is wrong.
  const bool ends_now = inputs.is_live || inputs.is_end_said;
  if (inputs.now) to = ends_now ? *inputs.now : std::min(to, *inputs.now);
  double from = std::max(times.first, to - inputs.since);
  if (is_present_alone(inputs, jobs)) from = to;
  // One instant stands for the interval before it.
  if (to - from < inputs.interval) {
    from = to - inputs.interval;
    if (!inputs.step) return observe::Grid{from, to, inputs.interval};
  }
  return observe::make_grid(from, to, inputs.step.value_or(1));
}

void note_count(const TextFile& file, const ReadCount& count, std::vector<Notice>& notices) {
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
  if (gaps.duplicates > 0)
    notices.push_back(
        {.id = "duplicate-series", .arguments = {{"series", fmt::format("{}", gaps.duplicates)}}});
}

// Jobs on nodes that GPUs without a name of their host may be on.
void note_unseen_nodes(const Cluster& cluster, std::vector<Notice>& notices) {
  std::set<std::string> seen;
  for (const auto& gpu : cluster.gpus()) seen.insert(gpu.node);
  std::set<std::string> unseen;
  for (const observe::JobRecord& job : cluster.jobs())
    for (const std::string& node : job.nodes)
      if (job.gpus > 0 && !seen.contains(node)) unseen.insert(node);
  if (seen.empty() || unseen.empty()) return;
  notices.push_back(
      {.id = "unseen-nodes",
       .arguments = {{"nodes", std::to_string(unseen.size())}, {"first", *unseen.begin()}}});
}

struct Records {
  std::vector<observe::JobRecord> jobs;
  std::vector<observe::NodeRecord> nodes;
};

bool read_records(const std::vector<KnownFile>& files, double end, Records& records,
                  std::vector<Notice>& notices, Diagnostics& diagnostics) {
  for (const KnownFile& known : files) {
    if (known.kind == FileKind::kSlurmJobs) {
      ReadCount count;
      auto jobs = observe::read_slurm_jobs(known.file, end, count);
      if (!jobs) return diagnostics.add(jobs.error()), false;
      note_count(known.file, count, notices);
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
    if (*kind != FileKind::kStepLog) files.push_back({file, *kind});
  }
  const double end = inputs.now.value_or(0);
  Records records;
  if (!read_records(files, end, records, notices, diagnostics)) return nullptr;
  std::optional<observe::Grid> grid;
  if (inputs.feed)
    grid = observe::make_grid(end - inputs.since, end, inputs.step.value_or(60));
  else
    grid = window_of(inputs, files, records.jobs, end, diagnostics);
  if (!grid) return nullptr;
  if (is_present_alone(inputs, records.jobs)) {
    notices.push_back({.id = "present-alone"});
    for (observe::JobRecord& job : records.jobs) job.start = std::min(job.start, grid->from);
  }
  auto cluster = std::make_unique<Cluster>(*grid);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto count =
        read_samples(files[i].file, files[i].kind, time_of(inputs, files, i, end), *cluster);
    if (!count) return diagnostics.add(count.error()), nullptr;
    note_count(files[i].file, *count, notices);
  }
  if (inputs.feed) {
    const auto count = read_feed(inputs, *cluster);
    if (!count) return diagnostics.add(count.error()), nullptr;
  }
  cluster->add_jobs(std::move(records.jobs));
  cluster->add_nodes(std::move(records.nodes));
  cluster->finish();
  note_gaps(*cluster, notices);
  note_unseen_nodes(*cluster, notices);
  return cluster;
}

}  // namespace loadfactor::engine
