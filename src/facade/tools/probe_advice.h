// What to measure for a scenario, so that its prediction narrows most.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loadfactor/engine.h"

namespace loadfactor::facade {

struct ProbeAdvice {
  std::vector<std::string> sentences;  // The most useful measurement first.
  std::vector<std::string> shapes;     // Lines of a file for the probe.
};
// Nothing, and everything that is wrong, where the scenario has no answer.
std::optional<ProbeAdvice> advise_probe(const Engine& engine, const ScenarioWithFiles& about,
                                        Diagnostics& diagnostics);

}  // namespace loadfactor::facade
