#include "engine/fill.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "engine/fleet_limit.h"
#include "engine/serving_prices.h"

namespace loadfactor::engine {
namespace {

constexpr double kMonth = 730 * 3600;

// How far measured throughput lies from the closed form, nine cases of ten.
EstimateOf<double> with_interval(double load, const ServingWorld& world) {
  const auto& calibration = world.setup().calibration;
  const auto width = calibration.interval(serving::Metric::kThroughput, {});
  // A faster replica is emptier.
  return EstimateOf<double>(load, load * std::exp(-width.high),
                            std::min(1.0, load * std::exp(-width.low)), Basis::kCalibrated,
                            calibration.source);
}

// The fleet: what was asked, or the least that keeps the SLO.
void choose_fleet(const FillQuestion& question, ServingWorld& world, const FillContext& context,
                  FillAnswer& answer) {
  const int each = context.plan.gpus();
  const auto deployment = world.setup().ask().deployment.value_or(config::Deployment{});
  const auto& written = deployment.decode ? deployment.decode->replicas : deployment.pool.replicas;
  if (question.gpus > 0) {
    answer.replicas = question.gpus / each;
    answer.gpus_left = question.gpus % each;
    if (answer.gpus_left != 0)
      world.setup().note("whole-replicas",
                         fmt::format("{} GPUs hold {} replicas of {}; {} GPUs stay out",
                                     question.gpus, answer.replicas, each, answer.gpus_left),
                         Severity::kCaution);
  } else if (written) {
    answer.replicas = written->value;
  } else {
    answer.replicas =
        serving::replicas_for(world.demand().rates, context.figures.capacity, world.slo_quantile());
    answer.fleet_chosen = true;
    world.setup().note("chosen-fleet",
                       fmt::format("{} replicas chosen: the fewest with which {:.4g} % of the "
                                   "requests come within the SLO; --gpus sets the fleet",
                                   answer.replicas, 100 * world.slo_quantile()));
  }
  answer.gpus = answer.replicas * each;
}

// GPUs given on the command line go before the scenario's limit.
std::optional<Error> find_fault(const FillQuestion& question, const ServingWorld& world,
                                const FillContext& context, const FillAnswer& answer) {
  const SimulateSetup& setup = world.setup();
  if (answer.replicas < 1)
    return setup.error(
        lf::kDoesNotFit, setup.ask().position,
        fmt::format("{} GPUs hold no replica: it takes {}", question.gpus, context.plan.gpus()),
        fmt::format("--gpus {}, a smaller precision or less tp", context.plan.gpus()));
  config::Scenario scenario = setup.scenario;
  if (question.gpus > 0) scenario.limits.gpus.reset();
  return find_fleet_fault(setup.document, scenario,
                          {static_cast<double>(answer.replicas), static_cast<double>(answer.gpus)});
}

void add_names(ServingWorld& world, const FillContext& context, FillAnswer& answer) {
  const SimulateSetup& setup = world.setup();
  answer.scenario = setup.scenario.name.value;
  answer.model_title = setup.model->title;
  answer.accelerator = setup.chip->name;
  answer.accelerator_title = setup.chip->title;
  answer.engine_title = setup.engine->title;
  answer.precision =
      context.plan.choice.precision.empty() ? "16 bits" : context.plan.choice.precision;
  answer.layout = context.plan.choice.layout;
  answer.demand_words = world.demand().words;
  answer.input = world.demand().input;
  answer.output = world.demand().output;
  answer.mean = Hertz::from_base(world.demand().mean());
  answer.peak = Hertz::from_base(world.demand().peak());
  answer.replica = context.figures;
  answer.think_time = context.think_time;
}

void add_money(ServingWorld& world, FillContext& context, FillAnswer& answer) {
  const auto rent = find_rent(*world.setup().catalog, answer.accelerator);
  const auto api =
      find_api(*world.setup().catalog, world.setup().model->name, answer.input, answer.output);
  if (rent) {
    context.rent = rent->price;
    context.rent_low = rent->low / rent->price;
    context.rent_high = rent->high / rent->price;
    answer.facts.push_back({fmt::format("rent of {}", answer.accelerator), "published",
                            rent->source, rent->date, "prices"});
  } else {
    world.setup().note(
        "no-rent", fmt::format("no rent of {} is known: costs are left out", answer.accelerator),
        Severity::kCaution);
  }
  if (api) {
    context.api_per_request = api->request(answer.input, answer.output);
    answer.api_provider = api->provider;
    answer.facts.push_back({fmt::format("API price of {}", world.setup().model->name), "published",
                            api->source, api->date, "prices"});
  } else {
    world.setup().note("no-api",
                       "no API sells this model in the catalogue: there is no break-even");
  }
}

void add_load(const FillContext& context, FillAnswer& answer) {
  const FleetDemand& demand = context.world->demand();
  answer.load = serving::fluid_load(demand.rates, demand.windows_per_hour, context.figures.capacity,
                                    answer.replicas);
  answer.load_factor = with_interval(answer.load.load_factor, *context.world);
  answer.week = demand.week;
  const double full = answer.replicas * context.figures.capacity.saturated.base();
  for (auto& day : answer.week.rate)
    for (double& rate : day)
      if (rate >= 0) rate = full > 0 ? std::min(1.0, rate / full) : 0;
  if (const auto even = context.break_even(context.figures))
    answer.break_even = EstimateOf<double>(*even, *even * context.rent_low,
                                           *even * context.rent_high, Basis::kModelled, "prices");
  if (context.rent)
    answer.rent_per_month = *context.rent * Gpus::from_base(answer.gpus + answer.gpus_left) *
                            Seconds::from_base(kMonth);
  if (context.api_per_request)
    answer.api_per_month = *context.api_per_request * (answer.load.served.base() * kMonth);
}

}  // namespace

Dollars FillContext::per_mtoken(int gpus, Hertz served) const {
  const double tokens = served.base() * (world->demand().input + world->demand().output);
  if (!rent || tokens <= 0) return Dollars();
  return *rent * Gpus::from_base(gpus) * Seconds::from_base(1e6 / tokens);
}

std::optional<double> FillContext::break_even(const serving::CapacityFigures& f) const {
  if (!rent || !api_per_request || f.capacity.saturated <= Hertz()) return std::nullopt;
  const Dollars per_second_rent = *rent * Gpus::from_base(f.capacity.gpus) * Seconds::from_base(1);
  const Dollars per_second_api = *api_per_request * f.capacity.saturated.base();
  return per_second_rent / per_second_api;
}

double FillContext::users(Hertz requests, const serving::CapacityFigures& f) const {
  const double cycle =
      think_time.base() + std::max(f.latency, f.idle_ttft + f.idle_tpot * world->demand().output);
  return requests.base() * cycle;
}

std::optional<FillAnswer> fill_fleet(const FillQuestion& question, const catalog::Catalog& catalog,
                                     Diagnostics& diagnostics) {
  auto world = ServingWorld::create(question.serving, catalog, diagnostics);
  if (!world) return std::nullopt;
  auto plan = world->asked_replica();
  if (!plan) {
    diagnostics.add(std::move(plan).error());
    return std::nullopt;
  }
  FillContext context{
      .world = world.get(), .plan = *std::move(plan), .think_time = question.think_time};
  context.figures = world->capacity(context.plan);
  if (context.figures.capacity.at_slo <= Hertz()) {
    diagnostics.add(world->setup().error(
        lf::kSloOutOfReach, world->setup().ask().position,
        fmt::format("even an idle replica misses the SLO: ttft {:.3g} s, tpot {:.3g} ms",
                    context.figures.idle_ttft, 1e3 * context.figures.idle_tpot),
        "relax serve.slo, raise tp, or choose faster hardware"));
    return std::nullopt;
  }
  FillAnswer answer;
  add_names(*world, context, answer);
  add_money(*world, context, answer);
  choose_fleet(question, *world, context, answer);
  if (auto fault = find_fault(question, *world, context, answer)) {
    diagnostics.add(*std::move(fault));
    return std::nullopt;
  }
  add_load(context, answer);
  add_curve(context, answer);
  add_pooling(context, answer);
  add_crowd(context, answer);
  add_thresholds(context, answer);
  add_smallest(context, answer);
  world->setup().note("fluid",
                      "closed form in the fluid limit: queues within ten minutes are in the "
                      "rate within the SLO; `serve --simulate` shows tails");
  answer.notices = world->setup().notices;
  return answer;
}

}  // namespace loadfactor::engine
