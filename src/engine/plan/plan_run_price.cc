// What a run costs by every way to pay, commitments included.
#include <algorithm>
#include <cmath>

#include "base/calendar.h"
#include "economics/evaluate.h"
#include "engine/cost/cost_answer.h"
#include "engine/plan/plan_run.h"
#include "engine/plan/plan_steps.h"

namespace loadfactor::engine {
namespace {

// Nobody sells training by the token: what the scenario says of an API is about serving.
config::Scenario without_api(const config::Scenario& scenario) {
  std::vector<config::Edit> edits{{"serve"}, {"money.api"}};
  std::vector<std::string> kept;
  for (const auto& option : scenario.money.options)
    if (option.value != OptionKind::kApi) kept.emplace_back(name_of(option.value));
  if (!kept.empty()) edits.push_back({"money.options", std::move(kept)});
  return scenario.with(edits);
}

const economics::OptionFigures* figures_of(const economics::CostFigures& figures, OptionKind kind) {
  for (const auto& option : figures.all())
    if (option.kind == kind) return &option;
  return nullptr;
}

// What outlasts the run is paid to its end: nothing says what else it would do. Beyond the run the
// machines stand idle and draw no working power.
void commit(Seconds run, const economics::OptionFigures& figures, PlanOption& option) {
  const double share = run / figures.committed;
  const DollarsPerSecond mean = figures.fixed + figures.working * (figures.load_factor * share);
  const double less = figures.cost > DollarsPerSecond() ? mean / figures.cost : 1.0;
  option.cost.per_month = option.cost.per_month * less;
  option.cost.per_useful_gpu_hour = option.cost.per_useful_gpu_hour * (less / share);
  option.amount = option.cost.per_month.value() * (figures.committed / kMonth);
  option.term = OptionTerm{figures.committed, run};
  if (option.cost.load_factor) option.cost.load_factor = *option.cost.load_factor * share;
  if (option.cost.per_mtoken) option.cost.per_mtoken = *option.cost.per_mtoken * (less / share);
}

// What a run that is longer than a term pays for its time, against the rate of the term: as `train`
// counts whole terms and the rest by the hour.
double renewal(const TrainAnswer& train, OptionKind kind, Seconds committed) {
  for (const RunOption& way : train.options) {
    if (way.kind != kind || !way.duration || !way.cost) continue;
    const Seconds run = way.duration->value();
    const Dollars by_time = way.rate.value() * Gpus::from_base(way.gpus) * run;
    return committed > Seconds() && run > committed ? way.cost->value() / by_time : 1.0;
  }
  return 1.0;
}

void renew(double times, Seconds run, Seconds committed, PlanOption& option) {
  option.amount = option.amount * times;
  option.term = OptionTerm{committed, run, true};
  if (option.cost.load_factor) option.cost.load_factor = *option.cost.load_factor * (1 / times);
  if (option.cost.per_mtoken) option.cost.per_mtoken = *option.cost.per_mtoken * times;
}

void add_options(const Core& engine, const TrainAnswer& train, bool is_there, PlanAnswer& answer) {
  Diagnostics unread;
  const auto setup = make_cost_setup(*answer.priced, engine.catalog(), unread);
  const auto figures =
      setup ? economics::evaluate(setup->terms, setup->asked) : economics::CostFigures();
  for (const auto& cost : answer.cost->options) {
    if (cost.kind == OptionKind::kApi) continue;
    const Dollars amount = cost.per_run.value_or(cost.per_month.value());
    const int paid = static_cast<int>(std::ceil(cost.gpus - 1e-9));
    PlanOption option{cost, train.accelerator, amount, std::max(train.layout.gpus, paid)};
    const economics::OptionFigures* evaluated = figures_of(figures, cost.kind);
    const Seconds committed = evaluated != nullptr ? evaluated->committed : Seconds();
    const bool shared = is_there && cost.kind == OptionKind::kOwn;
    if (train.duration && cost.per_run && committed > train.duration->value() && !shared)
      commit(train.duration->value(), *evaluated, option);
    const double times = renewal(train, cost.kind, committed);
    if (cost.per_run && times > 1.0 + 1e-9)
      renew(times, train.duration->value(), committed, option);
    answer.options.push_back(std::move(option));
  }
  std::stable_sort(answer.options.begin(), answer.options.end(),
                   [](const auto& a, const auto& b) { return a.amount < b.amount; });
  for (std::size_t i = 1; i < answer.options.size(); ++i)
    answer.options[i].more = answer.options[i].amount - answer.options[0].amount;
}

}  // namespace

void price_run(const Core& engine, const PlanInputs& question, const TrainAnswer& train,
               bool is_there, PlanAnswer& answer) {
  CostInputs cost;
  cost.scenario =
      without_api(question.scenario())
          .with({{"hardware", std::vector<std::string>{train.accelerator}}, {"capacity"}});
  // The goodput of a run on spot counts that it is taken away; the price must not again.
  if (train.option == OptionKind::kSpot)
    cost.scenario = cost.scenario.with({{"money.spot"}, {"money.spot.interrupted", 0.0}});
  cost.today = question.today;
  cost.seed = question.serving.seed;
  cost.draws = question.draws;
  const double goodput = train.goodput ? train.goodput->value.value() : 1.0;
  cost.capacity = KnownCapacity{.gpus = static_cast<double>(train.layout.gpus),
                                .full_plane = train.tokens_per_s.value(),
                                .load_factor = goodput,
                                .busy_by_hour = {},
                                .source = "train"};
  answer.priced = cost;
  Diagnostics problems;
  answer.cost = answer_cost(cost, engine.catalog(), problems);
  if (!answer.cost) {
    for (const auto& error : problems.errors())
      answer.notices.push_back({.id = "not-priced", .arguments = {{"refusal", error.message}}});
    return;
  }
  add_options(engine, train, is_there, answer);
  answer.full_plane = train.tokens_per_s.value();
  for (const auto& fact : answer.cost->facts) answer.facts.push_back(fact);
  for (const auto& notice : answer.cost->notices) answer.notices.push_back(notice);
  answer.steps_to_pay = steps_of_run(engine, answer);
  add_building(*answer.cost, *answer.machine);
  if (!answer.options.empty()) answer.machine->option = answer.options[0].machines();
}

}  // namespace loadfactor::engine
