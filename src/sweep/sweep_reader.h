// A sweep file as text becomes a sweep, or everything that is wrong with it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/document.h"
#include "loadfactor/result.h"
#include "sweep/sweep.h"

namespace loadfactor::sweep {

inline constexpr int kSweepVersion = 1;

// A file that the sweep names, relative to it.
using OpenBeside = std::function<Result<std::string>(const std::string& path)>;

// A sweep with the texts that its positions point into.
struct SweepFile {
  std::shared_ptr<const config::Document> document;
  std::vector<std::shared_ptr<const config::Document>> tables;  // CSV files of cases.
  Sweep sweep;

  Error error(int code, const WrittenText& at, std::string message, std::string hint = {}) const;
};

// `.json` as JSON and all else as YAML.
std::optional<SweepFile> read_sweep(const std::string& file, const std::string& text,
                                    const OpenBeside& open, Diagnostics& diagnostics);

// The verbs that can be swept.
const std::vector<std::string>& sweep_verbs();

}  // namespace loadfactor::sweep
