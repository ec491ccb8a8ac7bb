// The verb `calibrate`: make the model match measurements.
#pragma once

namespace CLI {
class App;
}

namespace loadfactor::cli {

class Session;

void add_calibrate(CLI::App& app, Session& session);

}  // namespace loadfactor::cli
