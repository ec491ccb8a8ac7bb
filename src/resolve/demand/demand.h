// What is this traffic like? Files in, description out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "demand/describe/characterise.h"
#include "demand/describe/cluster_use.h"
#include "demand/read/import.h"
#include "loadfactor/estimate.h"
#include "loadfactor/result.h"

namespace loadfactor::engine {

struct DemandFile {
  std::string name;
  std::string_view bytes;  // Must outlive the question.
};

// One file; or two snapshots of metrics with the time between them; or several request files,
// laid over each other.
struct DemandQuestion {
  std::vector<DemandFile> files;
  demand::ReadOptions read;
  bool spread_batches = false;
  std::optional<Seconds> interval;  // Between two snapshots.
  double compress = 1;
};

struct DemandAnswer {
  std::string name;
  demand::ImportReport import;
  demand::DemandData data;
  std::optional<demand::Characterisation> traffic;
  std::optional<demand::ClusterUse> cluster;
  std::optional<demand::MetricsSnapshot> metrics;
  std::vector<Notice> notices;
};

Result<DemandAnswer> describe_demand(const DemandQuestion& question);

// Whether prompts or answers are most of a GPU's work, in words.
std::string work_words(double input_per_output);

}  // namespace loadfactor::engine
