// The verbs that stand in this folder; each function adds one to the program.
#pragma once

namespace CLI {
class App;
}

namespace loadfactor::cli {

class Session;

void add_completion(CLI::App& app, Session& session);
void add_demo(CLI::App& app, Session& session);
void add_doctor(CLI::App& app, Session& session);
void add_init(CLI::App& app, Session& session);
void add_probe(CLI::App& app, Session& session);
void add_schema(CLI::App& app, Session& session);

}  // namespace loadfactor::cli
