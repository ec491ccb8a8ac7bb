#include "engine/years/plan_years.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "economics/uncertainty.h"
#include "engine/years/long_ways.h"
#include "engine/years/year_terms.h"
#include "resolve/terms/machine_draw.h"

namespace loadfactor::engine {
namespace {

using economics::LongPlan;
using economics::YearTerms;

constexpr int kMonthsPerYear = 12;
constexpr int kHalfYear = 6;
constexpr std::size_t kBest = 12;       // Ways between which changes are tried.
constexpr double kWorthAChange = 0.01;  // The share of the cost that a change has to save.

// What a way costs at the ends of its interval, over what it costs.
struct CostEnds {
  LongRunWay way;
  double low = 1;
  double high = 1;
};
// What is not known of prices: today's by way, how rents move from then on, and energy.
struct PriceEnds {
  std::vector<CostEnds> ways;
  std::vector<economics::PriceCurve> rents;  // Slower and faster than expected; none where stated.
  std::vector<Seconds> half_lives;           // The same of tokens.
  economics::FactorEnds energy;              // Over what is expected.

  // A way that the plan of today does not list is as uncertain as any with the same machines.
  CostEnds of(const LongRunWay& way) const {
    CostEnds widest{way};
    for (const CostEnds& ends : ways) {
      if (ends.way == way) return ends;
      if (ends.way.accelerator != way.accelerator) continue;
      widest.low = std::min(widest.low, ends.low);
      widest.high = std::max(widest.high, ends.high);
    }
    return widest;
  }
};

// Energy is as far from known as the PUE.
economics::FactorEnds energy_ends(CostSetup& setup) {
  return economics::pue_ends(machine_draw(setup).pue, setup.plan.variations);
}

// As far from known as a month of the same way is in the plan.
PriceEnds price_ends(CostSetup& setup, const PlanAnswer& plan) {
  PriceEnds ends;
  for (const PlanOption& option : plan.options) {
    const auto& month = option.cost.per_month;
    if (month.value() <= Dollars()) continue;
    const bool is_api = option.cost.kind == OptionKind::kApi;
    ends.ways.push_back({{option.cost.kind, option.accelerator, is_api ? option.cost.name.of : ""},
                         month.low() / month.value(),
                         month.high() / month.value()});
  }
  const catalog::Fact* const drift = setup.find_fact("rent_path", "drift");
  if (setup.money().path.empty() && drift != nullptr)
    for (const auto& end : {drift->low, drift->high})
      if (end) ends.rents.push_back(economics::PriceCurve::drifting(*end));
  const catalog::Fact* const half_life = setup.find_fact("api_price_half_life", "mid");
  if (setup.terms.api && setup.terms.api->half_life <= Seconds() && half_life != nullptr)
    for (const auto& end : {half_life->low, half_life->high})
      if (end) ends.half_lives.push_back(kYear * *end);
  ends.energy = energy_ends(setup);
  return ends;
}

// The same way at other prices of today.
economics::LongWay repriced(economics::LongWay way, double times, double energy) {
  way.capital.price = way.capital.price * times;
  for (economics::WayMonth& month : way.months) {
    for (const auto part : {&economics::WayMonth::capital, &economics::WayMonth::running,
                            &economics::WayMonth::fixed, &economics::WayMonth::floating,
                            &economics::WayMonth::reserved, &economics::WayMonth::tokens})
      month.*part = month.*part * times;
    month.energy = month.energy * energy;
  }
  return way;
}

// Keeps what is better, figure by figure.
template <typename Better>
void keep(const economics::YearsResult& other, Better better, economics::YearsResult& kept) {
  using economics::YearBook;
  const auto take = [&](const auto& value, auto& place) {
    if (better(value, place)) place = value;
  };
  take(other.cash, kept.cash);
  take(other.npv, kept.npv);
  for (std::size_t i = 0; i < kept.years.size(); ++i) {
    for (const auto figure :
         {&YearBook::cost, &YearBook::purchases, &YearBook::resale, &YearBook::operating,
          &YearBook::revenue, &YearBook::cash, &YearBook::depreciation, &YearBook::disposal,
          &YearBook::profit, &YearBook::tax})
      take(other.years[i].*figure, kept.years[i].*figure);
    take(other.years[i].energy, kept.years[i].energy);
  }
}

class YearsPlanner {
 public:
  YearsPlanner(std::vector<NamedWay> ways, YearTerms terms, PriceEnds ends)
      : ways_(std::move(ways)), terms_(std::move(terms)), ends_(std::move(ends)) {}

  // Single ways, the best first; the one that bridges a delivery is the best that owns nothing.
  void count_ways() {
    for (const NamedWay& way : ways_)
      if (!way.way.owns() && way.from == 0) plans_.push_back(count({&way.way}, way, nullptr, 0));
    sort();
    if (!plans_.empty()) bridge_ = find(plans_.front().first);
    // Machines that come too late, or that nothing bridges, are no way to have the work done.
    const int months = ways_.empty() ? 0 : static_cast<int>(ways_.front().way.months.size());
    if (terms_.lead >= months || (terms_.lead > 0 && bridge_ == nullptr)) return;
    for (const NamedWay& way : ways_)
      if (way.way.owns() && way.from == 0)
        plans_.push_back(count({.first = &way.way, .bridge = bridge()}, way, nullptr, 0));
    sort();
  }

  // Machines that are announced follow the best way until then, as soon as they are there.
  void add_coming(int months) {
    std::vector<LongRunPlan> later;
    for (const NamedWay& way : ways_) {
      const bool is_late = terms_.lead > 0 && way.way.owns() && bridge_ == nullptr;
      if (way.from == 0 || way.from >= months || is_late) continue;
      std::optional<LongRunPlan> best;
      for (const LongRunPlan& now : plans_) {
        auto plan = changed(*find(now.first), way, way.from);
        if (!best || plan.money.npv > best->money.npv) best = std::move(plan);
      }
      if (best) later.push_back(*std::move(best));
    }
    std::move(later.begin(), later.end(), std::back_inserter(plans_));
    sort();
  }

  // The best change from one of the best ways to another, where it beats all single ones by enough
  // to be worth the trouble.
  void add_best_change(int months) {
    std::optional<LongRunPlan> best;
    const std::size_t tried = std::min(plans_.size(), kBest);
    for (std::size_t i = 0; i < tried; ++i) {
      for (std::size_t j = 0; j < tried; ++j) {
        const NamedWay& then = *find(last_of(plans_[j]));
        if (plans_[i].then || i == j) continue;
        for (int change = kHalfYear; change < months; change += kHalfYear) {
          if (change < then.from) continue;
          auto plan = changed(*find(plans_[i].first), then, change);
          if (!best || plan.money.npv > best->money.npv) best = std::move(plan);
        }
      }
    }
    if (!best) return;
    const auto single = std::find_if(plans_.begin(), plans_.end(),
                                     [](const LongRunPlan& plan) { return !plan.then; });
    const bool is_known = std::any_of(plans_.begin(), plans_.end(), [&](const LongRunPlan& plan) {
      return plan.first == best->first && plan.then == best->then && plan.change == best->change;
    });
    if (is_known || !is_worth_it(*best, *single)) return;
    plans_.insert(plans_.begin(), *std::move(best));
    sort();
  }

  // A change that hardly saves anything is no advice: the best single way comes first then.
  void put_advice_first() {
    const auto single = std::find_if(plans_.begin(), plans_.end(),
                                     [](const LongRunPlan& plan) { return !plan.then; });
    if (single == plans_.end() || is_worth_it(plans_.front(), *single)) return;
    std::rotate(plans_.begin(), single, single + 1);
  }

  // Owning at once, and owning after half a year of the best way that owns nothing.
  void add_waiting(PlanYears& answer, int months) const {
    const auto own = std::find_if(plans_.begin(), plans_.end(), [](const LongRunPlan& plan) {
      return !plan.then && plan.first.kind == OptionKind::kOwn;
    });
    if (own == plans_.end() || bridge_ == nullptr || months <= kHalfYear) return;
    answer.buy_now = *own;
    answer.wait = changed(*bridge_, *find(own->first), kHalfYear);
    add_range(*answer.buy_now);
    add_range(*answer.wait);
    answer.wait_months = kHalfYear;
  }

  std::vector<LongRunPlan> take() {
    for (LongRunPlan& plan : plans_) add_range(plan);
    return std::move(plans_);
  }

  // The lowest and the highest of every figure, over the ends of prices.
  void add_range(LongRunPlan& plan) const {
    plan.lowest = plan.highest = plan.money;
    for (const bool is_low : {true, false}) {
      std::vector<economics::PriceCurve> rents = ends_.rents;
      rents.push_back(terms_.rent);
      std::vector<Seconds> half_lives = ends_.half_lives;
      half_lives.push_back(terms_.half_life);
      for (const economics::PriceCurve& rent : rents)
        for (const Seconds half_life : half_lives) {
          const auto then = at_end(plan, is_low, rent, half_life);
          keep(then, std::less<>(), plan.lowest);
          keep(then, std::greater<>(), plan.highest);
        }
    }
  }
  bool empty() const { return plans_.empty(); }

 private:
  static bool is_worth_it(const LongRunPlan& change, const LongRunPlan& stay) {
    const Dollars saved = change.money.npv - stay.money.npv;
    return saved.base() > std::abs(stay.money.npv.base()) * kWorthAChange;
  }

  economics::LongWay at_end(const NamedWay& way, bool is_low) const {
    const CostEnds ends = ends_.of(way.name);
    return is_low ? repriced(way.way, ends.low, ends_.energy.low)
                  : repriced(way.way, ends.high, ends_.energy.high);
  }
  economics::YearsResult at_end(const LongRunPlan& plan, bool is_low,
                                const economics::PriceCurve& rent, Seconds half_life) const {
    const auto first = at_end(*find(plan.first), is_low);
    const auto then = plan.then ? at_end(*find(*plan.then), is_low) : economics::LongWay();
    const auto between = bridge_ != nullptr ? at_end(*bridge_, is_low) : economics::LongWay();
    YearTerms terms = terms_;
    terms.rent = rent;
    terms.half_life = half_life;
    return economics::count_years({.first = &first,
                                   .then = plan.then ? &then : nullptr,
                                   .change = plan.change,
                                   .bridge = bridge_ != nullptr ? &between : nullptr},
                                  terms);
  }

  LongRunPlan count(const LongPlan& plan, const NamedWay& first, const NamedWay* then,
                    int change) const {
    return {.first = first.name,
            .then = then != nullptr ? std::optional(then->name) : std::nullopt,
            .change = change,
            .money = economics::count_years(plan, terms_)};
  }
  static const LongRunWay& last_of(const LongRunPlan& plan) {
    return plan.then ? *plan.then : plan.first;
  }
  LongRunPlan changed(const NamedWay& first, const NamedWay& then, int change) const {
    return count({&first.way, &then.way, change, bridge()}, first, &then, change);
  }
  const economics::LongWay* bridge() const { return bridge_ ? &bridge_->way : nullptr; }
  const NamedWay* find(const LongRunWay& name) const {
    const auto found = std::find_if(ways_.begin(), ways_.end(),
                                    [&](const NamedWay& way) { return way.name == name; });
    return found == ways_.end() ? nullptr : &*found;
  }
  void sort() {
    std::stable_sort(plans_.begin(), plans_.end(),
                     [](const auto& a, const auto& b) { return a.money.npv > b.money.npv; });
  }

  std::vector<NamedWay> ways_;
  YearTerms terms_;
  PriceEnds ends_;
  std::vector<LongRunPlan> plans_;
  const NamedWay* bridge_ = nullptr;
};

std::vector<double> traffic_by_year(const config::Growth& growth, int years) {
  std::vector<double> traffic;
  for (int year = 0; year < years; ++year) {
    double sum = 0;
    for (int month = 0; month < kMonthsPerYear; ++month)
      sum += growth.after(year * kMonthsPerYear + month);
    traffic.push_back(sum / kMonthsPerYear);
  }
  return traffic;
}

Error not_a_service() {
  return Error{.code = lf::kUsage,
               .message = "--years plans a service that machines can be sized for",
               .hint = "give a scenario whose `serve` has a demand, and ways to pay with prices"};
}

// No way lasts: growth needs more machines than are allowed, or those that are bought come late.
Error no_way(const PlanYears& answer) {
  if (!answer.outgrown.empty())
    return Error{.code = lf::kUsage,
                 .message = fmt::format("from month {} on no way to pay has enough GPUs",
                                        answer.outgrown.front().month + 1),
                 .hint =
                     "raise limits.gpus, lower serve.demand.growth, or allow the API in "
                     "money.options"};
  if (!answer.coming.empty())
    return Error{
        .code = lf::kUsage,
        .message = fmt::format("{} is announced for {}, and nothing bridges the time until "
                               "then",
                               answer.coming.front().accelerator, answer.coming.front().year),
        .hint = "add hardware that is there, or allow api in money.options"};
  if (answer.lead > 0)
    return Error{.code = lf::kUsage,
                 .message = fmt::format("machines work only after {} months, and nothing bridges "
                                        "that time",
                                        answer.lead),
                 .hint = "allow on-demand or api in money.options, or shorten money.own.lead_time"};
  return not_a_service();
}

}  // namespace

Result<PlanYears> plan_years(const catalog::Catalog& catalog, const PlanAnswer& plan, int years) {
  if (!plan.ground || plan.ground->rows.empty()) return not_a_service();
  const config::Scenario& scenario = plan.ground->rows.front().request.scenario;
  const auto& demand = scenario.serve->demand;
  const config::Growth growth = demand && demand->growth ? *demand->growth : config::Growth();
  LongWays ways(catalog, *plan.ground, growth);
  const auto setup = ways.today();
  if (!setup) return not_a_service();
  const int months = years * kMonthsPerYear;
  PlanYears answer;
  const YearTerms terms = year_terms(*setup, growth, months, answer);
  answer.traffic = traffic_by_year(growth, years);
  answer.discount = terms.discount;
  answer.tax = terms.tax;
  answer.is_macrs = terms.depreciation == economics::Depreciation::kMacrs;
  answer.lead = terms.lead;
  answer.electricity = electricity_price(*setup);
  if (setup->region != nullptr && setup->region->carbon_grams_per_kwh)
    answer.grams_per_kwh = *setup->region->carbon_grams_per_kwh;
  auto found = ways.over(months, answer.outgrown);
  answer.coming = delay_announced(catalog, setup->today, found);
  YearsPlanner planner(std::move(found), terms, price_ends(*setup, plan));
  planner.count_ways();
  if (planner.empty()) return no_way(answer);
  planner.add_waiting(answer, months);
  planner.add_coming(months);
  planner.add_best_change(months);
  planner.put_advice_first();
  answer.plans = planner.take();
  return answer;
}

}  // namespace loadfactor::engine
