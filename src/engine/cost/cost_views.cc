// Other views of the same terms: the purchase as three people count it, and spot's interruptions.
#include "base/calendar.h"
#include "economics/capital.h"
#include "engine/cost/cost_answer.h"

namespace loadfactor::engine {

void add_capital(CostSetup& setup, CostAnswer& answer) {
  if (!setup.terms.own) return;
  const auto& capital = setup.terms.own->capital;
  CapitalViews views;
  views.annuity = economics::capital_cost(capital) * kHour;
  views.book = economics::book_cost(capital) * kHour;
  const double rate = economics::decay_rate(setup.fact("market_decay", "price-performance"));
  views.market = economics::market_loss(capital.price, rate, capital.life) / capital.life * kHour;
  views.discount = capital.discount;
  views.basis = setup.discount_basis;
  if (setup.financing) {
    views.debt_rate = setup.financing->debt_rate;
    views.debt_share = setup.financing->debt_share;
    views.equity_rate = setup.financing->equity_rate;
  }
  answer.capital = views;
}

void add_spot(const CostSetup& setup, CostAnswer& answer) {
  const auto& rent = setup.terms.rent[static_cast<std::size_t>(OptionKind::kSpot)];
  const auto& terms = setup.terms.spot;
  const bool asked = (setup.asked & economics::bit(OptionKind::kSpot)) != 0;
  if (!rent || !asked || terms.hazard <= Hertz()) return;
  SpotAnswer spot;
  spot.gang = terms.gang;
  spot.between_interruptions = 1.0 / (terms.hazard * terms.gang);
  spot.multiplier = economics::spot_multiplier(terms);
  const auto& run = setup.terms.capacity.run;
  const auto way = run ? run->ways[static_cast<std::size_t>(OptionKind::kSpot)] : std::nullopt;
  if (run && !way) return;
  if (way) spot.multiplier = 1.0 / (setup.terms.capacity.load_factor * way->relative);
  spot.waiting_share = economics::spot_waiting_share(terms);
  if (setup.terms.delay > DollarsPerSecond())
    spot.delay_per_month = monthly(setup.terms.delay * spot.waiting_share);
  answer.spot = spot;
}

}  // namespace loadfactor::engine
