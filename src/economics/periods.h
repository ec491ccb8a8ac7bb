// The periods that money is counted in, by their names in this module.
#pragma once

#include "base/calendar.h"

namespace loadfactor::economics {

using loadfactor::kDay;
using loadfactor::kHour;
using loadfactor::kMonth;
using loadfactor::kYear;

}  // namespace loadfactor::economics
