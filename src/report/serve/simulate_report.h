// A simulated deployment for people and for programs.
#pragma once

#include <string>

#include "loadfactor/serve.h"
#include "report/describe/envelope.h"

namespace loadfactor::report {

struct SimulateTextOptions {
  int width = 80;
  bool colour = false;
  bool explain = false;       // Adds the counts behind the figures.
  bool reproducible = false;  // Leaves out what differs between two runs.
};

// The answer first, then latencies, the distribution, rates, and where the empty seats are.
std::string simulate_text(const SimulateAnswer& answer, const SimulateTextOptions& options);
std::string simulate_markdown(const SimulateAnswer& answer);
// One row per latency.
std::string simulate_csv(const SimulateAnswer& answer);
std::string simulate_json(const SimulateAnswer& answer, const std::string& file, bool reproducible);

// The answer as one sentence.
std::string simulate_verdict(const SimulateAnswer& answer);

// Queue, batch, KV cache and tokens over time, one row per point.
std::string simulate_series_csv(const SimulateAnswer& answer);

// Steps by replica and the state as counters, in the Chrome trace format.
std::string simulate_trace_json(const SimulateAnswer& answer);

AnswerSchema simulate_schema();

}  // namespace loadfactor::report
