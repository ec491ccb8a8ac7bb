#include "engine/cost/cost_paths.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/calendar.h"
#include "economics/own_or_rent.h"
#include "engine/cost/cost_answer.h"
#include "engine/cost/way_parts.h"
#include "resolve/terms/cost_dates.h"

namespace loadfactor::engine {
namespace {

using economics::CostFigures;
using economics::OptionFigures;
using economics::PriceCurve;

struct PathOfRents {
  RentPath path;
  PriceCurve rent;
};

// What is bought, used and sold again. One that lives shorter than the horizon is bought anew, so
// its yearly cost goes on.
Dollars present_cost_of_owned(const CostSetup& setup, const WayParts& parts, double rent_at_end) {
  const auto& terms = setup.terms;
  const auto owner = economics::owner_cost_of(terms);
  if (parts.owned <= 0 || !owner) return {};
  const int months = static_cast<int>(std::lround(terms.horizon / kMonth));
  const DollarsPerSecond cost = owner->at(parts.load);
  const bool bought_once = terms.own && terms.horizon <= terms.own->capital.life * 1.001;
  if (!bought_once)
    return monthly(cost) * economics::annuity_factor(terms.discount, months) * parts.owned;
  const double residual = economics::residual_when_sold(terms.own->capital, terms.horizon);
  const economics::OwnOrRent deal{.price = terms.own->capital.price,
                                  .residual = economics::residual_on_path(residual, rent_at_end),
                                  .running = cost - owner->capital,
                                  .discount = terms.discount,
                                  .months = months};
  return economics::present_cost_of_owning(deal) * parts.owned;
}

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
    if (day) current.push_back({*day * kDay / kYear, point.median->base()});
  }
  keep();
  std::sort(best.begin(), best.end(),
            [](const auto& a, const auto& b) { return a.years < b.years; });
  return best;
}

std::optional<economics::PriceProcess> fitted_process(CostSetup& setup) {
  return economics::fit_process(history_of(setup), setup.fact("rent_path", "jump-limit"));
}

std::vector<PathOfRents> paths_of_rents(CostSetup& setup) {
  using Kind = RentPath::Kind;
  std::vector<PathOfRents> paths{{{Kind::kStay}, PriceCurve()}};
  if (!setup.money().path.empty()) paths.push_back({{Kind::kStated}, stated_path(setup)});
  const auto add_drift = [&](double per_year) {
    paths.push_back({{Kind::kDrift, per_year}, PriceCurve::drifting(per_year)});
  };
  add_drift(setup.fact("rent_path", "drift"));
  if (const auto* drift = setup.find_fact("rent_path", "drift")) {
    if (drift->low) add_drift(*drift->low);
    if (drift->high) add_drift(*drift->high);
  }
  const double down = setup.fact("rent_path", "jump-down");
  paths.push_back({{Kind::kJump, down}, PriceCurve::jumping(down, kYear)});
  if (const auto fitted = fitted_process(setup))
    paths.push_back({{Kind::kHistory, fitted->drift}, PriceCurve::drifting(fitted->drift)});
  return paths;
}

// The process of rents: as stated, else as they moved so far, else as the catalogue assumes.
economics::PriceProcess process_of(CostSetup& setup, RentPaths& paths) {
  const auto& ask = setup.money().rent_process;
  const auto fitted = fitted_process(setup);
  paths.basis = fitted ? RentPaths::Basis::kHistory : RentPaths::Basis::kCatalogue;
  economics::PriceProcess process;
  if (fitted) {
    process = *fitted;
  } else {
    process.drift = setup.fact("rent_path", "drift");
    process.volatility = setup.fact("rent_path", "volatility");
    process.jumps = setup.fact("rent_path", "jump-rate");
    process.jump_down = setup.fact("rent_path", "jump-down");
    process.jump_up = setup.fact("rent_path", "jump-up");
    process.down_share = setup.fact("rent_path", "down-share");
  }
  process.reversion = setup.fact("rent_path", "reversion");
  const auto take = [&](const config::Given<double>& given, double& value) {
    if (!given) return;
    value = given->value;
    paths.basis = RentPaths::Basis::kStated;
  };
  take(ask.drift, process.drift);
  take(ask.volatility, process.volatility);
  take(ask.reversion, process.reversion);
  take(ask.jumps, process.jumps);
  take(ask.jump_down, process.jump_down);
  take(ask.jump_up, process.jump_up);
  return process;
}

// Options in the order of the answer: the cheapest first.
std::vector<const OptionFigures*> ordered(const CostSetup& setup, const CostFigures& figures,
                                          const CostAnswer& answer) {
  std::vector<const OptionFigures*> result;
  for (const auto& option : answer.options) {
    for (const auto& candidate : figures.all()) {
      if (option_name(setup, candidate) == option.name && candidate.kind == option.kind) {
        result.push_back(&candidate);
        break;
      }
    }
  }
  return result;
}

void add_regret(CostSetup& setup, const std::vector<const OptionFigures*>& options,
                CostAnswer& answer) {
  for (const auto& path : paths_of_rents(setup)) {
    RegretRow row;
    row.path = path.path;
    for (const auto* option : options)
      row.cost.push_back(present_cost_on(setup, *option, path.rent));
    const Dollars best = *std::min_element(row.cost.begin(), row.cost.end());
    for (const Dollars cost : row.cost) row.regret.push_back(cost - best);
    answer.regret.push_back(std::move(row));
  }
}

Dollars at_share(std::vector<Dollars> values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

// Costs by option and path, summed up.
void write_outcomes(const std::vector<std::vector<Dollars>>& costs, RentPaths& paths) {
  const auto count = static_cast<double>(paths.paths);
  for (std::size_t path = 0; path < costs[0].size(); ++path) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < costs.size(); ++i) {
      if (costs[i][path] < costs[best][path]) best = i;
    }
    paths.options[best].wins += 1.0 / count;
    for (std::size_t i = 0; i < costs.size(); ++i)
      paths.options[i].mean_regret += (costs[i][path] - costs[best][path]) / count;
  }
  for (std::size_t i = 0; i < costs.size(); ++i) {
    paths.options[i].p10 = at_share(costs[i], 0.1);
    paths.options[i].p50 = at_share(costs[i], 0.5);
    paths.options[i].p90 = at_share(costs[i], 0.9);
  }
}

void add_simulated(CostSetup& setup, const std::vector<const OptionFigures*>& options,
                   CostAnswer& answer) {
  constexpr int kPaths = 512;
  RentPaths paths;
  const auto process = process_of(setup, paths);
  paths.paths = kPaths;
  paths.drift = process.drift;
  paths.volatility = process.volatility;
  paths.reversion = process.reversion;
  paths.jumps = process.jumps;
  paths.jump_down = process.jump_down;
  paths.jump_up = process.jump_up;
  for (const auto& option : answer.options) paths.options.push_back({.option = option.name});
  const int months = std::max(1, static_cast<int>(std::lround(setup.terms.horizon / kMonth)));
  std::vector<std::vector<Dollars>> costs(options.size());
  std::vector<Dollars> ends;
  for (int i = 0; i < kPaths; ++i) {
    const RandomStream stream(setup.seed, fmt::format("rent-path-{}", i));
    auto factors = economics::simulate_path(process, months, stream);
    ends.push_back(Dollars::from_base(factors.back()));
    const auto rent = PriceCurve::monthly(std::move(factors));
    for (std::size_t k = 0; k < options.size(); ++k)
      costs[k].push_back(present_cost_on(setup, *options[k], rent));
  }
  paths.end_p10 = at_share(ends, 0.1).base();
  paths.end_p50 = at_share(ends, 0.5).base();
  paths.end_p90 = at_share(ends, 0.9).base();
  write_outcomes(costs, paths);
  answer.rent_paths = std::move(paths);
}

}  // namespace

PriceCurve stated_path(const CostSetup& setup) {
  return setup.money().path.empty() ? PriceCurve() : PriceCurve::yearly(setup.money().path);
}

Dollars present_cost_on(const CostSetup& setup, const OptionFigures& figures,
                        const PriceCurve& rent) {
  const auto& terms = setup.terms;
  const WayParts parts = parts_of(terms, figures);
  const int months = static_cast<int>(std::lround(terms.horizon / kMonth));
  const double step = std::expm1(std::log1p(terms.discount) / 12.0);
  const double term = std::max(1.0, std::round(parts.term / kMonth));
  double worth = 1;
  Dollars sum;
  for (int month = 0; month < months; ++month) {
    worth /= 1.0 + step;
    const Seconds now = kMonth * month;
    DollarsPerSecond cost = parts.fixed;
    if (parts.tokens > DollarsPerSecond())
      cost += parts.tokens / economics::floor_growth(terms.api->half_life, now);
    cost += parts.floating * rent.at(now);
    if (parts.reserved > DollarsPerSecond())
      cost += parts.reserved * rent.at(kMonth * (std::floor(month / term) * term));
    sum += monthly(cost) * worth;
  }
  return sum + present_cost_of_owned(setup, parts, rent.at(terms.horizon));
}

void add_paths(CostSetup& setup, const CostFigures& figures, CostAnswer& answer) {
  const auto options = ordered(setup, figures, answer);
  if (options.empty()) return;
  add_regret(setup, options, answer);
  add_simulated(setup, options, answer);
}

}  // namespace loadfactor::engine
