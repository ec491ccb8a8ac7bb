// GPUs by the hour that keep the SLO of a service, and gang-hours of a batch.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "base/statistics.h"
#include "economics/evaluate.h"
#include "engine/fill/serve_search.h"
#include "engine/fill/sizing.h"
#include "engine/fill/timed_search.h"
#include "engine/fleet/fleet_needs.h"
#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine {
namespace {

constexpr Seconds kUsualStart = Seconds::from_base(180);  // As other verbs start replicas.
constexpr double kNineOfTen = 1.6448536269514722;         // Deviations about the middle.

ServingInputs serving_inputs(const FleetWorld& world, std::size_t workload,
                             const std::string& accelerator) {
  const FleetWork& work = world.inputs->works[workload];
  ServingInputs inputs;
  inputs.scenario =
      work.scenario->with({{"hardware", std::vector<std::string>{accelerator}}, {"capacity"}});
  inputs.model_files = work.model_files;
  inputs.trace_bytes = work.trace_bytes;
  inputs.seed = world.inputs->seed;
  inputs.today = world.inputs->today;
  inputs.models = world.models;
  inputs.stop = world.inputs->stop;
  return inputs;
}

// As long as the scenario says that a replica takes to start; nothing where it does not.
std::optional<Seconds> written_start(const config::Scenario& scenario) {
  const auto& deployment = scenario.serve->deployment;
  if (!deployment || !deployment->operations.scaling) return std::nullopt;
  const config::ScalingSection& scaling = *deployment->operations.scaling;
  if (scaling.start) return scaling.start->value;
  if (!scaling.provision && !scaling.load) return std::nullopt;
  const auto time = [](const config::Given<Seconds>& given) {
    return given ? given->value : Seconds();
  };
  return time(scaling.provision) + time(scaling.load);
}

Seconds start_of(const config::Scenario& scenario) {
  return written_start(scenario).value_or(kUsualStart);
}

// What the catalogue knows of loading a model; zero where it is not there.
EstimateOf<double> load_fact(const catalog::Catalog& catalog, std::string_view variant) {
  for (const auto& fact : catalog.facility())
    if (fact.name == "model_load" && fact.variant == variant)
      return {fact.value, fact.low.value_or(fact.value), fact.high.value_or(fact.value),
              Basis::kAssumed, "facility"};
  return {};
}

// The engine starts, and each GPU reads its part of the weights.
EstimateOf<Seconds> load_time(const catalog::Catalog& catalog, const config::Scenario& scenario,
                              Bytes weights) {
  if (const auto written = written_start(scenario))
    return EstimateOf<Seconds>::exact(*written, Basis::kAssumed, "scenario");
  const auto engine = load_fact(catalog, "engine");
  const auto rate = load_fact(catalog, "weights-per-gpu");
  const auto read = [&](double gigabytes) {
    return gigabytes > 0 ? weights.base() / (1e9 * gigabytes) : 0.0;
  };
  const double middle = engine.value() + read(rate.value());
  MovedFigure moved(middle);
  moved.move(engine.low() + read(rate.value()), engine.high() + read(rate.value()));
  moved.move(engine.value() + read(rate.high()), engine.value() + read(rate.low()));
  return {Seconds::from_base(middle), Seconds::from_base(moved.low()),
          Seconds::from_base(moved.high()), Basis::kModelled, "facility"};
}

// Requests in flight end as soon as a replica answers, whose speed is not known exactly.
EstimateOf<Seconds> drain_time(const FillAnswer& fill) {
  const Seconds latency = fill.replica.latency;
  const double off = std::exp(kNineOfTen * fill.variation);
  return {latency, latency / off, latency * off, Basis::kModelled, "serving"};
}

// Share of the requests within the SLO in the fluid limit of so many replicas by the hour, each so
// many times as quick.
double fluid_within(const FillAnswer& fill, const std::vector<double>& rates,
                    const std::vector<int>& replicas, double speed) {
  const auto capacity = at_speed(fill.replica, speed).capacity;
  double within = 0, all = 0;
  for (std::size_t hour = 0; hour < rates.size(); ++hour) {
    if (rates[hour] <= 0) continue;
    const std::vector<double> rate{rates[hour]};
    within += rates[hour] * serving::fluid_load(rate, 1, capacity, replicas[hour]).within_slo;
    all += rates[hour];
  }
  return all > 0 ? within / all : 1.0;
}

// What was simulated moves with the speed of replicas as the fluid limit does, and is counted in a
// sample.
FleetSpread spread_within(const FillAnswer& fill, const std::vector<double>& rates,
                          const std::vector<int>& replicas, double simulated,
                          std::int64_t requests) {
  if (simulated <= 0) return {};
  const auto at = [&](double speed) { return fluid_within(fill, rates, replicas, speed); };
  const double off = std::exp(kNineOfTen * fill.variation);
  const double middle = at(1);
  const ShareEnds counted = ends_of_share(simulated, static_cast<double>(requests));
  const double less = std::hypot(std::min(0.0, at(1 / off) - middle), simulated - counted.low);
  const double more = std::hypot(std::max(0.0, at(off) - middle), counted.high - simulated);
  return {std::max(0.0, simulated - less) / simulated, std::min(1.0, simulated + more) / simulated};
}

std::optional<DollarsPerSecond> api_cost(const FleetWorld& world, const CostInputs& request) {
  Diagnostics unread;
  const auto setup = make_cost_setup(request, world.engine->catalog(), unread);
  if (!setup) return std::nullopt;
  const auto figures = economics::evaluate(setup->terms, setup->asked);
  const auto* api = figures.find(OptionKind::kApi);
  return api == nullptr ? std::nullopt : std::optional(api->cost);
}

// Requests per second in each hour of the week. An hour that nothing is known of is taken as busy
// as the busiest.
std::vector<double> rates_of(const FillAnswer& fill) {
  const double full = fill.units * fill.replica.capacity.saturated.base();
  std::vector<double> rates;
  for (const auto& day : fill.week.rate)
    for (const double share : day) rates.push_back(share < 0 ? -1.0 : share * full);
  const double most = *std::max_element(rates.begin(), rates.end());
  for (double& rate : rates)
    if (rate < 0) rate = most;
  return rates;
}

// Replicas of each hour with some room above its mean rate, spares not counted.
std::vector<int> replicas_of(const std::vector<double>& rates, const DeploymentRow& row,
                             double room) {
  const int most = std::max(1, row.replicas - row.spares);
  const double each = row.rate_per_replica.base();
  std::vector<int> replicas;
  for (const double rate : rates) {
    const double needed = each > 0 ? std::ceil(rate * (1 + room) / each - 1e-9) : most;
    replicas.push_back(static_cast<int>(std::clamp(needed, 1.0, static_cast<double>(most))));
  }
  return replicas;
}

// The fewest replicas by the hour that keep the SLO in the simulator; where none of them does, all
// of them at all hours.
std::vector<int> confirmed_replicas(const TimedSearch& search, const std::vector<double>& rates,
                                    FleetNeed& need) {
  constexpr std::array kRooms{0.0, 0.1, 0.25, 0.5, 1.0, 1e9};
  const DeploymentRow& row = search.found.rows.front();
  std::vector<int> tried;
  for (const double room : kRooms) {
    auto replicas = replicas_of(rates, row, room);
    if (replicas == tried) continue;
    tried = std::move(replicas);
    const auto run = search.time_row(0, tried);
    if (!run) break;
    need.within_slo = run->within;
    need.keeps_slo = run->kept;
    need.requests = run->requests;
    if (run->kept) return tried;
  }
  return replicas_of(rates, row, 1e9);
}

int gpus_of(const DeploymentRow& row) {
  return row.layout.tp * row.layout.pp * std::max(1, row.layout.dp) * std::max(1, row.layout.cp);
}

// The regions that a service writes; nothing, and the reasons, where one is unknown.
std::optional<std::vector<const catalog::RegionSpec*>> users_of(const FleetWorld& world,
                                                                const config::Scenario& scenario,
                                                                Diagnostics& diagnostics) {
  std::vector<const catalog::RegionSpec*> users;
  for (const config::ServedRegion& region : scenario.serve->regions) {
    const auto found = world.engine->catalog().find_region(region.name.value);
    if (found)
      users.push_back(*found);
    else
      diagnostics.add(scenario.error(found.error().code, region.name.position,
                                     found.error().message, found.error().hint));
  }
  if (users.size() < scenario.serve->regions.size()) return std::nullopt;
  return users;
}

// The way from a pool to the users of a service, which is taken off what the service promises.
std::optional<WayToUsers> reach_users(const FleetWorld& world, config::Scenario& scenario,
                                      const FleetSite& site, Diagnostics& diagnostics) {
  const auto users = users_of(world, scenario, diagnostics);
  if (!users) return std::nullopt;
  const auto refuse = [&](int code, std::string message, std::string hint) {
    diagnostics.add(scenario.error(code, scenario.serve->regions.front().name.position,
                                   std::move(message), std::move(hint)));
    return std::nullopt;
  };
  if (site.place == nullptr)
    return refuse(lf::kMissingKey,
                  fmt::format("the users have regions, and the pool '{}' has none", site.pool),
                  "write 'region: germany' in the pool, or in 'money' for all pools");
  auto way = way_to_users(world.engine->catalog(), *site.place, *users);
  if (!way)
    return refuse(lf::kUnknownRegion, "the catalogue does not say where the pool and all users are",
                  "leave 'regions' out, or add a 'location' to the region (`--catalog`)");
  const auto edits = earlier_by(*scenario.serve, way->round_trip.value());
  if (!edits)
    return refuse(lf::kNoPlan,
                  fmt::format("the way from the pool '{}' to {} and back takes {:.0f} ms, no less "
                              "than the promise",
                              site.pool, way->farthest, 1000 * way->round_trip.value().base()),
                  "a pool that is nearer, or a looser bound");
  scenario = scenario.with(*edits);
  return way;
}

double mean_of(const std::vector<int>& values) {
  double sum = 0;
  for (const int value : values) sum += value;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

}  // namespace

std::optional<FleetNeed> service_need(const FleetWorld& world, std::size_t workload,
                                      const FleetSite& site, Diagnostics& diagnostics) {
  const std::string& accelerator = site.accelerator;
  ServingInputs inputs = serving_inputs(world, workload, accelerator);
  std::optional<WayToUsers> way;
  if (!inputs.scenario.serve->regions.empty()) {
    way = reach_users(world, inputs.scenario, site, diagnostics);
    if (!way) return std::nullopt;
  }
  const SizingInputs sizing{.serving = inputs,
                            .gpu = accelerator,
                            .cold_start = start_of(inputs.scenario),
                            .confirm = 1,
                            .weeks = 1,
                            .relaxed = false};
  const auto search = search_timed(sizing, world.engine->catalog(), diagnostics);
  if (!search) return std::nullopt;
  const DeploymentRow& row = search->found.rows.front();
  const auto filled = fill_row(inputs, row, world.engine->catalog(), diagnostics);
  if (!filled) return std::nullopt;
  FleetNeed need;
  need.way = way;
  need.layout = row_words(row);
  need.api = api_cost(world, filled->cost);
  need.reload = {EstimateOf<Seconds>::exact(start_of(inputs.scenario), Basis::kAssumed, "scenario"),
                 drain_time(filled->fill)};
  const bool is_split = row.prompt_replicas > 0;
  if (is_split) {
    need.replica = gpus_of(row);
    need.week.assign(kWeekHours, row.gpus);
    need.within_slo = row.within_slo;
    need.keeps_slo = row.is_confirmed;
    const auto& fluid = filled->fill.within_slo;
    need.of_within = spread_of(fluid);
  } else {
    const int each = filled->fill.replica.capacity.gpus;
    need.replica = each;
    const auto rates = rates_of(filled->fill);
    const auto replicas = confirmed_replicas(*search, rates, need);
    if (need.within_slo)
      need.of_within =
          spread_within(filled->fill, rates, replicas, *need.within_slo, need.requests);
    for (const int there : replicas) need.week.push_back((there + row.spares) * each);
  }
  const double held = mean_of(need.week);
  need.useful =
      held > 0 ? std::min(1.0, filled->fill.load_factor.value() * filled->fill.gpus / held) : 0.0;
  need.of_useful = spread_of(filled->fill.load_factor);
  return need;
}

std::optional<FleetNeed> batch_need(const FleetWorld& world, std::size_t workload,
                                    const std::string& accelerator, Diagnostics& diagnostics) {
  const ServingInputs inputs = serving_inputs(world, workload, accelerator);
  const SizingInputs sizing{.serving = inputs,
                            .gpu = accelerator,
                            .confirm = 1,
                            .weeks = 1,
                            .simulates_weeks = false,
                            .relaxed = false};
  const auto found = search_deployment(sizing, world.engine->catalog(), diagnostics);
  if (!found) return std::nullopt;
  const DeploymentRow& row = found->rows.front();
  const auto filled = fill_row(inputs, row, world.engine->catalog(), diagnostics);
  if (!filled) return std::nullopt;
  const serving::CapacityFigures& replica = filled->fill.replica;
  const config::FleetWorkload& asked = world.inputs->fleet.workloads[workload];
  FleetNeed need;
  need.layout =
      fmt::format("{} × {} {}", replica.capacity.gpus, accelerator, layout_words(row.layout));
  need.api = api_cost(world, filled->cost);
  need.gang = std::max(replica.capacity.gpus, gpus_of(row));
  need.work = asked.items / replica.capacity.saturated.base() / kHour.base();
  need.reload = {load_time(world.engine->catalog(), inputs.scenario, row.weights),
                 drain_time(filled->fill)};
  return need;
}

}  // namespace loadfactor::engine
