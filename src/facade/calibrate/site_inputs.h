// What a site measured: files of several tools, read, beside the scenarios that ran.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/measurement/measurement.h"
#include "calibrate/profile/nccl_debug.h"
#include "calibrate/profile/timeline.h"
#include "loadfactor/ask.h"
#include "loadfactor/estimate.h"
#include "loadfactor/result.h"

namespace loadfactor::facade {

// A measured training step: a log, or one time.
struct MeasuredStep {
  std::string file;  // The log's path; empty for a time.
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
  std::vector<calibrate::Timeline> profiles;
  std::vector<calibrate::NcclDebug> networks;
  std::vector<MeasuredStep> steps;                    // In the order given, times after logs.
  std::vector<ScenarioWithFiles> training_scenarios;  // Those given, in order,
  std::vector<ScenarioWithFiles> serving_scenarios;   // by what they ask.
  std::vector<Notice> notices;                        // What the files warn of or lack.
  std::string today;                                  // YYYY-MM-DD.

  // Whether nothing is there that explains a prediction without moving it.
  bool only_fits() const { return profiles.empty() && networks.empty(); }
};

// Errors of files are as their readers report them.
Result<SiteInputs> read_site_inputs(const SiteMeasurements& given, const std::string& today);

}  // namespace loadfactor::facade
