// The files of a question, each with what is known of it besides its text.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/core.h"
#include "observe/read/readers.h"

namespace loadfactor::engine {

struct KnownFile {
  observe::TextFile file;
  observe::FileKind kind = observe::FileKind::kPrometheusText;
  double time = 0;       // When samples without a stamp were taken, seconds since 1970,
  double interval = 60;  // and how long before them those of the same file.
  std::string host;      // The machine whose log it is, where the log itself does not name one.
};

// Samples of a file of metrics; none of any other.
Result<observe::ReadCount> read_samples(const KnownFile& known, observe::SampleSink& sink);

// Logs that name no machine are of several where two of them tell of the same GPU at the same time:
// then each is of the machine that its file is named after.
Result<bool> name_hosts(std::vector<KnownFile>& files, std::vector<Notice>& notices);

// Logs that name no machine are of the node, of those that a batch system names, that their file is
// named after; that the others are of none of them is said.
Result<bool> place_by_file(const std::set<std::string>& nodes, std::vector<KnownFile>& files,
                           std::vector<Notice>& notices);

}  // namespace loadfactor::engine
