// `loadfactor serve SCENARIO --simulate`: the demand through the deployment, request by request.
#pragma once

#include <string>

#include "cli/session/session.h"
#include "loadfactor/serve.h"

namespace loadfactor::cli {

struct SimulateFlags {
  bool simulate = false;
  std::string trace;   // Where the steps go, for Perfetto.
  std::string series;  // Where the state over time goes, as CSV.
  std::string timeout;
  std::string first_token_timeout;
  std::string start_time;
  SimulateRequest request;
};

// Adds --simulate and what belongs to it to the verb.
void add_simulate_options(CLI::App& verb, SimulateFlags& flags);

// Runs it on the scenario and writes the answer.
void run_simulate(Session& session, const config::Scenario& scenario, SimulateFlags flags);

}  // namespace loadfactor::cli
