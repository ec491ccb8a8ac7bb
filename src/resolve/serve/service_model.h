// Which model a scenario names: of the catalogue, of files on disk, or described by its size.
#pragma once

#include <vector>

#include "loadfactor/fit.h"
#include "resolve/demand/fleet_demand.h"
#include "resolve/serve/service.h"

namespace loadfactor::engine {

// Sets `service.model`, or reports at the place where it is named.
void resolve_model(Service& service, const std::vector<ModelFile>& model_files,
                   Diagnostics& diagnostics);

// What the model makes of the demand: no tokens out where it writes nothing, whole windows of
// sound, tokens of the prompt for each image. Refuses what it cannot be asked, at its place.
void settle_demand(Service& service, Diagnostics& diagnostics);

// The same for lengths that come of a file or a shape, once they are cut at the model's context.
// False, and why, where a request is more than one window.
bool settle_lengths(Service& service, FleetDemand& derived, Diagnostics& diagnostics);

}  // namespace loadfactor::engine
