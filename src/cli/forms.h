// The verbs of the façade on the command line.
#pragma once

#include <string_view>

namespace CLI {
class App;
}

namespace loadfactor::cli {

class Session;

// Adds the verb of this name, with the options of its form.
void add_form(CLI::App& app, Session& session, std::string_view name);

}  // namespace loadfactor::cli
