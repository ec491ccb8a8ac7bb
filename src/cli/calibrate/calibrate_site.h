// `loadfactor calibrate FILE…`: a site's measurements become an overlay.
#pragma once

namespace CLI {
class App;
}

namespace loadfactor::cli {

class Session;

// Adds the files and flags to the verb itself; its subcommands stay.
void add_calibrate_site(CLI::App& calibrate, Session& session);

}  // namespace loadfactor::cli
