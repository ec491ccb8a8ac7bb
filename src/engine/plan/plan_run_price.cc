// What a run costs by every way to pay, commitments included.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "engine/cost/cost_answer.h"
#include "engine/cost/run_capacity.h"
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

// The run by every way to pay that is priced.
KnownCapacity capacity_of(const Core& engine, const PlanInputs& question,
                          const TrainAnswer& train) {
  const config::Scenario& scenario = question.scenario();
  KnownCapacity capacity = capacity_of_run(train, scenario);
  if (!scenario.money.options.empty()) return capacity;
  TrainInputs asked;
  asked.scenario = with_every_way(scenario.with(train.layout_edits));
  asked.model_files = question.training_files;
  asked.accelerator = train.accelerator;
  Diagnostics unread;
  if (const auto by_all = engine.train(asked, unread))
    capacity.run->ways = capacity_of_run(*by_all, scenario).run->ways;
  return capacity;
}

void add_options(const TrainAnswer& train, PlanAnswer& answer) {
  for (const auto& cost : answer.cost->options) {
    if (cost.kind == OptionKind::kApi) continue;
    const Dollars amount = cost.per_run.value_or(cost.per_month.value());
    const int paid = static_cast<int>(std::ceil(cost.gpus - 1e-9));
    PlanOption& option = answer.options.emplace_back(
        PlanOption{cost, train.accelerator, amount, std::max(train.layout.gpus, paid)});
    option.is_late = train.deadline && cost.run_time && *cost.run_time > *train.deadline;
  }
  // The cheapest of those that keep the deadline goes first.
  std::stable_sort(answer.options.begin(), answer.options.end(), [](const auto& a, const auto& b) {
    return std::pair(a.is_late, a.amount) < std::pair(b.is_late, b.amount);
  });
  for (std::size_t i = 1; i < answer.options.size(); ++i)
    answer.options[i].more = answer.options[i].amount - answer.options[0].amount;
}

bool is_of_paying(const Notice& notice) {
  return notice.id == "ways-to-pay" || notice.id == "few-spares";
}

// Says of the way that is paid what was said of another.
void retell(const TrainAnswer& paid, std::vector<Notice>& notices) {
  std::erase_if(notices, is_of_paying);
  std::copy_if(paid.notices.begin(), paid.notices.end(), std::back_inserter(notices), is_of_paying);
}

}  // namespace

void price_run(const Core& engine, const PlanInputs& question, const TrainAnswer& train,
               PlanAnswer& answer) {
  CostInputs cost;
  cost.scenario =
      without_api(question.scenario())
          .with({{"hardware", std::vector<std::string>{train.accelerator}}, {"capacity"}});
  cost.today = question.today;
  cost.seed = question.serving.seed;
  cost.draws = question.draws;
  cost.capacity = capacity_of(engine, question, train);
  answer.priced = cost;
  Diagnostics problems;
  answer.cost = answer_cost(cost, engine.catalog(), problems);
  if (!answer.cost) {
    for (const auto& error : problems.errors())
      answer.notices.push_back({.id = "not-priced", .arguments = {{"refusal", error.message}}});
    return;
  }
  add_options(train, answer);
  answer.full_plane = train.rate_of_run();
  for (const auto& fact : answer.cost->facts) answer.facts.push_back(fact);
  for (const auto& notice : answer.cost->notices) answer.notices.push_back(notice);
  answer.steps_to_pay = steps_of_run(engine, answer);
  add_building(*answer.cost, *answer.machine);
  if (!answer.options.empty()) answer.machine->option = answer.options[0].machines();
}

void pay_by_first_option(const Core& engine, const PlanInputs& question, TrainAnswer& train,
                         PlanAnswer& answer) {
  if (answer.options.empty() || train.method) return;
  const OptionKind first = answer.options[0].cost.kind;
  if (!train.option || *train.option == first) return;
  TrainInputs asked;
  asked.scenario = question.scenario().with(train.layout_edits);
  asked.model_files = question.training_files;
  asked.accelerator = train.accelerator;
  Diagnostics unread;
  auto paid = engine.train(asked, unread);
  if (!paid || paid->option != first) {
    const std::vector<std::string> alone{std::string(name_of(first))};
    asked.scenario = asked.scenario.with({{"money.options", alone}});
    paid = engine.train(asked, unread);
  }
  if (!paid || paid->option != first) return;
  retell(*paid, answer.notices);
  retell(*paid, train.notices);
  train.goodput = paid->goodput;
  train.whole = paid->whole;
  train.duration = paid->duration;
  train.cost = paid->cost;
  train.cost_per_token = paid->cost_per_token;
  train.option = paid->option;
  train.commitment = paid->commitment;
  train.paid_gpus = paid->paid_gpus;
}

}  // namespace loadfactor::engine
