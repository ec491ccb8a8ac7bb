// `diff`: what changed between two plans, and what it costs.
#include "engine/explain/diff.h"

#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "engine/launch/launch_plan.h"
#include "facade/body.h"
#include "facade/currency.h"
#include "facade/launches.h"
#include "facade/plans.h"
#include "facade/verbs.h"
#include "report/plan/diff_report.h"
#include "report/plan/page/diff_page.h"

namespace loadfactor::facade {
namespace {

// A saved plan as it is, a scenario planned.
std::optional<engine::PlanAnswer> plan_of_side(const Desk& desk, const DiffQuestion& question,
                                               const PlanSide& side) {
  if (const auto* saved = std::get_if<InputFile>(&side)) {
    auto plan = engine::read_saved_plan(saved->shown(), std::string(saved->bytes));
    if (!plan) return desk.refuse(plan.error());
    return *std::move(plan);
  }
  auto asked = plan_question(std::get<ScenarioWithFiles>(side), question.settings, desk.progress);
  if (!asked) return desk.refuse(asked.error());
  asked->draws = question.draws;
  return engine::make_plan(desk.engine, *asked, desk.diagnostics);
}

// A service that says its replicas is priced on them, and not on those that a plan would have.
void price_what_runs(const Desk& desk, const DiffQuestion& question, engine::PlanAnswer& before) {
  const auto* side = std::get_if<ScenarioWithFiles>(&question.before);
  const bool is_service = side != nullptr && side->scenario.serve && !before.is_training;
  if (!question.before_runs || !is_service || !side->scenario.serve->deployment) return;
  std::optional<CostAnswer> priced;
  if (before.present_gpus > 0) {
    const auto asked = plan_question(*side, question.settings, desk.progress);
    Diagnostics unsaid;
    if (asked)
      priced = desk.engine.cost({.scenario = side->scenario,
                                 .model_files = asked->serving.model_files,
                                 .trace_bytes = asked->serving.trace_bytes,
                                 .today = question.settings.today,
                                 .seed = question.settings.seed,
                                 .draws = question.draws},
                                unsaid);
  }
  engine::keep_what_runs(*side->scenario.serve->deployment, priced, before);
}

const char* work_of(const engine::PlanAnswer& answer) {
  return answer.is_training ? "training run" : "service";
}

std::string name_of_side(const PlanSide& side) {
  const auto* saved = std::get_if<InputFile>(&side);
  return saved != nullptr ? saved->shown() : std::get<ScenarioWithFiles>(side).scenario.file();
}

Result<std::string> render_diff(const engine::DiffAnswer& answer, const report::DiffFiles& files,
                                Format format, const Style& style) {
  switch (format) {
    case Format::kTable:
      return report::diff_text(answer, {.width = style.width, .colour = style.colour});
    case Format::kJson:
      return report::diff_json(answer, files);
    case Format::kCsv:
      return report::diff_csv(answer);
    case Format::kMarkdown:
      return report::diff_markdown(answer);
    case Format::kPage:
      return report::diff_page(answer, files);
    case Format::kComment:
      return report::diff_comment(answer);
    default:
      return no_such_form(format);
  }
}

// Whether a scenario says how it runs.
bool is_running(const config::Scenario& scenario) {
  return (scenario.train && scenario.train->layout) ||
         (scenario.serve && scenario.serve->deployment);
}

// The flags that the advice changes. A side that no target launches has none, which is no error.
void add_flags(const Desk& desk, const DiffQuestion& question, engine::DiffAnswer& answer) {
  const auto* running = std::get_if<ScenarioWithFiles>(&question.before);
  if (running == nullptr || !is_running(running->scenario)) return;
  Diagnostics unsaid;
  const Desk aside{desk.engine, desk.progress, unsaid};
  std::optional<ScenarioWithFiles> advised;
  if (const auto* saved = std::get_if<InputFile>(&question.after)) {
    advised = as_planned(aside, *running, *saved);
  } else {
    advised = std::get<ScenarioWithFiles>(question.after);
    const auto edits = engine::recommended_edits(answer.after);
    advised->scenario = advised->scenario.with(std::span<const config::Edit>(edits));
  }
  if (!advised) return;
  const auto before = own_files(aside, *running);
  const auto after = own_files(aside, *advised);
  if (!before || !after) return;
  answer.launched_before = before->target;
  answer.launched_after = after->target;
  const auto& source = running->scenario.source;
  const auto said = launch::said_flags(source ? std::string_view(source->text) : "");
  answer.flags = launch::flag_patch(before->files, after->files, running->scenario.file(), said);
}

std::optional<config::Currency> currency_of_side(const PlanSide& side) {
  const auto* about = std::get_if<ScenarioWithFiles>(&side);
  return about == nullptr ? std::nullopt : currency_of(about->scenario);
}

}  // namespace

std::optional<Answer> ask(const Desk& desk, const DiffQuestion& question) {
  const auto gates = read_gates(question.gates, currency_of_side(question.after));
  if (!gates) return desk.refuse(gates.error());
  auto before = plan_of_side(desk, question, question.before);
  if (!before) return std::nullopt;
  auto after = plan_of_side(desk, question, question.after);
  if (!after) return std::nullopt;
  if (before->is_training != after->is_training)
    return desk.refuse({.code = lf::kUsage,
                        .message = fmt::format(
                            "'{}' is a {} and '{}' a {}: their figures mean other things",
                            before->scenario, work_of(*before), after->scenario, work_of(*after)),
                        .hint = "compare a service with a service, or a run with a run"});
  price_what_runs(desk, question, *before);
  if (question.before_runs && !before->is_training) engine::count_from_what_runs(*before, *after);
  auto answer = engine::compare_plans(*std::move(before), *std::move(after), desk.engine.catalog());
  answer.before_runs = question.before_runs && !answer.before.is_training;
  add_flags(desk, question, answer);
  auto verdicts = judge(*gates, answer.after);
  if (!verdicts) return desk.refuse(verdicts.error());
  const Outcome outcome = outcome_of(*verdicts);
  const report::DiffFiles files{name_of_side(question.before), name_of_side(question.after)};
  return make_answer<engine::DiffAnswer>(
      "diff", std::move(answer),
      [files](const engine::DiffAnswer& diff, Format format, const Style& style) {
        return render_diff(diff, files, format, style);
      },
      {.outcome = outcome, .gates = *std::move(verdicts)});
}

}  // namespace loadfactor::facade
