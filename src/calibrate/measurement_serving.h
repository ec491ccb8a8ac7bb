// Results of load generators: vLLM's `bench serve`, GuideLLM and AIPerf, as JSON.
#pragma once

#include "calibrate/measurement.h"
#include "config/document.h"

namespace loadfactor::calibrate {

// No points where the tree is none of these.
ServingFile read_serving_json(const config::Node& root);

}  // namespace loadfactor::calibrate
