// What follows from the figures: other loads, the next GPU, rent against own, the size of a run.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/calendar.h"
#include "economics/mix.h"
#include "economics/own_or_rent.h"
#include "economics/porting.h"
#include "economics/training_size.h"
#include "economics/waiting.h"
#include "engine/cost/cost_answer.h"

namespace loadfactor::engine {
namespace {

using economics::CostFigures;
using economics::OptionFigures;

// The machine whose emptiness is in question: owned, else rented.
const OptionFigures* machine_of(const CostFigures& figures) {
  for (const OptionKind kind : {OptionKind::kOwn, OptionKind::kOnDemand, OptionKind::kReserved1y,
                                OptionKind::kReserved3y, OptionKind::kSpot}) {
    if (const auto* found = figures.find(kind)) return found;
  }
  return nullptr;
}

void add_loads(const CostSetup& setup, const OptionFigures& machine, CostAnswer& answer) {
  constexpr std::array kLoads{0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0};
  std::vector<double> loads(kLoads.begin(), kLoads.end());
  loads.push_back(setup.terms.capacity.load_factor);
  std::sort(loads.begin(), loads.end());
  loads.erase(std::unique(loads.begin(), loads.end(),
                          [](double a, double b) { return std::abs(a - b) < 1e-9; }),
              loads.end());
  const DollarsPerSecond full = machine.fixed + machine.working;
  for (const double load : loads) {
    const DollarsPerSecond cost = machine.fixed + machine.working * load;
    LoadRow row;
    row.load_factor = load;
    row.per_useful_gpu_hour = cost * kHour / (machine.gpus * load);
    if (machine.full_plane > TokensPerSecond())
      row.per_mtoken = cost / (machine.full_plane * load) * Tokens::from_base(1e6);
    row.multiple = cost / load / full;
    answer.loads.push_back(row);
  }
}

// The work of a rented machine is worth at least what is paid for it; of an owned one, its rent.
DollarsPerSecond hourly_worth(const CostSetup& setup, const OptionFigures& machine) {
  const auto rent = economics::effective_rent(setup.terms, OptionKind::kOnDemand);
  if (rent) return *rent;
  return (machine.fixed - setup.terms.people + machine.working) / machine.gpus;
}

// One GPU more earns what demand it can still serve; one less saves its cost while the others can
// carry its work.
void add_marginal(const CostSetup& setup, const OptionFigures& machine, CostAnswer& answer) {
  const auto& capacity = setup.terms.capacity;
  const DollarsPerSecond cost =
      (machine.fixed - setup.terms.people + machine.working * machine.load_factor) / machine.gpus;
  MarginalGpu marginal;
  const TokensPerSecond per_gpu = capacity.full_plane / capacity.gpus;
  const DollarsPerToken worth =
      setup.terms.api ? economics::blended_price(*setup.terms.api) : DollarsPerToken();
  // What a full GPU's work fetches: the tokens of the API, else the rent of the hours.
  const DollarsPerSecond work = setup.terms.api ? per_gpu * worth : hourly_worth(setup, machine);
  marginal.add =
      monthly(economics::next_serving_gpu_value(capacity.unserved, per_gpu, worth, cost));
  const double spare = capacity.by_hour.empty() ? capacity.gpus * (1 - capacity.load_factor)
                                                : capacity.gpus - capacity.by_hour.peak();
  const double lost = std::clamp(1.0 - spare, 0.0, 1.0);
  marginal.give_up = monthly(cost - work * lost);
  marginal.is_demand_met = capacity.unserved <= TokensPerSecond();
  answer.marginal = marginal;
}

void add_rent_or_own(const CostSetup& setup, CostAnswer& answer) {
  const auto rent = economics::effective_rent(setup.terms, OptionKind::kOnDemand);
  if (!setup.terms.own || !rent) return;
  const auto owner = *economics::owner_cost_of(setup.terms);
  const double load = setup.terms.capacity.load_factor;
  const economics::OwnOrRent deal{
      .price = setup.terms.own->capital.price,
      .residual = economics::residual_when_sold(setup.terms.own->capital, setup.terms.horizon),
      .running = owner.at(load) - owner.capital,
      .load_factor = load,
      .rent = *rent,
      .discount = setup.terms.discount,
      .months = static_cast<int>(std::lround(setup.terms.horizon / kMonth))};
  RentOrOwn result;
  result.months = deal.months;
  result.rent = *rent * kHour;
  result.saving = economics::saving_of_owning(deal);
  result.break_even_rent = economics::break_even_rent(deal) * kHour;
  result.break_even_load = economics::break_even_against(owner.fixed(), owner.working(), *rent);
  result.payback = economics::payback_time(deal);
  economics::OwnOrRent always = deal;
  always.load_factor = 1;
  result.saving_around_clock = economics::saving_of_owning(always);
  answer.rent_or_own = result;
}

void add_training_size(const CostSetup& setup, const OptionFigures& machine, CostAnswer& answer) {
  const auto& ask = setup.money().training;
  if (!ask) return;
  const economics::TrainingTerms terms{
      .work = ask->work.value,
      .serial = ask->serial.value,
      .gpu = (machine.fixed + machine.working - setup.terms.people) / machine.gpus,
      .delay = ask->delay_cost.value};
  TrainingSize size;
  size.gpus = setup.terms.capacity.gpus;
  size.best_gpus = economics::best_training_size(terms);
  if (std::isfinite(size.best_gpus))
    size.cost_at_best = economics::training_cost(terms, size.best_gpus);
  size.cost = economics::training_cost(terms, size.gpus);
  size.next_gpu = economics::next_gpu_value(terms, size.gpus);
  size.time = economics::training_time(terms, size.gpus);
  answer.training = size;
}

void add_claim(const CostSetup& setup, const OptionFigures& machine, CostAnswer& answer) {
  const auto& claimed = setup.money().claimed_break_even;
  if (!claimed || machine.break_even == 0) return;
  ClaimAnswer claim;
  claim.claimed = claimed->value;
  claim.computed = machine.break_even;
  claim.price_factor = machine.break_even / claim.claimed;
  claim.holds = std::abs(claim.price_factor - 1) < 0.05;
  answer.claim = claim;
}

bool is_offered(const CostSetup& setup, OptionKind kind) {
  return (setup.asked & economics::bit(kind)) != 0 && economics::effective_rent(setup.terms, kind);
}

// The cheaper of two rents that is asked for; nothing where neither is.
std::optional<OptionKind> cheaper(const CostSetup& setup, OptionKind a, OptionKind b) {
  if (!is_offered(setup, a)) return is_offered(setup, b) ? std::optional(b) : std::nullopt;
  if (!is_offered(setup, b)) return a;
  const auto price = [&](OptionKind kind) { return economics::effective_rent(setup.terms, kind); };
  return *price(b) < *price(a) ? b : a;
}

// Whole replicas that are rented in each hour where so many GPUs are there.
std::vector<double> rented_hours(const CostSetup& setup, double there) {
  const auto& capacity = setup.terms.capacity;
  std::vector<double> hours;
  for (const double gpus : setup.hours) {
    const double needed =
        std::min(capacity.gpus, std::ceil(gpus / capacity.node - 1e-9) * capacity.node);
    const double missing =
        std::max(0.0, std::ceil((needed - there) / capacity.node - 1e-9)) * capacity.node;
    hours.push_back(capacity.in_instances(missing));
  }
  return hours;
}

MixTierRow tier(OptionKind option, bool committed, std::vector<double> by_hour) {
  MixTierRow row{.option = option, .committed = committed};
  for (const double gpus : by_hour) {
    row.most = std::max(row.most, gpus);
    row.mean += gpus / static_cast<double>(by_hour.size());
  }
  row.by_hour = std::move(by_hour);
  return row;
}

// Every way that has a price, in whole machines, hour by hour.
void add_tiers(const CostSetup& setup, const economics::HourlyNeed& need, BaseAndBurst& mix) {
  if (setup.hours.empty()) return;
  economics::MixWays ways{
      .own = true,
      .reserved = cheaper(setup, OptionKind::kReserved1y, OptionKind::kReserved3y),
      .by_hour = cheaper(setup, OptionKind::kOnDemand, OptionKind::kSpot)};
  const auto best = economics::cheapest_mix(setup.terms, need, ways);
  if (!best) return;
  mix.tiers_per_day = best->cost * kDay;
  const auto always = [&](double gpus) { return std::vector<double>(setup.hours.size(), gpus); };
  mix.tiers.push_back(tier(OptionKind::kOwn, true, always(best->owned)));
  if (ways.reserved) mix.tiers.push_back(tier(*ways.reserved, true, always(best->reserved)));
  if (ways.by_hour)
    mix.tiers.push_back(
        tier(*ways.by_hour, false, rented_hours(setup, best->owned + best->reserved)));
}

// Time of a day that the last owned GPU must be needed: until then it costs less to rent.
Seconds critical_time(const CostSetup& setup, const economics::HourlyNeed& need,
                      DollarsPerSecond burst) {
  const auto owner = *economics::owner_cost_of(setup.terms);
  const DollarsPerSecond working =
      owner.working() * economics::work_of_needed(setup.terms.capacity, need);
  if (burst <= working) return kDay;
  return kDay * std::clamp(owner.fixed() / (burst - working), 0.0, 1.0);
}

void add_mix(const CostSetup& setup, CostAnswer& answer) {
  const auto burst = economics::effective_rent(setup.terms, OptionKind::kOnDemand);
  const economics::HourlyNeed need(setup.terms.capacity);
  if (need.empty() || !economics::owner_cost_of(setup.terms) || !burst) return;
  const economics::MixWays ways{.own = true, .reserved = {}, .by_hour = OptionKind::kOnDemand};
  const auto best = economics::cheapest_mix(setup.terms, need, ways);
  const double machine = setup.terms.capacity.machine;
  const double all = std::ceil(need.peak() / machine - 1e-9) * machine;
  const auto per_day = [&](double owned) {
    return economics::price_mix(setup.terms, need, ways, owned, 0)->cost * kDay;
  };
  BaseAndBurst mix;
  mix.owned = best->owned;
  mix.burst = best->rented;
  mix.idle = best->owned - best->at_work;
  mix.per_day = best->cost * kDay;
  mix.all_rented_per_day = per_day(0);
  mix.peak_owned_per_day = per_day(all);
  mix.critical_time = critical_time(setup, need, *burst);
  add_tiers(setup, need, mix);
  answer.mix = mix;
}

void add_waiting(const CostSetup& setup, CostAnswer& answer) {
  const auto& ask = setup.money().waiting;
  const auto owner = economics::owner_cost_of(setup.terms);
  const auto rent = economics::effective_rent(setup.terms, OptionKind::kOnDemand);
  if (!ask || !owner || !rent) return;
  const economics::WaitingTerms terms{.own_now = owner->total(),
                                      .rent = *rent,
                                      .gain = ask->gain.value,
                                      .wait = ask->wait.value,
                                      .horizon = setup.terms.horizon};
  answer.waiting = WaitingAnswer{economics::value_of_waiting(terms), economics::least_gain(terms)};
}

}  // namespace

void add_decisions(const CostSetup& setup, const CostFigures& figures, CostAnswer& answer) {
  add_rent_or_own(setup, answer);
  add_mix(setup, answer);
  add_waiting(setup, answer);
  const auto* machine = machine_of(figures);
  if (machine == nullptr) return;
  add_loads(setup, *machine, answer);
  add_marginal(setup, *machine, answer);
  add_training_size(setup, *machine, answer);
  add_claim(setup, *machine, answer);
}

void add_moves(const CostSetup& setup, CostAnswer& answer) {
  const auto owner = economics::owner_cost_of(setup.terms);
  const auto rent = economics::effective_rent(setup.terms, OptionKind::kOnDemand);
  if (!owner && !rent) return;
  const DollarsPerSecond incumbent = owner ? owner->total() : *rent;
  const auto* volatility = setup.find_fact("rent_path", "volatility");
  for (std::size_t i = 0; i < setup.terms.alternatives.size(); ++i) {
    const auto& other = setup.terms.alternatives[i];
    const bool another_chip = setup.money().alternatives[i].performance ||
                              setup.money().alternatives[i].hardware ||
                              setup.money().alternatives[i].porting;
    if (!another_chip || (!other.all_in && !other.own)) continue;
    const economics::Move move{
        .incumbent = incumbent,
        .challenger = other.all_in ? *other.all_in : economics::owner_cost(*other.own).total(),
        .performance = other.performance};
    PortingAnswer porting;
    porting.name = setup.money().alternatives[i].name.value;
    porting.incumbent = incumbent * kHour;
    porting.cost = other.move + other.upkeep * setup.terms.horizon;
    if (const auto work = economics::break_even_work(move, porting.cost))
      porting.break_even_work = *work * Gpus::from_base(1.0);
    porting.least_performance = economics::least_performance(move);
    porting.price_after_delay =
        economics::price_after_delay(move, other.delay, setup.terms.horizon) * kHour;
    porting.longest_delay = economics::longest_delay(move, setup.terms.horizon);
    porting.longest_delay_discounted =
        economics::longest_delay_discounted(move, setup.terms.horizon, setup.terms.discount);
    const double sigma = volatility != nullptr ? volatility->value : 0.0;
    const DollarsPerSecond upkeep =
        setup.terms.capacity.gpus > 0 ? other.upkeep / setup.terms.capacity.gpus : other.upkeep;
    porting.option_value =
        monthly(economics::option_to_switch(move, {0.0, sigma, sigma}, kYear) - upkeep);
    answer.porting.push_back(porting);
  }
}

}  // namespace loadfactor::engine
