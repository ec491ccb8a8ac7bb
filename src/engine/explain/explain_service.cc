#include "engine/explain/explain_service.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/explain/data_lines.h"
#include "engine/explain/service_step.h"
#include "resolve/serve/fleet_steps.h"

namespace loadfactor::engine {
namespace {

using ServiceNodes = std::vector<ExplainNode>;
// Under its traffic, or, where a layout alone is asked about, under one request, which is answered
// without a look at other fleets.
std::optional<AskedService> resolve_service(const Core& engine, const PlanInputs& question,
                                            const config::Scenario& scenario, Explained quantity,
                                            std::optional<double> concurrency = {}) {
  AskedService service;
  service.request.concurrency = concurrency;
  if (quantity == Explained::kTp) service.request.concurrency = 1;
  service.request.scenario = scenario;
  service.request.model_files = question.serving.model_files;
  service.request.trace_bytes = question.serving.trace_bytes;
  Diagnostics unread;
  auto answer = engine.serve(service.request, unread);
  if (!answer) return std::nullopt;
  service.answer = *std::move(answer);
  service.setup = make_serve_setup(service.request, engine.catalog(), unread);
  if (!service.setup) return std::nullopt;
  return service;
}

// A time of a request as one step and what comes on top of it.
ExplainNode request_time(Term term, Seconds said, ExplainNode step, Term more, DataLine from) {
  const double rest = said.base() - step.value.value;
  if (rest >= 0)
    return node(term, Operation::kSum,
                {std::move(step), leaf(more, any(Seconds::from_base(rest)), std::move(from))});
  const double share = said.base() / step.value.value;
  return node(term, Operation::kProduct,
              {std::move(step), leaf(Term::kShareOfStep, any(share), std::move(from))});
}

std::string demand_place(const SourceFinder& where) {
  return where.find({"serve.demand.requests_per_second", "serve.demand.requests_per_hour",
                     "serve.demand.requests_per_day", "serve.demand.requests_per_month",
                     "serve.demand.trace", "serve.demand.shape", "serve.model"},
                    {}, "general-knowledge");
}

std::string promise_place(const SourceFinder& where) {
  return where.find({"serve.slo.ttft_p95", "serve.slo.tpot_p95", "serve.slo.ttft_p99",
                     "serve.slo.tpot_p99", "serve.slo"},
                    {}, demand_place(where));
}

// How the count comes about: the mean rate, the busiest window, the promises, and what a week that
// was simulated adds or spares.
ExplainNode replicas_tree(const PlanAnswer& facts, const AskedService& service, int replicas) {
  const SourceFinder where(facts);
  const auto& setup = *service.setup;
  const DataLines lines(*setup.catalog);
  const std::string written = where.find({"serve.deployment.replicas"}, {}, {});
  const auto asked = setup.written_replicas(Side::kDecode);
  const auto whole = [](double count) { return any(count); };
  if (!written.empty() && asked && *asked == replicas)
    return leaf(Term::kReplicas, whole(replicas), written);
  const auto unit = serving::measure_capacity(setup.pool(1), setup.promise, setup.constants);
  const double mean = setup.demand ? setup.demand->mean() : 0;
  if (mean <= 0 || unit.capacity.saturated <= Hertz())
    return leaf(Term::kReplicas, whole(replicas), demand_place(where));
  const auto steps =
      count_replicas(setup.demand->rates, mean, unit.capacity, slo_quantile(setup.promise));
  ServiceNodes counts;
  counts.push_back(
      node(Term::kReplicasForMean, Operation::kCeil,
           {node(Term::kMeanWork, Operation::kQuotient,
                 {leaf(Term::kDemand, any(Hertz::from_base(mean)), demand_place(where)),
                  leaf(Term::kReplicaRate, any(unit.capacity.saturated),
                       lines.serving(service.answer.engine + ".kernel"))})}));
  const double first = counts.front().value.value;
  const auto add = [&](Term term, double count, const std::string& source) {
    if (count != 0) counts.push_back(leaf(term, whole(count), source));
  };
  add(Term::kReplicasForPeak, steps.peak - first, demand_place(where));
  add(Term::kReplicasForSlo, steps.slo - steps.peak, promise_place(where));
  add(Term::kReplicasForWeeks, replicas - steps.slo, demand_place(where));
  return node(Term::kReplicas, Operation::kSum, std::move(counts));
}

ExplainNode rival_service(const DataLines& lines, const PlanAnswer& facts, int tp,
                          const ServeAnswer* served) {
  const SourceFinder where(facts);
  const DataLine from = served != nullptr ? lines.serving(served->engine + ".kernel")
                                          : DataLine{promise_place(where), {}};
  const TokensPerSecond rate =
      served != nullptr ? served->saturated_per_gpu.value() : TokensPerSecond();
  return node(Term::kRival, Operation::kChoice,
              {leaf(Term::kTp, any(static_cast<double>(tp)), from.place),
               leaf(Term::kRivalRate, any(rate), from)},
              fmt::format("tp {}", tp));
}

// The degrees up to those of a domain, each with what a GPU of it does at most; none where weights
// do not fit or the promises cannot be kept.
ExplainNode tp_tree(const Core& engine, const PlanAnswer& facts, const AskedService& service) {
  constexpr int kMostDegrees = 16;
  const SourceFinder where(facts);
  const int chosen = service.answer.layout.tp;
  const std::string written = where.find({"serve.deployment.tp"}, {}, {});
  if (!written.empty()) return leaf(Term::kTp, any(static_cast<double>(chosen)), written);
  const DataLines lines(engine.catalog());
  ServiceNodes rivals{rival_service(lines, facts, chosen, &service.answer)};
  const int domain = std::min(kMostDegrees, std::max(1, service.setup->chip->scale_up.domain));
  for (int tp = 1; tp <= domain; tp *= 2) {
    if (tp == chosen) continue;
    ServeInputs request = service.request;
    request.scenario =
        request.scenario.with({config::Edit{"serve.deployment.tp", std::int64_t{tp}},
                               config::Edit{"serve.deployment.replicas", config::Blank()}});
    Diagnostics unread;
    const auto served = engine.serve(request, unread);
    rivals.push_back(rival_service(lines, facts, tp, served ? &*served : nullptr));
  }
  return node(Term::kTp, Operation::kChoice, std::move(rivals));
}

std::optional<ExplainNode> service_tree(const Core& engine, const PlanAnswer& facts,
                                        const AskedService& service, Explained quantity,
                                        int replicas) {
  const DataLines lines(engine.catalog());
  switch (quantity) {
    case Explained::kTpot:
      if (service.answer.tokens_out <= 1) return std::nullopt;
      return request_time(Term::kTpot, service.answer.tpot.value(),
                          service_step_tree(facts, service, false), Term::kPromptsOfOthers,
                          lines.serving("turnover"));
    case Explained::kTtft:
      return request_time(Term::kTtft, service.answer.ttft.value(),
                          service_step_tree(facts, service, true), Term::kBeforeFirstToken,
                          lines.serving(service.answer.engine + ".front"));
    case Explained::kReplicas:
      return replicas_tree(facts, service, replicas);
    case Explained::kTp:
      return tp_tree(engine, facts, service);
    default:
      return std::nullopt;
  }
}

bool is_of_service(Explained quantity) {
  return quantity == Explained::kTpot || quantity == Explained::kTtft ||
         quantity == Explained::kReplicas || quantity == Explained::kTp;
}

}  // namespace

std::optional<ExplainNode> explain_service(const Core& engine, const PlanInputs& question,
                                           const std::string& name) {
  const auto quantity = find_explained(name);
  const auto& scenario = question.scenario();
  if (!quantity || !is_of_service(*quantity) || !scenario.serve || scenario.train)
    return std::nullopt;
  const auto service = resolve_service(engine, question, scenario, *quantity);
  if (!service || service->setup->is_split()) return std::nullopt;
  PlanAnswer facts;
  facts.scenario = service->answer.scenario;
  facts.facts = service->answer.facts;
  add_assumptions(question, facts);
  return service_tree(engine, facts, *service, *quantity, service->answer.layout.replicas);
}

std::optional<ExplainNode> explain_full_pace(const Core& engine, const PlanInputs& question,
                                             const PlanAnswer& answer, double sequences,
                                             Seconds said) {
  const auto one = answer.priced->scenario.with({{"serve.deployment.replicas", std::int64_t{1}}});
  auto full = resolve_service(engine, question, one, Explained::kTpot, sequences);
  if (!full || full->setup->is_split()) return std::nullopt;
  return request_time(Term::kTimePerToken, said, service_step_tree(answer, *full, false),
                      Term::kPromptsOfOthers, DataLines(engine.catalog()).serving("turnover"));
}

std::optional<ExplainNode> explain_planned_service(const Core& engine, const PlanInputs& question,
                                                   const PlanAnswer& answer, Explained quantity) {
  if (!is_of_service(quantity) || !answer.fill || !answer.priced) return std::nullopt;
  const auto service = resolve_service(engine, question, answer.priced->scenario, quantity);
  if (!service || service->setup->is_split()) return std::nullopt;
  return service_tree(engine, answer, *service, quantity, answer.fill->replicas);
}

}  // namespace loadfactor::engine
