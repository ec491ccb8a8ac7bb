// `observe`: how full is a cluster now, who flies empty, and what would mend it?
#include "engine/observe/observe.h"

#include <utility>

#include "base/error_codes.h"
#include "facade/body.h"
#include "facade/files.h"
#include "facade/verbs.h"
#include "report/observe/observe_report.h"

namespace loadfactor::facade {
namespace {

Result<std::string> render_observe(const engine::ObserveAnswer& answer, Format format,
                                   const Style& style) {
  switch (format) {
    case Format::kTable:
      return report::observe_text(answer, {.width = style.width, .colour = style.colour});
    case Format::kJson:
      return report::observe_json(answer);
    case Format::kCsv:
      return report::observe_csv(answer);
    case Format::kMarkdown:
      return report::observe_markdown(answer);
    case Format::kMetrics:
      return report::observe_metrics(answer);
    case Format::kScenario:
      if (report::has_scenario(answer)) return report::observe_scenario(answer, style.report);
      return Error{.code = lf::kNothingUsable,
                   .message =
                       "neither GPUs nor the traffic of a service were seen, so that there "
                       "is no scenario to write"};
    case Format::kSeries:
      if (!answer.traffic.empty()) return report::observe_traffic_csv(answer);
      return Error{.code = lf::kNothingUsable,
                   .message = "no traffic of a service was seen, so that there is none to write",
                   .hint = "two scrapes of an engine's metrics, or the address of a server"};
    default:
      return no_such_form(format);
  }
}

Result<bool> add_scenario(const ScenarioWithFiles& about, const Settings& settings,
                          engine::ObserveInputs& inputs) {
  CostInputs money;
  money.scenario = about.scenario;
  money.today = settings.today;
  money.seed = settings.seed;
  if (about.scenario.serve) {
    ServeInputs service;
    service.scenario = about.scenario;
    TRY(service.model_files, model_files(about, about.scenario.serve->model));
    TRY(service.trace_bytes, trace_bytes(about, *about.scenario.serve));
    money.model_files = service.model_files;
    money.trace_bytes = service.trace_bytes;
    inputs.services.push_back(std::move(service));
  }
  if (about.scenario.train) {
    TrainInputs run;
    run.scenario = about.scenario;
    TRY(run.model_files, model_files(about, about.scenario.train->model));
    if (!about.scenario.serve) money.model_files = run.model_files;
    inputs.runs.push_back(std::move(run));
  }
  inputs.money.push_back(std::move(money));
  return true;
}

Result<engine::ObserveInputs> observe_inputs(const ObserveQuestion& question) {
  if (question.files.empty() && !question.feed)
    return Error{.code = lf::kUsage,
                 .message = "observe needs a source",
                 .hint = "loadfactor observe http://prometheus:9090, or files of metrics"};
  // Stamps count seconds since 1970: a window of less is lost in their rounding.
  constexpr Seconds kLeastWindow = Seconds::from_base(1e-3);
  if (!(question.since.value_or(kWeek) >= kLeastWindow) || !(question.interval >= kLeastWindow) ||
      !(question.step.value_or(Seconds::from_base(1)) >= Seconds::from_base(1)))
    return Error{
        .code = lf::kOutOfRange,
        .message = "--since and --interval are at least a millisecond, --step at least a second",
        .hint = "--since 7d"};
  if (question.checkpoint && !(*question.checkpoint > Seconds()))
    return Error{.code = lf::kOutOfRange,
                 .message = "--checkpoint is the time between two checkpoints, which is above 0",
                 .hint = "--checkpoint 1h, or leave it out: a failure then loses all its work"};
  engine::ObserveInputs inputs;
  for (const InputFile& file : question.files) inputs.files.push_back({file.shown(), file.bytes});
  inputs.feed = question.feed;
  inputs.since = question.since.value_or(kWeek).base();
  if (question.clock) inputs.now = question.clock->base();
  if (question.now) inputs.now = question.now->base();
  inputs.is_end_said = question.now.has_value();
  if (question.step) inputs.step = question.step->base();
  // Files of these names were printed by Slurm just now.
  for (const InputFile& file : question.files)
    if (file.name.starts_with("slurm:")) inputs.is_live = true;
  inputs.is_since_said = inputs.is_live || question.since.has_value();
  inputs.interval = question.interval.base();
  if (question.checkpoint) inputs.checkpoint = question.checkpoint->base();
  inputs.price = question.price;
  inputs.today = question.settings.today;
  for (const ScenarioWithFiles& about : question.scenarios) {
    TRY([[maybe_unused]] const bool added, add_scenario(about, question.settings, inputs));
  }
  return inputs;
}

}  // namespace

std::optional<Answer> ask(const Desk& desk, const ObserveQuestion& question) {
  auto inputs = observe_inputs(question);
  if (!inputs) return desk.refuse(inputs.error());
  inputs->go_on = [&desk](double share) {
    desk.progress.report(share);
    return !desk.progress.is_cancelled();
  };
  auto answer = engine::observe_cluster(*inputs, desk.engine, desk.diagnostics);
  if (!answer) return std::nullopt;
  return make_answer<engine::ObserveAnswer>("observe", *std::move(answer), render_observe);
}

}  // namespace loadfactor::facade
