// `fit` is asked by options and reads no scenario: what one says of its service, as those options.
#pragma once

#include <string>
#include <vector>

#include "loadfactor/scenario.h"
#include "sweep/sweep.h"

namespace loadfactor::sweep {

// Nothing of what the scenario leaves open. `folder` is the scenario's, with its last slash.
std::vector<Option> fit_options(const config::Scenario& scenario, const std::string& folder);

// Whether a key is among those that are looked at.
bool fit_reads(const std::string& key);

}  // namespace loadfactor::sweep
