// What a scenario's machine costs, whoever says how large it is.
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "engine/core.h"
#include "engine/cost/api_alone.h"
#include "engine/cost/cost_answer.h"
#include "engine/cost/run_capacity.h"
#include "resolve/demand/fleet_demand.h"
#include "resolve/serve/serving_world.h"

namespace loadfactor {
namespace {

// Says what was chosen or left out on the way to the capacity, all but what is about figures that
// no bill has.
void keep_notices(const std::vector<Notice>& said, std::string_view but,
                  std::vector<Notice>& notices) {
  std::copy_if(said.begin(), said.end(), std::back_inserter(notices),
               [but](const Notice& notice) { return notice.id != but; });
}

// The demand of a service; nothing where it has none, or where diagnostics say why it is not read.
std::optional<KnownDemand> read_demand(const engine::Core& engine, const CostInputs& request,
                                       std::vector<Notice>& notices, Diagnostics& diagnostics) {
  std::vector<Notice> said;
  const auto demand = engine::derive_demand({.scenario = &request.scenario,
                                             .serve = &*request.scenario.serve,
                                             .catalog = &engine.catalog(),
                                             .trace_bytes = request.trace_bytes,
                                             .seed = request.seed,
                                             .fits_trace = false},
                                            said, diagnostics);
  if (!demand) return std::nullopt;
  keep_notices(said, "no-shape", notices);
  return KnownDemand{.requests = Hertz::from_base(demand->mean()),
                     .tokens_in = Tokens::from_base(demand->input),
                     .tokens_out = Tokens::from_base(demand->output)};
}

// The deployment that `serve` answers for, and how its demand fills it.
bool use_service(const engine::Core& engine, CostInputs& request, std::vector<Notice>& notices,
                 Diagnostics& diagnostics) {
  ServeInputs asked;
  asked.scenario = request.scenario;
  asked.model_files = request.model_files;
  asked.trace_bytes = request.trace_bytes;
  const auto& deployment = request.scenario.serve->deployment;
  if (deployment && (deployment->prefill || deployment->decode)) {
    // Pools of different GPUs have no price of a GPU; they are refused as where fleets are sized.
    const engine::ServingInputs sized{.scenario = request.scenario,
                                      .model_files = request.model_files,
                                      .trace_bytes = request.trace_bytes};
    if (!engine::ServingWorld::create(sized, engine.catalog(), diagnostics)) return false;
  }
  const auto serve = engine.serve(asked, diagnostics);
  if (!serve) return false;
  if (!serve->demand_rate) {
    read_demand(engine, request, notices, diagnostics);  // Says what is missing.
    return false;
  }
  keep_notices(serve->notices, "means", notices);
  request.demand = KnownDemand{.requests = *serve->demand_rate,
                               .tokens_in = Tokens::from_base(serve->tokens_in),
                               .tokens_out = Tokens::from_base(serve->tokens_out)};
  // Pools apart are one unit that never rests.
  const int units = serve->prompt_gpus > 0 ? 1 : std::max(1, serve->layout.replicas);
  request.capacity =
      KnownCapacity{.gpus = static_cast<double>(serve->layout.gpus),
                    .full_plane = serve->saturated_requests.value() *
                                  (request.demand->tokens_in + request.demand->tokens_out),
                    .load_factor = std::min(1.0, serve->utilisation.value_or(1)),
                    .load = engine::load_of(*serve),
                    .variation = engine::variation_of(serve->saturated_requests),
                    .busy_by_hour = serve->busy_by_hour,
                    .source = "serve",
                    .replica = static_cast<double>(serve->layout.gpus) / units};
  return true;
}

// The run as `train` lays it out; its load factor is the share of the paid time that steady steps
// take, and each way to pay has its own.
bool use_run(const engine::Core& engine, CostInputs& request, std::vector<Notice>& notices,
             Diagnostics& diagnostics) {
  TrainInputs asked;
  asked.scenario = request.scenario;
  asked.model_files = request.model_files;
  const auto train = engine.train(asked, diagnostics);
  if (!train) return false;
  keep_notices(train->notices, "ways-to-pay", notices);
  if (!train->fits) notices.push_back({.id = "run-does-not-fit", .arguments = {}});
  request.capacity = engine::capacity_of_run(*train, request.scenario);
  if (!request.scenario.money.options.empty()) return true;
  asked.scenario = engine::with_every_way(asked.scenario);
  const auto by_all = engine.train(asked, diagnostics);
  if (!by_all) return false;
  request.capacity->run->ways = engine::capacity_of_run(*by_all, request.scenario).run->ways;
  return true;
}

// Whether the scenario itself says how many GPUs there are, what they make and how full they are.
bool is_stated(const CostInputs& request) {
  const auto& stated = request.scenario.capacity;
  if (!stated) return request.capacity.has_value();
  const bool has_load = stated->load_factor || stated->hours || stated->mean;
  const bool has_gpus = stated->gpus || stated->hours || stated->mean;
  return has_gpus && (has_load || stated->rate);
}

// Whether all is stated but what the machines make, which the service knows.
bool lacks_rate(const CostInputs& request) {
  const auto& stated = request.scenario.capacity;
  return stated && !stated->rate && !request.capacity && request.scenario.serve &&
         request.scenario.serve->demand;
}

// What the service makes on the GPUs that are there. Where nothing serves it, tokens are not the
// work.
void use_rate(const engine::Core& engine, CostInputs& request, std::vector<Notice>& notices) {
  CostInputs asked = request;
  std::vector<Notice> said;
  Diagnostics unread;
  if (!use_service(engine, asked, said, unread)) return;
  request.demand = asked.demand;
  request.capacity = std::move(asked.capacity);
  request.capacity->busy_by_hour.clear();  // The scenario says how full they are.
  std::move(said.begin(), said.end(), std::back_inserter(notices));
}

// Where no machines do the work, the API does, and the answer says why.
std::optional<CostAnswer> use_api(const engine::Core& engine, const CostInputs& request,
                                  const Diagnostics& refusals) {
  if (refusals.errors().empty() || !engine::leaves_the_api(refusals.errors()[0]) ||
      !request.scenario.money.asks_for(OptionKind::kApi))
    return std::nullopt;
  std::vector<Notice> notices;
  Diagnostics unread;
  const auto demand = read_demand(engine, request, notices, unread);
  if (!demand) return std::nullopt;
  auto answer = engine::answer_cost(engine::api_alone(request, *demand), engine.catalog(), unread);
  if (!answer || answer->options.empty()) return std::nullopt;
  answer->gpus = 0;
  answer->load_factor = 0;
  answer->full_plane.reset();
  notices.push_back({.id = "api-alone",
                     .severity = Severity::kCaution,
                     .arguments = {{"refusal", refusals.errors()[0].message}}});
  std::move(notices.begin(), notices.end(), std::back_inserter(answer->notices));
  return answer;
}

// What is priced is priced, and what a limit says against it is said: GPUs that are there may be
// more than may be had, and the cheapest way may cost more than the budget. Power is judged by
// rack.
void note_limits(const config::ScenarioLimits& limits, CostAnswer& answer) {
  const bool by_machines =
      std::any_of(answer.options.begin(), answer.options.end(),
                  [](const CostOption& option) { return option.kind != OptionKind::kApi; });
  if (limits.gpus && by_machines && answer.gpus > static_cast<double>(limits.gpus->value))
    answer.notices.push_back({.id = "more-gpus-than-allowed",
                              .severity = Severity::kCaution,
                              .arguments = {{"gpus", fmt::format("{:.0f}", answer.gpus)},
                                            {"limit", std::to_string(limits.gpus->value)}}});
  if (!limits.budget || answer.options.empty()) return;
  const CostOption& first = answer.options.front();
  const Dollars cost = (first.run_cost ? *first.run_cost : first.per_month).value();
  if (cost <= limits.budget->value) return;
  answer.notices.push_back({.id = "dearer-than-budget",
                            .severity = Severity::kCaution,
                            .arguments = {{first.run_cost ? "run" : "month", dollars_text(cost)},
                                          {"budget", dollars_text(limits.budget->value)}}});
}

}  // namespace

std::optional<CostAnswer> engine::Core::cost(const CostInputs& request,
                                             Diagnostics& diagnostics) const {
  CostInputs known = request;
  std::vector<Notice> notices;
  const config::Scenario& scenario = request.scenario;
  const bool is_open = !is_stated(request) && !request.capacity;
  if (!is_open && lacks_rate(request)) use_rate(*this, known, notices);
  if (is_open && scenario.serve) {
    Diagnostics refusals;
    if (!use_service(*this, known, notices, refusals)) {
      if (auto answer = use_api(*this, known, refusals)) return answer;
      diagnostics.add_all(refusals);
      return std::nullopt;
    }
    notices.push_back({.id = "resolved-capacity", .arguments = {{"deployment", {}}}});
  } else if (is_open && scenario.train) {
    if (!use_run(*this, known, notices, diagnostics)) return std::nullopt;
    notices.push_back({.id = "resolved-capacity", .arguments = {{"laid_out_run", {}}}});
  } else if (scenario.serve && scenario.serve->demand && !known.demand) {
    known.demand = read_demand(*this, known, notices, diagnostics);
    if (!known.demand) return std::nullopt;
  }
  auto answer = engine::answer_cost(known, *catalog_, diagnostics, engine::Ends::kAsked);
  if (!answer) return answer;
  std::move(notices.begin(), notices.end(), std::back_inserter(answer->notices));
  note_limits(scenario.limits, *answer);
  return answer;
}

}  // namespace loadfactor
