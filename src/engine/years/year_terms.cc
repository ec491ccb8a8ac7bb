#include "engine/years/year_terms.h"

#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "engine/cost/cost_paths.h"

namespace loadfactor::engine {
namespace {

using economics::YearTerms;

int months_in(Seconds time) {
  return static_cast<int>(std::ceil(time / kMonth - 1e-6));
}

// Prices of tokens as the scenario says that they fall, else as those of mid-size models have.
void set_token_prices(CostSetup& setup, YearTerms& terms) {
  terms.half_life = setup.terms.api->half_life;
  if (terms.half_life > Seconds()) return;
  terms.half_life = kYear * setup.fact("api_price_half_life", "mid");
}

// Rents as the scenario states them, else as they usually move.
void set_prices(CostSetup& setup, YearTerms& terms, PlanYears& answer) {
  if (!setup.money().path.empty()) {
    terms.rent = stated_path(setup);
  } else {
    answer.rent_drift = setup.fact("rent_path", "drift");
    terms.rent = economics::PriceCurve::drifting(*answer.rent_drift);
  }
  if (setup.terms.api) set_token_prices(setup, terms);
  if (const auto& waiting = setup.money().waiting) {
    terms.gain = waiting->gain.value;
    terms.gain_from = months_in(waiting->wait.value);
  }
}

// A site that is built waits for its switchgear.
int lead_months(CostSetup& setup) {
  const auto& own = setup.money().own;
  if (own.lead_time) return months_in(own.lead_time->value);
  const bool is_built = own.build && own.build->value;
  return is_built ? months_in(kWeek * setup.fact("lead_time", "switchgear")) : 0;
}

void set_books(CostSetup& setup, YearTerms& terms) {
  const auto& money = setup.money();
  if (money.tax)
    terms.tax = money.tax->value;
  else if (money.own.financing && money.own.financing->tax)
    terms.tax = money.own.financing->tax->value;
  const auto& word = money.own.depreciation;
  if (!word || word->value != config::DepreciationWord::kMacrs) return;
  terms.depreciation = economics::Depreciation::kMacrs;
  for (int year = 1; setup.find_fact("macrs", fmt::format("year-{}", year)) != nullptr; ++year)
    terms.macrs.push_back(setup.fact("macrs", fmt::format("year-{}", year)));
}

// What the tokens of each month earn.
void set_revenue(const CostSetup& setup, const config::Growth& growth, int months,
                 YearTerms& terms) {
  if (!setup.money().revenue) return;
  const auto& capacity = setup.terms.capacity;
  const Tokens tokens = capacity.full_plane * capacity.load_factor * kMonth;
  for (int month = 0; month < months; ++month)
    terms.revenue.push_back(setup.money().revenue->value * tokens * growth.after(month));
}

}  // namespace

YearTerms year_terms(CostSetup& setup, const config::Growth& growth, int months,
                     PlanYears& answer) {
  YearTerms terms{.discount = setup.terms.discount};
  set_prices(setup, terms, answer);
  set_books(setup, terms);
  set_revenue(setup, growth, months, terms);
  terms.lead = lead_months(setup);
  return terms;
}

}  // namespace loadfactor::engine
