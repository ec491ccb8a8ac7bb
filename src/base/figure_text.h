// Money, shares and times as people read them.
#pragma once

#include <string>

#include "loadfactor/quantity.h"

namespace loadfactor {

// `$1,234`; from a million on `$1.234M`.
std::string dollars_text(Dollars amount);

// `1,234`, below a hundred with cents; a dash for nothing.
std::string amount_text(Dollars amount);

// `12.3 %`.
std::string percent_text(double share);

// A share of the time that may be all but whole: as many nines as it has, and one figure more.
std::string uptime_text(double share);

// Three figures, never as a power of ten: `0.0123`, `12.3`, `1,230`.
std::string three_figures(double value);

// A count with separators; one that is not whole as it is.
std::string requests_text(double count);

// Days; hours and minutes of what takes less than two, years of what takes more than three.
std::string days_text(Seconds time);

}  // namespace loadfactor
