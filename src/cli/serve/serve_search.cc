#include "cli/serve/serve_search.h"

#include <chrono>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "cli/session/serving_files.h"
#include "engine/fill/serve_search.h"
#include "report/serve/serve_search_report.h"

namespace loadfactor::cli {

void add_search_options(CLI::App& verb, SizingFlags& flags) {
  CLI::Option* const options[] = {
      verb.add_flag("--search", flags.search, "find the cheapest deployment that keeps the SLO"),
      verb.add_option("--spares", flags.spares, "replicas that stand by; else as failures ask")
          ->type_name("N")
          ->check(CLI::Range(0, 1000)),
      verb.add_option("--maintenance", flags.maintenance, "of every replica, one night a month")
          ->type_name("TIME")
          ->capture_default_str(),
      verb.add_option("--weeks", flags.weeks, "hard weeks simulated at most; else the quick ones")
          ->type_name("N")
          ->check(CLI::Range(1, 100)),
      verb.add_option("--fleet", flags.fleet, "also the most that so many GPUs carry")
          ->type_name("GPUS")
          ->check(CLI::Range(1, 1'000'000)),
      verb.add_option("--confirm", flags.confirm, "how many of the best to simulate")
          ->type_name("N")
          ->check(CLI::Range(1, 20)),
      verb.add_option("--cold-start", flags.cold_start, "until a new replica serves")
          ->type_name("TIME")
          ->capture_default_str()};
  for (CLI::Option* option : options) option->group("To size it");
}

void run_search(Session& session, const std::string& scenario, const SizingFlags& flags) {
  const auto format = session.format();
  if (!format) return session.fail(format.error());
  auto files = read_serving_files(session, scenario);
  if (!files) return;
  const auto cold = parse_as<Dimension{.time = 1}>(flags.cold_start);
  if (!cold) return session.fail(cold.error());
  const auto maintenance = parse_as<Dimension{.time = 1}>(flags.maintenance);
  if (!maintenance) return session.fail(maintenance.error());
  for (const auto& [flag, time] :
       {std::pair("--cold-start", *cold), std::pair("--maintenance", *maintenance)}) {
    if (time < Seconds())
      return session.fail(Error{.code = lf::kOutOfRange,
                                .message = fmt::format("{} is below 0", flag),
                                .hint = "a time such as '3 min'; 0 s for none"});
  }
  if (*maintenance > Seconds::from_base(7 * 86400))
    return session.fail(Error{.code = lf::kOutOfRange,
                              .message = "--maintenance is longer than the week it is part of",
                              .hint = "a time such as '2 h'; 0 s for none"});
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  engine::SearchQuestion question{.serving = std::move(files->question),
                                  .spares = flags.spares,
                                  .cold_start = *cold,
                                  .maintenance = *maintenance,
                                  .confirm = flags.confirm,
                                  .weeks = flags.weeks,
                                  .gpus = flags.fleet,
                                  .thorough = true};
  question.serving.today = session.environment().today;
  if (files->trace) question.serving.trace_bytes = files->trace->bytes();
  Diagnostics diagnostics;
  const auto before = std::chrono::steady_clock::now();
  auto answer = engine::search_deployment(question, engine->catalog(), diagnostics);
  if (!answer) return session.fail(diagnostics);
  answer->seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  if (session.options().quiet) answer->notices.clear();
  if (*format == "json")
    return session.write(report::search_json(*answer, scenario, session.options().reproducible));
  if (*format == "csv") return session.write(report::search_csv(*answer));
  if (*format == "md") return session.write(report::search_markdown(*answer));
  session.write(
      report::search_text(*answer, session.environment().width, session.environment().colour));
}

}  // namespace loadfactor::cli
