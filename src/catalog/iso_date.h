// Dates as the catalogue writes them: YYYY, YYYY-MM or YYYY-MM-DD, and nothing else.
#pragma once

#include <string_view>

namespace loadfactor::catalog {

// Whether `text` is such a date and exists in the calendar (2024-02-29 does, 2023-02-29 not).
bool is_iso_date(std::string_view text);

// Whether a date lies wholly after another, at the coarser precision of the two: 2026 is not
// later than 2026-08, 2026-09 is.
bool is_later(std::string_view date, std::string_view than);

}  // namespace loadfactor::catalog
