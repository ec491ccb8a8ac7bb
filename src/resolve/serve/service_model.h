// Which model a scenario names: of the catalogue, of files on disk, or described by its size.
#pragma once

#include <vector>

#include "loadfactor/fit.h"
#include "resolve/serve/service.h"

namespace loadfactor::engine {

// Sets `service.model`, or reports at the place where it is named.
void resolve_model(Service& service, const std::vector<ModelFile>& model_files,
                   Diagnostics& diagnostics);

// What the model makes of the demand: one pass for each request where it writes nothing, tokens of
// the prompt for each image. Refuses what it cannot be asked, at its place.
void settle_demand(Service& service, Diagnostics& diagnostics);

}  // namespace loadfactor::engine
