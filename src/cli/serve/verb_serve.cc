// `loadfactor serve SCENARIO`: one deployment in detail, or simulated against its demand.
#include "cli/serve/verb_serve.h"

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/serve/serve_anchor.h"
#include "cli/serve/serve_flags.h"
#include "cli/serve/serve_search.h"
#include "cli/serve/serve_simulate.h"
#include "cli/session/files.h"
#include "cli/session/list_option.h"
#include "cli/session/scenario_files.h"
#include "cli/session/session.h"
#include "loadfactor/scenario.h"
#include "report/serve/serve_report.h"

namespace loadfactor::cli {
namespace {

struct ServeFlags {
  std::string scenario;
  std::optional<double> concurrency;
  std::optional<std::string> anchor;
  std::vector<std::int64_t> batches;
  SimulateFlags simulate;
  SizingFlags search;
};

Result<ServeRequest> make_request(const config::Scenario& scenario, const ServeFlags& flags) {
  ServeRequest request;
  request.scenario = scenario;
  request.concurrency = flags.concurrency;
  if (flags.simulate.request.kv_tokens != 0) request.kv_tokens = flags.simulate.request.kv_tokens;
  request.batches = flags.batches;
  if (flags.anchor) {
    TRY(request.anchor, read_anchor(*flags.anchor));
  }
  if (scenario.serve) {
    TRY(request.model_files, model_files_of(scenario.file(), scenario.serve->model));
  }
  const bool sane = request.concurrency.value_or(1) > 0 && request.kv_tokens.value_or(1) > 0;
  if (!sane) {
    return Error{.code = lf::kOutOfRange,
                 .message = "--concurrency and --kv-tokens are counts above 0",
                 .hint = "write `--concurrency 16`"};
  }
  for (const auto batch : request.batches) {
    if (batch < 1)
      return Error{.code = lf::kOutOfRange, .message = "--batches are counts from 1 up"};
  }
  return request;
}

// The demand through the deployment; a measured run sets the pace of its steps, as in closed form.
void simulate(Session& session, const config::Scenario& scenario, const ServeFlags& flags) {
  SimulateFlags simulated = flags.simulate;
  if (flags.anchor) {
    const auto request = make_request(scenario, flags);
    if (!request) return session.fail(request.error());
    const Engine* engine = session.engine();
    if (engine == nullptr) return;
    Diagnostics diagnostics;
    const auto measured = engine->serve(*request, diagnostics);
    if (!measured) return session.fail(diagnostics);
    simulated.request.pace = measured->pace;
    simulated.request.pace_source = *flags.anchor;
    for (const Notice& notice : measured->notices)
      if (notice.id == "other-run" || notice.id == "far-anchor")
        simulated.request.pace_notices.push_back(notice);
  }
  run_simulate(session, scenario, std::move(simulated));
}

void run_serve(Session& session, const CLI::App& verb, const ServeFlags& flags) {
  if (const auto idle = find_idle_flag(verb)) return session.fail(*idle);
  if (flags.search.search) return run_search(session, flags.scenario, flags.search);
  const auto format = session.format();
  if (!format) return session.fail(format.error());
  const auto scenario = read_scenario(session, flags.scenario);
  if (!scenario) return;
  if (flags.simulate.simulate) return simulate(session, *scenario, flags);
  const auto request = make_request(*scenario, flags);
  if (!request) return session.fail(request.error());
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  Diagnostics diagnostics;
  auto answer = engine->serve(*request, diagnostics);
  if (!answer) return session.fail(diagnostics);
  if (session.options().quiet) answer->notices.clear();
  session.set_status(answer->feasible ? 0 : exit_status(lf::kOverloaded));
  if (*format == "json") return session.write(report::serve_json(*answer, flags.scenario));
  if (*format == "csv") return session.write(report::serve_csv(*answer));
  if (*format == "md") return session.write(report::serve_markdown(*answer));
  session.write(report::serve_text(
      *answer, {.width = session.environment().width, .explain = session.options().explain}));
}

}  // namespace

void add_serve(CLI::App& app, Session& session) {
  CLI::App* verb =
      app.add_subcommand("serve", "what does a deployment deliver, and what limits it?");
  session.add_common_options(*verb);
  auto flags = std::make_shared<ServeFlags>();
  verb->add_option("scenario", flags->scenario, "a scenario with a `serve` section; - reads stdin")
      ->required()
      ->type_name("SCENARIO");
  add_set_option(*verb, session);
  verb->add_option("--concurrency", flags->concurrency,
                   "requests in the system, not the demand's rate")
      ->type_name("N");
  verb->add_option("--anchor", flags->anchor, "scale by a measured run: a file, or tpot_ms=9,…")
      ->type_name("RUN");
  add_list(*verb, "--batches", "fixed batches to compare: 1,8,64",
           [&flags = *flags](const std::string& item) {
             std::int64_t batch = 0;
             if (!CLI::detail::lexical_cast(item, batch))
               return fmt::format("'{}' is no whole number", item);
             flags.batches.push_back(batch);
             return std::string();
           })
      ->type_name("N,…");
  add_simulate_options(*verb, flags->simulate);
  add_search_options(*verb, flags->search);
  verb->callback([flags, verb, &session] { run_serve(session, *verb, *flags); });
}

}  // namespace loadfactor::cli
