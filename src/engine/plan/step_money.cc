#include "engine/plan/step_money.h"

#include "engine/cost/cost_answer.h"

namespace loadfactor::engine {
namespace {

using economics::CostCase;

constexpr double kBump = 0.01;  // Money is linear in each price: a part is what a hundredth adds.

std::size_t index(MoneyPart part) {
  return static_cast<std::size_t>(part);
}

CostCase dearer(CostCase terms, MoneyPart part) {
  const double times = 1 + kBump;
  switch (part) {
    case MoneyPart::kPrice:
      if (terms.own) terms.own->capital.price = terms.own->capital.price * times;
      break;
    case MoneyPart::kUpkeep:
      if (terms.own) {
        terms.own->maintenance *= times;
        terms.own->insurance *= times;
      }
      break;
    case MoneyPart::kRent:
      for (auto& rent : terms.rent)
        if (rent) rent->price = rent->price * times;
      break;
    case MoneyPart::kPower:
      if (terms.own) terms.own->electricity = terms.own->electricity * times;
      break;
    case MoneyPart::kPeople:
      if (terms.own) terms.own->staff = terms.own->staff * times;
      terms.people = terms.people * times;
      break;
    case MoneyPart::kApi:
    case MoneyPart::kOther:
      break;
  }
  return terms;
}

std::optional<Dollars> cost_of(const CostCase& terms, OptionKind kind) {
  const auto figures = economics::evaluate(terms, economics::bit(kind));
  const auto* found = figures.find(kind);
  return found == nullptr ? std::nullopt : std::optional(monthly(found->cost));
}

}  // namespace

std::optional<MoneyParts> money_parts(const CostCase& today, OptionKind kind, double scale) {
  CostCase terms = today;
  terms.capacity.load_factor *= scale;
  terms.capacity.demand_scale *= scale;
  const auto all = cost_of(terms, kind);
  if (!all) return std::nullopt;
  MoneyParts parts;
  if (kind == OptionKind::kApi) {
    parts[index(MoneyPart::kApi)] = *all;
    return parts;
  }
  Dollars rest = *all;
  for (const MoneyPart part : {MoneyPart::kPrice, MoneyPart::kUpkeep, MoneyPart::kRent,
                               MoneyPart::kPower, MoneyPart::kPeople}) {
    const Dollars money = (cost_of(dearer(terms, part), kind).value_or(*all) - *all) / kBump;
    parts[index(part)] = money;
    // What follows the price of the machines is a part of what the price moves.
    if (part == MoneyPart::kUpkeep)
      parts[index(MoneyPart::kPrice)] = parts[index(MoneyPart::kPrice)] - money;
    else
      rest = rest - money;
  }
  parts[index(MoneyPart::kOther)] = rest;
  return parts;
}

}  // namespace loadfactor::engine
