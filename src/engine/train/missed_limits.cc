#include "engine/train/missed_limits.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/quantity_text.h"
#include "engine/train/run_prices.h"
#include "resolve/model/node_power.h"

namespace loadfactor::engine {
namespace {

std::string run_words(const OpenRun& run) {
  std::string text = fmt::format("{}, {}", run.machine, days_text(run.time));
  if (run.cost) text += fmt::format(", {} {}", format_display(any(*run.cost)), name_of(run.option));
  return text;
}

double dollars(const OpenRun& run) {
  return run.cost ? run.cost->base() : INFINITY;
}

// The soonest and, of as soon ones, the cheapest; and the other way round.
std::string nearest_words(const std::vector<OpenRun>& runs) {
  using Key = std::pair<double, double>;
  const auto least = [&runs](const auto& key) -> const OpenRun& {
    return *std::min_element(runs.begin(), runs.end(), [&key](const auto& a, const auto& b) {
      return Key(key(a)) < Key(key(b));
    });
  };
  const OpenRun& soonest =
      least([](const OpenRun& run) { return Key(run.time.base(), dollars(run)); });
  const OpenRun& cheapest =
      least([](const OpenRun& run) { return Key(dollars(run), run.time.base()); });
  if (&soonest == &cheapest && soonest.cost && runs.size() > 1)
    return "the soonest is the cheapest too, " + run_words(soonest);
  std::string text = "the soonest is " + run_words(soonest);
  if (&soonest != &cheapest && cheapest.cost) text += "; the cheapest is " + run_words(cheapest);
  return text;
}

}  // namespace

MissedLimit deadline_limit(Seconds deadline) {
  return {"train.deadline", "the deadline of " + days_text(deadline)};
}

MissedLimit budget_limit(Dollars budget) {
  return {"limits.budget", "the budget of " + format_display(any(budget))};
}

std::vector<MissedLimit> missed_limits(const TrainSetup& setup, const TrainAnswer& answer) {
  const auto& deadline = setup.ask().deadline;
  const auto& budget = setup.scenario.limits.budget;
  std::vector<MissedLimit> missed;
  if (deadline && answer.duration && answer.duration->value() > deadline->value)
    missed.push_back(deadline_limit(deadline->value));
  if (budget && answer.cost && answer.cost->value() > budget->value)
    missed.push_back(budget_limit(budget->value));
  return missed;
}

std::vector<MissedLimit> missed_power(const catalog::Catalog& catalog, const TrainSetup& setup,
                                      double paid_gpus, int gpus) {
  const auto& limits = setup.scenario.limits;
  std::vector<MissedLimit> missed;
  const auto add = [&](const char* key, const auto& limit, const config::ScenarioLimits& only) {
    const auto objection =
        power_objection(catalog, *setup.job.chip, paid_gpus, only, paid_gpus - gpus);
    if (objection)
      missed.push_back({key, fmt::format("{} of {} ({})", key, format_display(any(limit->value)),
                                         words_of(*objection))});
  };
  config::ScenarioLimits site;
  config::ScenarioLimits rack;
  site.site_power = limits.site_power;
  rack.rack_power = limits.rack_power;
  add("limits.site_power", limits.site_power, site);
  add("limits.rack_power", limits.rack_power, rack);
  return missed;
}

std::vector<OpenRun> open_runs(const catalog::Catalog& catalog, const SearchMachine& machine,
                               Seconds step) {
  const auto work = machine.work_time(step);
  if (!work) return {};
  const RunPrices prices = run_prices(catalog, *machine.setup, machine.gpus(), step);
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
  const bool together = !late && !dear && deadline && budget;
  UnmetLimits out;
  if (late || together) out.limits.push_back(deadline_limit(*deadline));
  if (dear || together) out.limits.push_back(budget_limit(*budget));
  for (const auto& limit : out.limits)
    out.words += (out.words.empty() ? "meets " : together ? " and " : ", nor ") + limit.words;
  if (together) out.words += " together";
  out.nearest = fmt::format("without {} {}",
                            deadline && budget ? "deadline and budget"
                            : budget           ? "the budget"
                                               : "the deadline",
                            nearest_words(runs));
  return out;
}

}  // namespace loadfactor::engine
