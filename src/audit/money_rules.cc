// Products of money: hours, prices, bills, and what the market asks.
#include "audit/rule.h"
#include "base/calendar.h"

namespace loadfactor::audit {
namespace {

using F = Figure;

void add_bills(std::vector<ProductRule>& rules) {
  rules.push_back({.check = Check::kGpuHours,
                   .target = F::kGpuHours,
                   .factors = {{F::kGpus}, {F::kDuration}},
                   .scale = 1 / kHour.base()});
  rules.push_back({.check = Check::kRunCost,
                   .target = F::kRunCost,
                   .factors = {{F::kGpuHours}, {F::kPricePerGpuHour}},
                   .scale = kHour.base(),
                   .when = {F::kGpuHours}});
  rules.push_back({.check = Check::kRunCostDuration,
                   .target = F::kRunCost,
                   .factors = {{F::kGpus}, {F::kDuration}, {F::kPricePerGpuHour}},
                   .unless = {F::kGpuHours}});
  rules.push_back(
      {.check = Check::kPurchase, .target = F::kCapex, .factors = {{F::kGpus}, {F::kCapexPerGpu}}});
  rules.push_back({.check = Check::kEnergyCost,
                   .target = F::kEnergyCost,
                   .factors = {{F::kEnergy}, {F::kElectricity}}});
  rules.push_back({.check = Check::kDutyMultiple,
                   .target = F::kCostMultiple,
                   .factors = {{F::kDuty, -1}},
                   .tolerance = 0.06});
}

void add_tokens(std::vector<ProductRule>& rules) {
  rules.push_back(
      {.check = Check::kCostPerToken,
       .target = F::kCostPerToken,
       .factors = {{F::kPricePerGpuHour}, {F::kServedPerGpu, -1}, {F::kUtilisation, -1}}});
  rules.push_back({.check = Check::kCostPerTokenFull,
                   .target = F::kCostPerToken,
                   .relation = Relation::kAtLeast,
                   .factors = {{F::kPricePerGpuHour}, {F::kServedPerGpu, -1}},
                   .unless = {F::kUtilisation}});
  rules.push_back({.check = Check::kBreakEven,
                   .target = F::kBreakEven,
                   .factors = {{F::kPricePerGpuHour}, {F::kApiPrice, -1}, {F::kServedPerGpu, -1}},
                   .tolerance = 0.1});
}

// Outside the catalogue a price is unheard of; four times beyond it, it is no price of this thing.
void add_market(std::vector<ProductRule>& rules) {
  constexpr double kRounding = 0.02;
  constexpr double kAbsurd = 3;
  const auto between = [&rules](Check low_check, Check high_check, F price, F lowest, F highest) {
    rules.push_back({.check = low_check,
                     .target = price,
                     .relation = Relation::kAtLeast,
                     .ground = Ground::kRecord,
                     .factors = {{lowest}},
                     .tolerance = kRounding,
                     .broken = Verdict::kUnsupported,
                     .absurd = kAbsurd});
    rules.push_back({.check = high_check,
                     .target = price,
                     .relation = Relation::kAtMost,
                     .ground = Ground::kRecord,
                     .factors = {{highest}},
                     .tolerance = kRounding,
                     .broken = Verdict::kUnsupported,
                     .absurd = kAbsurd});
  };
  between(Check::kRentLow, Check::kRentHigh, F::kPricePerGpuHour, F::kLowestRent, F::kHighestRent);
  between(Check::kCapexLow, Check::kCapexHigh, F::kCapexPerGpu, F::kLowestCapex, F::kHighestCapex);
  between(Check::kElectricityLow, Check::kElectricityHigh, F::kElectricity, F::kLowestElectricity,
          F::kHighestElectricity);
}

}  // namespace

void add_money_rules(std::vector<ProductRule>& rules) {
  add_bills(rules);
  add_tokens(rules);
  add_market(rules);
}

}  // namespace loadfactor::audit
