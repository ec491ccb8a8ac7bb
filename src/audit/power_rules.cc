// Products of power and energy: chips, nodes, racks, site.
#include "audit/rule.h"
#include "base/calendar.h"

namespace loadfactor::audit {
namespace {

using F = Figure;

// Chips that are capped, or measured at other work, draw less than their rating; less than half of
// it, as a tolerance, is not what so many do at work.
constexpr double kWorking = 1;

void add_load(std::vector<ProductRule>& rules) {
  rules.push_back({.check = Check::kGpuPowerTotal,
                   .target = F::kGpuPowerTotal,
                   .factors = {{F::kGpus}, {F::kGpuPower}},
                   .unless = {F::kGpuAveragePower}});
  rules.push_back({.check = Check::kGpuPowerTotal,
                   .target = F::kGpuPowerTotal,
                   .factors = {{F::kGpus}, {F::kGpuAveragePower}}});
  rules.push_back({.check = Check::kGpuPowerTotal,
                   .target = F::kGpuPowerTotal,
                   .ground = Ground::kCatalogue,
                   .factors = {{F::kGpus}, {F::kChipPower}},
                   .unless = {F::kGpuPower, F::kGpuAveragePower}});
  // A load may be a measured draw, which lies below the ratings and never above them.
  const auto rated = [&rules](Check check, std::vector<Factor> factors, std::vector<F> unless) {
    rules.push_back({.check = check,
                     .target = F::kItPower,
                     .relation = Relation::kAtMost,
                     .factors = std::move(factors),
                     .unless = std::move(unless)});
  };
  rated(Check::kItPowerRacks, {{F::kRacks}, {F::kRackPower}}, {});
  rated(Check::kItPowerNodes, {{F::kNodes}, {F::kNodePower}}, {F::kRackPower});
  rules.push_back({.check = Check::kItPowerGpus,
                   .target = F::kItPower,
                   .relation = Relation::kAtLeast,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kGpus}, {F::kChipPower}},
                   .tolerance = 0.15,
                   .broken = Verdict::kUnsupported,
                   .absurd = kWorking,
                   .unless = {F::kGpuAveragePower}});
}

void add_racks(std::vector<ProductRule>& rules) {
  const auto feeds = [&rules](Check check, Ground ground, std::vector<Factor> factors) {
    rules.push_back({.check = check,
                     .target = F::kRackPower,
                     .relation = Relation::kAtLeast,
                     .ground = ground,
                     .factors = std::move(factors)});
  };
  feeds(Check::kRackPowerNodes, Ground::kArithmetic, {{F::kNodesPerRack}, {F::kNodePower}});
  feeds(Check::kRackPowerGpus, Ground::kPhysics, {{F::kGpusPerRack}, {F::kNodeRating}});
  rules.push_back({.check = Check::kRackHeat,
                   .target = F::kGpusPerRack,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kRackPower}, {F::kChipPower, -1}}});
  rules.push_back({.check = Check::kRackCooling,
                   .target = F::kRackPower,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kCoolingLimit}}});
}

// A site is a capacity: it may be more than what stands there, never less.
void add_site(std::vector<ProductRule>& rules) {
  const auto carries = [&rules](Check check, Ground ground, std::vector<Factor> factors,
                                std::vector<F> unless) {
    rules.push_back({.check = check,
                     .target = F::kSitePower,
                     .relation = Relation::kAtLeast,
                     .ground = ground,
                     .factors = std::move(factors),
                     .unless = std::move(unless)});
  };
  carries(Check::kSitePower, Ground::kArithmetic, {{F::kRacks}, {F::kRackPower}, {F::kPue}}, {});
  carries(Check::kSitePowerIt, Ground::kArithmetic, {{F::kItPower}, {F::kPue}}, {});
  carries(Check::kSitePowerIt, Ground::kArithmetic, {{F::kItPower}}, {F::kPue});
  carries(Check::kSitePowerGpus, Ground::kPhysics, {{F::kGpus}, {F::kChipPower}, {F::kPue}},
          {F::kGpuAveragePower});
  carries(Check::kSitePowerGpus, Ground::kPhysics, {{F::kGpus}, {F::kChipPower}},
          {F::kPue, F::kGpuAveragePower});
  rules.push_back({.check = Check::kSitePowerSpare,
                   .target = F::kSitePower,
                   .relation = Relation::kAtMost,
                   .factors = {{F::kRacks}, {F::kRackPower}, {F::kPue}},
                   .tolerance = 0.6});
  rules.push_back({.check = Check::kPueLow,
                   .target = F::kPue,
                   .relation = Relation::kAtLeast,
                   .ground = Ground::kPhysics,
                   .tolerance = kExact});
  rules.push_back({.check = Check::kPueHigh,
                   .target = F::kPue,
                   .relation = Relation::kAtMost,
                   .ground = Ground::kRecord,
                   .factors = {{F::kWorstPue}},
                   .broken = Verdict::kUnsupported});
}

void add_energy(std::vector<ProductRule>& rules) {
  const auto at_most = [&rules](Check check, Ground ground, std::vector<Factor> factors,
                                double scale, std::vector<F> unless) {
    rules.push_back({.check = check,
                     .target = F::kEnergy,
                     .relation = Relation::kAtMost,
                     .ground = ground,
                     .factors = std::move(factors),
                     .scale = scale,
                     .unless = std::move(unless)});
  };
  at_most(Check::kEnergy, Ground::kArithmetic, {{F::kSitePower}, {F::kDuration}}, 1, {});
  at_most(Check::kEnergyIt, Ground::kArithmetic, {{F::kItPower}, {F::kDuration}, {F::kPue}}, 1, {});
  at_most(Check::kEnergyHours, Ground::kPhysics, {{F::kGpuHours}, {F::kNodeRating}, {F::kPue}},
          kHour.base(), {});
  at_most(Check::kEnergyHours, Ground::kPhysics, {{F::kGpuHours}, {F::kNodeRating}, {F::kWorstPue}},
          kHour.base(), {F::kPue});
  rules.push_back({.check = Check::kEnergyDraw,
                   .target = F::kEnergy,
                   .relation = Relation::kAtLeast,
                   .factors = {{F::kGpuHours}, {F::kGpuAveragePower}},
                   .scale = kHour.base()});
}

}  // namespace

void add_power_rules(std::vector<ProductRule>& rules) {
  add_load(rules);
  add_racks(rules);
  add_site(rules);
  add_energy(rules);
}

}  // namespace loadfactor::audit
