// Columns of a job table that has no header, told by what stands in them: `sacct -P -n`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::demand {

// Names for the columns, as sacct would have written them; empty where a column tells nothing.
// Nothing if no row of the text is a job with its GPUs and times.
std::optional<std::vector<std::string>> headless_job_columns(std::string_view text);

}  // namespace loadfactor::demand
