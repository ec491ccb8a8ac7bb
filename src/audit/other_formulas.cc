// Relations of money and sites that are no products.
#include <array>

#include "audit/rule.h"

namespace loadfactor::audit {
namespace {

using F = Figure;

// The price of useful time is the price over the share of the time that is useful.
std::optional<Finding> dearer_when_idle(const Claim& claim, const Values& values) {
  const bool asks = claim.cheaper && have(values, {F::kSystemPrice, F::kUtilisation, F::kRivalPrice,
                                                   F::kRivalUtilisation});
  if (!asks) return std::nullopt;
  Working working(claim, values);
  const double rival =
      working.product(F::kRivalPricePerUse, 1, {{F::kRivalPrice}, {F::kRivalUtilisation, -1}});
  const double ours =
      working.product(F::kPricePerUse, 1, {{F::kSystemPrice}, {F::kUtilisation, -1}});
  Finding finding = working.finding(Check::kPricePerUse, F::kSystemPrice);
  finding.relation = Relation::kAgrees;
  finding.says = *claim.cheaper;
  finding.ratio = ours / rival;
  if ((ours < rival) != *claim.cheaper) finding.verdict = Verdict::kInconsistent;
  return finding;
}

// Months without use are paid all the same.
std::optional<Finding> delay_eats_price(const Claim& claim, const Values& values) {
  const bool asks = claim.cheaper && have(values, {F::kPricePerGpuHour, F::kRivalPricePerGpuHour,
                                                   F::kDelay, F::kLife});
  if (!asks || values.find(F::kDelay)->value >= values.find(F::kLife)->value) return std::nullopt;
  Working working(claim, values);
  working.sum(F::kUsefulLife, 0, {{F::kLife}, {F::kDelay, -1}});
  working.product(F::kPricePerGpuHour, 1,
                  {{F::kPricePerGpuHour}, {F::kLife}, {F::kUsefulLife, -1}});
  Finding finding = working.finding(Check::kDelay, F::kRivalPricePerGpuHour);
  finding.relation = Relation::kAgrees;
  finding.says = *claim.cheaper;
  finding.ratio = finding.computed / finding.stated;
  constexpr double kWorthwhileRatio = 0.95;  // Prices move by a twentieth within a quarter.
  if ((finding.ratio < kWorthwhileRatio) != *claim.cheaper)
    finding.verdict = Verdict::kInconsistent;
  return finding;
}

// A site draws what its racks draw, and an overhead that no site on record exceeds.
std::optional<Finding> site_overhead(const Claim& claim, const Values& values) {
  const bool asks = values.stated(F::kSitePower) && !values.stated(F::kPue) &&
                    have(values, {F::kRacks, F::kRackPower, F::kWorstPue});
  if (!asks) return std::nullopt;
  const double site = values.find(F::kSitePower)->value;
  Working working(claim, values);
  const double racks = working.product(F::kItPower, 1, {{F::kRacks}, {F::kRackPower}});
  const bool is_below = site < racks;
  if (!is_below) working.product(F::kSitePower, 1, {{F::kItPower}, {F::kWorstPue}});
  Finding finding = working.finding(Check::kSiteOverhead, F::kSitePower);
  finding.relation = is_below ? Relation::kAtLeast : Relation::kAtMost;
  finding.ratio = site / racks;
  constexpr double kRounding = 1.05;
  const double limit = is_below ? racks / kRounding : finding.computed * kRounding;
  if (is_below ? site < limit : site > limit) finding.verdict = Verdict::kInconsistent;
  return finding;
}

constexpr std::array<FormulaRule, 3> kOthers{dearer_when_idle, delay_eats_price, site_overhead};

std::vector<FormulaRule> all_formulas() {
  std::vector<FormulaRule> rules;
  for (const auto group :
       {layout_rules(), memory_rules(), run_formulas(), serving_formulas(), other_formulas()})
    rules.insert(rules.end(), group.begin(), group.end());
  return rules;
}

}  // namespace

std::span<const FormulaRule> other_formulas() {
  return kOthers;
}

std::span<const FormulaRule> formula_rules() {
  static const std::vector<FormulaRule> kRules = all_formulas();
  return kRules;
}

}  // namespace loadfactor::audit
