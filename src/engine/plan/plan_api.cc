#include "engine/plan/plan_api.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/cost/cost_answer.h"
#include "resolve/serve/serving_world.h"

namespace loadfactor::engine {

PlanAnswer plan_api_alone(const Core& engine, const PlanInputs& question) {
  PlanAnswer answer;
  Diagnostics unread;
  const auto world = ServingWorld::create(question.serving, engine.catalog(), unread);
  if (!world) return answer;
  const FleetDemand& demand = world->demand();
  answer.model_title = world->service().model->title;
  answer.tokens_in = demand.input;
  answer.tokens_out = demand.output;
  answer.rate = Hertz::from_base(demand.mean());
  const config::Money& money = question.scenario().money;
  const bool is_asked =
      money.options.empty() ||
      std::any_of(money.options.begin(), money.options.end(),
                  [](const auto& option) { return option.value == OptionKind::kApi; });
  if (!is_asked) return answer;
  CostInputs cost;
  cost.scenario = question.scenario().with(
      {{"money.options", std::vector<std::string>{std::string(name_of(OptionKind::kApi))}},
       {"capacity"},
       {"facility"}});
  cost.demand = KnownDemand{.requests = answer.rate,
                            .tokens_in = Tokens::from_base(demand.input),
                            .tokens_out = Tokens::from_base(demand.output)};
  cost.capacity = KnownCapacity{
      .gpus = 1,
      .full_plane = TokensPerSecond::from_base(demand.mean() * (demand.input + demand.output)),
      .load_factor = 1,
      .busy_by_hour = {},
      .source = "demand"};
  cost.today = question.today;
  cost.seed = question.serving.seed;
  cost.draws = question.draws;
  const auto priced = answer_cost(cost, engine.catalog(), unread);
  if (!priced) return answer;
  for (const auto& option : priced->options)
    if (option.kind == OptionKind::kApi)
      answer.options.push_back({option, std::string(), option.per_month.value(), 0});
  for (const auto& fact : priced->facts) answer.facts.push_back(fact);
  return answer;
}

}  // namespace loadfactor::engine
