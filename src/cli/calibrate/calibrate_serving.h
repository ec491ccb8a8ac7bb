// `loadfactor calibrate serving`: refits the serving model to published results.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/session/session.h"

namespace loadfactor::cli {

void add_calibrate_serving(CLI::App& verb, Session& session);

}  // namespace loadfactor::cli
