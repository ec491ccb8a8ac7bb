// Numbers of one column, all written alike.
#pragma once

#include <string>

#include "sweep/look/look.h"

namespace loadfactor::report {

// A number with its unit: `$1,234`, `12.3 %`, `5.1 ms`. All numbers of a spread have the same unit
// and as many digits behind the point, unless they lie a thousandfold apart.
std::string column_number_text(double number, const std::string& unit, const sweep::Spread& spread);

}  // namespace loadfactor::report
