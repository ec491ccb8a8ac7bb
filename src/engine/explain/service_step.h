// A step of a service as a tree: what the device does in it, down to the lines of the data.
#pragma once

#include <memory>

#include "engine/explain/explain_service.h"
#include "resolve/serve/serve_setup.h"

namespace loadfactor::engine {

// A service as it is asked about, and its answer.
struct AskedService {
  ServeInputs request;
  std::unique_ptr<ServeSetup> setup;
  ServeAnswer answer;
};

// The parts of a step, either one that only decodes or one with a prompt as well.
ExplainNode service_step_tree(const PlanAnswer& facts, const AskedService& service, bool prompts);

}  // namespace loadfactor::engine
