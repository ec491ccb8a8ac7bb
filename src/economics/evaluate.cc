#include "economics/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/calendar.h"
#include "economics/mix.h"

namespace loadfactor::economics {
namespace {

constexpr double kNothing = 1e-9;  // Part of a machine, lost to rounding of numbers.
constexpr double kNever = std::numeric_limits<double>::infinity();

const std::optional<RentTerms>& offer(const CostCase& terms, OptionKind kind) {
  return terms.rent[static_cast<std::size_t>(kind)];
}

// Hours of spot that are paid for one that is useful. What a run loses is in its goodput.
double hours_per_hour(const CostCase& terms) {
  return terms.capacity.run ? 1.0 : spot_multiplier(terms.spot);
}

class Evaluation {
 public:
  Evaluation(const CostCase& terms, OptionSet asked, const CostFigures* decided = nullptr)
      : terms_(terms), asked_(asked), decided_(decided), need_(terms.capacity) {
    owner_ = owner_cost_of(terms);
    api_ = api_price_of_full_plane(terms);
    by_hour_ = hourly_price_of_full_plane(terms, OptionKind::kOnDemand);
  }

  CostFigures run() {
    add_rented(OptionKind::kOnDemand, Seconds());
    add_rented(OptionKind::kReserved1y, kYear);
    add_rented(OptionKind::kReserved3y, kYear * 3);
    add_rented(OptionKind::kSpot, Seconds());
    add_owned();
    add_api();
    add_managed();
    add_mixes();
    for (std::size_t i = 0; i < terms_.alternatives.size(); ++i) add_alternative(i);
    find_cheapest();
    return figures_;
  }

 private:
  bool wants(OptionKind kind) const { return (asked_ & bit(kind)) != 0; }

  void add(OptionFigures figures) {
    if (figures_.count == kMaxOptions) return;
    set_break_even(figures);
    set_run(figures);
    figures_.options[figures_.count++] = figures;
  }

  // Compares with the API where there is one, else with renting the useful hours alone.
  void set_break_even(OptionFigures& figures) const {
    if (figures.kind == OptionKind::kApi) return;
    const bool pays_by_use = figures.kind == OptionKind::kAutoscaled;
    const auto& capacity = terms_.capacity;
    if (api_) {
      const double scale =
          capacity.full_plane > TokensPerSecond() ? figures.full_plane / capacity.full_plane : 1.0;
      figures.break_even = break_even_against(figures.fixed, figures.working, *api_ * scale);
      figures.break_even_life =
          figures.break_even *
          life_multiplier(terms_.api->half_life, figures.committed, terms_.discount);
      return;
    }
    const bool is_rent_itself = figures.kind == OptionKind::kOnDemand || pays_by_use;
    if (!by_hour_ || is_rent_itself) return;
    const double scale = capacity.gpus > 0 ? figures.gpus / capacity.gpus : 1.0;
    // Renting by the hour needs the same staff, so that staff is left out on both sides.
    figures.break_even =
        break_even_against(figures.fixed - terms_.people, figures.working, *by_hour_ * scale);
    figures.break_even_life = figures.break_even;
  }

  // What the run takes and pays by this way.
  void set_run(OptionFigures& figures) const {
    figures.compared = figures.cost;
    const Capacity& capacity = terms_.capacity;
    if (!capacity.run || figures.kind == OptionKind::kApi) return;
    figures.term = term_of_run(figures);
    const double load = load_of(figures.kind);
    const bool is_known = capacity.run->tokens > Tokens() &&
                          capacity.full_plane > TokensPerSecond() && load > 0 &&
                          capacity.load_factor > 0;
    if (!is_known) return;
    const Seconds work = capacity.run->tokens / capacity.full_plane;
    figures.run = work / load;
    figures.compared =
        figures.cost * (figures.term.paid_seconds(figures.run) / (work / capacity.load_factor));
  }

  // Owned GPUs that are there serve others after the run; machines wear out as terms end.
  RunTerm term_of_run(const OptionFigures& figures) const {
    const bool is_own = figures.kind == OptionKind::kOwn;
    const bool is_reserved =
        figures.kind == OptionKind::kReserved1y || figures.kind == OptionKind::kReserved3y;
    RunTerm term{.commitment = figures.committed};
    if (is_own) term.bound = terms_.capacity.run->owned_bound;
    if (term.bound <= 0) term.commitment = Seconds();
    term.renews = is_reserved || (is_own && term.bound >= 1.0);
    if (figures.cost > DollarsPerSecond()) term.idle = figures.fixed / figures.cost;
    const auto& rent = offer(terms_, OptionKind::kOnDemand);
    const bool may_rent = is_reserved || wants(OptionKind::kOnDemand);
    if (term.renews && may_rent && rent && way_of(OptionKind::kOnDemand) != nullptr) {
      const double gpus = paid(OptionKind::kOnDemand);
      term.onward = (rent_cost(*rent, gpus, gpus).total() + terms_.people) / figures.cost;
    }
    return term;
  }

  // The run by one way to pay; nothing where it is no run, or does not end by this way.
  const RunCapacity* way_of(OptionKind kind) const {
    const auto& run = terms_.capacity.run;
    const OptionKind as = kind == OptionKind::kManaged ? OptionKind::kOnDemand : kind;
    const auto index = static_cast<std::size_t>(as);
    return run && index < kNumRunWays && run->ways[index] ? &*run->ways[index] : nullptr;
  }

  // Whether the work can be had by a way to pay for machines.
  bool ends(OptionKind kind) const { return !terms_.capacity.run || way_of(kind) != nullptr; }

  double load_of(OptionKind kind) const {
    const auto* way = way_of(kind);
    const double load = terms_.capacity.load_factor;
    return way != nullptr ? std::min(1.0, load * way->relative) : load;
  }

  OptionFigures machine(OptionKind kind, DollarsPerSecond fixed, DollarsPerSecond working) const {
    const Capacity& capacity = terms_.capacity;
    OptionFigures figures;
    figures.kind = kind;
    figures.gpus = capacity.gpus;
    figures.load_factor = load_of(kind);
    figures.fixed = fixed + terms_.people;
    figures.working = working;
    figures.cost = figures.fixed + working * figures.load_factor;
    figures.full_plane = capacity.full_plane;
    return figures;
  }

  double paid(OptionKind kind) const {
    const auto* way = way_of(kind);
    return gpus_paid(terms_.capacity, way != nullptr ? way->gpus : terms_.capacity.gpus, kind);
  }

  void add_rented(OptionKind kind, Seconds committed) {
    const auto& rent = offer(terms_, kind);
    if (!rent || !wants(kind) || !ends(kind)) return;
    const double needed = terms_.capacity.gpus;
    const double gpus = paid(kind);
    DollarsPerSecond cost = rent_cost(*rent, gpus, gpus).total();
    if (kind == OptionKind::kSpot)
      cost = cost * hours_per_hour(terms_) + terms_.delay * spot_waiting_share(terms_.spot);
    OptionFigures figures = machine(kind, cost, {});
    if (gpus > needed) spread(figures, gpus);
    figures.committed = committed;
    add(figures);
  }

  void add_owned() {
    if (!owner_ || !wants(OptionKind::kOwn) || !ends(OptionKind::kOwn)) return;
    const double gpus = paid(OptionKind::kOwn);
    OptionFigures figures =
        machine(OptionKind::kOwn, owner_->fixed() * gpus, owner_->working() * gpus);
    if (gpus > terms_.capacity.gpus) spread(figures, gpus);
    figures.cost = figures.fixed + figures.working * figures.load_factor;
    figures.committed = terms_.own ? terms_.own->capital.life : terms_.horizon;
    add(figures);
  }

  void add_api() {
    if (!api_ || !wants(OptionKind::kApi)) return;
    OptionFigures figures;
    figures.kind = OptionKind::kApi;
    figures.working = *api_;
    figures.cost = *api_ * terms_.capacity.load_factor;
    add(figures);
  }

  void add_managed() {
    const auto& rent = offer(terms_, OptionKind::kOnDemand);
    if (!rent || !terms_.managed_surcharge || !wants(OptionKind::kManaged)) return;
    if (!ends(OptionKind::kManaged)) return;
    RentTerms managed = *rent;
    managed.surcharge = *terms_.managed_surcharge;
    const double gpus = paid(OptionKind::kManaged);
    OptionFigures figures =
        machine(OptionKind::kManaged, rent_cost(managed, gpus, gpus).total(), {});
    if (gpus > terms_.capacity.gpus) spread(figures, gpus);
    add(figures);
  }

  void add_mixes() {
    if (need_.empty()) return;
    add_autoscaled();
    const bool on_demand = has_offer(OptionKind::kOnDemand);
    const auto reserved = cheaper_reserved();
    const bool own = owner_ && wants(OptionKind::kOwn);
    if (own && on_demand)
      add_mix(OptionKind::kOwnBurst, {.own = true, .by_hour = OptionKind::kOnDemand});
    if (own && has_offer(OptionKind::kSpot))
      add_mix(OptionKind::kOwnSpotBurst, {.own = true, .by_hour = OptionKind::kSpot});
    if (on_demand && reserved)
      add_mix(OptionKind::kThreeTier,
              {.own = own, .reserved = reserved, .by_hour = OptionKind::kOnDemand});
  }

  bool has_offer(OptionKind kind) const { return offer(terms_, kind).has_value(); }

  // Both bind around the clock, so that the dearer of the two has no place in a mix.
  std::optional<OptionKind> cheaper_reserved() const {
    std::optional<OptionKind> cheaper;
    for (const OptionKind kind : {OptionKind::kReserved1y, OptionKind::kReserved3y}) {
      const auto price = effective_rent(terms_, kind);
      if (!price || !wants(kind)) continue;
      if (!cheaper || *price < *effective_rent(terms_, *cheaper)) cheaper = kind;
    }
    return cheaper;
  }

  void add_autoscaled() {
    const auto& rent = offer(terms_, OptionKind::kOnDemand);
    if (!rent || !wants(OptionKind::kAutoscaled)) return;
    const double used = need_.mean_rented(0);
    const double most = terms_.capacity.in_instances(terms_.capacity.gpus);
    OptionFigures figures =
        machine(OptionKind::kAutoscaled, rent_cost(*rent, used, most).total(), {});
    spread(figures, std::max(used, rent->commit_floor * most));
    add(figures);
  }

  // The same work on another mean number of GPUs.
  void spread(OptionFigures& figures, double gpus) const {
    const Capacity& capacity = terms_.capacity;
    figures.gpus = gpus;
    figures.load_factor =
        gpus > 0 ? std::min(1.0, capacity.gpus * load_of(figures.kind) / gpus) : 0.0;
    figures.full_plane =
        capacity.gpus > 0 ? capacity.full_plane * (gpus / capacity.gpus) : TokensPerSecond();
  }

  std::optional<Mix> mix_of(OptionKind kind, const MixWays& ways) const {
    if (decided_ == nullptr) return cheapest_mix(terms_, need_, ways);
    const OptionFigures* decided = decided_->find(kind);
    if (decided == nullptr) return std::nullopt;
    MixWays kept = ways;
    if (kept.reserved) kept.reserved = decided->reserved_as;
    return price_mix(terms_, need_, kept, decided->owned, decided->reserved);
  }

  // Whether another option has as many GPUs for the same money.
  bool is_listed(const OptionFigures& figures) const {
    const auto all = figures_.all();
    return std::any_of(all.begin(), all.end(), [&](const OptionFigures& other) {
      return std::abs(other.gpus - figures.gpus) < kNothing &&
             std::abs(other.cost / figures.cost - 1) < kNothing;
    });
  }

  // Whether the options have the same already under another name: the one way that a mix uses, or
  // a mix of two where the third is not needed.
  bool stands_already(OptionKind kind, const Mix& mix) const {
    if (kind == OptionKind::kThreeTier) return mix.reserved <= 0 || mix.ways_used() < 2;
    const bool is_owned_alone = mix.rented <= 0;
    const bool is_rented_alone = mix.owned <= 0 && kind == OptionKind::kOwnBurst;
    return is_owned_alone || is_rented_alone;
  }

  void add_mix(OptionKind kind, const MixWays& ways) {
    if (!wants(kind)) return;
    const auto mix = mix_of(kind, ways);
    if (!mix || (decided_ == nullptr && stands_already(kind, *mix))) return;
    OptionFigures figures;
    figures.kind = kind;
    figures.owned = mix->owned;
    figures.reserved = mix->reserved;
    if (mix->ways.reserved) figures.reserved_as = *mix->ways.reserved;
    figures.at_work = mix->at_work * work_of_needed(terms_.capacity, need_);
    figures.cost = figures.fixed = mix->cost + terms_.people;
    spread(figures, mix->owned + mix->reserved + mix->rented);
    figures.committed = term_of(*mix);
    if (decided_ == nullptr && is_listed(figures)) return;
    add(figures);
  }

  // How long the longest of its parts binds.
  Seconds term_of(const Mix& mix) const {
    if (mix.owned > 0) return terms_.own ? terms_.own->capital.life : terms_.horizon;
    if (mix.reserved <= 0) return {};
    return mix.ways.reserved == OptionKind::kReserved3y ? kYear * 3 : kYear;
  }

  // Per GPU of the alternative: what it costs, spread over the hours after the delay.
  void add_alternative(std::size_t index) {
    const Alternative& other = terms_.alternatives[index];
    if (!other.own && !other.all_in) return;
    const Capacity& capacity = terms_.capacity;
    OwnerCost cost;
    if (other.all_in)
      cost.capital = *other.all_in;
    else
      cost = owner_cost(*other.own);
    const double load = other.load_factor.value_or(capacity.load_factor);
    const double usable =
        terms_.horizon > other.delay ? terms_.horizon / (terms_.horizon - other.delay) : kNever;
    const double work = capacity.gpus * capacity.load_factor;
    OptionFigures figures;
    figures.kind = OptionKind::kAlternative;
    figures.alternative = index;
    figures.load_factor = load;
    figures.gpus = other.gpus > 0 ? other.gpus : work / (other.performance * load);
    const DollarsPerSecond once =
        terms_.horizon > Seconds() ? other.move / terms_.horizon : DollarsPerSecond();
    figures.fixed = (cost.fixed() * figures.gpus) * usable + other.upkeep + once + terms_.people;
    figures.working = cost.working() * figures.gpus;
    figures.cost = figures.fixed + figures.working * load;
    if (capacity.gpus > 0)
      figures.full_plane = capacity.full_plane * (figures.gpus * other.performance / capacity.gpus);
    figures.committed = other.own ? other.own->capital.life : terms_.horizon;
    add(figures);
  }

  void find_cheapest() {
    for (std::size_t i = 1; i < figures_.count; ++i) {
      if (figures_.options[i].compared < figures_.options[figures_.cheapest].compared)
        figures_.cheapest = i;
    }
  }

  const CostCase& terms_;
  OptionSet asked_;
  const CostFigures* decided_;  // Whose commitments stand; nothing where they are to be chosen.
  HourlyNeed need_;
  std::optional<OwnerCost> owner_;
  std::optional<DollarsPerSecond> api_;
  std::optional<DollarsPerSecond> by_hour_;
  CostFigures figures_;
};

}  // namespace

const OptionFigures* CostFigures::find(OptionKind kind) const {
  for (const auto& option : all()) {
    if (option.kind == kind) return &option;
  }
  return nullptr;
}

std::optional<OwnerCost> owner_cost_of(const CostCase& terms) {
  if (!terms.own && !terms.own_all_in) return std::nullopt;
  OwnerCost cost;
  if (terms.own_all_in)
    cost.capital = *terms.own_all_in;
  else
    cost = owner_cost(*terms.own);
  cost.resale = terms.resale;
  return cost;
}

double gpus_paid(const Capacity& capacity, double needed, OptionKind kind) {
  const bool is_whole = kind == OptionKind::kOwn || kind == OptionKind::kReserved1y ||
                        kind == OptionKind::kReserved3y;
  if (is_whole) return std::ceil(needed / capacity.machine - kNothing) * capacity.machine;
  return is_by_hour(kind) ? capacity.in_instances(needed) : needed;
}

double break_even_against(DollarsPerSecond fixed, DollarsPerSecond working,
                          DollarsPerSecond price) {
  const DollarsPerSecond margin = price - working;
  return margin > DollarsPerSecond() ? fixed / margin : kNever;
}

std::optional<DollarsPerSecond> api_price_of_full_plane(const CostCase& terms) {
  if (!terms.api || terms.capacity.full_plane <= TokensPerSecond()) return std::nullopt;
  return blended_price(*terms.api) * terms.capacity.full_plane;
}

std::optional<DollarsPerSecond> effective_rent(const CostCase& terms, OptionKind term) {
  const auto& rent = offer(terms, term);
  if (!rent) return std::nullopt;
  const double share = 1.0 + rent->surcharge;
  const DollarsPerSecond price = rent->price * (share * (1.0 + rent->support + rent->goodput_loss));
  return term == OptionKind::kSpot ? price * hours_per_hour(terms) : price;
}

std::optional<DollarsPerSecond> hourly_price_of_full_plane(const CostCase& terms, OptionKind term) {
  const auto price = effective_rent(terms, term);
  if (!price) return std::nullopt;
  return *price * terms.capacity.gpus;
}

CostFigures evaluate(const CostCase& terms, OptionSet asked) {
  return Evaluation(terms, asked).run();
}

CostFigures reprice(const CostCase& moved, OptionSet asked, const CostFigures& decided) {
  return Evaluation(moved, asked, &decided).run();
}

}  // namespace loadfactor::economics
