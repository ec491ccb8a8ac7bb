// Readers of what monitoring and batch systems print. None opens a file; all of them bound what
// they keep by what they are given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibrate/measurement/measurement.h"
#include "loadfactor/result.h"
#include "observe/cluster_records.h"
#include "observe/sample.h"

namespace loadfactor::observe {

struct TextFile {
  std::string name;  // As errors call it.
  std::string_view text;
};

enum class FileKind : std::uint8_t {
  kPrometheusText,  // A scrape, OpenMetrics, or `promtool tsdb dump`.
  kPrometheusJson,  // An answer of the HTTP API, or lines of an export.
  kSlurmJobs,       // sacct, squeue, or the job completion file.
  kSlurmNodes,      // sinfo.
  kSmiTable,        // nvidia-smi --query-gpu … --format=csv, rocm-smi --csv.
  kSmiMonitor,      // nvidia-smi dmon.
  kStepLog,         // Megatron, torchtitan, DeepSpeed, NeMo.
};
// By the look of it; LF540 with what is understood where it is none of them.
Result<FileKind> find_kind(const TextFile& file);

// Whether a line is one of metrics: labels between braces may hold anything, so that it is told by
// these, or it is a comment about a metric.
bool looks_like_metrics(std::string_view line);
// Samples without a stamp are of `time`.
Result<ReadCount> read_prometheus_text(const TextFile& file, double time, SampleSink& sink);
Result<ReadCount> read_prometheus_json(const TextFile& file, double time, SampleSink& sink);
// Names of the answer to /api/v1/label/…/values.
Result<std::vector<std::string>> read_label_values(const TextFile& file);

// Jobs that still run end at `time`.
// Rows that cannot be are left out and counted.
Result<std::vector<JobRecord>> read_slurm_jobs(const TextFile& file, double time, ReadCount& count);
// The last time that a table of jobs tells of: when one began or ended, or how long it had run. 0
// where it tells none.
double last_time_of(const TextFile& file);
// Whether it is what squeue prints, which tells of jobs that wait or run now, and of no others.
bool is_queue(const TextFile& file);
Result<std::vector<NodeRecord>> read_slurm_nodes(const TextFile& file);
// `n[1-3,7],m2` as names; at most 65,536 of them.
std::vector<std::string> expand_hosts(std::string_view list);
// GPUs of `gres/gpu=8`, `gpu:h100:8(S:0-1)`, `billing=2,gres/gpu:a100=4`; 0 where none are named.
int count_gpus(std::string_view text);
// Shards of GPUs, of which several jobs hold one GPU: `gres/shard=4`, `shard:h100:64`.
int count_shards(std::string_view text);
// What they are called there: `h100`; empty where no kind, or more than one, is named.
std::string gpu_kind(std::string_view text);

// What one rank computed in a step, where the log times its ranks.
struct RankTimer {
  std::string rank;
  std::int64_t step = 0;
  double seconds = 0;
};

// The log of a training run: steps, when each was written and by whom, and how many steps were
// logged before each checkpoint.
struct StepLog {
  calibrate::TrainingLog training;
  std::vector<std::optional<double>> stamps;
  std::vector<std::string> ranks;  // Empty texts where a line does not say who wrote it.
  std::vector<std::size_t> saves;
  std::vector<RankTimer> timers;
  std::vector<double> mfus;  // One for each step, as the log counts it; 0 where it does not.
};
bool looks_like_step_log(const TextFile& file);
Result<StepLog> read_step_log(const TextFile& file);

// A log without times that repeats its header is of as many looks, `interval` apart, the last of
// which was at `time`.
std::size_t looks_of_smi_table(const TextFile& file);
Result<ReadCount> read_smi_table(const TextFile& file, double time, SampleSink& sink,
                                 double interval = 60);
Result<ReadCount> read_smi_monitor(const TextFile& file, double time, SampleSink& sink);

}  // namespace loadfactor::observe
