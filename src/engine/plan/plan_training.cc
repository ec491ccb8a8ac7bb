// A training run: searched over machines and sizes, priced every way.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_close.h"
#include "engine/plan/plan_figures.h"
#include "engine/plan/plan_run.h"
#include "engine/plan/plan_sizes.h"

namespace loadfactor::engine {
namespace {

constexpr int kSizes = 4;  // The limit and its halves.
constexpr double kDay = 86400;

// The number of GPUs that is there, or all numbers worth a look.
std::vector<int> sizes_of(const config::Scenario& scenario) {
  const auto& layout = scenario.train->layout;
  const bool fixed = layout && (layout->gpus || (layout->tp && layout->pp && layout->dp));
  if (fixed || !scenario.limits.gpus) return {};
  std::vector<int> sizes;
  int gpus = static_cast<int>(scenario.limits.gpus->value);
  for (int i = 0; i < kSizes && gpus > 0; ++i) {
    sizes.push_back(gpus);
    if (gpus % 2 != 0) break;
    gpus /= 2;
  }
  return sizes;
}

SearchRequest request_of(const PlanQuestion& question, const config::Scenario& scenario) {
  SearchRequest request;
  request.train.scenario = scenario;
  request.train.model_files = question.training_files;
  request.gpus = sizes_of(scenario);
  request.threads = question.threads;
  request.keep = 12;
  request.stop = question.serving.stop;
  return request;
}

std::string layout_words(const TrainLayout& layout) {
  std::string text = fmt::format("{}, {}, micro-batch {}, recompute {}", parallel_words(layout),
                                 layout.sharding, layout.micro_batch, layout.recompute);
  if (!layout.offload.empty())
    text += fmt::format(", {} in host memory", fmt::join(layout.offload, " and "));
  return text;
}

std::string run_words(const TrainAnswer& train) {
  std::string text = fmt::format("{} × {}, {}", train.layout.gpus, train.accelerator,
                                 parallel_words(train.layout));
  if (train.duration) text += ": " + days_text(train.duration->value());
  if (train.cost) text += ", " + dollars_text(train.cost->value());
  if (train.cost && train.goodput && train.goodput->spare_nodes > 0) text += " with spares";
  return text;
}

PlanMachine machine_of(const TrainAnswer& train, const catalog::Catalog& catalog) {
  PlanMachine machine;
  machine.accelerator = train.accelerator;
  machine.title = train.accelerator_title;
  machine.precision = train.precision;
  machine.layout_words = layout_words(train.layout);
  machine.layout = {.tp = train.layout.tp,
                    .pp = train.layout.pp,
                    .ep = train.layout.ep,
                    .dp = 1,
                    .cp = train.layout.cp,
                    .replicas = train.layout.dp,
                    .gpus = train.layout.gpus};
  const auto chip = catalog.find_accelerator(train.accelerator);
  if (chip) {
    machine.link = (*chip)->scale_up.link;
    const auto node = catalog.find_node((*chip)->node);
    machine.gpus_per_node =
        node && (*node)->gpus > 0 ? (*node)->gpus : std::max(1, (*chip)->scale_up.domain);
    if ((*chip)->scale_out) machine.network = (*chip)->scale_out->fabric;
  }
  machine.nodes = (machine.layout.gpus + machine.gpus_per_node - 1) / machine.gpus_per_node;
  add_links(catalog, machine);
  return machine;
}

void add_plan(const SearchPlan& plan, const catalog::Catalog& catalog, PlanAnswer& answer) {
  const TrainAnswer& train = plan.train;
  answer.machine = machine_of(train, catalog);
  answer.training = train;
  answer.duration = train.duration;
  if (train.deadline && train.duration)
    answer.deadline_met = train.duration->value() <= *train.deadline;
  if (train.goodput) {
    answer.load_factor = train.goodput->value;
    for (const auto& loss : train.goodput->losses) answer.losses.push_back({loss.name, loss.share});
  }
  for (const auto& line : train.lines)
    answer.memory.push_back({"", line.name, line.bytes.value().base() / (1024.0 * 1024 * 1024)});
  answer.facts = train.facts;
  for (const auto& notice : train.notices) answer.notices.push_back(notice);
}

// The ways to pay are priced for the GPUs that work; the goodput also counts on spares.
void add_spares(PlanAnswer& answer) {
  const auto& goodput = answer.training->goodput;
  if (!goodput || goodput->spare_nodes <= 0 || answer.options.empty()) return;
  answer.notices.push_back(
      {"spares-apart", Severity::kNote,
       fmt::format("the options pay for {} GPUs; the {} spare {} that the goodput counts on would "
                   "add {}",
                   answer.machine->layout.gpus, goodput->spare_nodes,
                   goodput->spare_nodes == 1 ? "node" : "nodes",
                   percent_text(static_cast<double>(goodput->spare_nodes) /
                                std::max(1, answer.machine->nodes)))});
}

// The best of every other machine or size.
void add_runners(const loadfactor::SearchAnswer& found, PlanAnswer& answer) {
  const auto& best = found.plans[0].train;
  std::vector<std::string> seen{fmt::format("{} {}", best.layout.gpus, best.accelerator)};
  const auto consider = [&](const SearchPlan& plan) {
    const auto& train = plan.train;
    const std::string key = fmt::format("{} {}", train.layout.gpus, train.accelerator);
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) return;
    seen.push_back(key);
    const Dollars cost = train.cost ? train.cost->value() : Dollars();
    std::string why = fmt::format("{:+.1f} % against the best", 100 * plan.behind);
    if (!plan.why.empty()) why += "; " + plan.why;
    answer.runners.push_back({run_words(train), cost, why});
  };
  for (const auto& plan : found.plans) consider(plan);
  for (const auto& plan : found.front) consider(plan);
  for (const auto& excluded : found.excluded)
    answer.runners.push_back({excluded.what, Dollars(), excluded.why});
  for (const auto& plan : found.front) {
    if (!plan.train.duration || !plan.train.cost) continue;
    answer.front.push_back(
        {run_words(plan.train), plan.train.duration->value().base() / kDay,
         plan.train.cost->value().base(),
         plan.train.layout_keys == best.layout_keys && plan.train.accelerator == best.accelerator});
  }
  answer.front_x = "days";
  answer.front_y = "$ for the run";
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

std::string opening(const PlanAnswer& answer) {
  const auto& machine = *answer.machine;
  const std::string fleet = fmt::format("{} × {}", machine.layout.gpus, machine.accelerator);
  if (answer.decision == PlanDecision::kNotFeasible)
    return fmt::format("Not feasible: {}. Nearest: {}", answer.infeasible, fleet);
  if (answer.decision == PlanDecision::kHold) return fmt::format("Hold at {}", fleet);
  if (answer.decision == PlanDecision::kShrink) return fmt::format("Shrink to {}", fleet);
  if (answer.decision == PlanDecision::kOneBiggerGpu)
    return fmt::format("Use one bigger GPU, {}", machine.title);
  return fmt::format("Scale up to {}", fleet);
}

void add_verdict(PlanAnswer& answer) {
  const TrainAnswer& train = *answer.training;
  std::string text = opening(answer) + ": ";
  if (answer.duration)
    text += days_text(answer.duration->value());
  else
    text += fmt::format("{} a step", format_display(any(train.step_time.value())));
  if (!answer.options.empty())
    text += fmt::format(", {} {} ({})", dollars_text(answer.options[0].amount),
                        train.tokens ? "for the run" : "a month", answer.options[0].cost.name);
  if (train.deadline && answer.duration)
    text += fmt::format("; the deadline of {} is {}", days_text(*train.deadline),
                        *answer.deadline_met ? "met" : "missed");
  text += fmt::format(". MFU {}", percent_text(train.mfu.value()));
  if (answer.load_factor)
    text += fmt::format(", {} of the paid time carries work",
                        percent_text(answer.load_factor->value()));
  if (answer.break_even)
    text += fmt::format("; breaks even at {} against {}", percent_text(answer.break_even->value()),
                        answer.against);
  answer.verdict = text + "." + close_words(answer);
  if (!train.reasons.empty()) answer.because = train.reasons[0];
}

// Half and twice the GPUs, and what the other objectives would pick.
void add_levers(const loadfactor::SearchAnswer& found, PlanAnswer& answer) {
  const auto& best = found.plans[0].train;
  for (const auto& plan : found.front) {
    if (plan.best_in.empty() || plan.train.layout_keys == best.layout_keys) continue;
    if (answer.levers.size() >= 6) break;
    answer.levers.push_back({"for " + plan.best_in, run_words(plan.train)});
  }
  const auto kind = [&](std::string_view wanted) -> const PlanOption* {
    for (const auto& option : answer.options)
      if (option.cost.kind == wanted) return &option;
    return nullptr;
  };
  const PlanOption* own = kind("own");
  const PlanOption* rent = kind("on-demand");
  if (own == nullptr) return;
  const Dollars share = own->cost.per_run.value_or(own->amount);
  const bool is_shared = share == own->amount;
  if (rent != nullptr)
    answer.levers.push_back(
        {"own or rent",
         is_shared ? fmt::format("owned {}, on demand {}", dollars_text(share),
                                 dollars_text(rent->amount))
                   : fmt::format("owned {} if as busy for the rest of their life, on demand {}",
                                 dollars_text(share), dollars_text(rent->amount))});
  if (is_shared)
    answer.notices.push_back({"owned-share", Severity::kNote,
                              "owned machines are charged for the run's share of their life: that "
                              "holds if they are as busy for the rest of it"});
}

void add_trace(const Engine& engine, const SearchRequest& request, PlanAnswer& answer) {
  TrainRequest train = request.train;
  train.scenario = train.scenario.with(answer.training->layout_edits);
  train.accelerator = answer.training->accelerator;
  train.trace = true;
  Diagnostics unread;
  const auto traced = engine.train(train, unread);
  if (traced) answer.training->trace = traced->trace;
}

PlanAnswer nothing_fits(const loadfactor::SearchAnswer& found, const PlanQuestion& question) {
  PlanAnswer answer;
  answer.is_training = true;
  answer.scenario = found.scenario;
  answer.title = found.title;
  answer.decision = PlanDecision::kNotFeasible;
  answer.verdict = "Not feasible: " + found.verdict;
  for (const auto& excluded : found.excluded)
    answer.runners.push_back({excluded.what, Dollars(), excluded.why});
  answer.notices = found.notices;
  answer.commands = {command_text(question, "train --search")};
  return answer;
}

// A run that was searched for: within its limits, or nearest to them.
struct FoundRun {
  const PlanQuestion& question;
  const config::Scenario& scenario;
  const SearchRequest& request;
  const loadfactor::SearchAnswer& found;
  std::optional<NearestRun> nearest;  // Nothing: within all limits.
};

// Whether the limits are kept by the cheapest way to pay, and otherwise why not.
void judge_limits(const FoundRun& run, PlanAnswer& answer) {
  const auto& budget = run.scenario.limits.budget;
  const bool priced = budget && !answer.options.empty() && answer.training->tokens;
  const bool dear = priced && answer.options[0].amount > budget->value;
  if (run.nearest && !(run.nearest->only_budget && priced && !dear)) {
    answer.infeasible = run.nearest->why;
  } else if (dear) {
    answer.infeasible = fmt::format(
        "the cheapest way to pay, {}, costs {}, and the budget is {}", answer.options[0].cost.name,
        dollars_text(answer.options[0].amount), dollars_text(budget->value));
  } else if (answer.deadline_met && !*answer.deadline_met) {
    answer.infeasible =
        fmt::format("the run takes {}, and the deadline is {}", days_text(answer.duration->value()),
                    days_text(*answer.training->deadline));
  } else if (run.nearest) {
    answer.notices.push_back(
        {"rent-over-budget", Severity::kCaution,
         run.nearest->why + ": only " + answer.options[0].cost.name + " is within it"});
  }
  if (!answer.infeasible.empty()) answer.decision = PlanDecision::kNotFeasible;
  if (!priced) return;
  for (auto& option : answer.options)
    if (option.amount > budget->value)
      option.why += option.why.empty() ? "over the budget" : ", over the budget";
}

PlanAnswer assemble(const Engine& engine, const FoundRun& run) {
  const auto& found = run.found;
  const PlanQuestion& question = run.question;
  PlanAnswer answer;
  answer.is_training = true;
  answer.scenario = found.scenario;
  answer.title = fmt::format("{} · sequences of {}", found.title, found.sequence);
  answer.notices = found.notices;
  SearchPlan best = found.plans[0];
  const auto sizes = other_sizes(engine, run.request.train, best.train);
  const TrainAnswer* smaller = run.nearest ? nullptr : smaller_that_pays(sizes, best.train);
  const bool there = run.scenario.train->layout && run.scenario.train->layout->gpus;
  if (there && smaller != nullptr) best.train = *smaller;
  add_plan(best, engine.catalog(), answer);
  add_size_curve(engine.catalog(), sizes, answer);
  price_run(engine, question, best.train, there, answer);
  add_spares(answer);
  add_pair(answer);
  answer.decision = decide(run.scenario, answer, found, smaller != nullptr);
  judge_limits(run, answer);
  add_training_close_calls({run.scenario, found, sizes, found.plans[0].train}, answer);
  add_runners(found, answer);
  add_verdict(answer);
  add_levers(found, answer);
  add_size_levers(sizes, best.train, answer);
  if (question.levers) add_offload_lever(engine, run.request, best.train, answer);
  add_trace(engine, run.request, answer);
  add_assumptions(engine.catalog(), question, answer);
  answer.commands = {command_text(question, "train --search"),
                     command_text(question, "train --scale"),
                     command_text(question, "plan") + " -o report.html"};
  return answer;
}

}  // namespace

std::optional<PlanAnswer> plan_training(const Engine& engine, const PlanQuestion& question,
                                        Diagnostics& diagnostics) {
  const auto& scenario = question.scenario();
  const SearchRequest request = request_of(question, scenario);
  auto found = engine.search(request, diagnostics);
  if (!found) return std::nullopt;
  if (!found->plans.empty())
    return assemble(engine, {question, scenario, request, *found, std::nullopt});
  const auto near = nearest_run(engine, request, scenario);
  if (!near) return nothing_fits(*found, question);
  return assemble(engine, {question, scenario, request, near->found, near});
}

}  // namespace loadfactor::engine
