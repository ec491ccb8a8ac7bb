// The single formats of profilers.
#pragma once

#include <string>
#include <string_view>

#include "calibrate/profile/timeline.h"

namespace loadfactor::calibrate {

Result<Timeline> read_chrome_trace(const std::string& file, std::string_view bytes);
Result<Timeline> read_nsys_export(const std::string& file, std::string_view bytes);

// A file that holds more than a reader keeps.
Error too_many_events(const std::string& file);

}  // namespace loadfactor::calibrate
