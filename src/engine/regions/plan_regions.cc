// Every fleet here is the plan of a changed scenario: less traffic in a region, or a first token
// that must be there earlier in one place.
#include "engine/regions/plan_regions.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "catalog/catalog.h"
#include "catalog/used_fact.h"
#include "engine/plan/plan_edit.h"
#include "engine/plan/plan_levers.h"
#include "engine/plan/plan_limits.h"
#include "engine/plan/plan_replan.h"
#include "engine/years/plan_years.h"
#include "resolve/serve/users_way.h"
#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine {
namespace {

using catalog::RegionSpec;

class RegionPlanner {
 public:
  RegionPlanner(const Core& engine, const PlanInputs& question, int years, PlanAnswer& answer)
      : catalog_(engine.catalog()),
        question_(question),
        years_(years),
        replans_(engine, question),
        answer_(answer) {
    for (const auto& region : scenario().serve->regions)
      if (const auto found = catalog_.find_region(region.name.value)) specs_.push_back(*found);
  }

  void plan() {
    PlanRegions told;
    for (std::size_t i = 0; i < specs_.size(); ++i)
      told.sites.push_back(local_fleet(*specs_[i], scenario().serve->regions[i].share.value));
    add_sums(told);
    add_places(told);
    add_notices(told);
    answer_.regions = std::move(told);
  }

 private:
  const config::Scenario& scenario() const { return question_.as_written(); }

  SiteFleet site_of(const RegionSpec& region, double share,
                    const std::optional<PlanAnswer>& plan) const {
    SiteFleet site{.region = region.name, .title = region.title, .share = share, .paid = {}};
    if (!plan || !plan->machine) return site;
    site.is_found = true;
    site.accelerator = plan->machine->accelerator;
    site.gpus = plan->machine->layout.gpus;
    site.replicas = plan->machine->layout.replicas;
    if (plan->machine->prompts) site.replicas += plan->machine->prompts->replicas;
    site.is_within_limits = plan->broken.empty();
    const PlanOption* const cheapest = cheapest_machines(*plan);
    if (cheapest == nullptr) return site;
    site.accelerator = cheapest->accelerator;
    site.gpus = cheapest->gpus;
    site.paid = cheapest->machines();
    site.per_month = cheapest->estimate();
    return site;
  }

  SiteFleet local_fleet(const RegionSpec& region, double share) const {
    const auto traffic = traffic_edit(question_, share);
    if (!traffic) return site_of(region, share, std::nullopt);
    const auto plan = replans_.with({{"serve.regions"}, {"money.region", region.name}, *traffic});
    SiteFleet site = site_of(region, share, plan);
    if (plan && years_ > 0) site.years = years_of(*plan);
    return site;
  }

  std::optional<SiteYears> years_of(const PlanAnswer& plan) const {
    auto years = plan_years(catalog_, plan, years_);
    if (!years) return std::nullopt;
    return SiteYears{std::move(years->plans.front()), years->electricity, years->grams_per_kwh};
  }

  // Limits hold for all fleets together; power is of one site.
  void add_sums(PlanRegions& told) const {
    std::optional<EstimateOf<Dollars>> sum;
    bool is_priced = true;
    bool is_found = true;
    for (const SiteFleet& site : told.sites) {
      told.gpus += site.gpus;
      told.replicas += site.replicas;
      told.is_within_limits = told.is_within_limits && site.is_within_limits;
      is_found = is_found && site.is_found;
      is_priced = is_priced && site.per_month;
      if (site.per_month) sum = sum ? add_correlated(*sum, *site.per_month) : site.per_month;
    }
    if (!is_found) told.gpus = told.replicas = 0;
    if (is_found && is_priced) told.per_month = sum;
    const config::ScenarioLimits limits = limits_of(question_);
    if (limits.gpus && told.gpus > limits.gpus->value) told.is_within_limits = false;
    if (limits.budget && told.per_month && told.per_month->value() > limits.budget->value)
      told.is_within_limits = false;
  }

  CentralFleet central_fleet(const RegionSpec& place, const WayToUsers& way) const {
    CentralFleet told;
    told.farthest = way.farthest;
    told.round_trip = way.round_trip;
    std::optional<PlanAnswer> plan;
    if (auto edits = earlier_by(*scenario().serve, told.round_trip.value())) {
      edits->insert(edits->begin(), {"money.region", place.name});
      plan = replans_.with(*edits);
    }
    told.site = site_of(place, 1, plan);
    return told;
  }

  // Where the site is decided it is the only place.
  std::vector<const RegionSpec*> candidates() const {
    const auto& decided = scenario().money.region;
    const auto found = decided ? catalog_.find_region(decided->value) : specs_.front();
    return decided && found ? std::vector{*found} : specs_;
  }

  void add_places(PlanRegions& told) {
    const auto places = candidates();
    std::vector<const RegionSpec*> all = specs_;
    all.insert(all.end(), places.begin(), places.end());
    for (const RegionSpec* region : all)
      if (!region->location) return note({"region-place", {{"region", region->name}}});
    std::vector<UsedFact> cables;
    for (const RegionSpec* place : places) {
      const auto way = way_to_users(catalog_, *place, specs_);
      if (!way) return;
      told.places.push_back(central_fleet(*place, *way));
      cables = way->facts;
    }
    const auto rank = [](const CentralFleet& fleet) {
      const auto& cost = fleet.site.per_month;
      return std::pair(fleet.site.is_found ? (cost ? 0 : 1) : 2, cost ? cost->value() : Dollars());
    };
    std::stable_sort(told.places.begin(), told.places.end(),
                     [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    for (const UsedFact& fact : cables) use(fact);
    for (const RegionSpec* region : specs_)
      use(catalog::used_fact("location", region->name, region->location->provenance,
                             region->location->place));
  }

  void use(UsedFact fact) {
    answer_.assumptions.push_back(assumption_of(fact));
    answer_.facts.push_back(std::move(fact));
  }

  struct Said {
    std::string id;
    std::vector<Notice::Argument> arguments;
  };
  void note(Said said) {
    answer_.notices.push_back({.id = said.id, .arguments = std::move(said.arguments)});
  }

  // What is counted alike everywhere because nothing else is known.
  void add_notices(const PlanRegions& told) {
    std::set<std::string> rented;
    for (const SiteFleet& site : told.sites) {
      const bool is_rented = site.paid && site.paid->kind != OptionKind::kOwn;
      if (is_rented && !has_rent_in(catalog_.prices(), site.accelerator, site.region))
        rented.insert(site.accelerator);
    }
    if (!rented.empty())
      note({"region-rents", {{"accelerators", fmt::format("{}", fmt::join(rented, ", "))}}});
    if (scenario().money.electricity) note({"region-electricity", {}});
    note_hours();
  }

  // Whether days come later elsewhere: a day that is described does, a recorded one does not.
  void note_hours() {
    const auto& demand = scenario().serve->demand;
    const bool is_described =
        demand && demand->shape_figures && !demand->shape_figures->file && specs_.size() > 1;
    if (is_described) return note({"region-shape", {{"first", specs_.front()->title}}});
    note({"region-shape", {}});
  }

  const catalog::Catalog& catalog_;
  const PlanInputs& question_;
  int years_;
  Replanner replans_;
  PlanAnswer& answer_;
  std::vector<const RegionSpec*> specs_;
};

}  // namespace

bool check_regions(const Core& engine, const config::Scenario& scenario, Diagnostics& diagnostics) {
  if (!scenario.serve) return true;
  bool is_known = true;
  for (const auto& region : scenario.serve->regions) {
    const auto found = engine.catalog().find_region(region.name.value);
    if (found) continue;
    diagnostics.add(scenario.error(found.error().code, region.name.position, found.error().message,
                                   found.error().hint));
    is_known = false;
  }
  return is_known;
}

void add_regions(const Core& engine, const PlanInputs& question, PlanAnswer& answer, int years) {
  const auto& serve = question.as_written().serve;
  if (!serve || serve->regions.empty()) return;
  const PlanInputs service = question.with({{"train"}});
  RegionPlanner(engine, service, years, answer).plan();
}

}  // namespace loadfactor::engine
