// The verb `serve`: predict one deployment, simulate it, or search the cheapest.
#pragma once

namespace CLI {
class App;
}

namespace loadfactor::cli {

class Session;

void add_serve(CLI::App& app, Session& session);

}  // namespace loadfactor::cli
