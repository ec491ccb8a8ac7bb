// Results of load generators: vLLM's `bench serve`, GuideLLM and AIPerf, as JSON.
#pragma once

#include "calibrate/measurement/measurement.h"
#include "config/document.h"

namespace loadfactor::calibrate {

// No points where the tree is none of these. LF541 where it is one whose requests all failed or
// whose figures are no rates and times.
Result<ServingFile> read_serving_json(const config::Document& document);

}  // namespace loadfactor::calibrate
