#include "economics/mix.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "decide/ways_to_pay.h"
#include "economics/evaluate.h"

namespace loadfactor::economics {
namespace {

constexpr double kNothing = 1e-9;     // Part of a machine, lost to rounding of numbers.
constexpr double kFinestGrid = 1000;  // Steps of capacity; a larger fleet is weighed in groups.

const RentTerms& rent_of(const CostCase& terms, OptionKind kind) {
  return *terms.rent[static_cast<std::size_t>(kind)];
}

// What renting costs beside the price of its hours, as soon as anything is rented.
DollarsPerSecond contract(const CostCase& terms, OptionKind kind) {
  DollarsPerSecond cost = rent_cost(rent_of(terms, kind), 0, 0).total();
  if (kind == OptionKind::kSpot)
    cost = cost * spot_multiplier(terms.spot) + terms.delay * spot_waiting_share(terms.spot);
  return cost;
}

// At least the floor of the GPUs that are rented at the busiest is billed.
DollarsPerSecond by_hour_cost(const CostCase& terms, const HourlyNeed& need, OptionKind kind,
                              double there, double rented) {
  const double floor = rent_of(terms, kind).commit_floor * need.most_rented(there);
  const double billed = std::max(rented, floor);
  return *effective_rent(terms, kind) * billed + contract(terms, kind);
}

bool costs_beside_hours(const CostCase& terms, OptionKind kind) {
  return contract(terms, kind) > DollarsPerSecond() || rent_of(terms, kind).commit_floor > 0;
}

double most_owned(const CostCase& terms) {
  const double machine = terms.capacity.machine;
  return std::floor(terms.max_owned / machine + kNothing) * machine;
}

// The need and the ways as the optimiser takes them: one second that stands for all time.
class Question {
 public:
  Question(const CostCase& terms, const HourlyNeed& need, const MixWays& ways) {
    const auto unit = std::llround(need.unit());
    const auto machine = std::llround(terms.capacity.machine);
    const auto step = std::gcd(std::gcd(unit, machine), std::llround(need.used_of_rented()));
    group_ = std::max(1.0, std::ceil(need.peak() / static_cast<double>(step) / kFinestGrid));
    gpus_ = static_cast<int>(static_cast<double>(machine) * group_);
    question_.replica = static_cast<int>(static_cast<double>(step) * group_);
    add_commitments(terms, need, ways);
    add_hours(terms, need, ways);
  }

  struct Units {
    double owned = 0;
    double reserved = 0;
  };
  std::optional<Units> solve() const {
    const auto choice = decide::cheapest_payment(question_);
    if (!choice) return std::nullopt;
    const double reserved = choice->commitments.empty() ? 0.0 : choice->commitments[0];
    return Units{choice->purchased * static_cast<double>(gpus_), reserved * gpus_};
  }

 private:
  static Dollars of_second(DollarsPerSecond cost) { return cost * Seconds::from_base(1); }

  void add_commitments(const CostCase& terms, const HourlyNeed& need, const MixWays& ways) {
    if (ways.own) {
      const OwnerCost owner = *owner_cost_of(terms);
      decide::Purchase own;
      own.gpus = gpus_;
      own.cost = of_second(owner.fixed() * gpus_);
      const double most = most_owned(terms) / gpus_;
      if (most < need.peak()) own.most = static_cast<int>(most + kNothing);
      own.working = owner.working() * work_of_needed(terms.capacity, need) / Gpus::from_base(1);
      question_.purchase = own;
    }
    if (ways.reserved) {
      decide::Commitment reserved;
      reserved.gpus = gpus_;
      reserved.cost = of_second(*effective_rent(terms, *ways.reserved) * gpus_);
      reserved.fixed = of_second(contract(terms, *ways.reserved));
      question_.commitments.push_back(reserved);
    }
  }

  void add_hours(const CostCase& terms, const HourlyNeed& need, const MixWays& ways) {
    decide::Stage stage;
    if (ways.by_hour) {
      decide::Rental rental;
      rental.gpus = static_cast<int>(need.used_of_rented() * group_);
      rental.price = *effective_rent(terms, *ways.by_hour) * (need.rented_unit() * group_);
      stage.rentals.push_back(rental);
    }
    for (const NeedLevel& level : need.levels())
      stage.hours.push_back({.time = Seconds::from_base(level.share),
                             .gpus = static_cast<int>(level.units * need.unit())});
    question_.stages.push_back(std::move(stage));
  }

  double group_ = 1;
  int gpus_ = 1;  // GPUs of a machine, or of a group of them.
  decide::PaymentQuestion question_;
};

}  // namespace

double work_of_needed(const Capacity& capacity, const HourlyNeed& need) {
  const double mean = need.mean();
  return mean > 0 ? std::min(1.0, capacity.gpus * capacity.load_factor / mean) : 0.0;
}

std::optional<Mix> price_mix(const CostCase& terms, const HourlyNeed& need, const MixWays& ways,
                             double owned, double reserved) {
  Mix mix{.ways = ways, .owned = owned, .reserved = reserved};
  // Reserved machines work first: they cost the same at work. Owned ones are next.
  mix.at_work = need.mean_between(reserved, reserved + owned);
  const double there = owned + reserved;
  if (owned > 0) {
    const OwnerCost owner = *owner_cost_of(terms);
    const double load = work_of_needed(terms.capacity, need);
    mix.cost += owner.fixed() * owned + owner.working() * (mix.at_work * load);
  }
  if (reserved > 0)
    mix.cost += *effective_rent(terms, *ways.reserved) * reserved + contract(terms, *ways.reserved);
  if (there > need.peak() - kNothing) return mix;
  if (!ways.by_hour) return std::nullopt;
  mix.rented = need.mean_rented(there);
  mix.cost += by_hour_cost(terms, need, *ways.by_hour, there, mix.rented);
  return mix;
}

std::optional<Mix> cheapest_mix(const CostCase& terms, const HourlyNeed& need,
                                const MixWays& ways) {
  std::optional<Mix> best;
  const auto weigh = [&](double owned, double reserved) {
    const auto mix = price_mix(terms, need, ways, owned, reserved);
    if (mix && (!best || mix->cost < best->cost)) best = mix;
  };
  const auto solve = [&](const MixWays& some) {
    const auto units = Question(terms, need, some).solve();
    if (units) weigh(units->owned, units->reserved);
  };
  const double machine = terms.capacity.machine;
  const double all = std::ceil(need.peak() / machine - kNothing) * machine;
  // One way alone, which spares what the contracts of the others cost beside their hours.
  if (ways.by_hour) weigh(0, 0);
  if (ways.reserved) weigh(0, all);
  if (ways.own && all <= most_owned(terms)) weigh(all, 0);
  solve(ways);
  // The optimiser sees the hours that are rented. Where those cost something beside, a pair may do
  // better than what it takes for the best of three.
  const bool has_pairs = ways.own && ways.reserved && ways.by_hour;
  if (has_pairs && costs_beside_hours(terms, *ways.by_hour)) {
    solve({.own = true, .reserved = {}, .by_hour = ways.by_hour});
    solve({.own = false, .reserved = ways.reserved, .by_hour = ways.by_hour});
    solve({.own = true, .reserved = ways.reserved, .by_hour = {}});
  }
  return best;
}

}  // namespace loadfactor::economics
