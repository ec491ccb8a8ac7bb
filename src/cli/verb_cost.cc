// `loadfactor cost SCENARIO`: every way to pay for the same work.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/session/files.h"
#include "cli/session/scenario_files.h"
#include "cli/session/session.h"
#include "cli/verbs.h"
#include "report/cost/cost_report.h"

namespace loadfactor::cli {
namespace {

struct CostFlags {
  std::string scenario;
  std::int64_t draws = 4096;
  std::string bill;
  bool tornado = false;
  bool facility = false;
  std::string focus;
  std::string infracost;
};

std::string rendered(const Session& session, const std::string& format, const CostAnswer& answer,
                     const CostFlags& flags) {
  if (format == "json") return report::cost_json(answer, flags.scenario);
  if (format == "csv") return report::cost_csv(answer);
  if (format == "md") return report::cost_markdown(answer);
  return report::cost_text(answer, {.width = session.environment().width,
                                    .colour = session.environment().colour,
                                    .explain = session.options().explain,
                                    .tornado = flags.tornado,
                                    .facility = flags.facility});
}

void write_export(Session& session, const std::string& path, const std::string& text) {
  if (path.empty()) return;
  const auto written = write_file(path, text);
  if (!written) return session.fail(written.error());
  session.tell(fmt::format("wrote {}", path));
}

void run_cost(Session& session, const CostFlags& flags) {
  const auto format = session.format();
  if (!format) return session.fail(format.error());
  auto scenario = read_scenario(session, flags.scenario);
  if (!scenario) return;
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  CostRequest request;
  request.scenario = *std::move(scenario);
  request.today = session.environment().today;
  request.seed = session.options().seed;
  request.draws = flags.draws;
  request.bill_of = flags.bill;
  Diagnostics diagnostics;
  auto answer = engine->cost(request, diagnostics);
  if (!answer) return session.fail(diagnostics);
  if (session.options().quiet) answer->notices.clear();
  session.write(rendered(session, *format, *answer, flags));
  write_export(session, flags.focus, report::cost_focus_csv(*answer));
  write_export(session, flags.infracost, report::cost_infracost_json(*answer));
}

}  // namespace

void add_cost(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("cost", "rent, own, reserve, spot, API or a mix?");
  session.add_common_options(*verb);
  auto flags = std::make_shared<CostFlags>();
  verb->add_option("scenario", flags->scenario, "a scenario; - reads stdin")
      ->required()
      ->type_name("SCENARIO");
  add_set_option(*verb, session);
  verb->add_option("--draws", flags->draws, "of the uncertain inputs")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{64}, std::int64_t{10'000'000}));
  verb->add_option("--bill", flags->bill, "whose bill to show: own, on-demand, spot, api, …")
      ->type_name("KIND");
  verb->add_flag("--tornado", flags->tornado, "what would change the answer");
  verb->add_flag("--facility", flags->facility, "power, racks, cooling and network");
  verb->add_option("--focus", flags->focus, "write the bill as FOCUS 1.2 rows")
      ->type_name("FILE.csv");
  verb->add_option("--infracost", flags->infracost, "write the bill as an Infracost breakdown")
      ->type_name("FILE.json");
  verb->callback([flags, &session] { run_cost(session, *flags); });
}

}  // namespace loadfactor::cli
