// One published training result, as a table states it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/csv.h"
#include "loadfactor/result.h"

namespace loadfactor::validation {

// Columns as they are named; whatever is empty or `unknown` is nothing.
struct TrainingRow {
  std::string id;
  std::string model;
  std::string accelerator;
  std::string precision;
  std::string recompute;
  std::string sequence_parallel;
  std::string schedule;
  std::string sharding;
  std::string framework;
  std::string source;
  std::string quality;
  std::string notes;
  std::optional<double> parameters;  // Billions, as are the active ones.
  std::optional<double> active;
  std::optional<double> layers, hidden, heads, kv_heads, ffn, vocab, sequence;
  std::optional<double> experts, top_k;
  std::optional<double> scale_out;  // Gb/s per GPU between nodes.
  std::optional<double> gpus, gpus_per_node, tp, pp, vp, cp, ep, dp;
  std::optional<double> micro_batch, global_batch;
  std::optional<double> step_time, tokens_per_second, tflops, mfu, memory;
  std::optional<double> year;
  std::string problem;  // The first cell that makes no sense, in words; empty when all do.
};

// Reads all rows. A cell that is no number where one belongs, or one that cannot be, is the
// `problem` of its row. A table without the columns model, accelerator and gpus is LF513.
Result<std::vector<TrainingRow>> read_training_rows(const config::CsvTable& table);

// Names of columns that nobody reads. One that is a slip of a column the table lacks is LF502.
std::vector<std::string> unread_columns(const config::CsvTable& table, Diagnostics& diagnostics);

// The publication a row belongs to, from the text of its source: a repository, a paper, or a
// figure of its own. Results of one publication share their mistakes.
std::string publication_of(const std::string& source);

}  // namespace loadfactor::validation
