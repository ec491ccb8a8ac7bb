// `loadfactor calibrate kernels FILE…`: fits kernel costs to measured tables.
#pragma once

namespace CLI {
class App;
}

namespace loadfactor::cli {

class Session;

// Adds `kernels` below the verb `calibrate`.
void add_calibrate_kernels(CLI::App& calibrate, Session& session);

}  // namespace loadfactor::cli
