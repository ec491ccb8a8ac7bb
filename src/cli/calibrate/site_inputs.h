// What `calibrate` was given: files of several tools and times on the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/measurement/measurement.h"
#include "loadfactor/estimate.h"
#include "loadfactor/result.h"
#include "loadfactor/scenario.h"

namespace loadfactor::cli {

class Session;

struct SiteFlags {
  std::vector<std::string> files;
  std::vector<std::string> scenarios;
  std::vector<std::string> step_times;
  std::string gpu;
  std::string engine;     // Empty: vLLM, or the scenario's.
  std::string precision;  // Empty: bf16, or the scenario's.
  int tp = 0;             // 0: one, or the scenario's.
  std::string folder;
  bool replace = false;
  bool where = false;
};

// A measured training step: a log, or one time.
struct MeasuredStep {
  std::string label;
  std::optional<calibrate::TrainingLog> log;
  Seconds duration;
};

// A run of a load generator, and the file that tells of it.
struct MeasuredLoad {
  std::string file;
  calibrate::ServingPoint point;
};

struct SiteInputs {
  std::vector<calibrate::ProbeFile> probes;
  std::vector<calibrate::CollectiveFile> collectives;
  std::vector<MeasuredLoad> serving;
  std::vector<MeasuredStep> steps;                   // In the order given, times after logs.
  std::vector<config::Scenario> training_scenarios;  // Of `--for`, in order,
  std::vector<config::Scenario> serving_scenarios;   // by what they ask.
  std::vector<Notice> notices;                       // Of the files: what they warn of or lack.
};

// LF504 for a time that is none; errors of files and scenarios as their readers report them.
Result<SiteInputs> read_site_inputs(const SiteFlags& flags);
// The scenarios among them; false after errors that have been told.
bool read_site_scenarios(Session& session, const SiteFlags& flags, SiteInputs& inputs);

}  // namespace loadfactor::cli
