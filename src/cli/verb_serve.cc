// `loadfactor serve SCENARIO`: a deployment, simulated against its demand.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "base/error_codes.h"
#include "cli/serve_simulate.h"
#include "cli/session.h"

namespace loadfactor::cli {
namespace {

struct ServeFlags {
  std::string scenario;
  SimulateFlags simulate;
};

void run_serve(Session& session, const ServeFlags& flags) {
  if (flags.simulate.simulate) return run_simulate(session, flags.scenario, flags.simulate);
  session.fail(Error{.code = lf::kUsage,
                     .message = "what about this deployment?",
                     .hint = "write --simulate to run its demand through it"});
}

}  // namespace

void add_serve(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("serve", "how does a deployment serve its demand?");
  session.add_common_options(*verb);
  auto flags = std::make_shared<ServeFlags>();
  verb->add_option("scenario", flags->scenario, "a scenario with a `serve` section; - reads stdin")
      ->required()
      ->type_name("SCENARIO");
  add_simulate_options(*verb, flags->simulate);
  verb->callback([flags, &session] { run_serve(session, *flags); });
}

}  // namespace loadfactor::cli
