// Products of power and energy: chips, nodes, racks, site.
#include "audit/rule.h"
#include "base/calendar.h"

namespace loadfactor::audit {
namespace {

using F = Figure;

// Chips that are capped, or measured at other work, draw less than their rating; less than half of
// it, as a tolerance, is not what so many do at work.
constexpr double kWorking = 1;
// What a run computes with draws a quarter of its rating at the very least.
constexpr double kAtWork = 3;

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

// Energy has a floor, whoever metered it: the arithmetic that was done, the hours in which the GPUs
// worked, and the draw of chips that do nothing.
void add_energy_floor(std::vector<ProductRule>& rules) {
  const auto work = [&rules](std::vector<Factor> factors, double scale, std::vector<F> unless) {
    factors.insert(factors.end(), {{F::kChipPower}, {F::kPeakLimit, -1}});
    rules.push_back({.check = Check::kEnergyWork,
                     .target = F::kEnergy,
                     .relation = Relation::kAtLeast,
                     .ground = Ground::kPhysics,
                     .factors = std::move(factors),
                     .scale = scale,
                     .tolerance = kWorking,
                     .unless = std::move(unless)});
  };
  work({{F::kCompute}}, 1, {});
  work({{F::kTokenParameters}, {F::kTokens}}, kWorkPerToken, {F::kCompute});
  // Of those that serve, some wait at night: so little is doubted, and only below idle impossible.
  const auto low = [&rules](Check check, F target, std::vector<Factor> factors, double scale,
                            std::vector<F> when, std::vector<F> unless) {
    const bool is_run = !when.empty();
    rules.push_back({.check = check,
                     .target = target,
                     .relation = Relation::kAtLeast,
                     .ground = Ground::kPhysics,
                     .factors = std::move(factors),
                     .scale = scale,
                     .tolerance = kWorking,
                     .broken = Verdict::kUnsupported,
                     .absurd = is_run ? std::optional(kAtWork) : std::nullopt,
                     .unless = std::move(unless),
                     .when = std::move(when)});
  };
  const std::vector<Factor> rated{{F::kGpuHours}, {F::kChipPower}};
  low(Check::kEnergyLow, F::kEnergy, rated, kHour.base(), {F::kTokens}, {F::kGpuAveragePower});
  low(Check::kEnergyLow, F::kEnergy, rated, kHour.base(), {}, {F::kGpuAveragePower, F::kTokens});
  low(Check::kDrawLow, F::kGpuAveragePower, {{F::kChipPower}}, 1, {F::kTokens}, {});
  low(Check::kDrawLow, F::kGpuAveragePower, {{F::kChipPower}}, 1, {}, {F::kTokens});
  rules.push_back({.check = Check::kEnergyIdle,
                   .target = F::kEnergy,
                   .relation = Relation::kAtLeast,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kGpuHours}, {F::kChipIdlePower}},
                   .scale = kHour.base()});
  rules.push_back({.check = Check::kDrawIdle,
                   .target = F::kGpuAveragePower,
                   .relation = Relation::kAtLeast,
                   .ground = Ground::kPhysics,
                   .factors = {{F::kChipIdlePower}}});
}

}  // namespace

void add_power_rules(std::vector<ProductRule>& rules) {
  add_load(rules);
  add_racks(rules);
  add_site(rules);
  add_energy(rules);
  add_energy_floor(rules);
}

}  // namespace loadfactor::audit
