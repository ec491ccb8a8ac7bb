// Edits whose values come from outside: a file that someone may have changed by hand.
#pragma once

#include <span>

#include "loadfactor/scenario.h"

namespace loadfactor::config {

// The first edit whose key does not take its value; nothing where all can be made.
const Edit* first_refused(const Scenario& scenario, std::span<const Edit> edits);

}  // namespace loadfactor::config
