// The device and the machine as they are found.
#pragma once

#include <memory>
#include <string>

#include "gpu_memory.h"
#include "record.h"
#include "telemetry.h"

namespace loadfactor::probe {

struct MachineFacts {
  int processors = 0;
  double cache_bytes = 0;
  double free_bytes = 0;
  std::string name;
};

// Fills the machine and version blocks of the record and opens telemetry. Null telemetry is
// said in the warnings.
MachineFacts describe_machine(Record& record, std::unique_ptr<Telemetry>& telemetry);

}  // namespace loadfactor::probe
