// `loadfactor plan SCENARIO`: one thing to do, with its numbers.
#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/plan_accuracy.h"
#include "cli/plan_question.h"
#include "cli/session/files.h"
#include "cli/session/gates.h"
#include "cli/session/scenario_files.h"
#include "cli/session/session.h"
#include "cli/verbs.h"
#include "report/plan/plan_report.h"

namespace loadfactor::cli {
namespace {

struct PlanFlags {
  std::string scenario;
  std::vector<std::string> gates;
  std::int64_t draws = 4096;
};

std::string rendered(const Session& session, const std::string& format,
                     const engine::PlanAnswer& answer, const PlanFlags& flags) {
  if (format == "json") return report::plan_json(answer, flags.scenario, {});
  if (format == "csv") return report::plan_csv(answer);
  if (format == "md") return report::plan_markdown(answer);
  return report::plan_text(answer, {.width = session.environment().width,
                                    .colour = session.environment().colour,
                                    .explain = session.options().explain});
}

// The page goes to -o and the answer itself to stdout, in the format asked.
void write_page(Session& session, const std::string& format, const engine::PlanAnswer& answer,
                const PlanFlags& flags) {
  const std::string path = session.options().output;
  const auto written = write_file(path, report::plan_page(answer, flags.scenario));
  if (!written) return session.fail(written.error());
  session.options().output.clear();
  session.write(format == "json" ? report::plan_json(answer, flags.scenario, path)
                                 : rendered(session, format, answer, flags));
  session.tell(fmt::format("wrote {}", path));
}

void run_plan(Session& session, const PlanFlags& flags) {
  const auto format = session.format();
  if (!format) return session.fail(format.error());
  const auto gates = read_gates(flags.gates);
  if (!gates) return session.fail(gates.error());
  auto files = read_plan_files(session, flags.scenario);
  if (!files) return;
  files->question.draws = flags.draws;
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  Diagnostics diagnostics;
  auto answer = engine::make_plan(*engine, files->question, diagnostics);
  if (!answer) return session.fail(diagnostics);
  if (session.options().quiet) answer->notices.clear();
  if (!judge(session, *gates, *answer)) return;
  if (session.options().output.ends_with(".html")) {
    answer->accuracy = plan_accuracy(*engine, *answer);
    write_page(session, *format, *answer, flags);
  } else {
    session.write(rendered(session, *format, *answer, flags));
  }
  tell_gates(session, *answer);
}

}  // namespace

void add_plan(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("plan", "should I have these GPUs? One thing to do, and why");
  session.add_common_options(*verb);
  auto flags = std::make_shared<PlanFlags>();
  verb->add_option("scenario", flags->scenario,
                   "a scenario with a `serve` or `train` section; - reads stdin")
      ->required()
      ->type_name("SCENARIO");
  add_set_option(*verb, session);
  add_gate_option(*verb, flags->gates, "exit 1 unless it holds: 'load_factor >= break_even'");
  verb->add_option("--draws", flags->draws, "of the uncertain inputs")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{64}, std::int64_t{10'000'000}));
  verb->callback([flags, &session] { run_plan(session, *flags); });
}

}  // namespace loadfactor::cli
