#include "engine/cost/way_parts.h"

#include "base/calendar.h"

namespace loadfactor::engine {
namespace {

WayParts parts_of_mix(const economics::CostCase& terms, const economics::OptionFigures& figures) {
  WayParts parts;
  parts.fixed = terms.people;
  parts.owned = figures.owned;
  parts.load = figures.owned > 0 ? figures.at_work / figures.owned : 0.0;
  parts.term = figures.reserved_as == OptionKind::kReserved3y ? kYear * 3 : kYear;
  if (const auto reserved = economics::effective_rent(terms, figures.reserved_as))
    parts.reserved = *reserved * figures.reserved;
  const auto owner = economics::owner_cost_of(terms);
  const DollarsPerSecond own = owner ? owner->at(parts.load) * figures.owned : DollarsPerSecond();
  parts.floating = figures.cost - terms.people - own - parts.reserved;
  return parts;
}

}  // namespace

WayParts parts_of(const economics::CostCase& terms, const economics::OptionFigures& figures) {
  WayParts parts;
  parts.fixed = terms.people;
  const DollarsPerSecond machine = figures.cost - terms.people;
  switch (figures.kind) {
    case OptionKind::kApi:
      return {.tokens = figures.cost};
    case OptionKind::kOwn:
      parts.owned = figures.gpus;
      parts.load = figures.load_factor;
      break;
    case OptionKind::kOwnBurst:
    case OptionKind::kOwnSpotBurst:
    case OptionKind::kThreeTier:
      return parts_of_mix(terms, figures);
    case OptionKind::kReserved1y:
    case OptionKind::kReserved3y:
      parts.reserved = machine;
      parts.term = figures.committed;
      break;
    case OptionKind::kAlternative:
      parts.fixed = figures.cost;
      break;
    default:
      parts.floating = machine;
  }
  return parts;
}

}  // namespace loadfactor::engine
