// `--gate`: comparisons that a plan has to keep, for a build that should stop when it does not.
#pragma once

#include <string>
#include <vector>

#include "cli/session/session.h"
#include "engine/plan/plan_gate.h"

namespace loadfactor::cli {

void add_gate_option(CLI::App& verb, std::vector<std::string>& gates, const std::string& help);

Result<std::vector<engine::Gate>> read_gates(const std::vector<std::string>& texts);

// What each says of the answer, kept in it. False, and exit status 2, if one asks for a figure that
// the answer does not have.
bool judge(Session& session, const std::vector<engine::Gate>& gates, engine::PlanAnswer& answer);

// Says of each whether it holds, with the figures; exit status 1 if one does not.
void tell_gates(Session& session, const engine::PlanAnswer& answer);
void tell_gate(Session& session, bool holds, const std::string& words);

}  // namespace loadfactor::cli
