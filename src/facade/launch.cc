// `emit` and `read`: the files that launch a scenario, and the scenario of what is launched.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "engine/launch/launch_answers.h"
#include "engine/launch/launch_plan.h"
#include "facade/body.h"
#include "facade/files.h"
#include "facade/launches.h"
#include "facade/verbs.h"
#include "launch/emit/emission.h"
#include "report/cost/cost_report.h"
#include "report/describe/option_words.h"
#include "report/launch/launch_report.h"

namespace loadfactor::facade {
namespace {

bool is_one_of(std::string_view target, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), target) != names.end();
}

Result<engine::LaunchInputs> launch_inputs(const ScenarioWithFiles& about,
                                           const std::string& target) {
  engine::LaunchInputs inputs;
  inputs.scenario = about.scenario;
  inputs.target = target;
  const bool is_training =
      is_one_of(target, {"megatron", "deepspeed", "torchtitan", "accelerate", "pytorch", "horovod",
                         "mpirun", "rayjob", "maxtext", "neuronx"});
  const bool is_serving =
      is_one_of(target, {"vllm", "sglang", "tensorrt-llm", "dynamo", "kserve", "litellm", "hpa"});
  inputs.wants_run = !is_serving && (is_training || !about.scenario.serve);
  inputs.wants_service = !is_training;
  if (about.scenario.serve) {
    TRY(inputs.served_files, model_files(about, about.scenario.serve->model));
    TRY(inputs.trace_bytes, trace_bytes(about, *about.scenario.serve));
  }
  if (inputs.wants_run && about.scenario.train && !about.scenario.train->stages.empty())
    return about.scenario.error(lf::kContradictoryKeys, about.scenario.train->stages[0].position,
                                "one launch trains one stage, and the run has several",
                                "--set train.stages=null for the first; `loadfactor train` shows "
                                "the layouts of the others");
  if (about.scenario.train) {
    TRY(inputs.trained_files, model_files(about, about.scenario.train->model));
  }
  return inputs;
}

// The price of own tokens, by the option of the bill.
std::optional<launch::TokenPrices> prices_of(const CostAnswer& cost) {
  const auto option =
      std::find_if(cost.options.begin(), cost.options.end(),
                   [&](const CostOption& each) { return each.name == cost.bill_of; });
  if (option == cost.options.end() || option->kind == OptionKind::kApi || !option->per_mtoken)
    return std::nullopt;
  constexpr double kMillion = 1e6;
  const Dollars mean = option->per_mtoken->value();
  return launch::TokenPrices{option->per_mtoken_in.value_or(mean).base() / kMillion,
                             option->per_mtoken_out.value_or(mean).base() / kMillion,
                             report::words_of(option->name)};
}

// What the work costs, for targets that say it: by the way that a plan recommends, or as the bill
// of `cost` has it. A scenario without prices is launched all the same.
void add_prices(const Desk& desk, const engine::LaunchInputs& inputs, const Settings& settings,
                const std::string& way, launch::LaunchPlan& plan) {
  Diagnostics ignored;
  const auto cost = desk.engine.cost(
      {.scenario = inputs.scenario,
       .model_files = inputs.scenario.serve ? inputs.served_files : inputs.trained_files,
       .trace_bytes = inputs.trace_bytes,
       .today = settings.today,
       .seed = settings.seed,
       .bill_of = way},
      ignored);
  // A way that has no price any more is none.
  if (!cost && !way.empty()) return add_prices(desk, inputs, settings, {}, plan);
  if (!cost) return;
  plan.bill_focus = report::cost_focus_csv(*cost);
  plan.bill_infracost = report::cost_infracost_json(*cost);
  if (plan.service) plan.service->prices = prices_of(*cost);
}

// The first of several candidates is launched, whatever a plan would recommend.
void note_first_chip(const launch::LaunchPlan& plan, std::vector<Notice>& notices) {
  const auto candidates = plan.scenario.hardware.size();
  const bool is_named =
      plan.service && plan.scenario.origin("serve.deployment.gpu").giver != config::Giver::kDefault;
  if (candidates < 2 || is_named) return;
  const auto& machine = plan.run ? plan.run->machine : plan.service->pools.back().machine;
  notices.push_back(
      {.id = "first-accelerator",
       .arguments = {{"candidates", std::to_string(candidates)}, {"launched", machine.title}}});
}

// A script, or a graph of pools, starts the replicas that it is told, and no more.
void note_fixed_replicas(const launch::LaunchPlan& plan, const std::string& target,
                         std::vector<Notice>& notices) {
  if (!is_one_of(target, {"vllm", "sglang", "tensorrt-llm", "dynamo"})) return;
  if (!plan.service || !plan.service->scaler) return;
  const launch::ScalerPlan& scaler = *plan.service->scaler;
  notices.push_back({.id = "fixed-replicas",
                     .arguments = {{"least", std::to_string(scaler.least)},
                                   {"most", std::to_string(scaler.most)},
                                   {"target", target}}});
}

Result<std::string> render_emit(const engine::EmitAnswer& answer, const std::string& file,
                                Format format, const Style& style) {
  switch (format) {
    case Format::kTable:
      return report::emit_text(answer, style.folder);
    case Format::kJson:
      return report::emit_json(answer, file, style.folder);
    case Format::kCsv:
      return report::emit_csv(answer);
    case Format::kMarkdown:
      return report::emit_markdown(answer);
    default:
      return no_such_form(format);
  }
}

Result<std::string> render_read(const engine::ReadAnswer& answer, Format format,
                                const Style& /*style*/) {
  switch (format) {
    case Format::kTable:
    case Format::kMarkdown:
      return report::read_text(answer);
    case Format::kJson:
      return report::read_json(answer);
    case Format::kCsv:
      return report::read_csv(answer);
    default:
      return no_such_form(format);
  }
}

}  // namespace

std::optional<engine::EmitAnswer> emit_files(const Desk& desk, const ScenarioWithFiles& about,
                                             const Settings& settings, const std::string& target,
                                             const std::string& way) {
  const auto inputs = launch_inputs(about, target);
  if (!inputs) return desk.refuse(inputs.error());
  auto plan = engine::make_launch_plan(desk.engine, *inputs, desk.diagnostics);
  if (!plan) return std::nullopt;
  if (is_one_of(target, {"litellm", "focus", "infracost"}))
    add_prices(desk, *inputs, settings, way, *plan);
  auto files = launch::emit(target, *plan, desk.diagnostics);
  if (!files) return std::nullopt;
  engine::EmitAnswer answer{plan->name, target, *std::move(files), {}};
  note_first_chip(*plan, answer.notices);
  note_fixed_replicas(*plan, target, answer.notices);
  return answer;
}

std::optional<engine::EmitAnswer> own_files(const Desk& desk, const ScenarioWithFiles& about) {
  const auto inputs = launch_inputs(about, "");
  if (!inputs) return desk.refuse(inputs.error());
  const auto plan = engine::make_launch_plan(desk.engine, *inputs, desk.diagnostics);
  if (!plan) return std::nullopt;
  const std::string target(launch::target_of(*plan));
  if (target.empty()) return std::nullopt;
  auto files = launch::emit(target, *plan, desk.diagnostics);
  if (!files) return std::nullopt;
  return engine::EmitAnswer{plan->name, target, *std::move(files), {}};
}

std::optional<ScenarioWithFiles> as_planned(const Desk& desk, const ScenarioWithFiles& about,
                                            const InputFile& plan) {
  const auto inputs = launch_inputs(about, "");
  if (!inputs) return desk.refuse(inputs.error());
  auto planned = engine::as_planned(desk.engine, *inputs, {plan.shown(), std::string(plan.bytes)},
                                    desk.diagnostics);
  if (!planned) return std::nullopt;
  return ScenarioWithFiles{*std::move(planned), about.files};
}

std::vector<OutputFile> output_files(const engine::EmitAnswer& answer) {
  std::vector<OutputFile> files;
  for (const auto& file : answer.files) files.push_back({file.path, file.text});
  return files;
}

std::optional<Answer> ask(const Desk& desk, const EmitQuestion& question) {
  ScenarioWithFiles about = question.about;
  std::string way;
  if (question.plan) {
    auto planned = as_planned(desk, about, *question.plan);
    if (!planned) return std::nullopt;
    about = *std::move(planned);
    way = engine::way_to_pay({question.plan->shown(), std::string(question.plan->bytes)});
  }
  auto answer = emit_files(desk, about, question.settings, question.target, way);
  if (!answer) return std::nullopt;
  auto files = output_files(*answer);
  std::vector<std::string> remarks;
  for (const Notice& notice : answer->notices)
    remarks.push_back("note: " + report::told(notice).text);
  return make_answer<engine::EmitAnswer>(
      "emit", *std::move(answer),
      [file = about.scenario.file()](const engine::EmitAnswer& emitted, Format format,
                                     const Style& style) {
        return render_emit(emitted, file, format, style);
      },
      {.remarks = std::move(remarks), .files = std::move(files)});
}

std::optional<Answer> ask(const Desk& desk, const ReadQuestion& question) {
  std::vector<launch::LaunchFile> files;
  engine::ReadAnswer answer;
  for (const InputFile& file : question.files) {
    files.push_back({file.shown(), std::string(file.bytes)});
    answer.files.push_back(file.shown());
  }
  auto reading =
      launch::read_launch(files, engine::names_of(desk.engine.catalog()), desk.diagnostics);
  if (!reading) return std::nullopt;
  answer.reading = *std::move(reading);
  return make_answer<engine::ReadAnswer>("read", std::move(answer), render_read);
}

}  // namespace loadfactor::facade
