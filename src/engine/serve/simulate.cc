// The demand of a scenario through its deployment, request by request.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "engine/core.h"
#include "engine/serve/other_layout.h"
#include "engine/serve/simulate_answer.h"
#include "engine/serve/simulate_filler.h"
#include "engine/serve/simulate_load.h"
#include "engine/serve/simulate_pool.h"
#include "resolve/serve/fleet_limit.h"
#include "resolve/serve/fleet_steps.h"
#include "resolve/serve/service_layout.h"
#include "resolve/serve/simulate_setup.h"
#include "serving/load_factor.h"
#include "serving/split_plan.h"

namespace loadfactor {
namespace {

using engine::SimulateSetup;
using serving::SimulationResult;
using Setups = std::vector<std::unique_ptr<SimulateSetup>>;

constexpr std::size_t kMostSpans = 200'000;
constexpr int kPoints = 240;       // In the series.
constexpr double kRunsBefore = 6;  // The most trial runs for one model before its demand is run,
constexpr double kRunsAfter = 12;  // and afterwards.

// What one replica, or one of each pool where prompts are apart, can do in closed form.
serving::CapacityFigures closed_form_of(const SimulateSetup& setup) {
  const auto& answers = setup.pools.back()->plan;
  if (!setup.is_split()) return serving::measure_capacity(answers, setup.promise, setup.constants);
  return serving::measure_unit(setup.pools.front()->plan, 1, answers, 1, setup.promise,
                               setup.constants);
}

// As many replicas as `serve` takes, where the scenario does not say.
void settle_replicas(SimulateSetup& setup, const serving::ReplicaCapacity& one) {
  const auto steps =
      engine::count_replicas(setup.rates, setup.rate, one, engine::slo_quantile(setup.promise));
  bool is_chosen = false;
  for (std::size_t i = 0; i < setup.pools.size(); ++i) {
    auto& pool = *setup.pools[i];
    if (pool.replicas > 0) continue;
    is_chosen = true;
    pool.replicas = steps.slo;
    setup.rules.groups[i].replicas = pool.replicas * pool.layout().dp;
  }
  if (!is_chosen) return;
  Notice notice = engine::note_chosen_replicas(steps);
  notice.arguments.push_back({"before_simulating", ""});
  setup.note(std::move(notice));
}

// A bound that even an idle replica misses, said before anything is simulated. The closed form
// does not speak for a run that is scaled by a measured one.
bool is_in_reach(const SimulateSetup& setup, const SimulateInputs& request,
                 const serving::CapacityFigures& one, Diagnostics& diagnostics) {
  if (!request.pace_source.empty()) return true;
  auto fault = engine::find_slo_fault(setup, one);
  if (!fault) return true;
  diagnostics.add(*std::move(fault));
  return false;
}

// Scaling stops where the pool of GPUs ends.
void confess_bounded_scaling(SimulateSetup& setup) {
  const auto& limit = setup.scenario.limits.gpus;
  if (!limit || !setup.scales()) return;
  const serving::GroupRules& group = setup.rules.groups.back();
  std::int64_t others = 0;
  for (std::size_t i = 0; i + 1 < setup.rules.groups.size(); ++i)
    others += std::int64_t{setup.rules.groups[i].replicas} * setup.rules.groups[i].gpus_per_replica;
  const std::int64_t room = (limit->value - others) / group.gpus_per_replica;
  if (group.scaling.max_replicas <= room) return;
  setup.note({.id = "bounded-scaling",
              .arguments = {{"limit", format_count(limit->value)},
                            {"room", counted(room, "replica")},
                            {"most", format_count(group.scaling.max_replicas)}}});
}

bool is_allowed(const Setups& setups, Diagnostics& diagnostics) {
  engine::FleetSize fleet;
  for (const auto& setup : setups) {
    for (const auto& pool : setup->pools) {
      fleet.replicas += pool->replicas;
      fleet.gpus += static_cast<double>(pool->replicas) * pool->layout().gpus();
    }
  }
  const SimulateSetup& first = *setups.front();
  auto fault = engine::find_fleet_fault(first.scenario, fleet);
  if (!fault) return true;
  diagnostics.add(*std::move(fault));
  return false;
}

bool is_sound(const SimulateSetup& setup, Diagnostics& diagnostics) {
  const std::string fault = find_fault(setup.rules);
  if (fault.empty()) return true;
  diagnostics.add(setup.error(lf::kUnsoundRules, setup.ask().position, fault));
  return false;
}

bool is_cancelled(const SimulateInputs& request, Diagnostics& diagnostics) {
  if (request.stop == nullptr || !request.stop->load()) return false;
  diagnostics.add(
      {.code = lf::kCancelled, .message = "cancelled before the simulation had an answer"});
  return true;
}

// Tells how far the question is between two shares of it, by runs of the simulator.
void report_runs(const SimulateInputs& request, double from, double to, double each,
                 Setups& setups) {
  if (!request.progress) return;
  const double all = each * static_cast<double>(setups.size());
  const auto done = std::make_shared<double>(0);
  for (auto& setup : setups)
    setup->after_run = [&request, from, to, all, done] {
      *done += 1;
      request.progress(from + (to - from) * std::min(1.0, *done / all));
    };
}

// A run that is not over when simulated time ends has no answer.
bool is_whole(const SimulateSetup& setup, const SimulationResult& result,
              Diagnostics& diagnostics) {
  if (!result.is_cut) return true;
  diagnostics.add(setup.error(
      lf::kOutOfRange, setup.ask().demand->position,
      fmt::format("the requests take more than the 100 days that are simulated: {} were over by "
                  "then",
                  format_count(result.requests())),
      "fewer of them, as with --requests, or a higher rate; replicas, where they queue"));
  return false;
}

// What one replica of each model serves when it is never idle, in requests per second.
bool settle(Setups& setups, const SimulateInputs& request, std::vector<double>& saturated,
            Diagnostics& diagnostics) {
  for (auto& setup : setups) {
    if (!is_sound(*setup, diagnostics)) return false;
    const auto one = closed_form_of(*setup);
    if (!is_in_reach(*setup, request, one, diagnostics)) return false;
    saturated.push_back(engine::find_saturated_rate(*setup));
    if (is_cancelled(request, diagnostics)) return false;
    if (saturated.back() <= 0) {
      diagnostics.add(setup->error(lf::kNothingServed, setup->ask().demand->position,
                                   "no request fits: all are longer than the model's context or "
                                   "the KV cache of a replica",
                                   "shorten the requests, or give a replica more memory"));
      return false;
    }
    settle_replicas(*setup, one.capacity);
    if (!add_simulated_failures(*setup, diagnostics)) return false;
    if (setup->pools.size() > 1) saturated.back() = engine::find_saturated_rate(*setup);
  }
  if (!is_allowed(setups, diagnostics)) return false;
  for (auto& setup : setups) confess_bounded_scaling(*setup);
  return true;
}

serving::ServiceLimits limits_of(const SimulateSetup& setup) {
  serving::ServiceLimits limits = setup.limits;
  for (sim::Ticks* limit : {&limits.first_token, &limits.whole})
    if (*limit != sim::kNever) *limit = std::max<sim::Ticks>(0, *limit - setup.front);
  return limits;
}

// Tells how far the run over the demand is, of which half of the way is made.
void report_requests(const SimulateInputs& request, double all,
                     serving::SimulationOptions& options) {
  if (!request.progress) return;
  options.progress = [&request, all](std::int64_t come) {
    request.progress(0.5 + 0.25 * std::min(1.0, static_cast<double>(come) / std::max(1.0, all)));
  };
}

SimulationResult run(const Setups& setups, const SimulateInputs& request) {
  serving::SimulationOptions options;
  double seconds = 0;
  double all = 0;
  for (const auto& setup : setups) {
    options.limits_of_service.push_back(limits_of(*setup));
    const double count = static_cast<double>(setup->has_trace() ? std::ssize(setup->trace.time)
                                                                : setup->poisson.count);
    seconds = std::max(seconds, setup->rate > 0 ? count / setup->rate : 1);
    all += count;
  }
  options.delivered_interval = 600 * sim::kSecond;
  options.sample_interval =
      std::max<sim::Ticks>(sim::kMillisecond, sim::ticks_of(Seconds::from_base(seconds / kPoints)));
  options.most_spans = request.keeps_trace ? kMostSpans : 0;
  if (request.plain) options.engine = serving::SimulatorKind::kPlain;
  options.stop = request.stop;
  report_requests(request, all, options);
  const serving::ClusterRules rules = engine::pool_rules(setups);
  const auto stream = engine::pool_stream(setups);
  return simulate(rules, *stream, options);
}

void confess_late_failures(const SimulateSetup& setup, const SimulationResult& result,
                           SimulateAnswer& answer) {
  for (const config::ReplicaFailure& failure : setup.operations().failures)
    if (sim::ticks_of(failure.at) >= result.end)
      answer.notices.push_back({.id = "late-failure",
                                .arguments = {{"failure", format_display(any(failure.at))},
                                              {"end", format_display(any(answer.duration))}}});
}

// A run that delivered more than the one with a queue is the better witness of what a replica can
// do; a hundredth is chance.
bool is_better_witness(double saturated, double delivered) {
  constexpr double kChance = 1.02;
  return delivered > kChance * saturated;
}

// The answer for one model; `result` is its own part of the simulation.
std::optional<SimulateAnswer> answer_for(const SimulateSetup& setup, const SimulateInputs& request,
                                         const SimulationResult& result, double saturated,
                                         Diagnostics& diagnostics) {
  SimulateAnswer answer = engine::describe_simulation(setup, request, result);
  const double paid = engine::paid_unit_seconds(setup, result);
  const double delivered = paid > 0 ? static_cast<double>(result.total.requests) / paid : 0;
  const bool is_witness = is_better_witness(saturated, delivered);
  const double with_queue = std::exchange(saturated, is_witness ? delivered : saturated);
  const auto slo = engine::find_slo_rate(setup, result, saturated);
  if (slo && *slo <= 0) {
    diagnostics.add(
        setup.error(lf::kSloOutOfReach, setup.ask().slo->position,
                    "the objectives are out of reach: a replica with next to no load misses them",
                    "raise them, or use more tp, a narrower precision or a faster GPU"));
    return std::nullopt;
  }
  engine::add_load(setup, result, {saturated, slo}, answer);
  answer.notices = setup.notices;
  if (is_witness)
    answer.notices.push_back({.id = "saturated-witness",
                              .arguments = {{"delivered", fmt::format("{:.3g}", delivered)},
                                            {"with_queue", fmt::format("{:.3g}", with_queue)}}});
  confess_late_failures(setup, result, answer);
  const std::size_t refused = diagnostics.size();
  answer.filler = engine::fill_idle_replicas(setup, answer, diagnostics);
  if (diagnostics.size() > refused) return std::nullopt;
  return answer;
}

}  // namespace

std::optional<SimulateAnswer> engine::Core::simulate(const SimulateInputs& request,
                                                     Diagnostics& diagnostics) const {
  auto setups = engine::make_simulate_setups(request, *catalog_, diagnostics);
  if (setups.empty()) return std::nullopt;
  engine::share_duration(setups, request.requests);
  report_runs(request, 0, 0.5, kRunsBefore, setups);
  std::vector<double> saturated;
  if (!settle(setups, request, saturated, diagnostics)) return std::nullopt;
  engine::note_other_layout({.scenario = request.scenario,
                             .model_files = request.files.model_files,
                             .trace_bytes = request.files.trace_text,
                             .seed = request.seed,
                             .models = setups.front()->models,
                             .stop = request.stop},
                            setups.front()->pools.back()->plan, *setups.front());
  const double before = request.cpu_seconds ? request.cpu_seconds() : 0;
  const SimulationResult result = run(setups, request);
  const double taken = request.cpu_seconds ? request.cpu_seconds() - before : 0;
  if (is_cancelled(request, diagnostics)) return std::nullopt;
  if (!is_whole(*setups.front(), result, diagnostics)) return std::nullopt;
  report_runs(request, 0.75, 1, kRunsAfter, setups);
  std::vector<SimulateAnswer> answers;
  for (std::size_t i = 0; i < setups.size(); ++i) {
    SimulationResult part = setups.size() == 1 ? result : result.services[i];
    part.engine = result.engine;
    part.end = result.end;
    auto answer = answer_for(*setups[i], request, part, saturated[i], diagnostics);
    if (!answer || is_cancelled(request, diagnostics)) return std::nullopt;
    answers.push_back(*std::move(answer));
  }
  SimulateAnswer answer = answers.size() == 1
                              ? std::move(answers.front())
                              : engine::describe_pool(setups, result, std::move(answers));
  answer.engine_seconds = taken;
  return answer;
}

}  // namespace loadfactor
