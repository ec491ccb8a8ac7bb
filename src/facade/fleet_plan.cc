// `fleet`: many workloads on pools of GPUs; and the models of one scenario on one pool, which
// `plan` and `serve --search` size.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reading/fleet_reader.h"
#include "config/reading/scenario_reader.h"
#include "engine/fleet/fleet.h"
#include "engine/fleet/shared_pool.h"
#include "facade/body.h"
#include "facade/files.h"
#include "facade/fleets.h"
#include "facade/unread_keys.h"
#include "facade/verbs.h"
#include "report/fleet/fleet_report.h"

namespace loadfactor::facade {
namespace {

Result<std::string> render_fleet_plan(const engine::FleetAnswer& answer, const std::string& file,
                                      Format format, const Style& style) {
  switch (format) {
    case Format::kTable:
      return report::fleet_text(
          answer, {.width = style.width, .colour = style.colour, .explain = style.explain});
    case Format::kJson:
      return report::fleet_json(answer, file, style.reproducible);
    case Format::kCsv:
      return report::fleet_csv(answer);
    case Format::kMarkdown:
      return report::fleet_markdown(answer);
    case Format::kPage:
      return report::fleet_page(answer, file);
    default:
      return no_such_form(format);
  }
}

Answer fleet_answer(engine::FleetAnswer answer, const std::string& file, Outcome outcome) {
  return make_answer<engine::FleetAnswer>(
      "fleet", std::move(answer),
      [file](const engine::FleetAnswer& told, Format format, const Style& style) {
        return render_fleet_plan(told, file, format, style);
      },
      {.outcome = outcome});
}

const InputFile* find(const FleetQuestion& question, const std::string& name) {
  const auto found = std::find_if(question.files.begin(), question.files.end(),
                                  [&](const InputFile& file) { return file.name == name; });
  return found == question.files.end() ? nullptr : &*found;
}

Error not_given(const config::Fleet& fleet, const config::Name& name) {
  return fleet.error(lf::kCannotRead, name.position,
                     fmt::format("the file '{}' was not handed in", name.value),
                     "hand it in under the name that the fleet writes");
}

// Amounts beside `money`, in the fleet's currency; false where the scenario has one of its own.
bool take_currency(config::Scenario& scenario, const config::Fleet& fleet) {
  const auto& own = scenario.money.currency;
  const auto& common = fleet.money.currency;
  if (own)
    return common && own->code.value == common->code.value &&
           own->per_usd.value == common->per_usd.value;
  if (common && scenario.limits.budget)
    scenario.limits.budget->value = scenario.limits.budget->value * common->per_usd.value;
  return true;
}

// A scenario in a file of its own, paid for as the fleet says; it decides what kind of work it is.
bool read_scenario_file(const Desk& desk, const FleetQuestion& question, config::Fleet& fleet,
                        config::FleetWorkload& workload) {
  const InputFile* file = find(question, workload.file->value);
  if (file == nullptr) return desk.fail(not_given(fleet, *workload.file));
  auto scenario =
      config::parse_scenario(file->shown(), std::string(file->bytes), {}, desk.diagnostics);
  if (!scenario) return false;
  if (scenario->serve && scenario->train)
    return desk.fail(fleet.error(lf::kContradictoryKeys, workload.file->position,
                                 "the scenario serves and trains: which of them is the workload?",
                                 "make two scenarios of it"));
  if (!scenario->serve && !scenario->train)
    return desk.fail(fleet.error(lf::kMissingKey, workload.file->position,
                                 "the scenario neither serves nor trains",
                                 "a scenario with 'serve' or 'train'"));
  if (scenario->train) {
    workload.kind = config::WorkloadKind::kTraining;
    if (!scenario->train->tokens)
      return desk.fail(fleet.error(lf::kMissingKey, workload.file->position,
                                   "the run of the scenario has no 'tokens'", {}));
    if (!workload.deadline) workload.deadline = scenario->train->deadline;
    scenario->train->deadline.reset();
  } else if (workload.deadline || workload.earliest || workload.is_preemptible) {
    return desk.fail(fleet.error(lf::kContradictoryKeys, workload.position,
                                 "'earliest', 'deadline' and 'preemptible' are for work that may "
                                 "wait; this scenario serves",
                                 "leave them out"));
  }
  if (!take_currency(*scenario, fleet))
    return desk.fail(fleet.error(lf::kContradictoryKeys, workload.file->position,
                                 "the scenario is in another currency than the fleet",
                                 "give both the same 'money.currency'"));
  scenario->money = fleet.money;
  workload.scenario = *std::move(scenario);
  return true;
}

bool read_work(const Desk& desk, const FleetQuestion& question, config::Fleet& fleet,
               config::FleetWorkload& workload, engine::FleetWork& work) {
  if (workload.file && !read_scenario_file(desk, question, fleet, workload)) return false;
  if (workload.jobs) {
    const InputFile* file = find(question, workload.jobs->value);
    if (file == nullptr) return desk.fail(not_given(fleet, *workload.jobs));
    work.jobs_bytes = file->bytes;
  }
  if (!workload.scenario) return true;
  if (auto error = find_unhonoured("fleet", *workload.scenario))
    return desk.fail(*std::move(error));
  const ScenarioWithFiles about{*workload.scenario, question.files};
  work.scenario = workload.scenario;
  auto files = model_files(
      about, about.scenario.serve ? about.scenario.serve->model : about.scenario.train->model);
  if (!files) return desk.fail(files.error());
  work.model_files = *std::move(files);
  if (!about.scenario.serve) return true;
  const auto trace = trace_bytes(about, *about.scenario.serve);
  if (!trace) return desk.fail(trace.error());
  work.trace_bytes = *trace;
  return true;
}

Result<engine::SharedPoolInputs> shared_pool_inputs(const ScenarioWithFiles& about,
                                                    const Settings& settings) {
  engine::SharedPoolInputs inputs;
  inputs.scenario = about.scenario;
  for (config::Scenario& model : engine::models_of(about.scenario)) {
    engine::FleetWork work;
    TRY(work.model_files, model_files(about, model.serve->model));
    TRY(work.trace_bytes, trace_bytes(about, *model.serve));
    work.scenario = std::move(model);
    inputs.works.push_back(std::move(work));
  }
  inputs.seed = settings.seed;
  inputs.today = settings.today;
  inputs.threads = settings.threads;
  return inputs;
}

bool all_have_room(const engine::FleetAnswer& answer) {
  return std::none_of(answer.workloads.begin(), answer.workloads.end(), [](const auto& each) {
    return each.decision == engine::FleetDecision::kNoRoom;
  });
}

}  // namespace

std::optional<Answer> ask(const Desk& desk, const FleetQuestion& question) {
  auto fleet = config::parse_fleet(question.fleet.shown(), std::string(question.fleet.bytes),
                                   question.set, desk.diagnostics);
  if (!fleet) return std::nullopt;
  engine::FleetInputs inputs;
  bool is_read = true;
  for (config::FleetWorkload& workload : fleet->workloads) {
    engine::FleetWork work;
    is_read = read_work(desk, question, *fleet, workload, work) && is_read;
    inputs.works.push_back(std::move(work));
  }
  if (!is_read) return std::nullopt;
  inputs.fleet = *std::move(fleet);
  inputs.seed = question.settings.seed;
  inputs.today = question.settings.today;
  inputs.threads = question.settings.threads;
  inputs.stop = desk.progress.flag();
  inputs.progress = [&desk](double share) { desk.progress.report(share); };
  const double before = desk.now();
  auto answer = engine::plan_fleet(desk.engine, inputs, desk.diagnostics);
  if (!answer) return std::nullopt;
  answer->seconds = desk.now() - before;
  for (std::size_t i = 0; i < inputs.works.size(); ++i)
    if (const auto& scenario = inputs.works[i].scenario)
      note_unplanned_keys(inputs.fleet.workloads[i].name.value, *scenario, answer->notices);
  return fleet_answer(*std::move(answer), question.fleet.shown(), Outcome::kAnswer);
}

std::optional<Answer> ask_shared_pool(const Desk& desk, std::string_view verb,
                                      const ScenarioWithFiles& about, const Settings& settings) {
  auto inputs = shared_pool_inputs(about, settings);
  if (!inputs) return desk.refuse(inputs.error());
  inputs->stop = desk.progress.flag();
  inputs->progress = [&desk](double share) { desk.progress.report(share); };
  const double before = desk.now();
  auto answer = engine::plan_shared_pool(desk.engine, *inputs, desk.diagnostics);
  if (!answer) return std::nullopt;
  answer->seconds = desk.now() - before;
  note_unread_keys(verb == "plan" ? "shared" : "shared-search", about.scenario, answer->notices);
  // A plan that is not feasible is a verdict; a search that finds nothing has no answer.
  const bool has_answer = verb == "plan" || all_have_room(*answer);
  return fleet_answer(*std::move(answer), about.scenario.file(),
                      has_answer ? Outcome::kAnswer : Outcome::kInfeasible);
}

}  // namespace loadfactor::facade
