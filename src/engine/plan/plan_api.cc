#include "engine/plan/plan_api.h"

#include <string>
#include <utility>

#include "engine/cost/api_alone.h"
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
  if (!question.scenario().money.asks_for(OptionKind::kApi)) return answer;
  CostInputs asked;
  asked.scenario = question.scenario();
  CostInputs cost = api_alone(std::move(asked), {.requests = answer.rate,
                                                 .tokens_in = Tokens::from_base(demand.input),
                                                 .tokens_out = Tokens::from_base(demand.output)});
  cost.today = question.today;
  cost.seed = question.serving.seed;
  cost.draws = question.draws;
  const auto priced = answer_cost(cost, engine.catalog(), unread);
  if (!priced) return answer;
  for (const auto& option : priced->options)
    if (option.kind == OptionKind::kApi)
      answer.options.push_back({option, std::string(), option.per_month.value(), 0});
  for (const auto& fact : priced->facts) answer.facts.push_back(fact);
  answer.priced = std::move(cost);
  return answer;
}

}  // namespace loadfactor::engine
