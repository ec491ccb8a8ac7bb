// What the words of a page mean: `{id, word, meaning}` each, shown where the word first stands.
#pragma once

#include "loadfactor/value.h"

namespace loadfactor::report {

Value service_definitions();
Value run_definitions();
// Pages that speak of money alone.
Value money_definitions();

}  // namespace loadfactor::report
