// What a site measured, whatever tool wrote it down.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "loadfactor/estimate.h"
#include "loadfactor/quantity.h"
#include "loadfactor/result.h"

namespace loadfactor::calibrate {

// One collective of one size, as nccl-tests or our probe time it.
struct CollectivePoint {
  // One of all_reduce, all_gather, reduce_scatter, broadcast, all_to_all, send_recv.
  std::string operation;
  int ranks = 0;
  Bytes bytes;  // Size of the whole result.
  Seconds duration;
};

// One row of a probe's section, its numbers by name.
struct ProbeRow {
  std::vector<std::pair<std::string, double>> numbers;
  std::vector<std::pair<std::string, std::string>> words;

  std::optional<double> number(std::string_view name) const;
  std::string_view word(std::string_view name) const;
};

struct ProbeFile {
  std::string device;  // The driver's name for it.
  std::string date;    // YYYY-MM-DD.
  double power_limit_w = 0;
  std::vector<std::pair<std::string, std::vector<ProbeRow>>> sections;
  std::string file = {};
  std::vector<Notice> notices = {};  // What it warns of, and what of it was left out.

  const std::vector<ProbeRow>& section(std::string_view name) const;
};

struct CollectiveFile {
  std::string device;  // The driver's name for it; empty where the file does not say.
  std::vector<CollectivePoint> points;
  std::string file = {};
  std::vector<Notice> notices = {};
};

// A run of a load generator against a serving engine. Absent figures are zero.
struct ServingPoint {
  std::string tool;  // One of vllm, guidellm, aiperf.
  std::string model;
  double concurrency = 0;
  double request_rate = 0;  // Asked for, per second; 0 where as fast as possible.
  double requests = 0;      // Requests that completed.
  double failed = 0;        // Requests that failed.
  double input_tokens = 0;  // Mean per request, as output_tokens.
  double output_tokens = 0;
  double request_throughput = 0;  // Requests per second.
  double output_throughput = 0;   // Tokens per second.
  Seconds first_token;            // Mean time to the first token.
  Seconds per_token;              // Mean time of each token after the first.
};

struct ServingFile {
  std::vector<ServingPoint> points;
  std::vector<Notice> notices;
};

// Steps of a training run. What a log does not say is zero.
struct TrainingLogStep {
  std::int64_t step = 0;
  Seconds duration;
  double tokens_per_second = 0;  // Per GPU.
  double samples_per_second = 0;
  double tflops = 0;  // Per GPU.
};

// A figure that a log states of its own run, and where.
struct StatedFigure {
  double value = 0;
  std::uint32_t line = 0;
};

struct TrainingLog {
  std::string framework;  // One of megatron, torchtitan, deepspeed.
  std::vector<TrainingLogStep> steps;
  std::string file = {};
  std::uint32_t first_line = 0;  // The first line with a step.
  // What ran, as the log says it last; nothing where it does not.
  std::optional<StatedFigure> global_batch = {};
  std::optional<StatedFigure> sequence = {};
  std::optional<StatedFigure> gpus = {};
  std::optional<StatedFigure> parameters = {};
  std::vector<Notice> notices = {};

  // The middle of the steps that came after warming up, and their spread as the standard
  // deviation of the logarithm. Nothing where no step says how long it took.
  std::optional<Seconds> typical_step() const;
  double spread() const;
  // The same with the durations of steps that state rates alone, of one step's work: tokens of
  // one GPU, samples of all.
  TrainingLog with_work(double tokens, double samples) const;
};

using Measurement = std::variant<ProbeFile, CollectiveFile, ServingFile, TrainingLog>;

// Told by content, not by name. LF540 when it is none of these, LF541 when it is one but holds
// nothing usable, LF511 for a probe's file of another version, LF512 for an empty one; errors of
// syntax as the readers of JSON report them.
Result<Measurement> read_measurement(const std::string& file, const std::string& text);

// The single formats. Each returns LF541 when nothing usable is there.
Result<ProbeFile> read_probe(const std::string& file, const std::string& text);
Result<CollectiveFile> read_nccl_text(const std::string& file, std::string_view text);
Result<TrainingLog> read_training_log(const std::string& file, std::string_view text);

}  // namespace loadfactor::calibrate
