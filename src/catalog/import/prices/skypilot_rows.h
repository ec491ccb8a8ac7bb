// The rows of a SkyPilot catalogue (vms.csv), typed and checked but not yet interpreted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loadfactor/result.h"

namespace loadfactor::catalog {

struct SkypilotInput {
  std::string file;
  std::string text;
  std::string cloud;  // "gcp"; a column `Cloud` overrules it.
  std::string as_of;  // Date of this cloud's file: clouds are refreshed apart.
};

struct SkypilotRow {
  std::string cloud;
  std::string instance;         // Empty where the row prices accelerators without their host.
  std::string accelerator;      // As written; empty for a host or a CPU instance.
  std::string place;            // Zone, or region where no zone is given.
  double count = 0.0;           // Accelerators, as written; 0 without an accelerator.
  std::optional<double> price;  // Dollars per hour of the whole row.
  std::optional<double> spot;
  std::uint32_t line = 0;
  std::string file;
  std::string as_of;
};

// Columns are found by name; LF513 if one that matters is missing. A number that is none is
// LF208, a negative one LF207, one beyond belief LF205. Prices of 0 are kept as written.
std::vector<SkypilotRow> read_skypilot_rows(SkypilotInput input, Diagnostics& diagnostics);

}  // namespace loadfactor::catalog
