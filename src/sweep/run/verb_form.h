// The form of a verb, filled in by a sweep.
#pragma once

#include <string>
#include <vector>

#include "facade/forms/form.h"

namespace loadfactor::sweep {

// Nothing where there is no such verb.
const facade::VerbRow* row_of(const std::string& verb);

// Gives words to an option; what is wrong with them, or nothing.
std::string give(facade::Form& form, const std::string& verb, const std::string& name,
                 const std::vector<std::string>& words);

}  // namespace loadfactor::sweep
