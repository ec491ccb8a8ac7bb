// `serve` and `simulate`: one deployment in closed form, and request by request.
#include <string>
#include <utility>

#include "base/error_codes.h"
#include "facade/body.h"
#include "facade/files.h"
#include "facade/unread_keys.h"
#include "facade/verbs.h"
#include "report/serve/serve_report.h"
#include "report/serve/simulate_report.h"

namespace loadfactor::facade {
namespace {

Result<std::string> render_service(const ServeAnswer& answer, const std::string& file,
                                   Format format, const Style& style) {
  switch (format) {
    case Format::kTable:
      return report::serve_text(answer, {.width = style.width, .explain = style.explain});
    case Format::kJson:
      return report::serve_json(answer, file);
    case Format::kCsv:
      return report::serve_csv(answer);
    case Format::kMarkdown:
      return report::serve_markdown(answer);
    default:
      return no_such_form(format);
  }
}

Result<std::string> render_service(const SimulateAnswer& answer, const std::string& file,
                                   Format format, const Style& style) {
  switch (format) {
    case Format::kTable:
      return report::simulate_text(answer, {.width = style.width,
                                            .colour = style.colour,
                                            .explain = style.explain,
                                            .reproducible = style.reproducible});
    case Format::kJson:
      return report::simulate_json(answer, file, style.reproducible);
    case Format::kCsv:
      return report::simulate_csv(answer);
    case Format::kMarkdown:
      return report::simulate_markdown(answer);
    case Format::kTrace:
      return report::simulate_trace_json(answer);
    case Format::kSeries:
      return report::simulate_series_csv(answer);
    default:
      return no_such_form(format);
  }
}

template <typename T>
Answer service_answer(std::string_view verb, T answer, const ScenarioWithFiles& about,
                      Beside beside) {
  note_unread_keys(verb, about.scenario, answer.notices);
  return make_answer<T>(
      verb, std::move(answer),
      [file = about.scenario.file()](const T& data, Format format, const Style& style) {
        return render_service(data, file, format, style);
      },
      std::move(beside));
}

Result<ServeInputs> serve_request(const ServeQuestion& question) {
  ServeInputs request;
  request.scenario = question.about.scenario;
  request.concurrency = question.concurrency;
  request.kv_tokens = question.kv_tokens;
  request.anchor = question.anchor;
  request.batches = question.batches;
  const bool sane = request.concurrency.value_or(1) > 0 && request.kv_tokens.value_or(1) > 0;
  if (!sane)
    return Error{.code = lf::kOutOfRange,
                 .message = "--concurrency and --kv-tokens are counts above 0",
                 .hint = "write `--concurrency 16`"};
  for (const auto batch : request.batches) {
    if (batch < 1)
      return Error{.code = lf::kOutOfRange, .message = "--batches are counts from 1 up"};
  }
  if (question.about.scenario.serve) {
    TRY(request.model_files, model_files(question.about, question.about.scenario.serve->model));
    TRY(request.trace_bytes, trace_bytes(question.about, *question.about.scenario.serve));
  }
  return request;
}

Result<SimulateFiles> simulate_files(const ScenarioWithFiles& about,
                                     const config::ServeSection& ask) {
  SimulateFiles files;
  TRY(files.model_files, model_files(about, ask.model));
  TRY(const auto bytes, trace_bytes(about, ask));
  files.trace_text = std::string(bytes);
  return files;
}

std::string router_name(Router router) {
  switch (router) {
    case Router::kLeastLoaded:
      return "least-loaded";
    case Router::kRoundRobin:
      return "round-robin";
    case Router::kCacheAware:
      return "cache-aware";
    case Router::kSession:
      break;
  }
  return "session";
}

Result<SimulateInputs> simulate_request(const SimulateQuestion& question) {
  SimulateInputs request;
  request.scenario = question.about.scenario;
  request.seed = question.settings.seed;
  request.requests = question.requests;
  request.kv_tokens = question.kv_tokens;
  if (question.router) request.router = router_name(*question.router);
  request.timeout = question.timeout;
  request.first_token_timeout = question.first_token_timeout;
  request.max_waiting = question.max_waiting;
  request.most_replicas = question.max_replicas;
  request.target_load = question.target_load;
  if (question.start_time) request.start_time = *question.start_time;
  request.plain = question.plain;
  request.keeps_trace = question.trace;
  const auto& service = question.about.scenario.serve;
  if (!service) return request;
  TRY(request.files, simulate_files(question.about, *service));
  for (const auto& other : service->others) {
    TRY(auto files, simulate_files(question.about, other));
    request.other_files.push_back(std::move(files));
  }
  return request;
}

// A measured run sets the pace of the steps, as in closed form.
bool set_pace(const Desk& desk, const SimulateQuestion& question, SimulateInputs& request) {
  ServeQuestion measured;
  measured.about = question.about;
  if (question.kv_tokens != 0) measured.kv_tokens = question.kv_tokens;
  measured.anchor = question.anchor;
  const auto asked = serve_request(measured);
  if (!asked) return desk.diagnostics.add(asked.error()), false;
  const auto answer = desk.engine.serve(*asked, desk.diagnostics);
  if (!answer) return false;
  request.pace = answer->pace;
  request.pace_source = question.anchor->source;
  for (const Notice& notice : answer->notices)
    if (notice.id == "other-run" || notice.id == "far-anchor")
      request.pace_notices.push_back(notice);
  return true;
}

}  // namespace

std::optional<Answer> ask(const Desk& desk, const ServeQuestion& question) {
  const auto request = serve_request(question);
  if (!request) return desk.refuse(request.error());
  auto answer = desk.engine.serve(*request, desk.diagnostics);
  if (!answer) return std::nullopt;
  const Outcome outcome = answer->feasible ? Outcome::kAnswer : Outcome::kInfeasible;
  return service_answer("serve", *std::move(answer), question.about, {.outcome = outcome});
}

std::optional<Answer> ask(const Desk& desk, const SimulateQuestion& question) {
  auto request = simulate_request(question);
  if (!request) return desk.refuse(request.error());
  if (question.anchor && !set_pace(desk, question, *request)) return std::nullopt;
  request->cpu_seconds = desk.progress.cpu_seconds();
  request->stop = desk.progress.flag();
  request->progress = [&desk](double share) { desk.progress.report(share); };
  const double before = desk.now();
  auto answer = desk.engine.simulate(*request, desk.diagnostics);
  if (!answer) return std::nullopt;
  answer->seconds = desk.now() - before;
  return service_answer("simulate", *std::move(answer), question.about,
                        {.is_timed = desk.is_timed()});
}

}  // namespace loadfactor::facade
