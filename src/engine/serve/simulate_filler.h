// Batch requests of a lower class that take what a service leaves of its replicas.
#pragma once

#include <optional>

#include "engine/serve/simulate_answer.h"

namespace loadfactor::engine {

// `alone` is the service without the filler; nothing where no filler is asked for or whoever asked
// has stopped.
std::optional<FillerFigures> fill_idle_replicas(const SimulateSetup& setup,
                                                const SimulateAnswer& alone,
                                                Diagnostics& diagnostics);

}  // namespace loadfactor::engine
