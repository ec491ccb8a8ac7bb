// One published serving result, as a table states it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/csv.h"
#include "loadfactor/result.h"

namespace loadfactor::validation {

// Columns as they are named; whatever is empty or `unknown` is nothing.
struct InferenceRow {
  std::string id;
  std::string model;
  std::string accelerator;
  std::string precision;
  std::string kv_precision;
  std::string engine;
  std::string engine_version;
  std::string metric;
  std::string batch;  // A number or `max`.
  std::string rate;   // A number, `inf` or `closed-loop`.
  std::string source;
  std::string notes;
  std::optional<double> parameters;  // Billions, as are the active ones.
  std::optional<double> active;
  std::optional<double> layers, hidden, heads, kv_heads;
  std::optional<double> gpus, tp, pp, ep;
  std::optional<double> input, output;
  std::optional<double> value;
  std::optional<double> year;
  unsigned line = 0;                // Line of the file; 0: not known.
  std::vector<std::string> unread;  // Cells that hold no number, in words.
};

// A table without model, accelerator, metric and value is LF513.
Result<std::vector<InferenceRow>> read_inference_rows(const config::CsvTable& table);

// Who published it: the id without its number, else the first word of the source.
std::string source_of(const InferenceRow& row);

}  // namespace loadfactor::validation
