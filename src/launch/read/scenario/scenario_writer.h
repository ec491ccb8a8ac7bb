// What was found becomes a scenario: first the catalogue's names of it, then its text.
#pragma once

#include <string>
#include <vector>

#include "launch/findings/findings.h"
#include "launch/read/launch_reading.h"

namespace loadfactor::launch {

// A key that the files leave open, what may stand there, and what is to be said.
struct Question {
  std::string key;
  std::string value;
  std::string what;
};

// Whether the files start a server, and whether they start a run.
bool starts_service(const Findings& findings);
bool starts_run(const Findings& findings);

// Models, formats and cards get the catalogue's names; what contradicts the catalogue is an error.
// Returns what only the user knows.
std::vector<Question> settle_names(Findings& findings, const Names& names);

// The scenario, with where each value was found, these questions and those that a scenario has.
LaunchReading write_scenario(Findings& findings, const std::vector<Question>& questions);

}  // namespace loadfactor::launch
