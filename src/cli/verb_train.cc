// `loadfactor train SCENARIO`: one training layout in detail.
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/session/files.h"
#include "cli/session/scenario_files.h"
#include "cli/session/session.h"
#include "cli/train_search.h"
#include "cli/verbs.h"
#include "loadfactor/scenario.h"
#include "report/train/train_report.h"

namespace loadfactor::cli {
namespace {

struct TrainFlags {
  std::string scenario;
  std::string trace;
  SearchFlags search;
};

std::optional<TrainRequest> read_request(Session& session, const TrainFlags& flags) {
  const auto scenario = read_scenario(session, flags.scenario);
  if (!scenario) return std::nullopt;
  auto request = training_request(*scenario);
  if (!request) return session.fail(request.error()), std::nullopt;
  request->trace = !flags.trace.empty();
  return *std::move(request);
}

std::string rendered(const Session& session, const std::string& format, const TrainAnswer& answer,
                     const std::string& file) {
  if (format == "json") return report::train_json(answer, file);
  if (format == "csv") return report::train_csv(answer);
  if (format == "md") return report::train_markdown(answer);
  return report::train_text(answer, {.width = session.environment().width,
                                     .colour = session.environment().colour,
                                     .explain = session.options().explain});
}

void write_trace(Session& session, const std::string& path, const TrainAnswer& answer) {
  if (answer.trace.empty())
    return session.tell(answer.fits ? "no trace: the step has no events"
                                    : "no trace was written: the layout does not fit");
  if (path == "-") {
    *session.environment().out << report::train_trace_json(answer) << std::flush;
    return;
  }
  const auto written = write_file(path, report::train_trace_json(answer));
  if (!written) return session.fail(written.error());
  session.tell(fmt::format("wrote {} (open in ui.perfetto.dev)", path));
}

void run_train(Session& session, const TrainFlags& flags) {
  const auto format = session.format();
  if (!format) return session.fail(format.error());
  const auto sound = check_search_flags(flags.search, !flags.trace.empty());
  if (!sound) return session.fail(sound.error());
  const auto request = read_request(session, flags);
  if (!request) return;
  if (flags.search.any()) return run_search(session, flags.search, *request);
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  Diagnostics diagnostics;
  auto answer = engine->train(*request, diagnostics);
  if (!answer) return session.fail(diagnostics);
  if (session.options().quiet) answer->notices.clear();
  const bool keeps = answer->stalled.empty() && answer->missed.empty();
  session.set_status(!answer->fits ? exit_status(lf::kDoesNotFit)
                                   : (keeps ? 0 : exit_status(lf::kNoPlan)));
  // Two documents on one stream would be neither.
  const bool trace_instead = flags.trace == "-" && session.options().output.empty() && answer->fits;
  if (!trace_instead) session.write(rendered(session, *format, *answer, flags.scenario));
  if (!flags.trace.empty()) write_trace(session, flags.trace, *answer);
}

}  // namespace

void add_train(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("train", "how long does a training step take, and why?");
  session.add_common_options(*verb);
  auto flags = std::make_shared<TrainFlags>();
  verb->add_option("scenario", flags->scenario, "a scenario with a `train` section; - reads stdin")
      ->required()
      ->type_name("SCENARIO");
  add_set_option(*verb, session);
  verb->add_option("--trace", flags->trace,
                   "write one step as a Chrome trace; - writes it instead of the answer")
      ->type_name("FILE.json");
  add_search_flags(*verb, flags->search);
  verb->callback([flags, &session] { run_train(session, *flags); });
}

}  // namespace loadfactor::cli
