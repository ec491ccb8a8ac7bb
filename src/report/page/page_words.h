// Numbers as a page writes them: `$4,128`, `12 %`, `9.6 M`, `2.1 ×`, `8 Aug 2026`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "loadfactor/quantity.h"

namespace loadfactor::report {

// `$4,128`; cents under ten dollars; from a million `$10.54 M`.
std::string page_money(Dollars amount);
// `$2,392–5,947`.
std::string page_range(Dollars low, Dollars high);
// `31 %`, with a no-break space.
std::string page_percent(double share, int digits = 0);
// `1,200` or `9.6 M`.
std::string page_amount(double count);
// `2.1 ×`.
std::string page_times(double ratio);
// `two`, `11`, `1,200`.
std::string count_word(std::int64_t count);
// `2026-08-08` as `8 Aug 2026`, `2026-08` as `Aug 2026`; all else as it is.
std::string page_date(std::string_view date);
// `h100-sxm` as `H100`.
std::string chip_word(std::string_view accelerator);
// A quantity and its sign `%` stay on one line.
std::string unbroken(std::string text);
// The first letter in upper case.
std::string capital(std::string text);

}  // namespace loadfactor::report
