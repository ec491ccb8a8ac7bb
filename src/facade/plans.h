// Plans as several verbs make them: to be shown, compared and explained.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/document.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_gate.h"
#include "loadfactor/engine.h"

namespace loadfactor::facade {

Result<engine::PlanInputs> plan_question(const ScenarioWithFiles& about, const Settings& settings,
                                         const Progress& progress);

// What no currency could make a gate, before any file is read: a slip of the pen costs nothing.
std::optional<Error> find_wrong_gate(const std::vector<std::string>& texts);
Result<std::vector<engine::Gate>> read_gates(const std::vector<std::string>& texts,
                                             const std::optional<config::Currency>& currency);

// What each says of the answer, kept in it. LF603 where one asks for a figure that it has not.
Result<std::vector<GateVerdict>> judge(const std::vector<engine::Gate>& gates,
                                       engine::PlanAnswer& answer);

// No as soon as one does not hold.
Outcome outcome_of(const std::vector<GateVerdict>& gates);

}  // namespace loadfactor::facade
