// What would change the answer: paths of prices, one input at a time, and all of them together.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "economics/own_or_rent.h"
#include "economics/periods.h"
#include "economics/price_path.h"
#include "engine/cost_answer.h"
#include "engine/cost_dates.h"

namespace loadfactor::engine {
namespace {

using economics::CostFigures;
using economics::kMonth;
using economics::OptionFigures;
using economics::OptionKind;
using economics::PriceCurve;

struct NamedPath {
  std::string name;
  PriceCurve rent;
};

// The longest history of this chip's rent at one provider.
std::vector<economics::DatedPrice> history_of(const CostSetup& setup) {
  std::vector<economics::DatedPrice> best;
  std::vector<economics::DatedPrice> current;
  std::string provider;
  const auto keep = [&] {
    if (current.size() > best.size()) best = current;
    current.clear();
  };
  for (const auto& point : setup.catalog->prices().history) {
    if (setup.chip == nullptr || point.accelerator != setup.chip->name || !point.median) continue;
    if (point.provider != provider) keep();
    provider = point.provider;
    const auto day = day_number(point.date);
    if (day) current.push_back({*day / 365.25, point.median->base()});
  }
  keep();
  std::sort(best.begin(), best.end(),
            [](const auto& a, const auto& b) { return a.years < b.years; });
  return best;
}

std::vector<NamedPath> paths_of(CostSetup& setup) {
  std::vector<NamedPath> paths{{"rents stay", PriceCurve()}};
  if (!setup.money().path.empty())
    paths.push_back({"your curve", PriceCurve::yearly(setup.money().path)});
  const auto* drift = setup.find_fact("rent_path", "drift");
  if (drift == nullptr) return paths;
  const auto add_drift = [&](double per_year) {
    paths.push_back({fmt::format("rents {} {:.0f} % a year", per_year < 0 ? "fall" : "rise",
                                 100 * std::abs(per_year)),
                     PriceCurve::drifting(per_year)});
  };
  add_drift(setup.fact("rent_path", "drift"));
  if (drift->low) add_drift(*drift->low);
  if (drift->high) add_drift(*drift->high);
  const double down = setup.fact("rent_path", "jump-down");
  paths.push_back({fmt::format("rents drop {:.0f} % after a year", -100 * down),
                   PriceCurve::jumping(down, economics::kYear)});
  const auto history = history_of(setup);
  if (const auto fitted = economics::fit_process(history, 0.25))
    paths.push_back({fmt::format("as rents moved so far ({:+.0f} % a year)", 100 * fitted->drift),
                     PriceCurve::drifting(fitted->drift)});
  return paths;
}

// Present cost of an option over the horizon on a path of rents; tokens fall by their half-life.
Dollars present_cost(const CostSetup& setup, const OptionFigures& figures, const PriceCurve& rent) {
  const auto& terms = setup.terms;
  const int months = static_cast<int>(std::lround(terms.horizon / kMonth));
  const double rate = std::expm1(std::log1p(terms.discount) / 12.0);
  const bool rented = figures.kind <= OptionKind::kSpot || figures.kind == OptionKind::kManaged ||
                      figures.kind == OptionKind::kAutoscaled;
  const bool fixed_price = figures.committed >= terms.horizon;
  double worth = 1;
  double factors = 0;
  for (int month = 0; month < months; ++month) {
    worth /= 1.0 + rate;
    const Seconds now = kMonth * month;
    double factor = 1;
    if (figures.kind == OptionKind::kApi) {
      factor = 1.0 / economics::floor_growth(terms.api->half_life, now);
    } else if (rented && !fixed_price) {
      // A reservation is renewed at the rent of the day.
      const double term = figures.committed / kMonth;
      const Seconds signed_at = term > 0 ? kMonth * (std::floor(month / term) * term) : now;
      factor = rent.at(signed_at);
    }
    factors += factor * worth;
  }
  if (figures.kind != OptionKind::kOwn || !terms.own) return monthly(figures.cost) * factors;
  const auto owner = *economics::owner_cost_of(terms);
  const double load = terms.capacity.load_factor;
  const double residual =
      economics::residual_on_path(terms.own->capital.residual, rent.at(terms.horizon));
  const economics::OwnOrRent deal{.price = terms.own->capital.price,
                                  .residual = residual,
                                  .running = owner.at(load) - owner.capital,
                                  .discount = terms.discount,
                                  .months = months};
  return economics::present_cost_of_owning(deal) * figures.gpus + monthly(terms.people) * factors;
}

// Options in the order of the answer: the cheapest first.
std::vector<const OptionFigures*> ordered(const CostSetup& setup, const CostFigures& figures,
                                          const CostAnswer& answer) {
  std::vector<const OptionFigures*> result;
  for (const auto& option : answer.options) {
    for (const auto& candidate : figures.all()) {
      if (option_name(setup, candidate) == option.name &&
          kind_name(candidate.kind) == option.kind) {
        result.push_back(&candidate);
        break;
      }
    }
  }
  return result;
}

void add_regret(CostSetup& setup, const CostFigures& figures, CostAnswer& answer) {
  const auto options = ordered(setup, figures, answer);
  for (const auto& path : paths_of(setup)) {
    RegretRow row;
    row.path = path.name;
    for (const auto* option : options) row.cost.push_back(present_cost(setup, *option, path.rent));
    if (row.cost.empty()) continue;
    const Dollars best = *std::min_element(row.cost.begin(), row.cost.end());
    for (const Dollars cost : row.cost) row.regret.push_back(cost - best);
    answer.regret.push_back(std::move(row));
  }
}

void add_tornado(const CostSetup& setup, const CostFigures& figures, CostAnswer& answer) {
  const double unit = setup.terms.capacity.full_plane > TokensPerSecond() ? 1e6 : 3600.0;
  const auto rows = economics::factor_rows();
  const auto bars =
      economics::tornado(setup.terms, setup.asked, figures.cheapest, setup.plan.variations);
  for (const auto& bar : bars) {
    TornadoRow row;
    row.input = std::string(rows[static_cast<std::size_t>(bar.factor)].name);
    row.low = bar.low_value;
    row.high = bar.high_value;
    row.at_low = Dollars::from_base(bar.at_low * unit);
    row.at_high = Dollars::from_base(bar.at_high * unit);
    row.cheapest_low = option_name(setup, figures.options[bar.cheapest_low]);
    row.cheapest_high = option_name(setup, figures.options[bar.cheapest_high]);
    answer.tornado.push_back(std::move(row));
  }
}

}  // namespace

void add_risk(CostSetup& setup, const CostFigures& figures, CostAnswer& answer) {
  if (figures.count == 0) return;
  add_regret(setup, figures, answer);
  add_tornado(setup, figures, answer);
  economics::DrawPlan plan = setup.plan;
  plan.draws = std::max<std::size_t>(256, plan.draws / 4);
  const auto shares = economics::sensitivity(setup.terms, setup.asked, figures.cheapest, plan);
  for (std::size_t i = 0; i < answer.inputs.size(); ++i) {
    answer.inputs[i].first = shares.first[i];
    answer.inputs[i].total = shares.total[i];
  }
}

}  // namespace loadfactor::engine
