// A moment as text.
#pragma once

#include <string>

namespace loadfactor {

// `2026-11-10T10:00:00Z` of seconds since 1970.
std::string stamp_text(double seconds);

}  // namespace loadfactor
