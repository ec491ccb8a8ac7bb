// A training run: searched over machines and sizes, priced every way.
#include <algorithm>
#include <utility>
#include <variant>

#include "base/calendar.h"
#include "base/figure_text.h"
#include "engine/cost/run_capacity.h"
#include "engine/method/candidates.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_close.h"
#include "engine/plan/plan_figures.h"
#include "engine/plan/plan_run.h"
#include "engine/plan/plan_sizes.h"
#include "resolve/model/sold_alone.h"

namespace loadfactor::engine {
namespace {

// As `train --search` asks: it chooses the sizes.
SearchInputs request_of(const PlanInputs& question, const config::Scenario& scenario) {
  SearchInputs request;
  request.train.scenario = scenario;
  request.train.model_files = question.training_files;
  request.threads = question.threads;
  request.keep = 12;
  request.stop = question.serving.stop;
  return request;
}

// The same for a run with phases beside the training, priced in every way where none is written.
MethodInputs method_request(const PlanInputs& question) {
  const config::Scenario& scenario = question.scenario();
  const bool asks = !scenario.money.options.empty();
  return {.train = {.scenario = asks ? scenario : with_every_way(scenario),
                    .model_files = question.training_files},
          .reward_files = question.reward_files,
          .teacher_files = question.teacher_files,
          .value_files = question.value_files,
          .seed = question.serving.seed};
}

PlannedRun run_of(const TrainAnswer& train) {
  PlannedRun run{.gpus = train.layout.gpus,
                 .accelerator = train.accelerator,
                 .layout = train.layout,
                 .time = {},
                 .cost = {}};
  if (train.duration) run.time = train.duration->value();
  if (train.cost) run.cost = train.cost->value();
  if (train.cost) run.option = train.option;
  run.has_spares = train.cost && train.goodput && train.goodput->spare_nodes > 0;
  return run;
}

PlanMachine machine_of(const TrainAnswer& train, const catalog::Catalog& catalog) {
  PlanMachine machine;
  machine.accelerator = train.accelerator;
  machine.title = train.accelerator_title;
  machine.precision = train.precision;
  machine.layout = {.tp = train.layout.tp,
                    .pp = train.layout.pp,
                    .ep = train.layout.ep,
                    .dp = 1,
                    .cp = train.layout.cp,
                    .replicas = train.layout.dp,
                    .gpus = train.layout.gpus};
  const auto chip = catalog.find_accelerator(train.accelerator);
  if (chip) {
    machine.gpus_per_node = gpus_of_node(catalog, **chip);
    machine.nodes = nodes_for(**chip, machine.layout.gpus, machine.gpus_per_node);
    if ((*chip)->scale_out) machine.network = (*chip)->scale_out->fabric;
  }
  add_links(catalog, machine);
  return machine;
}

// Its days, and what of them carries work.
void add_paid_time(const TrainAnswer& train, PlanAnswer& answer) {
  answer.training = train;
  answer.duration = train.duration;
  if (train.deadline && train.duration)
    answer.deadline_met = train.duration->value() <= *train.deadline;
  if (!train.whole) return;
  answer.load_factor = train.whole->share;
  answer.losses.clear();
  for (const auto& loss : train.whole->losses)
    answer.losses.push_back({std::string(name_of(loss.cause)), loss.share});
}

void add_plan(const TrainAnswer& train, const catalog::Catalog& catalog, PlanAnswer& answer) {
  answer.machine = machine_of(train, catalog);
  add_paid_time(train, answer);
  for (const auto& line : train.lines)
    answer.memory.push_back({line.use, line.bytes.value().base() / (1024.0 * 1024 * 1024)});
  answer.facts = train.facts;
  for (const auto& notice : train.notices) answer.notices.push_back(notice);
}

// The best of every other machine or size.
void add_runner_ups(const loadfactor::SearchAnswer& found, PlanAnswer& answer) {
  const auto& best = found.plans[0].train;
  std::vector<std::pair<int, std::string>> seen{{best.layout.gpus, best.accelerator}};
  const auto consider = [&](const SearchPlan& plan) {
    const auto& train = plan.train;
    const std::pair key{train.layout.gpus, train.accelerator};
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) return;
    seen.push_back(key);
    const Dollars cost = train.cost ? train.cost->value() : Dollars();
    answer.runner_ups.push_back({SlowerRun{run_of(train), plan.behind, plan.why}, cost,
                                 train.accelerator, train.layout.gpus});
  };
  for (const auto& plan : found.plans) consider(plan);
  for (const auto& plan : found.front) consider(plan);
  for (const auto& excluded : found.excluded)
    answer.runner_ups.push_back(
        {LeftOutMachine{excluded}, Dollars(), excluded.accelerator, excluded.gpus});
  for (const auto& plan : found.front) {
    if (!plan.train.duration || !plan.train.cost) continue;
    answer.front.push_back(
        {run_of(plan.train), plan.train.duration->value() / kDay, plan.train.cost->value().base(),
         plan.train.layout_keys == best.layout_keys && plan.train.accelerator == best.accelerator});
  }
}

PlanDecision decide(const config::Scenario& scenario, const PlanAnswer& answer,
                    const loadfactor::SearchAnswer& found, bool smaller_pays) {
  const auto& layout = scenario.train->layout;
  if (layout && layout->gpus) return smaller_pays ? PlanDecision::kShrink : PlanDecision::kHold;
  const bool others_need_more =
      std::any_of(found.front.begin(), found.front.end(), [&](const auto& plan) {
        return plan.train.accelerator != answer.machine->accelerator && plan.train.layout.gpus > 1;
      });
  if (answer.machine->layout.gpus == 1 && others_need_more) return PlanDecision::kOneBiggerGpu;
  return PlanDecision::kScaleUp;
}

// Half and twice the GPUs, and what the other objectives would pick.
void add_levers(const loadfactor::SearchAnswer& found, PlanAnswer& answer) {
  const auto& best = found.plans[0].train;
  for (const auto& plan : found.front) {
    if (plan.best_in.empty() || plan.train.layout_keys == best.layout_keys) continue;
    if (answer.levers.size() >= 6) break;
    answer.levers.push_back({ObjectiveLever{plan.best_in, run_of(plan.train)}});
  }
  const auto cheapest = [&](OptionKind wanted) -> const PlanOption* {
    for (const auto& option : answer.options)
      if (option.cost.kind == wanted) return &option;
    return nullptr;
  };
  const PlanOption* own = cheapest(OptionKind::kOwn);
  const PlanOption* rent = cheapest(OptionKind::kOnDemand);
  if (own == nullptr) return;
  const bool is_shared = !own->cost.term;
  const Dollars share =
      is_shared ? own->amount : own->cost.per_month.value() * (own->cost.term->run / kMonth);
  if (rent != nullptr)
    answer.levers.push_back({OwnOrRentLever{.own = share,
                                            .rented = OptionKind::kOnDemand,
                                            .rent = rent->amount,
                                            .is_run = true,
                                            .if_busy = !is_shared}});
  if (is_shared) answer.notices.push_back({.id = "owned-share"});
}

void add_trace(const Core& engine, const SearchInputs& request, PlanAnswer& answer) {
  TrainInputs train = request.train;
  train.scenario = train.scenario.with(answer.training->layout_edits);
  train.accelerator = answer.training->accelerator;
  train.trace = true;
  Diagnostics unread;
  const auto traced = engine.train(train, unread);
  if (traced) answer.training->trace = traced->trace;
}

PlanAnswer nothing_fits(const loadfactor::SearchAnswer& found, const PlanInputs& question) {
  PlanAnswer answer;
  answer.is_training = true;
  answer.scenario = found.scenario;
  answer.model_title = found.title;
  answer.decision = PlanDecision::kNotFeasible;
  answer.search = found;
  for (const auto& excluded : found.excluded)
    answer.runner_ups.push_back(
        {LeftOutMachine{excluded}, Dollars(), excluded.accelerator, excluded.gpus});
  answer.notices = found.notices;
  answer.commands = {command_text(question, "train --search")};
  return answer;
}

// A run that was searched for: within its limits, or nearest to them.
struct FoundRun {
  const PlanInputs& question;
  const config::Scenario& scenario;
  const SearchInputs& request;
  const loadfactor::SearchAnswer& found;
  std::optional<NearestRun> nearest;  // Nothing: within all limits.
};

Notice rent_over_budget(const RunOverBudget& broken, const PaidMachines& within) {
  Notice notice{.id = "rent-over-budget",
                .arguments = {{"budget", dollars_text(broken.budget)},
                              {"gpus", std::to_string(within.gpus)},
                              {"accelerator", within.accelerator},
                              {"option", std::string(name_of(within.kind))}}};
  const auto add = [&](const char* name, std::string text = {}) {
    notice.arguments.push_back({name, std::move(text)});
  };
  if (broken.by_deadline) add("by_deadline");
  if (broken.cheapest.cost) add("cost", dollars_text(*broken.cheapest.cost));
  if (!broken.soonest_within) return notice;
  if (broken.soonest_within->time)
    add("soonest", days_text(*broken.soonest_within->time));
  else
    add("longer");
  return notice;
}

// Whether the limits are kept by the cheapest option, and otherwise why not.
void judge_limits(const FoundRun& run, PlanAnswer& answer) {
  const auto& budget = run.scenario.limits.budget;
  const bool priced = budget && !answer.options.empty() && answer.training->tokens;
  const bool dear = priced && answer.options[0].amount > budget->value;
  if (run.nearest && !(run.nearest->only_budget && priced && !dear)) {
    answer.broken.push_back(run.nearest->broken);
  } else if (dear) {
    answer.broken.push_back(TooSmallBudget{answer.options[0].machines(), answer.options[0].amount,
                                           budget->value, true});
  } else if (answer.deadline_met && !*answer.deadline_met) {
    answer.broken.push_back(DeadlineMissed{answer.duration->value(), *answer.training->deadline});
  } else if (run.nearest) {
    answer.notices.push_back(rent_over_budget(std::get<RunOverBudget>(run.nearest->broken),
                                              answer.options[0].machines()));
  }
  if (!answer.broken.empty()) answer.decision = PlanDecision::kNotFeasible;
  if (!priced) return;
  for (auto& option : answer.options) option.is_over_budget = option.amount > budget->value;
}

// The search says how a machine is paid for, and so does the run that was taken: the last word, on
// the run itself, counts.
void keep_last_word_on_paying(std::vector<Notice>& notices) {
  std::vector<Notice> kept;
  for (auto notice = notices.rbegin(); notice != notices.rend(); ++notice) {
    const bool is_said = std::any_of(kept.begin(), kept.end(), [&](const Notice& later) {
      return notice->id == "ways-to-pay" && later.id == notice->id &&
             later.arguments.front() == notice->arguments.front();
    });
    if (!is_said) kept.push_back(*notice);
  }
  std::reverse(kept.begin(), kept.end());
  notices = std::move(kept);
}

PlanAnswer assemble(const Core& engine, const FoundRun& run) {
  const auto& found = run.found;
  const PlanInputs& question = run.question;
  PlanAnswer answer;
  answer.is_training = true;
  answer.scenario = found.scenario;
  answer.model_title = found.title;
  answer.sequence = found.sequence;
  answer.notices = found.notices;
  SearchPlan best = found.plans[0];
  const bool there = run.scenario.train->layout && run.scenario.train->layout->gpus;
  // Other sizes of a run with phases are among its runner-ups.
  const bool is_plain = !best.train.method;
  const auto sizes = is_plain && (question.levers || there)
                         ? other_sizes(engine, run.request.train, best.train)
                         : std::vector<TrainAnswer>();
  const TrainAnswer* smaller = run.nearest ? nullptr : smaller_that_pays(sizes, best.train);
  if (there && smaller != nullptr) best.train = *smaller;
  add_plan(best.train, engine.catalog(), answer);
  add_size_curve(engine.catalog(), sizes, answer);
  price_run(engine, question, best.train, answer);
  pay_by_first_option(engine, question, best.train, answer);
  add_paid_time(best.train, answer);
  add_load_and_break_even(answer);
  answer.decision = decide(run.scenario, answer, found, smaller != nullptr);
  judge_limits(run, answer);
  add_training_close_calls(
      {run.scenario, found, sizes, smaller == nullptr ? best.train : found.plans[0].train}, answer);
  add_runner_ups(found, answer);
  add_levers(found, answer);
  if (is_plain && question.levers) {
    const Replanner replans(engine, question);
    add_size_levers(replans, run.scenario, sizes, best.train, answer);
    add_offload_lever(engine, replans, run.request, best.train, answer);
  }
  if (is_plain && question.levers) add_trace(engine, run.request, answer);
  keep_last_word_on_paying(answer.notices);
  add_assumptions(question, answer);
  answer.commands = {command_text(question, "train --search"),
                     command_text(question, is_plain ? "train --scale" : "train"),
                     command_text(question, "plan") + " -o report.html"};
  return answer;
}

}  // namespace

std::optional<PlanAnswer> plan_training(const Core& engine, const PlanInputs& question,
                                        Diagnostics& diagnostics) {
  const auto& scenario = question.scenario();
  const SearchInputs request = request_of(question, scenario);
  auto found = has_phases(scenario)
                   ? search_by_method(engine, method_request(question), diagnostics)
                   : engine.search(request, diagnostics);
  if (!found) return std::nullopt;
  if (!found->plans.empty())
    return assemble(engine, {question, scenario, request, *found, std::nullopt});
  const auto near = nearest_run(engine, request, scenario);
  if (!near) return nothing_fits(*found, question);
  return assemble(engine, {question, scenario, request, near->found, near});
}

}  // namespace loadfactor::engine
