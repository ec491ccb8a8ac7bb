#include "engine/fill/serve_search.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "economics/evaluate.h"
#include "engine/cost/cost_answer.h"
#include "engine/fill/fill.h"
#include "engine/fill/serve_search_notes.h"
#include "engine/fill/serving_prices.h"
#include "engine/fill/timed_search.h"
#include "resolve/serve/fleet_limit.h"
#include "resolve/serve/service_layout.h"
#include "search/fleet_resizer.h"
#include "search/serving_scaling.h"

namespace loadfactor::engine {
namespace {

// Layouts that are tried on each chip, or the pools as they are written.
void add_layouts(ServingWorld& world, const std::vector<const catalog::AcceleratorSpec*>& chips,
                 search::SizingProblem& problem, Diagnostics& diagnostics) {
  Service& service = world.service();
  const config::Pool pool = service.asked_pool(Side::kDecode);
  search::ServingSpace& space = problem.space;
  // A layout that is written stands with the engine's own settings, as every other verb has it.
  space.own_settings = pool.tp.has_value() || service.is_split();
  space.has_splits =
      service.model->generates() && problem.thorough && !pool.tp && !pool.pp && !pool.replicas;
  for (const auto* chip : chips) {
    if (!service.is_split()) {
      space.layouts[chip] = layouts_within_reach(service, Side::kDecode, *chip, world.ask());
      continue;
    }
    const auto prompts = world.replica(Side::kPrefill, *chip);
    const auto answers = world.replica(Side::kDecode, *chip);
    if (prompts && answers)
      space.splits.push_back({prompts->choice, answers->choice});
    else
      diagnostics.add(prompts ? answers.error() : prompts.error());
  }
  if (!space.splits.empty()) diagnostics = {};
}

// One choice per chip and precision; the service's own where no words are given.
void add_choices(const ServingWorld& world,
                 const std::vector<const catalog::AcceleratorSpec*>& chips,
                 const std::vector<std::string>& words, search::SizingProblem& problem) {
  problem.space.choices.clear();
  if (world.service().is_split()) return;
  for (const auto* chip : chips) {
    for (const auto& word : words) {
      const auto choice = world.choice(*chip, word, {});
      if (choice) problem.space.choices.push_back(*choice);
    }
  }
}

// Tokens of a request that its throughput is counted in: those of the answer, or those that are
// read where nothing is written.
double counted_tokens(const FleetDemand& demand) {
  return demand.output > 0 ? demand.output : demand.input;
}

// Such tokens per second and GPU at the rate that keeps the SLO, both pools counted.
double tokens_per_gpu(const search::SizedDeployment& d, double tokens) {
  if (!d.prompts) return d.rate * tokens / d.plan.gpus();
  const double rate = std::min(d.rate * d.replicas, d.prompts->rate * d.prompts->replicas);
  const int gpus = d.replicas * d.plan.gpus() + d.prompts->replicas * d.prompts->plan.gpus();
  return rate * tokens / gpus;
}

// Such tokens within the SLO that a dollar buys.
std::optional<double> goodput_per_dollar(const search::SizedDeployment& d,
                                         const ServingWorld& world) {
  if (!d.has_price || d.cost_per_hour <= 0) return std::nullopt;
  const double within = d.is_confirmed ? d.within_slo : d.fluid_within;
  return within * world.demand().mean() * counted_tokens(world.demand()) * 3600 / d.cost_per_hour;
}

DeploymentRow row_of(const search::SizedDeployment& d, const ServingWorld& world,
                     const search::Outages& outages) {
  const auto& c = d.plan.choice;
  const auto priced = [&](double cost) {
    return d.has_price ? std::optional(Dollars::from_base(cost)) : std::nullopt;
  };
  return {.accelerator = c.chip->name,
          .precision = c.precision,
          .kv_format = std::string(catalog::name(c.formats.kernels.kv)),
          .layout = c.layout,
          .max_seqs = d.plan.max_seqs,
          .chunk = d.plan.chunk,
          .prompt_layout = d.prompts ? d.prompts->plan.choice.layout : serving::ServingLayout{},
          .prompt_replicas = d.prompts ? d.prompts->replicas + d.spares : 0,
          .replicas = d.replicas + d.spares,
          .spares = d.spares,
          .enough =
              search::share_with_enough(outages, search::pools_of(d), d.spares - outages.deployed),
          .gpus = d.gpus,
          .paid_gpus = d.paid_gpus,
          .way = d.way,
          .per_hour = priced(d.cost_per_hour),
          .per_mtoken = priced(d.per_mtoken),
          .gpu_hours_per_mtoken = d.cost_per_hour > 0 ? d.per_mtoken * d.gpus / d.cost_per_hour : 0,
          .load_factor = d.load_factor,
          .rate_per_replica = Hertz::from_base(d.rate),
          .tokens_per_gpu = tokens_per_gpu(d, counted_tokens(world.demand())),
          .goodput_per_dollar = goodput_per_dollar(d, world),
          .most_mean = Hertz::from_base(d.most_mean),
          .autoscaled_gpus = d.autoscaled_gpus,
          .on = d.on,
          .scaled = d.scaled,
          .ttft = d.is_confirmed ? d.ttft : d.figures.ttft,
          .tpot = d.is_confirmed ? d.tpot : d.mean_tpot,
          .mean_tpot = d.mean_tpot,
          .is_calibrated = d.is_calibrated,
          .is_confirmed = d.is_confirmed,
          .weeks_kept = d.weeks_kept,
          .weeks_kept_with_fewer = d.weeks_kept_with_fewer,
          .simulated = d.simulated,
          .within_slo = d.within_slo,
          .weights = d.plan.memory.fullest_weights()};
}

// What an hour of a GPU costs in one way, and what GPUs are sold in.
search::WayPrice way_of(const CostSetup& terms, const GpuPrice& price) {
  constexpr double kHour = 3600;
  search::WayPrice way{.way = std::string(name_of(price.kind)),
                       .fixed = price.fixed.base() * kHour,
                       .working = price.working.base() * kHour};
  if (economics::is_by_hour(price.kind))
    way.sizes = terms.terms.capacity.instances;
  else
    way.machine = static_cast<int>(economics::gpus_paid(terms.terms.capacity, 1, price.kind));
  return way;
}

// What an hour of each chip costs in every way to pay that is asked for, and which have no price.
void set_prices(const ServingInputs& question, ServingWorld& world,
                const std::vector<const catalog::AcceleratorSpec*>& chips,
                search::SizingProblem& problem, Diagnostics& diagnostics) {
  std::vector<std::string> unpriced;
  for (const auto* chip : chips) {
    const auto terms = price_chip(question, world, chip->name, diagnostics);
    if (!terms) continue;
    std::vector<search::WayPrice>& ways = problem.prices[chip->name];
    for (const GpuPrice& price : prices_of(*terms)) ways.push_back(way_of(*terms, price));
    if (ways.empty()) unpriced.push_back(chip->name);
  }
  if (!unpriced.empty())
    world.service().note(
        {.id = "no-rent",
         .severity = Severity::kCaution,
         .arguments = {{"unpriced", fmt::format("{}", fmt::join(unpriced, ", "))}}});
}

// The closed form alone, with one thing changed.
std::optional<search::SizedDeployment> cheapest(search::SizingProblem problem) {
  problem.confirm = 0;
  const auto answer = search::size_deployment(problem);
  if (answer.best.empty()) return std::nullopt;
  return answer.best.front();
}

void add_relaxed(const search::SizingProblem& problem, double base, ServingWorld& world,
                 const std::vector<const catalog::AcceleratorSpec*>& chips, SizeAnswer& answer) {
  if (base <= 0) return;
  const auto add = [&](Relaxation what, const search::SizingProblem& changed) {
    const auto best = cheapest(changed);
    if (!best) return;
    // The closed form says how much less; the answer's own cost says of what.
    const double saving = 1 - best->cost_per_hour / base;
    std::optional<Dollars> per_hour = answer.rows.front().per_hour;
    if (per_hour) per_hour = *per_hour * (1 - saving);
    const DeploymentRow row = row_of(*best, world, problem.outages);
    answer.relaxed.push_back({.what = what,
                              .accelerator = row.accelerator,
                              .precision = row.precision,
                              .gpus = row.gpus,
                              .load_factor = row.load_factor,
                              .per_hour = per_hour,
                              .saving = saving});
  };
  if (problem.ask.ttft > Seconds()) {
    search::SizingProblem changed = problem;
    changed.ask.ttft = problem.ask.ttft * 2;
    add(Relaxation::kFirstToken, changed);
  }
  if (problem.ask.tpot > Seconds()) {
    search::SizingProblem changed = problem;
    changed.ask.tpot = problem.ask.tpot * 2;
    add(Relaxation::kNextToken, changed);
  }
  {
    search::SizingProblem changed = problem;
    changed.ask.input /= 2;
    add(Relaxation::kContext, changed);
  }
  if (world.service().is_split()) return;
  search::SizingProblem changed = problem;
  add_choices(world, chips, {"", "fp8", "nvfp4"}, changed);
  add(Relaxation::kPrecision, changed);
}

// Failures that take a GPU's replica out, and for how long; the catalogue's.
void set_outages(ServingWorld& world, Seconds maintenance, search::Outages& outages) {
  constexpr double kGpusPerHost = 8;
  const auto& hazards = world.service().catalog->hazards();
  const auto value = [&](std::string_view name) {
    for (const auto& fact : hazards)
      if (fact.name == name) return fact.value;
    return 0.0;
  };
  outages.per_gpu_hour = value("hazard-gpu") + value("hazard-nic") + value("hazard-network") +
                         value("hazard-host") / kGpusPerHost;
  outages.repair_hours = value("repair-time");
  outages.maintenance = maintenance.base();
  const auto& slo = world.service().ask().slo;
  if (slo && slo->availability) {
    outages.most_short = 1 - slo->availability->value;
    outages.is_promised = true;
  }
  if (slo && slo->zones) outages.zones = slo->zones->value;
  if (slo && slo->spare) outages.deployed = slo->spare->value;
}

search::SizingProblem make_problem(const SizingInputs& question, ServingWorld& world,
                                   const std::vector<const catalog::AcceleratorSpec*>& chips,
                                   Diagnostics& diagnostics) {
  search::SizingProblem problem;
  problem.thorough = question.thorough;
  problem.every_chip = question.every_chip;
  add_layouts(world, chips, problem, diagnostics);
  add_choices(world, chips, {""}, problem);
  problem.hardware = &world.hardware();
  for (const auto* chip : chips) problem.constants_by_chip[chip] = &world.constants(*chip);
  problem.ask = world.ask();
  problem.slo_quantile = world.slo_quantile();
  problem.model = world.demand().model;
  if (world.demand().trace) problem.trace = &*world.demand().trace;
  if (world.service().ask().demand->trace) problem.trace_rates = world.demand().rates;
  set_prices(question.serving, world, chips, problem, diagnostics);
  problem.spares = question.spares;
  problem.weeks = question.weeks;
  problem.simulates_weeks = question.simulates_weeks;
  set_outages(world, question.maintenance, problem.outages);
  problem.cold_start = question.cold_start.base();
  problem.confirm = question.confirm;
  problem.seed = question.serving.seed;
  problem.stop = question.serving.stop;
  problem.progress = question.serving.progress;
  if (question.shapes) problem.shapes = question.shapes;
  problem.memory = question.memory;
  problem.crew = question.crew;
  problem.trials = std::make_shared<const search::Weeks>(search::trial_weeks(problem));
  const auto& limit = world.service().scenario.limits.gpus;
  if (limit) problem.most_gpus = static_cast<int>(limit->value);
  return problem;
}

// Nothing fits, nothing keeps the SLO, or only more GPUs than may be had.
void refuse(const search::SizingAnswer& sized, ServingWorld& world,
            const catalog::AcceleratorSpec& chip, Diagnostics& diagnostics) {
  const Service& service = world.service();
  if (sized.fewest_gpus > 0) {
    auto fault = find_fleet_fault(service.scenario, {static_cast<double>(sized.fewest_replicas),
                                                     static_cast<double>(sized.fewest_gpus)});
    if (fault) diagnostics.add(*std::move(fault));
    return;
  }
  // The smallest replica is what other verbs answer for: they say the same of it.
  const auto smallest = world.replica(Side::kDecode, chip);
  if (!smallest) return diagnostics.add(smallest.error());
  auto figures = world.capacity(*smallest);
  if (service.is_split()) {
    const auto prompts = world.replica(Side::kPrefill, chip);
    if (!prompts) return diagnostics.add(prompts.error());
    figures = split_unit(world, *prompts, *smallest, 1, 1).figures;
  }
  // What comes closest of all that may be chosen says how far away the promise is.
  std::optional<Error> fault;
  const bool is_simulated = sized.meeting > 0;
  if (!is_simulated) fault = find_slo_fault(service, sized.nearest.value_or(figures));
  if (!fault)
    fault = service.error(lf::kSloOutOfReach,
                          service.ask().slo ? service.ask().slo->position : service.ask().position,
                          "no deployment of this hardware keeps the SLO in a simulation",
                          "relax serve.slo, or allow other hardware");
  if (!is_simulated && !sized.nearest_miss.empty())
    fault->hint += "; closest: " + sized.nearest_miss;
  diagnostics.add(*std::move(fault));
}

// Chips asked for of which no fleet is an answer: rows and prices say nothing of them.
void note_chips_left_out(const std::vector<const catalog::AcceleratorSpec*>& chips,
                         const search::SizingAnswer& sized, Service& service) {
  std::vector<std::string> out;
  for (const auto* chip : chips) {
    const bool is_in =
        std::any_of(sized.candidates.begin(), sized.candidates.end(),
                    [&](const search::SizedDeployment& d) { return d.plan.choice.chip == chip; });
    if (!is_in) out.push_back(chip->title);
  }
  if (out.empty()) return;
  service.note(
      {.id = "chips-left-out", .arguments = {{"chips", fmt::format("{}", fmt::join(out, ", "))}}});
}

// Replicas that are written are a fleet that is there, and not what this asks.
void note_written_replicas(Service& service) {
  const bool is_written = service.asked_pool(Side::kDecode).replicas ||
                          (service.is_split() && service.asked_pool(Side::kPrefill).replicas);
  if (is_written) service.note({.id = "sized-anew"});
}

SizeAnswer describe(const search::SizingAnswer& sized, const ServingWorld& world,
                    const search::Outages& outages) {
  SizeAnswer answer;
  answer.scenario = world.service().scenario.name.value;
  answer.model_title = world.service().model->title;
  answer.demand_words = world.demand().words;
  answer.input = world.demand().input;
  answer.output = world.demand().output;
  answer.mean = Hertz::from_base(world.demand().mean());
  answer.peak = Hertz::from_base(world.demand().peak());
  answer.ask = world.ask();
  answer.spares = sized.best.front().spares;
  answer.has_prices = sized.best.front().has_price;
  answer.is_replayed = world.demand().trace.has_value();
  answer.enumerated = sized.enumerated;
  answer.fitting = sized.fitting;
  answer.meeting = sized.meeting;
  answer.simulated_requests = sized.simulated_requests;
  for (const auto& d : sized.best) answer.rows.push_back(row_of(d, world, outages));
  for (const auto& d : sized.pareto) {
    answer.pareto.push_back(row_of(d, world, outages));
    answer.pareto.back().tpot = d.mean_tpot;  // What they were compared by.
  }
  if (sized.next_cheaper)
    answer.next_cheaper = CheaperRow{row_of(sized.next_cheaper->fleet, world, outages),
                                     sized.next_cheaper->simulated, sized.next_cheaper->is_fluid};
  return answer;
}

// A fleet over so many times the demand of a world.
ResizedRow resized_row(const search::ResizedFleet& fleet, const ServingWorld& world,
                       double traffic) {
  const FleetDemand& demand = world.demand();
  const auto& prompts = fleet.candidate->prompts;
  // Both pools are one unit where prompts are apart, as `fill` has them.
  const auto capacity = prompts ? split_unit(world, prompts->plan, fleet.candidate->plan,
                                             fleet.prompt_replicas, fleet.replicas)
                                      .figures.capacity
                                : fleet.candidate->figures.capacity;
  const int units = prompts ? 1 : fleet.replicas;
  std::vector<double> rates = demand.rates;
  for (double& rate : rates)
    if (rate >= 0) rate *= traffic;
  const double full = units * capacity.saturated.base();
  return {.accelerator = fleet.candidate->plan.choice.chip->name,
          .gpus = fleet.gpus,
          .load_factor =
              serving::fluid_load(rates, demand.windows_per_hour, capacity, units).load_factor,
          .full_plane = TokensPerSecond::from_base(full * (demand.input + demand.output)),
          .busy_by_hour = busy_hours(week_load(demand.week, full / traffic), capacity, units),
          .replica = capacity.gpus,
          .on = fleet.on};
}

std::optional<PromisedTime> promised_time(const ServingWorld& world) {
  const auto& slo = world.service().ask().slo;
  const int deployed = slo && slo->spare ? slo->spare->value : 0;
  if (!slo || !(slo->availability || slo->zones || deployed > 0)) return std::nullopt;
  PromisedTime promised{.deployed = deployed};
  if (slo->availability) promised.asked = slo->availability->value;
  if (slo->zones) promised.zones = slo->zones->value;
  return promised;
}

// Holds on to the world that the candidates are of. Pools apart are weighed at other traffic where
// the answer has them.
// Tries rows with replicas by the hour, over the week that decided.
auto timing_of(const std::shared_ptr<ServingWorld>& world, search::SizingProblem problem,
               const search::SizingAnswer& sized) {
  problem.progress = {};  // The search is over when it is asked.
  return [world, problem = std::move(problem), fleets = sized.best](
             std::size_t row, const std::vector<int>& by_hour) {
    return search::timed_fleet(problem, fleets.at(row), fleets.at(row).hard_week, by_hour);
  };
}

void add_resizing(const std::shared_ptr<ServingWorld>& world, search::SizingProblem problem,
                  search::SizingAnswer sized, SizeAnswer& answer) {
  std::vector<search::SizedDeployment> candidates = std::move(sized.candidates);
  if (!sized.best.front().prompts)
    std::erase_if(candidates, [](const auto& d) { return d.prompts.has_value(); });
  problem.progress = {};  // The search is over when it is asked.
  answer.scale_row = [world, problem, fleets = sized.best](std::size_t row) {
    return search::scaled_fleet(problem, fleets.at(row), fleets.at(row).hard_week);
  };
  const auto resizer =
      std::make_shared<const search::FleetResizer>(std::move(problem), std::move(candidates));
  answer.at_traffic = [world, resizer](double traffic) {
    std::vector<ResizedRow> rows;
    for (const auto& fleet : resizer->at(traffic))
      rows.push_back(resized_row(fleet, *world, traffic));
    return rows;
  };
}

}  // namespace

std::string layout_words(const serving::ServingLayout& layout) {
  std::string text = fmt::format("tp {}", layout.tp);
  for (const auto& [name, degree] : {std::pair("pp", layout.pp), std::pair("ep", layout.ep),
                                     std::pair("dp", layout.dp), std::pair("cp", layout.cp)})
    if (degree > 1) text += fmt::format(" {} {}", name, degree);
  return text;
}

std::string row_words(const DeploymentRow& row) {
  std::string pools = fmt::format("{} × {}", row.replicas, layout_words(row.layout));
  if (row.prompt_replicas > 0)
    pools = fmt::format("decode {}, prefill {} × {}", pools, row.prompt_replicas,
                        layout_words(row.prompt_layout));
  return fmt::format("{} × {} ({}, {})", row.gpus, row.accelerator, pools, row.precision);
}

std::optional<SizeAnswer> search_deployment(const SizingInputs& question,
                                            const catalog::Catalog& catalog,
                                            Diagnostics& diagnostics) {
  auto timed = search_timed(question, catalog, diagnostics);
  return timed ? std::optional(std::move(timed->found)) : std::nullopt;
}

std::optional<TimedSearch> search_timed(const SizingInputs& question,
                                        const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  const std::shared_ptr<ServingWorld> world =
      ServingWorld::create(question.serving, catalog, diagnostics);
  if (!world) return std::nullopt;
  const auto chips = world->candidates(question.gpu, diagnostics);
  if (!diagnostics.empty()) return std::nullopt;
  const search::SizingProblem problem = make_problem(question, *world, chips, diagnostics);
  if (!diagnostics.empty()) return std::nullopt;
  search::SizingAnswer sized = search::size_deployment(problem);
  if (problem.is_stopped()) {
    diagnostics.add(
        {.code = lf::kCancelled, .message = "cancelled before a deployment was confirmed"});
    return std::nullopt;
  }
  if (sized.best.empty()) {
    refuse(sized, *world, *chips.front(), diagnostics);
    return std::nullopt;
  }
  SizeAnswer answer = describe(sized, *world, problem.outages);
  answer.is_smallest = question.thorough && !sized.next_cheaper && sized.untried == 0 &&
                       answer.rows.front().is_confirmed;
  if (question.gpus > 0) {
    const auto most = search::most_for_gpus(problem, question.gpus);
    if (most) answer.most = row_of(*most, *world, problem.outages);
  }
  if (question.relaxed) add_relaxed(problem, sized.closed_form_cost, *world, chips, answer);
  answer.promised = promised_time(*world);
  add_search_notes(sized, question, problem.outages, *world);
  note_written_replicas(world->service());
  note_chips_left_out(chips, sized, world->service());
  if (chips.size() > 1) world->service().forget("first-accelerator");
  answer.notices = world->service().notices;
  auto time_row = timing_of(world, problem, sized);
  add_resizing(world, problem, std::move(sized), answer);
  return TimedSearch{std::move(answer), std::move(time_row)};
}

}  // namespace loadfactor::engine
