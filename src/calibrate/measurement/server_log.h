// What serving engines print of their own throughput while they run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "calibrate/measurement/measurement.h"

namespace loadfactor::calibrate {

// Lines of vLLM (`Avg generation throughput: … Running: … reqs`) or SGLang (`Decode batch.
// #running-req: … gen throughput (token/s): …`). The lines in which the usual number of sequences
// runs become one point; how long requests are, no log says, and the point leaves blank. Nothing
// where the text holds no such line.
std::optional<Result<ServingFile>> read_server_log(const std::string& file, std::string_view text);

}  // namespace loadfactor::calibrate
