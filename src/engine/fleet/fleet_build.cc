#include "engine/fleet/fleet_build.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "economics/uncertainty.h"
#include "engine/fill/serving_prices.h"
#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine {
namespace {

constexpr int kMostRunGpus = 4096;  // That a run without a size is given at most.

// Prices of a chip, as `cost` reads them for work of any kind.
std::unique_ptr<CostSetup> price_pool(const Core& engine, const FleetInputs& inputs,
                                      const config::FleetPool& pool, Diagnostics& diagnostics) {
  CostInputs request;
  request.scenario.name = inputs.fleet.name;
  request.scenario.money = inputs.fleet.money;
  if (pool.region) request.scenario.money.region = pool.region;
  request.scenario.hardware = {pool.accelerator};
  request.scenario.source = inputs.fleet.source;
  request.today = inputs.today;
  request.draws = 0;
  request.capacity = KnownCapacity{
      .gpus = 1, .full_plane = TokensPerSecond::from_base(1), .load_factor = 1, .source = "fleet"};
  return make_cost_setup(request, engine.catalog(), diagnostics);
}

// Machines that others may take back carry what may wait only, so that they must be asked for.
bool is_asked(const config::Money& money, OptionKind kind) {
  return kind != OptionKind::kSpot || !money.options.empty();
}

void add_prices(const CostSetup& setup, fleet::Pool& pool) {
  const Gpus one = Gpus::from_base(1);
  for (const GpuPrice& price : prices_of(setup)) {
    if (!is_asked(setup.money(), price.kind)) continue;
    if (price.kind == OptionKind::kOnDemand || price.kind == OptionKind::kSpot) {
      pool.hourly.push_back({.kind = price.kind, .price = price.fixed / one});
      continue;
    }
    fleet::CommittedWay way{
        .kind = price.kind, .fixed = price.fixed / one, .working = price.working / one};
    if (price.kind == OptionKind::kOwn && setup.terms.max_owned < 1e8)
      way.most = static_cast<int>(setup.terms.max_owned);
    pool.committed.push_back(way);
  }
}

// A price at the ends of every uncertain input, one at a time: independent errors add as squares.
template <typename Price>
FleetSpread spread_of(const CostSetup& setup, Price price) {
  const double middle = price(setup.terms);
  if (middle <= 0) return {};
  double below = 0, above = 0;
  for (const auto& ends : economics::cases_at_ends(setup.terms, setup.plan.variations)) {
    const double a = price(ends.low) - middle;
    const double b = price(ends.high) - middle;
    below += std::pow(std::min({0.0, a, b}), 2);
    above += std::pow(std::max({0.0, a, b}), 2);
  }
  return {std::max(0.0, 1 - std::sqrt(below) / middle), 1 + std::sqrt(above) / middle};
}

void add_spreads(const CostSetup& setup, BuiltPool& pool) {
  for (const GpuPrice& each : prices_of(setup)) {
    pool.spreads[each.kind] = spread_of(setup, [&](const economics::CostCase& terms) {
      const auto price = price_of(terms, each.kind);
      return price ? (price->fixed + price->working).base() : 0.0;
    });
    if (each.kind != OptionKind::kOwn) continue;
    pool.power = spread_of(setup, [&](const economics::CostCase& terms) {
      const auto price = price_of(terms, each.kind);
      return price ? price->working.base() : 0.0;
    });
  }
}

FleetSpread spread_of_tokens(const CostSetup& setup) {
  const auto ends = economics::ends_of(economics::Factor::kApiPrice, setup.plan.variations);
  return {ends.low, ends.high};
}

void add_draw(CostSetup& setup, BuiltPool& pool) {
  pool.draw = machine_draw(setup);
  const auto ends = economics::pue_ends(pool.draw.pue, setup.plan.variations);
  pool.of_draw = {ends.low, ends.high};
  pool.electricity = electricity_price(setup);
}

// Only whole machines within a limit are used; where there is none, GPUs are rented one by one.
void hold_to_machines(fleet::Pool& pool) {
  if (pool.most && *pool.most >= pool.machine) *pool.most -= *pool.most % pool.machine;
}

// What is paid for all the time is whole machines. A pool without room for one has what is rented
// by the hour, and is refused where that is not allowed.
void drop_part_machines(const FleetInputs& inputs, const config::FleetPool& asked,
                        fleet::Pool& made, Diagnostics& diagnostics) {
  const bool was_committed = !made.committed.empty();
  const auto is_part = [&](const fleet::CommittedWay& way) {
    return made.most.value_or(made.machine) < made.machine ||
           way.most.value_or(made.machine) < made.machine;
  };
  std::erase_if(made.committed, is_part);
  if (!was_committed || !made.committed.empty() || !made.hourly.empty()) return;
  const bool is_limit = made.most && *made.most < made.machine;
  const auto& own = inputs.fleet.money.own;
  const int most = is_limit ? *made.most : static_cast<int>(own.most->value);
  diagnostics.add(inputs.fleet.error(
      lf::kNotDivisible, is_limit && asked.gpus ? asked.gpus->position : own.most->position,
      fmt::format("machines that are owned or reserved have {} GPUs, and there can be {}",
                  made.machine, most),
      fmt::format("write {} or more, or allow on-demand in money.options", made.machine)));
}

// What a pool that stands somewhere pays as if it stood anywhere.
void note_place(const Core& engine, const FleetInputs& inputs, const config::FleetPool& asked,
                const fleet::Pool& made, BuiltFleet& built) {
  if (!asked.region) return;
  const BuiltPool& pool = built.pools.back();
  const bool is_rented = !made.hourly.empty() ||
                         std::any_of(made.committed.begin(), made.committed.end(),
                                     [](const auto& way) { return way.kind != OptionKind::kOwn; });
  if (is_rented && pool.place != nullptr &&
      !has_rent_in(engine.catalog().prices(), pool.accelerator, pool.place->name))
    built.notices.push_back(
        {.id = "region-rents", .arguments = {{"accelerators", pool.accelerator}}});
  if (inputs.fleet.money.electricity)
    built.notices.push_back({.id = "region-electricity", .arguments = {}});
}

bool add_pools(const Core& engine, const FleetInputs& inputs, BuiltFleet& built,
               Diagnostics& diagnostics) {
  for (const config::FleetPool& pool : inputs.fleet.pools) {
    const auto setup = price_pool(engine, inputs, pool, diagnostics);
    if (!setup || setup->chip == nullptr) continue;
    fleet::Pool made{.name = pool.name.value, .is_shared = pool.is_shared};
    made.machine = std::max(1, static_cast<int>(std::lround(setup->terms.capacity.machine)));
    if (pool.gpus) made.most = static_cast<int>(pool.gpus->value);
    if (inputs.are_limits)
      hold_to_machines(made);
    else if (pool.gpus && pool.gpus->value % made.machine != 0)
      diagnostics.add(inputs.fleet.error(
          lf::kNotDivisible, pool.gpus->position,
          fmt::format("{} GPUs are no whole machines of {}", pool.gpus->value, made.machine),
          fmt::format("write {}", (pool.gpus->value / made.machine + 1) * made.machine)));
    add_prices(*setup, made);
    if (made.committed.empty() && made.hourly.empty())
      diagnostics.add(
          inputs.fleet.error(lf::kNoOptionPriced, pool.accelerator.position,
                             fmt::format("no way to pay for {} has a price", setup->chip->name),
                             "write one under 'money', such as 'rent: {on_demand: 2.5 USD/h}'"));
    else if (diagnostics.empty())
      drop_part_machines(inputs, pool, made, diagnostics);
    for (const Notice& notice : setup->notices) built.notices.push_back(notice);
    built.pools.push_back({setup->chip->name, setup->chip->title, setup->region});
    built.pools.back().instances = setup->terms.capacity.instances;
    add_draw(*setup, built.pools.back());
    note_place(engine, inputs, pool, made, built);
    add_spreads(*setup, built.pools.back());
    built.api_spread = spread_of_tokens(*setup);
    built.problem.pools.push_back(std::move(made));
  }
  return diagnostics.empty();
}

bool may_use(const config::FleetWorkload& workload, const std::string& pool) {
  return workload.pools.empty() ||
         std::any_of(workload.pools.begin(), workload.pools.end(),
                     [&](const config::Name& name) { return name.value == pool; });
}

// The refusal of a pool of other chips than the deployment of a service is written for.
std::optional<Error> other_chip_fault(const FleetWorld& world, std::size_t workload,
                                      const std::string& accelerator) {
  const auto& scenario = world.inputs->works[workload].scenario;
  if (!scenario || !scenario->serve || !scenario->serve->deployment) return std::nullopt;
  const config::Deployment& written = *scenario->serve->deployment;
  for (const config::Pool* pool : {&written.pool, written.prefill ? &*written.prefill : nullptr,
                                   written.decode ? &*written.decode : nullptr}) {
    if (pool == nullptr || !pool->gpu) continue;
    const auto chip = world.engine->catalog().find_accelerator(pool->gpu->value);
    if (!chip || (*chip)->name == accelerator) continue;  // A name that nobody knows is said later.
    return scenario->error(
        lf::kContradictoryKeys, pool->gpu->position,
        fmt::format("the deployment is of {}, and the pool of {}", pool->gpu->value, accelerator),
        fmt::format("write 'gpu: {}', or leave 'gpu' out of the deployment", accelerator));
  }
  return std::nullopt;
}

std::optional<FleetNeed> need_on(const FleetWorld& world, std::size_t workload,
                                 const BuiltPool& chip, const fleet::Pool& pool,
                                 Diagnostics& diagnostics) {
  if (auto fault = other_chip_fault(world, workload, chip.accelerator)) {
    diagnostics.add(*std::move(fault));
    return std::nullopt;
  }
  switch (world.inputs->fleet.workloads[workload].kind) {
    case config::WorkloadKind::kOnline:
      return service_need(world, workload, {chip.accelerator, pool.name, chip.place}, diagnostics);
    case config::WorkloadKind::kBatch:
      return batch_need(world, workload, chip.accelerator, diagnostics);
    case config::WorkloadKind::kReserved:
      return reserved_need(world, workload, diagnostics);
    case config::WorkloadKind::kTraining:
    case config::WorkloadKind::kFineTuning:
      break;
  }
  return run_need(world, workload, chip.accelerator, pool.most.value_or(kMostRunGpus), diagnostics);
}

// Whether a workload needs the same on both pools.
bool need_alike(const FleetWorld& world, std::size_t workload, const BuiltPool& a,
                const BuiltPool& b) {
  const auto& scenario = world.inputs->works[workload].scenario;
  const bool has_users = scenario && scenario->serve && !scenario->serve->regions.empty();
  return a.accelerator == b.accelerator && (!has_users || a.place == b.place);
}

// What a workload needs on every pool that it may use. It must be able to run on one of them; two
// pools of one chip need the same.
bool add_needs(const FleetWorld& world, std::size_t workload, BuiltFleet& built,
               Diagnostics& diagnostics) {
  const config::FleetWorkload& asked = world.inputs->fleet.workloads[workload];
  std::vector<std::optional<FleetNeed>> needs(built.pools.size());
  Diagnostics refusals;
  for (std::size_t pool = 0; pool < built.pools.size(); ++pool) {
    if (!may_use(asked, built.problem.pools[pool].name)) continue;
    for (std::size_t before = 0; before < pool && !needs[pool]; ++before)
      if (need_alike(world, workload, built.pools[before], built.pools[pool]))
        needs[pool] = needs[before];
    if (!needs[pool])
      needs[pool] =
          need_on(world, workload, built.pools[pool], built.problem.pools[pool], refusals);
    if (world.inputs->is_stopped()) return false;
  }
  const bool has_any =
      std::any_of(needs.begin(), needs.end(), [](const auto& need) { return need.has_value(); });
  if (!has_any) diagnostics.add_all(refusals);
  built.needs.push_back(std::move(needs));
  return has_any;
}

void choose_horizon(const FleetInputs& inputs, BuiltFleet& built) {
  if (inputs.fleet.horizon) {
    built.horizon = *inputs.fleet.horizon;
    return;
  }
  const config::FleetWorkload* const longest = beyond_a_week(inputs.fleet, built.needs);
  if (longest == nullptr) return;
  built.horizon = config::FleetHorizon::kYear;
  built.notices.push_back({.id = "fleet-year", .arguments = {{"workload", longest->name.value}}});
}

// Gangs of a power of two, or of whole machines, pack without loss.
int packed(int gpus, int machine) {
  if (gpus >= machine) return (gpus + machine - 1) / machine * machine;
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(gpus)));
}

bool is_preemptible(const config::FleetWorkload& asked) {
  if (asked.is_preemptible) return asked.is_preemptible->value;
  return asked.kind != config::WorkloadKind::kTraining;
}

fleet::Job job_of(const FleetNeed& need, const JobWindow& window, bool preemptible, bool is_batch,
                  int machine) {
  fleet::Job job;
  job.gang = packed(need.gang, machine);
  job.work = need.work;
  job.reload = std::min(1.0, need.reload.all() / kHour);
  job.from = static_cast<std::size_t>(std::ceil(window.from - 1e-9));
  job.to = static_cast<std::size_t>(std::floor(window.to + 1e-9));
  job.is_preemptible = preemptible;
  const double room = std::max(1.0, static_cast<double>(job.to) - static_cast<double>(job.from));
  if (!is_batch) return job;
  // A batch may be cut into as many replicas as end within a third of its window, if need be in
  // wider gangs.
  const int replicas = static_cast<int>(std::ceil(3 * (job.work + job.reload) / room));
  if (!preemptible) {
    const int width = static_cast<int>(std::bit_ceil(static_cast<unsigned>(
        std::max(1, static_cast<int>(std::ceil(job.work / std::max(0.5, room - job.reload)))))));
    job.gang = packed(job.gang * width, machine);
    job.work /= width;
    return job;
  }
  const int width = static_cast<int>(
      std::bit_ceil(static_cast<unsigned>(std::max(1, (replicas + kMostGangs - 1) / kMostGangs))));
  job.gang = packed(job.gang * width, machine);
  job.work /= width;
  job.most = std::clamp((replicas + width - 1) / width, 1, kMostGangs);
  return job;
}

fleet::Task task_of(const FleetInputs& inputs, const BuiltFleet& built, std::size_t workload,
                    std::size_t pool) {
  const FleetNeed& need = *built.needs[workload][pool];
  const config::FleetWorkload& asked = inputs.fleet.workloads[workload];
  fleet::Task task;
  const auto slots = built.problem.hours.size();
  if (!need.week.empty()) {
    for (std::size_t t = 0; t < slots; ++t) task.need.push_back(need.week[t % kWeekHours]);
    return task;
  }
  for (const JobWindow& window : windows_of(asked, built.horizon))
    task.jobs.push_back(job_of(need, window, built.is_preemptible[workload],
                               asked.kind == config::WorkloadKind::kBatch,
                               built.problem.pools[pool].machine));
  return task;
}

// GPUs that are rented at once, so that every replica and gang lies in one machine: those of the
// smallest that is sold, unless something needs a size that is not sold and takes a larger one. All
// that is rented beside it is then counted in the larger size, too: never too little.
int rented_by(const BuiltPool& pool, const std::vector<fleet::Workload>& workloads,
              const std::vector<std::vector<std::optional<FleetNeed>>>& needs, std::size_t place) {
  int step = pool.instances.smallest();
  const auto hold = [&](int gang) {
    if (pool.instances.unit(gang) > gang) step = std::max(step, pool.instances.unit(gang));
  };
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    if (needs[i][place]) hold(needs[i][place]->replica);
    if (workloads[i].on[place])
      for (const fleet::Job& job : workloads[i].on[place]->jobs) hold(job.gang);
  }
  return step;
}

// Work that cannot end even with machines of its own is the user's to change.
bool check_windows(const FleetInputs& inputs, std::size_t workload, const fleet::Workload& made,
                   Diagnostics& diagnostics) {
  const config::FleetWorkload& asked = inputs.fleet.workloads[workload];
  if (!may_wait(asked.kind)) return true;
  for (const auto& task : made.on) {
    if (!task) continue;
    bool ends = !task->jobs.empty();
    for (const fleet::Job& job : task->jobs) {
      const double room = static_cast<double>(job.to) - static_cast<double>(job.from);
      ends = ends && room >= 1 && job.most * (room - job.reload) >= job.work - 1e-9;
    }
    if (ends) return true;
  }
  diagnostics.add(inputs.fleet.error(
      lf::kNoPlan, asked.deadline ? asked.deadline->position : asked.name.position,
      fmt::format("'{}' does not end within its time", asked.name.value),
      "a later 'deadline', an earlier 'earliest', more 'gpus', or less work"));
  return false;
}

// What it costs not to run a workload here: tokens, or what it is worth.
void add_alternatives(const FleetInputs& inputs, std::size_t workload, BuiltFleet& built) {
  const config::FleetWorkload& asked = inputs.fleet.workloads[workload];
  const Seconds horizon = kHour * built.hours();
  std::optional<Dollars> api, value;
  if (asked.may_use_api)
    for (const auto& need : built.needs[workload])
      if (need && need->api) api = *need->api * horizon;
  // The items of a batch that is not repeated are spread over its deadline, not over the horizon.
  if (api && asked.kind == config::WorkloadKind::kBatch && !asked.every) {
    const Seconds period = asked.deadline ? asked.deadline->value : kWeek;
    api = *api * (period / horizon);
  }
  if (asked.value) value = asked.value->value * horizon;
  if (asked.worth) value = asked.worth->value;
  built.api.push_back(api);
  built.value.push_back(value);
}

}  // namespace

std::optional<BuiltFleet> build_fleet(const Core& engine, const FleetInputs& inputs,
                                      Diagnostics& diagnostics) {
  BuiltFleet built;
  if (!add_pools(engine, inputs, built, diagnostics)) return std::nullopt;
  FleetWorld world{&engine, &inputs, read_serving_models(engine.catalog(), diagnostics)};
  if (!world.models) return std::nullopt;
  const std::size_t count = inputs.fleet.workloads.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (inputs.progress) inputs.progress(0.7 * static_cast<double>(i) / static_cast<double>(count));
    add_needs(world, i, built, diagnostics);
    if (inputs.is_stopped()) return std::nullopt;
  }
  if (!diagnostics.empty()) return std::nullopt;
  choose_horizon(inputs, built);
  built.problem.seed = inputs.seed;
  built.problem.hours.assign(static_cast<std::size_t>(built.hours()), 1.0);
  for (std::size_t i = 0; i < count; ++i) {
    const config::FleetWorkload& asked = inputs.fleet.workloads[i];
    built.is_preemptible.push_back(may_wait(asked.kind) && is_preemptible(asked));
    fleet::Workload made{.name = asked.name.value,
                         .priority = static_cast<int>(asked.priority ? asked.priority->value
                                                                     : config::kUsualPriority)};
    for (std::size_t pool = 0; pool < built.pools.size(); ++pool) {
      const bool can = built.needs[i][pool].has_value();
      made.on.push_back(can ? std::optional(task_of(inputs, built, i, pool)) : std::nullopt);
    }
    check_windows(inputs, i, made, diagnostics);
    add_alternatives(inputs, i, built);
    const auto& api = built.api.back();
    const auto& value = built.value.back();
    if (api || value)
      made.elsewhere = std::min(api.value_or(Dollars::from_base(1e18)),
                                value.value_or(Dollars::from_base(1e18)));
    built.problem.workloads.push_back(std::move(made));
  }
  for (std::size_t pool = 0; pool < built.pools.size(); ++pool)
    built.problem.pools[pool].rented_by =
        rented_by(built.pools[pool], built.problem.workloads, built.needs, pool);
  if (!diagnostics.empty()) return std::nullopt;
  return built;
}

}  // namespace loadfactor::engine
