#include "cli/serve/serve_simulate.h"

#include <ctime>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "cli/session/files.h"
#include "cli/session/scenario_files.h"
#include "loadfactor/scenario.h"
#include "report/serve/simulate_report.h"

namespace loadfactor::cli {
namespace {

double cpu_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

Result<SimulateFiles> files_of(const std::string& scenario, const config::ServeAsk& ask) {
  SimulateFiles files;
  TRY(files.model_files, model_files_of(scenario, ask.model));
  if (ask.demand && ask.demand->trace) {
    TRY(files.trace_text, read_file(beside(scenario, ask.demand->trace->value)));
  }
  return files;
}

// Reads the files that the scenario names.
Result<SimulateRequest> with_files(SimulateRequest request) {
  const auto& scenario = request.scenario;
  if (!scenario.serve) return request;
  TRY(request.files, files_of(scenario.file(), *scenario.serve));
  for (const auto& other : scenario.serve->others) {
    TRY(SimulateFiles files, files_of(scenario.file(), other));
    request.other_files.push_back(std::move(files));
  }
  return request;
}

// A time on the command line, above 0 or, where that means something, 0 itself.
enum class Zero { kRefused, kAllowed };
Result<std::optional<Seconds>> read_time(const char* flag, const std::string& text, Zero zero) {
  if (text.empty()) return std::optional<Seconds>();
  TRY(const Seconds time, parse_as<Dimension{.time = 1}>(text));
  if (time < Seconds() || (zero == Zero::kRefused && time == Seconds()))
    return Error{.code = lf::kOutOfRange,
                 .message = fmt::format("{} is {}, which is not {} 0", flag, text,
                                        zero == Zero::kRefused ? "above" : "from"),
                 .hint = "write a time such as '30 s'"};
  return std::optional(time);
}

Result<SimulateRequest> make_request(const Session& session, const config::Scenario& scenario,
                                     SimulateFlags& flags) {
  SimulateRequest& request = flags.request;
  request.scenario = scenario;
  request.seed = session.options().seed;
  request.keeps_trace = !flags.trace.empty();
  request.cpu_seconds = cpu_seconds;
  TRY(request.timeout, read_time("--timeout", flags.timeout, Zero::kRefused));
  TRY(request.first_token_timeout,
      read_time("--first-token-timeout", flags.first_token_timeout, Zero::kRefused));
  TRY(const auto start, read_time("--start-time", flags.start_time, Zero::kAllowed));
  if (start) request.start_time = *start;
  return with_files(request);
}

std::string rendered(const Session& session, const std::string& format,
                     const SimulateAnswer& answer, const std::string& file) {
  if (format == "json") return report::simulate_json(answer, file, session.options().reproducible);
  if (format == "csv") return report::simulate_csv(answer);
  if (format == "md") return report::simulate_markdown(answer);
  return report::simulate_text(answer, {.width = session.environment().width,
                                        .colour = session.environment().colour,
                                        .explain = session.options().explain,
                                        .reproducible = session.options().reproducible});
}

void write_beside(Session& session, const std::string& path, const std::string& text,
                  const char* how) {
  const auto written = write_file(path, text);
  if (!written) return session.fail(written.error());
  session.tell(fmt::format("wrote {}{}", path, how));
}

}  // namespace

void add_simulate_options(CLI::App& verb, SimulateFlags& flags) {
  SimulateRequest& r = flags.request;
  const CLI::Range counts(std::int64_t{1}, std::int64_t{1'000'000'000'000}, "a count from 1 up");
  CLI::Option* const options[] = {
      verb.add_flag("--simulate", flags.simulate, "run the demand through it, request by request"),
      verb.add_option("--requests", r.requests, "how many requests; default a day of the demand")
          ->type_name("N")
          ->check(counts),
      verb.add_option("--kv-tokens", r.kv_tokens, "KV cache as the engine logs it: of one dp rank")
          ->type_name("N")
          ->check(counts),
      verb.add_option("--router", r.router, "least-loaded, round-robin, cache-aware or session")
          ->type_name("RULE"),
      verb.add_option("--timeout", flags.timeout, "cancel a request after this long")
          ->type_name("TIME"),
      verb.add_option("--first-token-timeout", flags.first_token_timeout,
                      "cancel a request without a token by then")
          ->type_name("TIME"),
      verb.add_option("--max-waiting", r.max_waiting, "turn requests away beyond this queue")
          ->type_name("N")
          ->check(counts),
      verb.add_option("--max-replicas", r.most_replicas, "scale up to so many replicas")
          ->type_name("N")
          ->check(CLI::Range(1, 1'000'000, "a count from 1 up")),
      verb.add_option("--target-load", r.target_load, "requests per replica that scaling aims at")
          ->type_name("N")
          ->check(counts),
      verb.add_option("--start-time", flags.start_time, "from scaling up to a ready replica")
          ->type_name("TIME"),
      verb.add_flag("--plain", r.plain, "token by token, even where skipping ahead is exact"),
      verb.add_option("--trace", flags.trace, "write the steps as a Chrome trace")
          ->type_name("FILE.json"),
      verb.add_option("--series", flags.series, "write queue, batch and KV cache over time")
          ->type_name("FILE.csv")};
  for (CLI::Option* option : options) option->group("To simulate it");
}

void run_simulate(Session& session, const config::Scenario& scenario, SimulateFlags flags) {
  const auto format = session.format();
  if (!format) return session.fail(format.error());
  const auto request = make_request(session, scenario, flags);
  if (!request) return session.fail(request.error());
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  Diagnostics diagnostics;
  const double before = cpu_seconds();
  auto answer = engine->simulate(*request, diagnostics);
  if (!answer) return session.fail(diagnostics);
  answer->seconds = cpu_seconds() - before;
  if (session.options().quiet) answer->notices.clear();
  session.write(rendered(session, *format, *answer, scenario.file()));
  if (!flags.trace.empty())
    write_beside(session, flags.trace, report::simulate_trace_json(*answer),
                 " (open in ui.perfetto.dev)");
  if (!flags.series.empty())
    write_beside(session, flags.series, report::simulate_series_csv(*answer), "");
}

}  // namespace loadfactor::cli
