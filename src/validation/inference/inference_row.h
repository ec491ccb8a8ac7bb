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
  // What remarks would say, as columns; where a column is empty the remarks are read.
  std::string load;     // offline, static, closed-loop, open-loop, burst, split, prefill, decode.
  std::string lengths;  // `0.8-1`: drawn evenly between these shares of isl and osl;
                        // `conversation`: as people write; empty: all alike.
  std::string client;   // `groups`: it gets tokens in groups.
  std::string tpot_of;  // `gaps`: the mean over gaps; else over requests.
  std::string bounds;   // `kept`: the bounds on times were promises of the run.
  std::string harness;  // The program that measured, in its own name.
  std::string eager;    // `yes`: no captured graphs.
  std::string generation;    // The engine's, where the release does not say it.
  std::string prefill_pool;  // `2xTP4.DP1.EP1`: so many instances, cut so.
  std::string decode_pool;
  std::optional<double> parameters;  // Billions, as are the active ones.
  std::optional<double> active;
  std::optional<double> layers, hidden, heads, kv_heads;
  std::optional<double> gpus, tp, pp, ep;
  std::optional<double> input, output;
  std::optional<double> value;
  std::optional<double> year;
  std::optional<double> weight;         // What it counts beside the others.
  std::optional<double> prompts;        // Requests of the whole run.
  std::optional<double> opening;        // Share of the requests of a loop that start together.
  std::optional<double> ttft_bound_ms;  // That 99 % kept.
  std::optional<double> tpot_bound_ms;
  std::optional<double> cores_per_chip;  // What tp counts.
  std::optional<double> prefix_hits;     // Share of the prompts that the prefix cache held.
  std::optional<double> host_overlap;    // Share of the host's work that hid behind the device's.
  std::optional<double> power_limit_w;
  unsigned line = 0;                // Line of the file; 0: not known.
  std::vector<std::string> unread;  // Cells that hold no number, in words.
};

// A table without model, accelerator, metric and value is LF513.
Result<std::vector<InferenceRow>> read_inference_rows(const config::CsvTable& table);

// Who published it: the id without its number, else the first word of the source.
std::string source_of(const InferenceRow& row);

}  // namespace loadfactor::validation
