// The flags of `loadfactor demand` that make something: a fit, traffic, our own CSV.
#pragma once

#include <string>

#include "cli/session/session.h"
#include "resolve/demand/demand.h"

namespace loadfactor::cli {

struct MakingFlags {
  bool fit = false;
  bool convert = false;
  std::string generate;  // A preset or a file of one.
  std::string duration = "1 week";
  std::string rate;  // Mean, as `12/s`; empty: the model's own.
};

// Prints the fitted model as a file, and how far it is from what it has not seen.
void write_fit(Session& session, const engine::DemandAnswer& answer);

// Writes requests or rates as our own CSV.
void write_converted(Session& session, const engine::DemandAnswer& answer);

// Writes made requests as our own CSV.
void write_generated(Session& session, const MakingFlags& flags);

}  // namespace loadfactor::cli
