// `loadfactor calibrate collectives FILE…`: fits collectives to measured tables.
#pragma once

namespace CLI {
class App;
}

namespace loadfactor::cli {

class Session;

// Adds `collectives` below the verb `calibrate`.
void add_calibrate_collectives(CLI::App& calibrate, Session& session);

}  // namespace loadfactor::cli
