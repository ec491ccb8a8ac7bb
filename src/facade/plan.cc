// `plan`: one thing to do, with its numbers.
#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_codes.h"
#include "engine/launch/launch_plan.h"
#include "engine/regions/plan_regions.h"
#include "engine/years/plan_years.h"
#include "facade/body.h"
#include "facade/currency.h"
#include "facade/files.h"
#include "facade/fleets.h"
#include "facade/launches.h"
#include "facade/plan_accuracy.h"
#include "facade/plans.h"
#include "facade/serving.h"
#include "facade/unread_keys.h"
#include "facade/verbs.h"
#include "report/page/definitions.h"
#include "report/plan/page/plan_page.h"
#include "report/plan/plan_report.h"
#include "report/plan/plan_words.h"
#include "report/plan/workbook/plan_workbook.h"

namespace loadfactor::facade {
namespace {

// The scenario's file, and the words of pages.
struct PlanPaper {
  std::string file;
  std::vector<report::PageWord> words;
};

Result<std::string> render_plan(const engine::PlanAnswer& answer, const PlanPaper& paper,
                                Format format, const Style& style) {
  const std::string& file = paper.file;
  switch (format) {
    case Format::kTable:
      return report::plan_text(
          answer, {.width = style.width, .colour = style.colour, .explain = style.explain});
    case Format::kJson:
      return report::plan_json(answer, file, style.report);
    case Format::kCsv:
      return report::plan_csv(answer);
    case Format::kMarkdown:
      return report::plan_markdown(answer);
    case Format::kPage:
      return report::plan_page(answer, file, paper.words);
    case Format::kWorkbook:
      return report::plan_workbook(answer, file);
    default:
      return no_such_form(format);
  }
}

// What starts the recommended machines: manifests for a service, a batch job for a run, and what
// watches them. LF116 where nothing is recommended that could be started; a target that cannot
// express the plan is a remark beside the verdict.
std::optional<std::vector<OutputFile>> launch_files(const Desk& desk, const PlanQuestion& question,
                                                    const engine::PlanAnswer& plan,
                                                    std::vector<std::string>& remarks) {
  const auto edits = engine::recommended_edits(plan);
  if (edits.empty())
    return desk.refuse({.code = lf::kNoPlan,
                        .message = "the plan has no machines to launch",
                        .hint = "leave --emit out, or relax what stands in the way"});
  ScenarioWithFiles about = question.about;
  about.scenario = engine::with_changes(about.scenario, edits);
  if (plan.training) about.scenario.serve.reset();
  if (!plan.training) about.scenario.train.reset();
  const auto& paid = plan.machine->option;
  const std::string way = paid ? std::string(name_of(paid->kind)) : std::string();
  std::vector<OutputFile> files;
  std::map<std::string, std::pair<std::string, Error>> refusals;  // Targets by the same reason.
  for (const std::string_view target :
       {"kubernetes", "slurm", "litellm", "prometheus", "prometheus-rules", "grafana"}) {
    const bool is_of_other =
        plan.training ? target == "kubernetes" || target == "litellm" : target == "slurm";
    if (is_of_other) continue;
    Diagnostics refused;
    const Desk apart{desk.engine, desk.progress, refused};
    const auto emitted = emit_files(apart, about, question.settings, std::string(target), way);
    if (!emitted) {
      for (const Error& error : refused.errors()) {
        auto& targets = refusals[error.message];
        targets.first += (targets.first.empty() ? "" : ", ") + std::string(target);
        targets.second = error;
      }
      continue;
    }
    for (OutputFile& file : output_files(*emitted)) files.push_back(std::move(file));
  }
  for (const auto& [message, refusal] : refusals)
    remarks.push_back(report::targets_not_written(refusal.first, refusal.second));
  return files;
}

}  // namespace

Result<engine::ServingInputs> serving_question(const ScenarioWithFiles& about,
                                               const Settings& settings, const Progress& progress) {
  engine::ServingInputs question;
  question.scenario = about.scenario;
  question.seed = settings.seed;
  question.stop = progress.flag();
  // A plan asks for several searches: the first is most of the way, the others take it no further.
  question.progress = [progress, most = 0.0](double share) mutable {
    most = std::max(most, share);
    progress.report(most);
  };
  if (!about.scenario.serve) return question;
  TRY(question.model_files, model_files(about, about.scenario.serve->model));
  TRY(question.trace_bytes, trace_bytes(about, *about.scenario.serve));
  return question;
}

Result<engine::PlanInputs> plan_question(const ScenarioWithFiles& about, const Settings& settings,
                                         const Progress& progress) {
  engine::PlanInputs question;
  TRY(question.serving, serving_question(about, settings, progress));
  if (about.scenario.train) {
    TRY(question.training_files, model_files(about, about.scenario.train->model));
    const auto& method = about.scenario.train->method;
    if (method && method->reward) {
      TRY(question.reward_files, model_files(about, method->reward->model));
    }
    if (method && method->teacher) {
      TRY(question.teacher_files, model_files(about, method->teacher->model));
    }
    if (method && method->value) {
      TRY(question.value_files, model_files(about, method->value->model));
    }
  }
  question.today = settings.today;
  question.threads = settings.threads;
  return question;
}

std::optional<Error> find_wrong_gate(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const auto readings = readings_of_gate(text);
    const bool can_be_read = std::any_of(
        readings.begin(), readings.end(),
        [](const std::string& reading) { return engine::Gate::parse(reading).has_value(); });
    if (!can_be_read) return engine::Gate::parse(text).error();
  }
  return std::nullopt;
}

Result<std::vector<engine::Gate>> read_gates(const std::vector<std::string>& texts,
                                             const std::optional<config::Currency>& currency) {
  std::vector<engine::Gate> gates;
  for (const auto& written : texts) {
    TRY(const std::string text, gate_text(written, currency));
    TRY(auto gate, engine::Gate::parse(text));
    gates.push_back(std::move(gate));
  }
  return gates;
}

Result<std::vector<GateVerdict>> judge(const std::vector<engine::Gate>& gates,
                                       engine::PlanAnswer& answer) {
  std::vector<GateVerdict> verdicts;
  for (const auto& gate : gates) {
    TRY(auto said, gate.judge(answer));
    verdicts.push_back({said.holds, report::gate_words(said, answer)});
    answer.gates.push_back(std::move(said));
  }
  return verdicts;
}

Outcome outcome_of(const std::vector<GateVerdict>& gates) {
  const bool holds =
      std::all_of(gates.begin(), gates.end(), [](const GateVerdict& gate) { return gate.holds; });
  return holds ? Outcome::kAnswer : Outcome::kNo;
}

std::optional<Answer> ask(const Desk& desk, const PlanQuestion& question) {
  const auto& service = question.about.scenario.serve;
  if (service && !service->others.empty()) {
    if (question.gates.empty())
      return ask_shared_pool(desk, "plan", question.about, question.settings);
    return desk.refuse({.code = lf::kNotHonoured,
                        .message = "a gate judges the plan of one service, and 'serve.others' "
                                   "has more",
                        .hint = "leave the gates out, or gate the plan of each model alone"});
  }
  const auto gates = read_gates(question.gates, currency_of(question.about.scenario));
  if (!gates) return desk.refuse(gates.error());
  auto asked = plan_question(question.about, question.settings, desk.progress);
  if (!asked) return desk.refuse(asked.error());
  asked->draws = question.draws;
  asked->confirm = question.confirm;
  if (!engine::check_regions(desk.engine, question.about.scenario, desk.diagnostics))
    return std::nullopt;
  auto answer = engine::make_plan(desk.engine, *asked, desk.diagnostics);
  if (!answer) return std::nullopt;
  engine::add_regions(desk.engine, *asked, *answer, question.years);
  if (question.years > 0) {
    auto years = engine::plan_years(desk.engine.catalog(), *answer, question.years);
    if (!years) return desk.refuse(years.error());
    answer->years = *std::move(years);
    for (Notice& notice : answer->notices)
      if (notice.id == "flat-api-price") notice.id = "falling-api-price";
  }
  note_unread_keys(question.years > 0 ? "years" : "plan", question.about.scenario, answer->notices);
  auto verdicts = judge(*gates, *answer);
  if (!verdicts) return desk.refuse(verdicts.error());
  if (question.page) answer->accuracy = plan_accuracy(desk.engine, *answer);
  const Outcome outcome = outcome_of(*verdicts);
  std::vector<OutputFile> files;
  std::vector<std::string> remarks;
  if (question.launch) {
    auto launched = launch_files(desk, question, *answer, remarks);
    if (!launched) return std::nullopt;
    files = *std::move(launched);
    if (answer->decision == engine::PlanDecision::kUseApi)
      remarks.emplace_back(report::launched_despite_api());
  }
  return make_answer<engine::PlanAnswer>(
      "plan", *std::move(answer),
      [paper = PlanPaper{question.about.scenario.file(),
                         report::page_words(desk.engine.catalog().glossary())}](
          const engine::PlanAnswer& plan, Format format, const Style& style) {
        return render_plan(plan, paper, format, style);
      },
      {.outcome = outcome,
       .gates = *std::move(verdicts),
       .remarks = std::move(remarks),
       .files = std::move(files)});
}

}  // namespace loadfactor::facade
