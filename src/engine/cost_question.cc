// What a scenario's machine costs, whoever says how large it is.
#include <algorithm>
#include <optional>

#include "engine/cost/cost_answer.h"
#include "engine/core.h"

namespace loadfactor {
namespace {

// The deployment that `serve` answers for.
std::optional<KnownCapacity> serving_capacity(const engine::Core& engine, const CostRequest& request,
                                              Diagnostics& diagnostics) {
  ServeRequest asked;
  asked.scenario = request.scenario;
  const auto serve = engine.serve(asked, diagnostics);
  if (!serve) return std::nullopt;
  return KnownCapacity{.gpus = static_cast<double>(serve->layout.gpus),
                       .full_plane = serve->saturated_requests.value() *
                                     Tokens::from_base(serve->tokens_in + serve->tokens_out),
                       .load_factor = std::min(1.0, serve->utilisation.value_or(1)),
                       .source = "serve"};
}

// The run as `train` lays it out; its load factor is its goodput.
std::optional<KnownCapacity> training_capacity(const engine::Core& engine, const CostRequest& request,
                                               Diagnostics& diagnostics) {
  TrainRequest asked;
  asked.scenario = request.scenario;
  const auto train = engine.train(asked, diagnostics);
  if (!train) return std::nullopt;
  return KnownCapacity{.gpus = static_cast<double>(train->layout.gpus),
                       .full_plane = train->tokens_per_s.value(),
                       .load_factor = train->goodput ? train->goodput->value.value() : 1.0,
                       .source = "train"};
}

}  // namespace

std::optional<CostAnswer> engine::Core::cost(const CostRequest& request, Diagnostics& diagnostics) const {
  CostRequest known = request;
  const bool is_open = !request.scenario.capacity && !request.capacity;
  if (is_open && request.scenario.serve) {
    known.capacity = serving_capacity(*this, request, diagnostics);
    if (!known.capacity) return std::nullopt;
  } else if (is_open && request.scenario.train) {
    known.capacity = training_capacity(*this, request, diagnostics);
    if (!known.capacity) return std::nullopt;
  }
  auto answer = engine::answer_cost(known, *catalog_, diagnostics);
  if (answer && is_open && known.capacity)
    answer->notices.push_back(
        {"resolved-capacity", Severity::kNote,
         known.capacity->source == "serve"
             ? "the machine is the deployment that `serve` answers for; `plan` sizes it to its cost"
             : "the machine is the run that `train` lays out; `plan` sizes it to its cost"});
  return answer;
}

}  // namespace loadfactor
