#include "engine/fill/fill.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "base/statistics.h"
#include "resolve/serve/fleet_limit.h"
#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine {
namespace {

// How far measured throughput lies from the closed form, nine cases of ten.
EstimateOf<double> with_interval(double load, const FillContext& context) {
  const auto width = context.width(serving::Metric::kThroughput);
  // A faster replica is emptier.
  return EstimateOf<double>(load, load * std::exp(-width.high),
                            std::min(1.0, load * std::exp(-width.low)), Basis::kCalibrated,
                            context.world->service().calibration().source);
}

// The share within the SLO, with replicas as slow and as quick as measured ones may be.
EstimateOf<double> share_within(const FillContext& context, const FillAnswer& answer) {
  const FleetDemand& demand = context.world->demand();
  const auto width = context.width(serving::Metric::kThroughput);
  const auto at = [&](double by) {
    const double speed = std::exp(by);
    return serving::fluid_load(demand.rates, demand.windows_per_hour,
                               at_speed(context.figures, speed).capacity, answer.units)
        .within_slo;
  };
  return EstimateOf<double>(answer.load.within_slo, at(width.low), at(width.high), Basis::kModelled,
                            answer.load_factor.source());
}

// GPUs that are there: as the flag says, else as `capacity` does; 0: nobody says.
int gpus_there(const FillInputs& question, const config::Scenario& scenario) {
  if (question.gpus > 0 || !scenario.capacity || !scenario.capacity->gpus) return question.gpus;
  return static_cast<int>(scenario.capacity->gpus->value);
}

// The fleet: what was asked, or the cheapest that keeps the SLO.
void choose_fleet(const FillInputs& question, ServingWorld& world, const FillContext& context,
                  FillAnswer& answer) {
  const int each = context.gpus_each();
  if (const int there = gpus_there(question, world.service().scenario); there > 0) {
    answer.units = there / each;
    answer.gpus_left = there % each;
    if (answer.gpus_left != 0)
      world.service().note({.id = "whole-replicas",
                            .severity = Severity::kCaution,
                            .arguments = {{"gpus", format_count(there)},
                                          {"replicas", format_count(answer.units)},
                                          {"each", std::to_string(each)},
                                          {"left", format_count(answer.gpus_left)}}});
  } else {
    const auto& written = world.service().asked_pool(Side::kDecode).replicas;
    const bool is_there = written && !context.prompts;
    answer.units = is_there ? written->value : context.units;
    answer.fleet_chosen = context.is_sized && !is_there;
  }
  if (answer.fleet_chosen) world.service().note({.id = "chosen-fleet", .arguments = context.size});
  answer.replicas = answer.units * context.answer_replicas;
  answer.gpus = answer.units * each;
}

// GPUs given on the command line go before the scenario's limit.
std::optional<Error> find_fault(const FillInputs& question, const ServingWorld& world,
                                const FillContext& context, const FillAnswer& answer) {
  const Service& setup = world.service();
  const auto& stated = setup.scenario.capacity;
  const bool by_flag = question.gpus > 0;
  if (answer.units < 1)
    return setup.error(lf::kDoesNotFit, by_flag ? setup.ask().position : stated->gpus->position,
                       fmt::format("{} GPUs hold no replica: it takes {}",
                                   gpus_there(question, setup.scenario), context.gpus_each()),
                       fmt::format("{} {}, a smaller precision or less tp",
                                   by_flag ? "--gpus" : "capacity.gpus:", context.gpus_each()));
  config::Scenario scenario = setup.scenario;
  if (!by_flag)
    if (auto fault = find_gpus_fault(scenario, context.units * context.gpus_each())) return fault;
  if (question.gpus > 0) scenario.limits.gpus.reset();
  return find_fleet_fault(scenario,
                          {static_cast<double>(answer.replicas), static_cast<double>(answer.gpus)});
}

void add_names(ServingWorld& world, const FillContext& context, FillAnswer& answer) {
  const Service& setup = world.service();
  answer.scenario = setup.scenario.name.value;
  answer.model_title = setup.model->title;
  answer.accelerator = setup.chip->name;
  answer.accelerator_title = setup.chip->title;
  answer.engine_title = setup.engine->title;
  answer.precision = context.plan.choice.precision;
  answer.kv_format = std::string(catalog::name(context.plan.choice.formats.kernels.kv));
  answer.layout = context.plan.choice.layout;
  answer.chunk = context.plan.chunk;
  answer.max_seqs = context.plan.max_seqs;
  if (context.prompts) answer.prompt_layout = context.prompts->choice.layout;
  answer.prompt_replicas = context.prompt_replicas;
  answer.answer_replicas = context.answer_replicas;
  answer.demand_words = world.demand().words;
  answer.input = world.demand().input;
  answer.output = world.demand().output;
  answer.mean = Hertz::from_base(world.demand().mean());
  answer.peak = Hertz::from_base(world.demand().peak());
  answer.replica = context.figures;
  answer.think_time = context.think_time;
}

// How far from known the load is, from what is known of the speed of replicas.
void add_intervals(const FillContext& context, FillAnswer& answer) {
  const auto width = context.width(serving::Metric::kThroughput);
  answer.load_factor = with_interval(answer.load.load_factor, context);
  answer.within_slo = share_within(context, answer);
  answer.variation = deviation_of_nine_in_ten(width.high - width.low);
}

}  // namespace

void add_load(const FillContext& context, FillAnswer& answer) {
  const FleetDemand& demand = context.world->demand();
  answer.load = serving::fluid_load(demand.rates, demand.windows_per_hour, context.figures.capacity,
                                    answer.units);
  answer.week = week_load(demand.week, answer.units * context.figures.capacity.saturated.base());
  if (const auto even = context.break_even(context.figures))
    answer.break_even = EstimateOf<double>::exact(*even, Basis::kModelled, "prices");
  if (const auto each = context.price()) {
    const double gpus = context.gpus_paid(answer.gpus + answer.gpus_left);
    const double working = answer.gpus * answer.load.load_factor;
    answer.priced = each->kind;
    answer.gpus_paid = gpus;
    answer.rent_per_month = (each->fixed * gpus + each->working * working) * kMonth;
  }
  if (const auto api = context.api_per_request())
    answer.api_per_month = *api * (answer.load.served * kMonth);
}

demand::WeekProfile week_load(demand::WeekProfile rates, double full) {
  for (auto& day : rates.rate)
    for (double& rate : day)
      if (rate >= 0) rate = full > 0 ? std::min(1.0, rate / full) : 0;
  return rates;
}

std::vector<double> busy_hours(const demand::WeekProfile& load,
                               const serving::ReplicaCapacity& capacity, int replicas) {
  const double full = replicas * capacity.saturated.base();
  std::vector<double> hours;
  for (const auto& day : load.rate) {
    for (const double share : day) {
      if (share < 0) continue;  // Nothing is known of that hour.
      const double needed = std::ceil(share * full / capacity.at_slo.base() - 1e-9);
      hours.push_back(std::clamp(needed, 1.0, static_cast<double>(replicas)) * capacity.gpus);
    }
  }
  return hours;
}

std::optional<FillAnswer> fill_fleet(const FillInputs& question, const catalog::Catalog& catalog,
                                     Diagnostics& diagnostics) {
  auto world = ServingWorld::create(question.serving, catalog, diagnostics);
  if (!world) return std::nullopt;
  auto chosen = choose_context(question, *world, diagnostics);
  if (!chosen) return std::nullopt;
  FillContext& context = *chosen;
  FillAnswer answer;
  add_names(*world, context, answer);
  add_money(context, answer);
  choose_fleet(question, *world, context, answer);
  if (auto fault = find_fault(question, *world, context, answer)) {
    diagnostics.add(*std::move(fault));
    return std::nullopt;
  }
  add_load(context, answer);
  add_intervals(context, answer);
  add_ways(context, answer);
  add_curve(context, answer);
  if (!question.load_only) {
    find_copies(context);
    add_pooling(context, answer);
    add_crowd(context, answer);
    find_alternatives(context);
    add_thresholds(context, answer);
    add_smallest(question, context, answer);
  }
  add_simulated(question, context, answer);
  if (!question.load_only) {
    add_ends(context, answer);
    add_draws(question, context, answer);
  }
  world->service().note({.id = "fluid"});
  answer.notices = world->service().notices;
  return answer;
}

}  // namespace loadfactor::engine
