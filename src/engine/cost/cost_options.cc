// Every way to pay, side by side.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/calendar.h"
#include "economics/own_or_rent.h"
#include "engine/cost/cost_answer.h"
#include "engine/cost/cost_paths.h"

namespace loadfactor::engine {
namespace {

using economics::CostFigures;
using economics::OptionFigures;

std::string sources_of(const CostSetup& setup) {
  std::string all;
  for (const auto& price : setup.prices) all = merged_sources(all, price.source);
  return all;
}

Basis basis_of(const CostSetup& setup) {
  const bool all_assumed = std::all_of(setup.prices.begin(), setup.prices.end(),
                                       [](const UsedPrice& price) { return price.assumed; });
  return all_assumed ? Basis::kAssumed : Basis::kModelled;
}

BreakEvenVerdict verdict_of(double break_even, double load, double most) {
  if (break_even > most) return BreakEvenVerdict::kNever;
  return load >= break_even ? BreakEvenVerdict::kPays : BreakEvenVerdict::kShort;
}

// Deviations of a normal variable on either side that hold nine of ten of its values.
constexpr double kReach = 1.6448536269514722;

// Over all the time that the machines are paid for, whether the run still goes on or not.
double load_over_term(const OptionFigures& figures) {
  if (figures.run <= Seconds()) return figures.load_factor;
  return figures.load_factor * (figures.run / figures.term.held(figures.run));
}

class OptionWriter {
 public:
  OptionWriter(const CostSetup& setup, const economics::Spreads& spreads)
      : setup_(setup), spreads_(spreads), basis_(basis_of(setup)), source_(sources_of(setup)) {}

  CostOption write(const OptionFigures& figures, std::size_t index) const {
    CostOption option;
    option.name = option_name(setup_, figures);
    option.kind = figures.kind;
    option.gpus = figures.gpus;
    option.owned = figures.owned;
    option.reserved = figures.reserved;
    const auto& spread = spreads_.options[index];
    option.wins = spread.wins;
    option.p50_per_month = monthly(DollarsPerSecond::from_base(spread.p50));
    option.mean_per_month = monthly(DollarsPerSecond::from_base(spread.mean_rate));
    option.mean_compared = monthly(DollarsPerSecond::from_base(spread.mean));
    option.per_month = estimate(monthly(figures.cost), spread.low * month(), spread.high * month());
    if (figures.kind != OptionKind::kApi) add_load(figures, spread, option);
    add_work(figures, spread, option);
    add_run(figures, option);
    take_run_as_predicted(option);
    add_present(figures, option);
    return option;
  }

 private:
  static double month() { return kMonth.base(); }

  EstimateOf<Dollars> estimate(Dollars value, double low, double high) const {
    return EstimateOf<Dollars>(value, Dollars::from_base(low), Dollars::from_base(high), basis_,
                               source_);
  }
  EstimateOf<double> ratio(double value, double low, double high) const {
    return EstimateOf<double>(value, low, high, basis_, source_);
  }

  void add_load(const OptionFigures& figures, const economics::OptionSpread& spread,
                CostOption& option) const {
    const auto variation =
        setup_.plan.variations[static_cast<std::size_t>(economics::Factor::kLoad)];
    const double load = load_over_term(figures);
    option.load_factor = ratio(load, std::max(0.0, load * (1 - kReach * variation)),
                               std::min(1.0, load * (1 + kReach * variation)));
    const RunWay* way = way_of_run(figures.kind);
    if (way != nullptr || setup_.load)
      option.load_factor = as_known(load, way != nullptr ? way->share : *setup_.load);
    if (figures.break_even == 0) return;
    option.against = setup_.terms.api ? RivalOption{OptionKind::kApi, setup_.api_name}
                                      : RivalOption{OptionKind::kOnDemand, {}};
    option.verdict = verdict_of(figures.break_even, load, setup_.terms.capacity.most_load);
    if (std::isinf(figures.break_even)) return;
    // An end of the interval at which no load suffices is shown as the last that does.
    const auto bound = [&](double end) { return std::isfinite(end) ? end : figures.break_even; };
    option.break_even =
        ratio(figures.break_even, bound(spread.break_even_low), bound(spread.break_even_high));
    if (!setup_.terms.api) widen_by_quotes(figures.kind, *option.break_even);
    const double growth = figures.break_even_life / figures.break_even;
    option.break_even_life = ratio(figures.break_even_life, option.break_even->low() * growth,
                                   option.break_even->high() * growth);
  }

  // Two rents of one chip move together in the draws, so that they alone would leave the ratio
  // without error. How far the two lie apart differs between those who sell both.
  void widen_by_quotes(OptionKind kind, EstimateOf<double>& even) const {
    const auto here = rent_over_on_demand(setup_, kind);
    if (!here) return;
    double low = even.low();
    double high = even.high();
    for (const double ratio_of_provider : quoted_ratios(setup_, kind)) {
      low = std::min(low, even.value() * ratio_of_provider / *here);
      high = std::max(high, even.value() * ratio_of_provider / *here);
    }
    // Where nobody quotes another ratio, each of the two rents is as uncertain as any rent.
    if (high - low < 1e-9 * even.value()) {
      const auto rent = setup_.plan.variations[static_cast<std::size_t>(economics::Factor::kRent)];
      const double wider = std::exp(kReach * std::sqrt(2.0) * rent);
      low = even.value() / wider;
      high = even.value() * wider;
    }
    even = ratio(even.value(), low, high);
  }

  void add_work(const OptionFigures& figures, const economics::OptionSpread& spread,
                CostOption& option) const {
    const auto& capacity = setup_.terms.capacity;
    const double busy = capacity.gpus * capacity.load_factor;
    const Dollars hour = figures.compared * kHour / busy;
    const double relative_low = spread.p50 > 0 ? spread.low / spread.p50 : 1.0;
    const double relative_high = spread.p50 > 0 ? spread.high / spread.p50 : 1.0;
    option.per_useful_gpu_hour =
        estimate(hour, hour.base() * relative_low, hour.base() * relative_high);
    const TokensPerSecond carried = capacity.full_plane * capacity.load_factor;
    if (carried <= TokensPerSecond()) return;
    const double million = 1e6;
    const DollarsPerToken price = figures.compared / carried;
    option.per_mtoken = estimate(price * Tokens::from_base(million), spread.per_work_low * million,
                                 spread.per_work_high * million);
    option.p50_per_mtoken = Dollars::from_base(spread.per_work_p50 * million);
    split_tokens(figures, price, option);
  }

  // In, cached and out: the API's own prices; for machines in the proportion of those prices.
  void split_tokens(const OptionFigures& figures, DollarsPerToken price, CostOption& option) const {
    if (!setup_.terms.api) return;
    const auto& api = *setup_.terms.api;
    const double scale =
        figures.kind == OptionKind::kApi ? 1.0 : price / economics::blended_price(api);
    const Tokens million = Tokens::from_base(1e6);
    option.per_mtoken_in = api.input * scale * million;
    option.per_mtoken_cached = api.cached * scale * million;
    option.per_mtoken_out = api.output * scale * million;
  }

  // What the run computes, filling included, where it is known; else what is written.
  Tokens tokens_of_run() const {
    const auto& capacity = setup_.terms.capacity;
    const auto& train = setup_.scenario.train;
    if (capacity.run && capacity.run->tokens > Tokens()) return capacity.run->tokens;
    return train && train->tokens ? train->tokens->value : Tokens();
  }

  void add_run(const OptionFigures& figures, CostOption& option) const {
    const auto& capacity = setup_.terms.capacity;
    const TokensPerSecond carried = capacity.full_plane * capacity.load_factor;
    const Tokens work = tokens_of_run();
    if (work > Tokens() && carried > TokensPerSecond())
      option.per_run = figures.compared * (work / carried);
    else if (setup_.money().training)
      option.per_run = figures.cost / capacity.gpus / capacity.load_factor *
                       (setup_.money().training->work.value / Gpus::from_base(1.0));
    if (figures.run <= Seconds()) return;
    option.run_time = figures.run;
    const auto& term = figures.term;
    if (term.outlasts(figures.run) || term.is_renewed(figures.run))
      option.term = OptionTerm{term.commitment, figures.run, term.is_renewed(figures.run)};
  }

  // The run by this way, as whoever predicts it has it.
  const RunWay* way_of_run(OptionKind kind) const {
    if (!setup_.run) return nullptr;
    const OptionKind as = kind == OptionKind::kManaged ? OptionKind::kOnDemand : kind;
    const auto& ways = setup_.run->ways;
    const auto found =
        std::find_if(ways.begin(), ways.end(), [as](const RunWay& way) { return way.kind == as; });
    return found == ways.end() ? nullptr : &*found;
  }

  // A load with the interval of one that is as far from known.
  static EstimateOf<double> as_known(double load, const EstimateOf<double>& known) {
    if (known.value() <= 0) return EstimateOf<double>::exact(load, known.basis(), known.source());
    const double times = load / known.value();
    return {load, known.low() * times, std::max(load, std::min(1.0, known.high() * times)),
            known.basis(), known.source()};
  }

  // A run that `train` predicts has one time and one price, with one interval each.
  void take_run_as_predicted(CostOption& option) const {
    constexpr double kSame = 1e-6;
    const RunWay* way = way_of_run(option.kind);
    if (way == nullptr || !way->duration || !option.run_time) return;
    if (std::abs(*option.run_time / way->duration->value() - 1) > kSame) return;
    option.run_duration = *way->duration;
    const bool same_price = way->cost && option.per_run && *option.per_run > Dollars() &&
                            std::abs(way->cost->value() / *option.per_run - 1) <= kSame;
    if (!same_price) return;
    option.run_cost = *way->cost;
    if (!option.per_mtoken) return;
    const Dollars each = option.per_mtoken->value();
    const double times = each / way->cost->value();
    option.per_mtoken = EstimateOf<Dollars>(each, way->cost->low() * times,
                                            way->cost->high() * times, basis_, source_);
  }

  void add_present(const OptionFigures& figures, CostOption& option) const {
    const int months = static_cast<int>(std::lround(setup_.terms.horizon / kMonth));
    const double annuity = economics::annuity_factor(setup_.terms.discount, months);
    option.present_cost = figures.kind == OptionKind::kApi
                              ? monthly(figures.cost) * annuity
                              : present_cost_on(setup_, figures, economics::PriceCurve());
    option.expected_present_cost = present_cost_on(setup_, figures, stated_path(setup_));
    const auto& own = setup_.terms.own;
    if (figures.kind != OptionKind::kOwn || !own) return;
    const auto owner = *economics::owner_cost_of(setup_.terms);
    const double load = setup_.terms.capacity.load_factor;
    const economics::OwnOrRent deal{.price = own->capital.price,
                                    .residual = own->capital.residual,
                                    .running = owner.at(load) - owner.capital,
                                    .load_factor = load,
                                    .discount = setup_.terms.discount,
                                    .months = months};
    add_payback(deal, figures, option);
  }

  // Against the cheapest of the others that bind nobody: rent on demand, or the API.
  void add_payback(economics::OwnOrRent deal, const OptionFigures& figures,
                   CostOption& option) const {
    const auto rent = economics::effective_rent(setup_.terms, OptionKind::kOnDemand);
    if (rent) {
      deal.rent = *rent;
    } else if (const auto api = economics::api_price_of_full_plane(setup_.terms)) {
      deal.rent = *api / figures.gpus;
    } else {
      return;
    }
    option.payback = economics::payback_time(deal);
  }

  const CostSetup& setup_;
  const economics::Spreads& spreads_;
  Basis basis_;
  std::string source_;
};

void add_break_evens(const CostSetup& setup, const OptionFigures& figures, CostAnswer& answer) {
  if (figures.kind == OptionKind::kApi || figures.full_plane.base() < 0) return;
  const auto& terms = setup.terms;
  const double load = load_over_term(figures);
  const OptionName name = option_name(setup, figures);
  const auto add = [&](RivalOption against, DollarsPerSecond fixed, DollarsPerSecond price,
                       double growth) {
    const double today = economics::break_even_against(fixed, figures.working, price);
    answer.break_evens.push_back({name, std::move(against), today, today * growth,
                                  verdict_of(today * growth, load, terms.capacity.most_load)});
  };
  const double tokens = terms.capacity.full_plane > TokensPerSecond()
                            ? figures.full_plane / terms.capacity.full_plane
                            : 1.0;
  if (const auto api = economics::api_price_of_full_plane(terms))
    add({OptionKind::kApi, setup.api_name}, figures.fixed, *api * tokens,
        economics::life_multiplier(terms.api->half_life, figures.committed, terms.discount));
  const bool binds = figures.committed > Seconds();
  if (!binds) return;
  const double gpus = terms.capacity.gpus > 0 ? figures.gpus / terms.capacity.gpus : 1.0;
  // Nobody sells reserved machines by the hour that they are used.
  for (const OptionKind kind : {OptionKind::kOnDemand, OptionKind::kSpot}) {
    if (kind == figures.kind) continue;
    const bool asked = (setup.asked & economics::bit(kind)) != 0;
    const auto price = economics::hourly_price_of_full_plane(terms, kind);
    if (asked && price) add({kind, {}}, figures.fixed - terms.people, *price * gpus, 1.0);
  }
}

}  // namespace

OptionName option_name(const CostSetup& setup, const OptionFigures& figures) {
  const auto& money = setup.money();
  OptionName name{.kind = figures.kind,
                  .gpus = figures.gpus,
                  .owned = figures.owned,
                  .reserved = figures.reserved};
  if (figures.kind == OptionKind::kAlternative)
    name.of = money.alternatives[figures.alternative].name.value;
  else if (figures.kind == OptionKind::kApi)
    name.of = setup.api_name;
  else if (setup.chip != nullptr)
    name.of = setup.chip->name;
  if (figures.kind == OptionKind::kManaged && money.rent.platform)
    name.platform = money.rent.platform->value;
  return name;
}

void add_options(const CostSetup& setup, const CostFigures& figures,
                 const economics::Spreads& spreads, CostAnswer& answer) {
  answer.draws = setup.draws;
  answer.worth_of_knowing_all = monthly(DollarsPerSecond::from_base(spreads.value_of_knowing_all));
  for (const auto& row : economics::factor_rows()) {
    const auto i = static_cast<std::size_t>(row.factor);
    answer.inputs.push_back({row.factor, setup.plan.variations[i], 0, 0,
                             monthly(DollarsPerSecond::from_base(spreads.value_of_knowing[i]))});
  }
  const OptionWriter writer(setup, spreads);
  std::vector<std::size_t> order(figures.count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return figures.options[a].compared < figures.options[b].compared;
  });
  for (const std::size_t i : order) {
    answer.options.push_back(writer.write(figures.options[i], i));
    add_break_evens(setup, figures.options[i], answer);
  }
  answer.unpriced = setup.unpriced;
}

}  // namespace loadfactor::engine
