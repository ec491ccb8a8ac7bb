#include "engine/train/missed_limits.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/train/run_prices.h"
#include "resolve/model/node_power.h"

namespace loadfactor::engine {
namespace {

using Key = MissedLimit::Key;

double dollars(const OpenRun& run) {
  return run.cost ? run.cost->base() : INFINITY;
}

// The soonest and, of as soon ones, the cheapest; and the other way round.
void set_nearest(const std::vector<OpenRun>& runs, UnmetLimits& out) {
  using Order = std::pair<double, double>;
  const auto least = [&runs](const auto& key) -> const OpenRun& {
    return *std::min_element(runs.begin(), runs.end(), [&key](const auto& a, const auto& b) {
      return Order(key(a)) < Order(key(b));
    });
  };
  const OpenRun& soonest =
      least([](const OpenRun& run) { return Order(run.time.base(), dollars(run)); });
  const OpenRun& cheapest =
      least([](const OpenRun& run) { return Order(dollars(run), run.time.base()); });
  out.soonest = soonest;
  const bool is_one = &soonest == &cheapest;
  if (!is_one && cheapest.cost) out.cheapest = cheapest;
  out.is_soonest_cheapest = is_one && soonest.cost && runs.size() > 1;
}

}  // namespace

MissedLimit deadline_limit(Seconds deadline) {
  return {.key = Key::kDeadline, .deadline = deadline};
}

MissedLimit budget_limit(Dollars budget) {
  return {.key = Key::kBudget, .budget = budget};
}

std::vector<MissedLimit> missed_limits(const config::Scenario& scenario,
                                       const std::optional<EstimateOf<Seconds>>& duration,
                                       const std::optional<EstimateOf<Dollars>>& cost) {
  const auto& deadline = scenario.train->deadline;
  const auto& budget = scenario.limits.budget;
  std::vector<MissedLimit> missed;
  if (deadline && duration && duration->value() > deadline->value)
    missed.push_back(deadline_limit(deadline->value));
  if (budget && cost && cost->value() > budget->value)
    missed.push_back(budget_limit(budget->value));
  return missed;
}

std::vector<MissedLimit> missed_power(const catalog::Catalog& catalog, const TrainSetup& setup,
                                      double paid_gpus, int gpus) {
  const auto& limits = setup.scenario.limits;
  std::vector<MissedLimit> missed;
  const auto add = [&](Key key, const auto& limit, const config::ScenarioLimits& only) {
    const auto objection =
        power_objection(catalog, *setup.job.chip, paid_gpus, only, paid_gpus - gpus);
    if (objection) missed.push_back({.key = key, .power = limit->value, .objection = *objection});
  };
  config::ScenarioLimits site;
  config::ScenarioLimits rack;
  site.site_power = limits.site_power;
  rack.rack_power = limits.rack_power;
  add(Key::kSitePower, limits.site_power, site);
  add(Key::kRackPower, limits.rack_power, rack);
  return missed;
}

std::vector<OpenRun> open_runs(const catalog::Catalog& catalog, const SearchMachine& machine,
                               Seconds step) {
  const auto work = machine.work_time(step);
  if (!work) return {};
  const RunPrices prices =
      run_prices(catalog, *machine.setup, {.gpus = machine.gpus(), .step = step, .work = work});
  std::vector<OpenRun> runs;
  for (const RunPrice& way : prices.options)
    runs.push_back({machine.words(), way.kind, way.paid.run(*work), way.cost(*work)});
  if (runs.empty())
    runs.push_back({machine.words(), std::nullopt, prices.plain.run(*work), std::nullopt});
  return runs;
}

UnmetLimits unmet_limits(const std::vector<OpenRun>& runs, std::optional<Seconds> deadline,
                         std::optional<Dollars> budget) {
  const auto none = [&runs](const auto& keeps) {
    return std::none_of(runs.begin(), runs.end(), keeps);
  };
  const bool late = deadline && none([&](const OpenRun& run) { return run.time <= *deadline; });
  const bool dear =
      budget && none([&](const OpenRun& run) { return !run.cost || *run.cost <= *budget; });
  UnmetLimits out;
  out.is_each_kept = !late && !dear && deadline && budget;
  out.has_deadline = deadline.has_value();
  out.has_budget = budget.has_value();
  if (late || out.is_each_kept) out.limits.push_back(deadline_limit(*deadline));
  if (dear || out.is_each_kept) out.limits.push_back(budget_limit(*budget));
  set_nearest(runs, out);
  return out;
}

}  // namespace loadfactor::engine
