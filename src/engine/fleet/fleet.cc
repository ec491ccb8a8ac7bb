#include "engine/fleet/fleet.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/calendar.h"
#include "engine/fleet/fleet_build.h"
#include "engine/fleet/fleet_sums.h"
#include "fleet/groups.h"
#include "fleet/placing.h"

namespace loadfactor::engine {
namespace {

using fleet::Bill;
using fleet::Group;
using fleet::GroupAnswer;
using fleet::Groups;
using fleet::Schedule;

class FleetTeller {
 public:
  FleetTeller(const FleetInputs& inputs, const BuiltFleet& built, Groups& groups,
              const fleet::Shares& shares)
      : inputs_(inputs),
        built_(built),
        groups_(groups),
        shares_(shares),
        best_(groups.cheapest(groups.everyone())),
        months_(built.hours() * kHour / kMonth) {}

  FleetAnswer tell() {
    answer_.fleet = inputs_.fleet.name.value;
    answer_.horizon = built_.horizon;
    answer_.per_month = monthly(best_.cost);
    answer_.spread = ends_of(best_.schedule).spread();
    answer_.bound = monthly(best_.bound);
    answer_.gap = best_.cost > 0 ? std::max(0.0, 1 - best_.bound / best_.cost) : 0.0;
    answer_.are_shares_sampled = shares_.is_sampled;
    SumEnds alone;
    for (std::size_t i = 0; i < shares_.alone.size(); ++i)
      if (decision_of(i) != FleetDecision::kNoRoom) alone.add(shares_.alone[i], alone_spread(i));
    answer_.separate = monthly(alone.middle);
    answer_.separate_spread = alone.spread();
    answer_.saving = answer_.separate - answer_.per_month;
    for (std::size_t i = 0; i < built_.problem.workloads.size(); ++i) add_workload(i);
    for (std::size_t pool = 0; pool < built_.pools.size(); ++pool) add_pool(pool);
    add_promise();
    answer_.notices = built_.notices;
    add_notices();
    return std::move(answer_);
  }

 private:
  Dollars monthly(double cost) const { return Dollars::from_base(cost / months_); }
  std::optional<Dollars> monthly(const std::optional<Dollars>& cost) const {
    return cost ? std::optional(*cost / months_) : std::nullopt;
  }

  FleetSpread spread_of(std::size_t pool, OptionKind kind) const {
    const auto& spreads = built_.pools[pool].spreads;
    const auto found = spreads.find(kind);
    return found == spreads.end() ? FleetSpread{} : found->second;
  }

  // What a schedule costs: machines, tokens, and what is lost without a workload, which is stated.
  SumEnds ends_of(const Schedule& schedule) const {
    SumEnds ends;
    for (std::size_t pool = 0; pool < built_.pools.size(); ++pool)
      for (const Bill& bill : groups_.bills(schedule, pool))
        for (const auto& row : bill.rows) ends.add(row.cost.base(), spread_of(pool, row.kind));
    for (std::size_t i = 0; i < schedule.place.size(); ++i) {
      const auto& cost = built_.problem.workloads[i].elsewhere;
      if (schedule.place[i] != fleet::kElsewhere || !cost) continue;
      const bool is_api = decision_at(i, fleet::kElsewhere) == FleetDecision::kApi;
      ends.add(cost->base(), is_api ? built_.api_spread : FleetSpread{});
    }
    return ends;
  }
  FleetSpread alone_spread(std::size_t workload) const {
    return ends_of(groups_.cheapest(Group{1} << workload).schedule).spread();
  }

  FleetDecision decision_of(std::size_t workload) const {
    return decision_at(workload, best_.schedule.place[workload]);
  }
  FleetDecision decision_at(std::size_t workload, int place) const {
    if (place >= 0) return FleetDecision::kRun;
    if (place == fleet::kNoRoom) return FleetDecision::kNoRoom;
    const auto& api = built_.api[workload];
    const auto& value = built_.value[workload];
    return api && (!value || *api <= *value) ? FleetDecision::kApi : FleetDecision::kDrop;
  }

  void add_workload(std::size_t i) {
    const config::FleetWorkload& asked = inputs_.fleet.workloads[i];
    FleetWorkloadAnswer told;
    told.name = asked.name.value;
    told.kind = asked.kind;
    told.priority = built_.problem.workloads[i].priority;
    told.decision = decision_of(i);
    told.is_preemptible = built_.is_preemptible[i];
    told.per_month = monthly(shares_.fair[i]);
    told.alone = monthly(shares_.alone[i]);
    told.marginal = monthly(shares_.marginal[i]);
    if (told.decision == FleetDecision::kRun) told.spread = answer_.spread;
    if (told.decision == FleetDecision::kApi) told.spread = built_.api_spread;
    told.alone_spread = alone_spread(i);
    told.api = monthly(built_.api[i]);
    told.api_spread = built_.api_spread;
    told.value = monthly(built_.value[i]);
    if (told.decision == FleetDecision::kRun) add_schedule(i, told);
    answer_.workloads.push_back(std::move(told));
  }

  void add_schedule(std::size_t i, FleetWorkloadAnswer& told) const {
    const auto pool = static_cast<std::size_t>(best_.schedule.place[i]);
    const FleetNeed& need = *built_.needs[i][pool];
    const auto load = load_of(built_, best_.schedule, i);
    told.pool = built_.problem.pools[pool].name;
    told.layout = need.layout;
    told.gpus = *std::max_element(load.begin(), load.end());
    told.gpu_hours = sum_of(load);
    told.mean_gpus = told.gpu_hours / static_cast<double>(load.size());
    told.reload = need.reload;
    told.within_slo = need.within_slo;
    told.of_within = need.of_within;
    told.keeps_slo = need.keeps_slo;
    told.requests = need.requests;
    if (need.way) {
      told.round_trip = need.way->round_trip;
      told.farthest = need.way->farthest;
    }
    told.week = by_hour_of_week(load);
    if (built_.horizon == config::FleetHorizon::kYear) told.days = by_day(load);
    add_jobs(i, pool, told);
    told.load_factor = useful_hours(i, pool, load) / std::max(1.0, told.gpu_hours);
    told.of_load = need.of_useful;
  }

  void add_jobs(std::size_t i, std::size_t pool, FleetWorkloadAnswer& told) const {
    const fleet::Task& task = *built_.problem.workloads[i].on[pool];
    for (std::size_t j = 0; j < task.jobs.size(); ++j) {
      const fleet::Job& job = task.jobs[j];
      const fleet::Plan& plan = best_.schedule.plans[i][j];
      const auto figures = fleet::figures_of(job, plan, built_.problem.hours);
      told.starts += figures.starts;
      told.lost_hours += figures.starts * job.reload * job.gang;
      for (std::size_t t = 0; t < plan.size(); ++t) {
        if (plan[t] == 0) continue;
        const Seconds at = kHour * static_cast<double>(job.from + t);
        if (!told.first || at < *told.first) told.first = at;
        if (!told.last || at + kHour > *told.last) told.last = at + kHour;
      }
    }
  }

  // GPU-hours of the schedule that do work, as its full-speed GPUs would.
  double useful_hours(std::size_t i, std::size_t pool, const std::vector<int>& load) const {
    const FleetNeed& need = *built_.needs[i][pool];
    const fleet::Task& task = *built_.problem.workloads[i].on[pool];
    if (task.jobs.empty()) return need.useful * sum_of(load);
    double hours = 0;
    for (const fleet::Job& job : task.jobs) hours += job.work * job.gang;
    return need.useful * std::min(hours, sum_of(load));
  }

  static void add_bill(const Bill& bill, FleetFullness& fullness, double& paid) {
    int rented = 0;
    for (const auto& row : bill.rows)
      if (row.kind == OptionKind::kOnDemand || row.kind == OptionKind::kSpot)
        rented = std::max(rented, row.gpus);
    fullness.gpus += bill.committed + rented;
    paid += bill.gpu_hours;
  }

  // What GPUs draw that are paid for so long, at their load factor.
  void add_energy(std::size_t pool, double paid, FleetFullness& told) const {
    const BuiltPool& built = built_.pools[pool];
    const auto at = [&](double load) { return built.draw.at(load) * (kHour * (paid / months_)); };
    told.energy = at(told.load_factor);
    if (told.energy <= Joules()) return;
    const auto off = [&](double of_load, double of_draw) {
      return std::hypot(at(told.load_factor * of_load) / told.energy - 1, of_draw - 1);
    };
    told.of_energy = {std::max(0.0, 1 - off(told.of_load.low, built.of_draw.low)),
                      1 + off(told.of_load.high, built.of_draw.high)};
  }

  // The machines of one schedule on a pool.
  FleetFullness fullness(const Schedule& schedule, std::size_t pool) const {
    FleetFullness told;
    double paid = 0, held = 0, cost = 0;
    SumEnds ends, useful;
    for (const Bill& bill : groups_.bills(schedule, pool)) {
      add_bill(bill, told, paid);
      cost += bill.cost.base();
      for (const auto& row : bill.rows) ends.add(row.cost.base(), spread_of(pool, row.kind));
    }
    for (std::size_t i = 0; i < schedule.place.size(); ++i) {
      if (schedule.place[i] != static_cast<int>(pool)) continue;
      const auto load = load_of(built_, schedule, i);
      held += sum_of(load);
      useful.add(useful_hours(i, pool, load), built_.needs[i][pool]->of_useful);
    }
    if (paid > 0) {
      told.allocated = std::min(1.0, held / paid);
      told.load_factor = std::min(told.allocated, useful.middle / paid);
      told.of_load = useful.spread();
    }
    told.per_month = monthly(cost);
    told.spread = ends.spread();
    add_energy(pool, paid, told);
    return told;
  }

  // The same workloads, each with machines of its own on this pool.
  FleetFullness before(std::size_t pool) const {
    FleetFullness all;
    SumEnds ends, useful, energy;
    double paid = 0, held = 0;
    for (std::size_t i = 0; i < built_.problem.workloads.size(); ++i) {
      if (best_.schedule.place[i] != static_cast<int>(pool)) continue;
      const Schedule& own = groups_.cheapest(Group{1} << i).schedule;
      const auto place = own.place[i] >= 0 ? static_cast<std::size_t>(own.place[i]) : pool;
      const FleetFullness one = own.place[i] >= 0 ? fullness(own, place) : FleetFullness{};
      const auto load = load_of(built_, own, i);
      all.gpus += one.gpus;
      all.per_month += one.per_month;
      ends.add(one.per_month.base(), one.spread);
      energy.add(one.energy.base(), one.of_energy);
      if (one.allocated <= 0) continue;
      held += sum_of(load);
      paid += sum_of(load) / one.allocated;
      useful.add(sum_of(load) / one.allocated * one.load_factor, one.of_load);
    }
    if (paid > 0) {
      all.allocated = held / paid;
      all.load_factor = useful.middle / paid;
      all.of_load = useful.spread();
    }
    all.spread = ends.spread();
    all.energy = Joules::from_base(energy.middle);
    all.of_energy = energy.spread();
    return all;
  }

  void add_pool(std::size_t pool) {
    const fleet::Pool& terms = built_.problem.pools[pool];
    FleetPoolAnswer told;
    told.name = terms.name;
    told.accelerator = built_.pools[pool].accelerator;
    told.title = built_.pools[pool].title;
    if (const auto* place = built_.pools[pool].place) {
      told.region = place->name;
      told.grams_per_kwh = place->carbon_grams_per_kwh;
    }
    told.electricity = built_.pools[pool].electricity;
    told.is_shared = terms.is_shared;
    told.machine = terms.machine;
    if (terms.most) told.most = *terms.most;
    told.after = fullness(best_.schedule, pool);
    told.before = before(pool);
    const auto load = groups_.load(best_.schedule, pool);
    told.load = by_hour_of_week(load);
    add_ways(pool, load, told);
    answer_.pools.push_back(std::move(told));
  }

  void add_ways(std::size_t pool, const std::vector<int>& load, FleetPoolAnswer& told) const {
    const fleet::Pool& terms = built_.problem.pools[pool];
    double committed_hours = 0, committed_cost = 0, idle = 0, working = 0;
    SumEnds committed;
    for (const Bill& bill : groups_.bills(best_.schedule, pool)) {
      for (const auto& row : bill.rows) {
        const auto known = std::find_if(told.ways.begin(), told.ways.end(),
                                        [&](const FleetWay& way) { return way.kind == row.kind; });
        FleetWay& way = known == told.ways.end() ? told.ways.emplace_back() : *known;
        way.kind = row.kind;
        way.gpus += row.gpus;
        way.gpu_hours += row.gpu_hours / months_;
        way.per_month += monthly(row.cost.base());
        way.spread = spread_of(pool, row.kind);
        const bool is_hourly = row.kind == OptionKind::kOnDemand || row.kind == OptionKind::kSpot;
        if (is_hourly) continue;
        committed_hours += row.gpu_hours;
        committed_cost += row.cost.base();
        committed.add(row.cost.base(), way.spread);
        for (const auto& price : terms.committed)
          if (price.kind == row.kind)
            working = std::max(working, (price.working * Gpus::from_base(1) * kHour).base());
      }
      if (!terms.is_shared) continue;
      for (const int gpus : load) idle += std::max(0, bill.committed - gpus);
    }
    if (!terms.is_shared) idle = std::max(0.0, committed_hours - sum_of(load));
    told.idle.gpu_hours = idle / months_;
    told.idle.share = committed_hours > 0 ? idle / committed_hours : 0.0;
    told.idle.next_idle_hour = Dollars::from_base(working);
    told.idle.of_power = built_.pools[pool].power;
    told.idle.of_committed = committed.spread();
    if (committed_hours > 0)
      told.idle.committed_hour = Dollars::from_base(committed_cost / committed_hours);
    for (const auto& way : terms.hourly) {
      const Dollars price = way.price * Gpus::from_base(1) * kHour;
      if (told.idle.next_full_hour && price >= *told.idle.next_full_hour) continue;
      told.idle.next_full_hour = price;
      told.idle.of_rent = spread_of(pool, way.kind);
    }
  }

  void add_promise() {
    SumEnds within;
    double all = 0;
    for (const FleetWorkloadAnswer& told : answer_.workloads) {
      if (!told.within_slo || told.decision != FleetDecision::kRun) continue;
      within.add(*told.within_slo * static_cast<double>(told.requests), told.of_within);
      all += static_cast<double>(told.requests);
    }
    if (all > 0) answer_.within_slo = within.middle / all;
    answer_.of_within = within.spread();
  }

  void add_rented_whole(std::size_t pool) {
    const int size = built_.problem.pools[pool].rented_by;
    const auto& ways = answer_.pools[pool].ways;
    const bool is_rented = std::any_of(ways.begin(), ways.end(), [](const FleetWay& way) {
      return way.kind == OptionKind::kOnDemand || way.kind == OptionKind::kSpot;
    });
    if (is_rented && size > built_.pools[pool].instances.smallest())
      answer_.notices.push_back(
          {.id = "fleet-rented-whole",
           .arguments = {{"pool", answer_.pools[pool].name}, {"size", std::to_string(size)}}});
  }

  // GPUs that a workload holds at once on the pool where it holds the fewest.
  int least_gpus(std::size_t workload) const {
    int least = 0;
    for (const auto& task : built_.problem.workloads[workload].on) {
      if (!task) continue;
      int most = 0;
      for (const int gpus : task->need) most = std::max(most, gpus);
      for (const fleet::Job& job : task->jobs) most = std::max(most, job.gang);
      least = least == 0 ? most : std::min(least, most);
    }
    return least;
  }

  void add_notices() {
    for (std::size_t i = 0; i < answer_.workloads.size(); ++i) {
      const FleetWorkloadAnswer& told = answer_.workloads[i];
      if (told.keeps_slo && !*told.keeps_slo)
        answer_.notices.push_back({.id = "fleet-slo-missed",
                                   .severity = Severity::kCaution,
                                   .arguments = {{"workload", told.name}}});
      if (told.decision == FleetDecision::kNoRoom)
        answer_.notices.push_back(
            {.id = "fleet-no-room",
             .severity = Severity::kCaution,
             .arguments = {{"workload", told.name}, {"gpus", std::to_string(least_gpus(i))}}});
    }
    for (std::size_t pool = 0; pool < answer_.pools.size(); ++pool) add_rented_whole(pool);
    if (answer_.are_shares_sampled) answer_.notices.push_back({.id = "fleet-shares-sampled"});
    Dollars fair, alone;
    for (const FleetWorkloadAnswer& told : answer_.workloads) {
      if (told.decision == FleetDecision::kNoRoom) continue;
      fair += told.per_month;
      alone += told.alone;
    }
    if (fair > alone * (1 + 1e-9)) answer_.notices.push_back({.id = "fleet-scarce"});
  }

  const FleetInputs& inputs_;
  const BuiltFleet& built_;
  Groups& groups_;
  const fleet::Shares& shares_;
  const GroupAnswer& best_;
  double months_;
  FleetAnswer answer_;
};

}  // namespace

std::string_view name_of(FleetDecision decision) {
  constexpr std::array<std::string_view, 4> kNames{"run", "api", "drop", "no-room"};
  return kNames[static_cast<std::size_t>(decision)];
}

std::optional<FleetAnswer> plan_fleet(const Core& engine, const FleetInputs& inputs,
                                      Diagnostics& diagnostics) {
  const auto built = build_fleet(engine, inputs, diagnostics);
  if (!built) return std::nullopt;
  Groups groups(built->problem);
  const auto shares = share_out(groups, built->problem.workloads.size(), inputs.seed);
  if (inputs.progress) inputs.progress(0.95);
  return FleetTeller(inputs, *built, groups, shares).tell();
}

}  // namespace loadfactor::engine
