#include "engine/serve_search.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "engine/fleet_limit.h"
#include "engine/serving_prices.h"
#include "serving/precision.h"

namespace loadfactor::engine {
namespace {

std::vector<const catalog::AcceleratorSpec*> candidates(ServingWorld& world,
                                                        Diagnostics& diagnostics) {
  std::vector<const catalog::AcceleratorSpec*> chips;
  const SimulateSetup& setup = world.setup();
  for (const auto& name : setup.scenario.hardware) {
    const auto chip = setup.catalog->find_accelerator(name.value);
    if (chip)
      chips.push_back(*chip);
    else
      diagnostics.add(
          setup.error(chip.error().code, name.position, chip.error().message, chip.error().hint));
  }
  if (chips.empty()) chips.push_back(setup.chip);
  return chips;
}

// The scenario's precision, or 16 and 8 bits where it leaves it open.
std::vector<std::string> precisions(const SimulateSetup& setup) {
  if (setup.ask().precision) return {setup.ask().precision->value};
  return {"bf16", "fp8"};
}

void add_space(ServingWorld& world, const std::vector<const catalog::AcceleratorSpec*>& chips,
               const std::vector<std::string>& words, search::SizingProblem& problem) {
  const auto deployment = world.setup().ask().deployment.value_or(config::Deployment{});
  const config::Pool& pool = deployment.pool;
  problem.space.choices.clear();
  for (const auto* chip : chips) {
    for (const auto& word : words) {
      const auto choice = world.choice(*chip, word, {});
      if (choice) problem.space.choices.push_back(*choice);
    }
  }
  if (pool.tp) problem.space.tp = {pool.tp->value};
  if (pool.pp) problem.space.pp = {pool.pp->value};
  problem.space.has_experts = serving::has_experts(*world.setup().model);
}

DeploymentRow row_of(const search::SizedDeployment& d, const ServingWorld& world) {
  const auto& c = d.plan.choice;
  const auto priced = [&](double cost) {
    return d.has_rent ? std::optional(Dollars::from_base(cost)) : std::nullopt;
  };
  return {.accelerator = c.chip->name,
          .precision = c.precision.empty() ? "16 bits" : c.precision,
          .layout = c.layout,
          .max_seqs = d.plan.max_seqs,
          .chunk = d.plan.chunk,
          .replicas = d.replicas,
          .gpus = d.gpus,
          .per_hour = priced(d.cost_per_hour),
          .per_mtoken = priced(d.per_mtoken),
          .gpu_hours_per_mtoken = d.cost_per_hour > 0 ? d.per_mtoken * d.gpus / d.cost_per_hour : 0,
          .load_factor = d.load_factor,
          .rate_per_replica = Hertz::from_base(d.rate),
          .tokens_per_gpu = d.rate * world.demand().output / d.plan.gpus(),
          .autoscaled_gpus = d.autoscaled_gpus,
          .ttft = Seconds::from_base(d.is_confirmed ? d.ttft : d.figures.ttft),
          .tpot = Seconds::from_base(d.is_confirmed ? d.tpot : d.mean_tpot),
          .is_calibrated = d.is_calibrated,
          .is_confirmed = d.is_confirmed,
          .weeks_kept = d.weeks_kept,
          .weeks_kept_with_fewer = d.weeks_kept_with_fewer,
          .within_slo = d.within_slo};
}

// What each chip rents for, and which do not.
void set_rents(ServingWorld& world, const std::vector<const catalog::AcceleratorSpec*>& chips,
               search::SizingProblem& problem) {
  std::map<std::string, double> rents;
  std::vector<std::string> unpriced;
  for (const auto* chip : chips) {
    const auto rent = find_rent(*world.setup().catalog, chip->name);
    rents[chip->name] = rent ? rent->price.base() * 3600 : 0;
    if (!rent) unpriced.push_back(chip->name);
  }
  if (!unpriced.empty())
    world.setup().note("no-rent",
                       fmt::format("no on-demand rent of {} is known: ranked last, by GPU-hours",
                                   fmt::join(unpriced, ", ")),
                       Severity::kCaution);
  problem.rent = [rents](const std::string& chip) { return rents.at(chip); };
}

// The closed form alone, with one thing changed.
std::optional<double> cheapest(search::SizingProblem problem) {
  problem.confirm = 0;
  const auto answer = search::size_deployment(problem);
  if (answer.best.empty()) return std::nullopt;
  return answer.best.front().cost_per_hour;
}

void add_relaxed(const search::SizingProblem& problem, ServingWorld& world,
                 const std::vector<const catalog::AcceleratorSpec*>& chips, SearchAnswer& answer) {
  const auto base = cheapest(problem);
  if (!base || *base <= 0) return;
  const auto add = [&](std::string change, const search::SizingProblem& changed) {
    const auto cost = cheapest(changed);
    if (!cost) return;
    // The closed form says how much less; the answer's own cost says of what.
    const double saving = 1 - *cost / *base;
    std::optional<Dollars> per_hour = answer.rows.front().per_hour;
    if (per_hour) per_hour = *per_hour * (1 - saving);
    answer.relaxed.push_back({std::move(change), per_hour, saving});
  };
  if (problem.ask.ttft > 0) {
    search::SizingProblem changed = problem;
    changed.ask.ttft *= 2;
    add("twice the time to the first token", changed);
  }
  if (problem.ask.tpot > 0) {
    search::SizingProblem changed = problem;
    changed.ask.tpot *= 2;
    add("twice the time per token", changed);
  }
  {
    search::SizingProblem changed = problem;
    changed.ask.input /= 2;
    add("half the tokens in", changed);
  }
  if (world.setup().ask().precision) {
    search::SizingProblem changed = problem;
    add_space(world, chips, {"fp8", "nvfp4"}, changed);
    add("8 or 4 bits where the chip has them", changed);
  }
}

void confess(const search::SizingAnswer& sized, SearchAnswer& answer, ServingWorld& world) {
  SimulateSetup& setup = world.setup();
  const auto& first = sized.best.front();
  if (!first.is_confirmed && first.ttft <= 0)
    setup.note("not-simulated",
               "the fleet is larger than what is simulated whole: only its rate per replica was",
               Severity::kCaution);
  else if (!first.is_confirmed)
    setup.note(
        "not-confirmed",
        "the week's simulation missed the SLO even with more replicas: the closed form is too "
        "hopeful here, so take the answer as a lower bound",
        Severity::kCaution);
  if (world.demand().trace)
    setup.note("one-week", "a recorded trace is one week: other weeks may need more");
  else
    setup.note("weeks",
               fmt::format("of {} weeks made with other seeds {} keep the SLO, and {} with one "
                           "replica fewer (fluid limit)",
                           search::kTrialWeeks, first.weeks_kept, first.weeks_kept_with_fewer));
  if (first.replicas - answer.spares == 1)
    setup.note("smallest", "nothing cheaper of this kind exists: it is one replica");
  setup.note("closed-form-rows",
             "rows marked ~ are closed form; others have their rate per replica simulated");
}

}  // namespace

std::optional<SearchAnswer> search_deployment(const SearchQuestion& question,
                                              const catalog::Catalog& catalog,
                                              Diagnostics& diagnostics) {
  auto world = ServingWorld::create(question.serving, catalog, diagnostics);
  if (!world) return std::nullopt;
  const auto chips = candidates(*world, diagnostics);
  if (!diagnostics.empty()) return std::nullopt;
  search::SizingProblem problem;
  add_space(*world, chips, precisions(world->setup()), problem);
  problem.hardware = &world->hardware();
  problem.constants = &world->constants();
  problem.ask = world->ask();
  problem.slo_quantile = world->slo_quantile();
  problem.model = world->demand().model;
  if (world->demand().trace) problem.trace = &*world->demand().trace;
  if (world->setup().ask().demand->trace) problem.trace_rates = world->demand().rates;
  set_rents(*world, chips, problem);
  problem.spares = question.spares;
  problem.cold_start = question.cold_start.base();
  problem.confirm = question.confirm;
  problem.seed = question.serving.seed;
  const auto& limit = world->setup().scenario.limits.gpus;
  if (limit) problem.most_gpus = static_cast<int>(limit->value);
  const search::SizingAnswer sized = search::size_deployment(problem);
  if (sized.best.empty() && sized.fewest_gpus > 0) {
    auto fault = find_fleet_fault(world->setup().document, world->setup().scenario,
                                  {static_cast<double>(sized.fewest_replicas - question.spares),
                                   static_cast<double>(sized.fewest_gpus)});
    if (fault) diagnostics.add(*std::move(fault));
    return std::nullopt;
  }
  if (sized.best.empty()) {
    diagnostics.add(world->setup().error(lf::kSloOutOfReach, world->setup().ask().position,
                                         "no deployment of this hardware keeps the SLO",
                                         sized.nearest_miss.empty()
                                             ? "nothing fits: allow other hardware"
                                             : "closest: " + sized.nearest_miss));
    return std::nullopt;
  }
  SearchAnswer answer;
  answer.scenario = world->setup().scenario.name.value;
  answer.model_title = world->setup().model->title;
  answer.demand_words = world->demand().words;
  answer.input = world->demand().input;
  answer.output = world->demand().output;
  answer.mean = Hertz::from_base(world->demand().mean());
  answer.peak = Hertz::from_base(world->demand().peak());
  answer.ask = world->ask();
  answer.spares = question.spares;
  answer.has_prices = sized.best.front().has_rent;
  answer.enumerated = sized.enumerated;
  answer.fitting = sized.fitting;
  answer.meeting = sized.meeting;
  answer.simulated_requests = sized.simulated_requests;
  for (const auto& d : sized.best) answer.rows.push_back(row_of(d, *world));
  for (const auto& d : sized.pareto) answer.pareto.push_back(row_of(d, *world));
  add_relaxed(problem, *world, chips, answer);
  confess(sized, answer, *world);
  answer.notices = world->setup().notices;
  return answer;
}

}  // namespace loadfactor::engine
