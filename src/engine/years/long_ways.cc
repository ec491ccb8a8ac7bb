#include "engine/years/long_ways.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/calendar.h"
#include "economics/evaluate.h"
#include "engine/cost/cost_answer.h"
#include "engine/cost/way_parts.h"
#include "resolve/terms/cost_dates.h"
#include "resolve/terms/machine_draw.h"

namespace loadfactor::engine {
namespace {

// Traffic is rounded up to steps of this, so that few fleets are counted and more traffic never
// meets a smaller one by rounding.
constexpr double kStep = 1.02;

double rounded_up(double traffic) {
  constexpr double kSame = 1e-9;
  return std::pow(kStep, std::ceil(std::log(traffic) / std::log(kStep) - kSame));
}

economics::WayMonth month_of(const economics::CostCase& terms, const MachineDraw& draw,
                             const economics::OptionFigures& figures, const WayParts& parts) {
  economics::WayMonth month;
  month.gpus = figures.gpus;
  const auto owner = economics::owner_cost_of(terms);
  if (terms.own && owner && parts.owned > 0) {
    month.owned = parts.owned;
    month.capital = monthly(owner->capital * parts.owned);
    month.running = monthly((owner->at(parts.load) - owner->capital) * parts.owned);
  }
  month.floating = monthly(parts.floating);
  month.reserved = monthly(parts.reserved);
  month.tokens = monthly(parts.tokens);
  month.fixed = monthly(figures.cost) - month.capital - month.running - month.floating -
                month.reserved - month.tokens;
  month.energy = draw.at(figures.load_factor) * figures.gpus * kMonth;
  return month;
}

int months_until(const catalog::AcceleratorSpec& chip, const std::string& today) {
  const std::string& from = today.empty() ? chip.lifecycle_provenance.date : today;
  const auto days = days_between(from, std::to_string(chip.released));
  const double months = days ? kDay * *days / kMonth : 0.0;
  return std::max(0, static_cast<int>(std::ceil(months - 1e-6)));
}

}  // namespace

std::unique_ptr<CostSetup> LongWays::today() const {
  Diagnostics unread;
  return make_cost_setup(ground_.rows.front().request, catalog_, unread);
}

// The fleet of other traffic is the resized one, and no smaller than the plan's where there is more
// of it: what was simulated may be larger than what the closed form finds.
std::optional<CostInputs> LongWays::resized(const PlanGround::Row& row, double traffic) const {
  for (const ResizedRow& fleet : ground_.at_traffic(traffic)) {
    if (fleet.accelerator != row.accelerator) continue;
    const int gpus = traffic > 1 ? std::max(row.gpus, fleet.gpus) : fleet.gpus;
    const double larger = static_cast<double>(gpus) / fleet.gpus;
    CostInputs request = row.request;
    request.capacity = KnownCapacity{.gpus = static_cast<double>(gpus),
                                     .full_plane = fleet.full_plane * larger,
                                     .load_factor = fleet.load_factor / larger,
                                     .busy_by_hour = fleet.busy_by_hour,
                                     .source = "fill",
                                     .replica = static_cast<double>(fleet.replica),
                                     .on = fleet.on};
    return request;
  }
  return std::nullopt;
}

void LongWays::price(const PlanGround::Row& row, double traffic, Ways& ways) const {
  const auto request = traffic == 1 ? std::optional(row.request) : resized(row, traffic);
  if (!request) return;
  Diagnostics unread;
  const auto setup = make_cost_setup(*request, catalog_, unread);
  if (!setup) return;
  const auto figures = economics::evaluate(setup->terms, setup->asked);
  const MachineDraw draw = machine_draw(*setup);
  for (const auto& option : figures.all()) {
    if (option.kind == OptionKind::kAlternative || option.kind == OptionKind::kApi) continue;
    const WayParts parts = parts_of(setup->terms, option);
    PricedWay way{.month = month_of(setup->terms, draw, option, parts)};
    if (setup->terms.own) way.capital = setup->terms.own->capital;
    way.term = std::max(1, static_cast<int>(std::lround(parts.term / kMonth)));
    ways.emplace(std::pair(row.accelerator, option.kind), way);
  }
}

void LongWays::price_tokens(Ways& ways) {
  const auto setup = today();
  if (!setup) return;
  const auto figures = economics::evaluate(setup->terms, setup->asked);
  const auto* api = figures.find(OptionKind::kApi);
  if (api == nullptr) return;
  PricedWay way;
  way.month.tokens = monthly(api->cost);
  ways.emplace(std::pair(std::string(), OptionKind::kApi), way);
  seller_ = setup->api_name;
}

const LongWays::Ways& LongWays::at(double traffic) {
  const auto known = known_.find(traffic);
  if (known != known_.end()) return known->second;
  Ways ways;
  for (const PlanGround::Row& row : ground_.rows) price(row, traffic, ways);
  if (traffic == 1) price_tokens(ways);
  return known_.emplace(traffic, std::move(ways)).first->second;
}

std::vector<NamedWay> LongWays::over(int months, std::vector<OutgrownWay>& outgrown) {
  std::vector<NamedWay> found;
  for (const auto& [key, today] : at(1)) {
    NamedWay named{.name = {key.second, key.first, key.first.empty() ? seller_ : ""},
                   .way = {.capital = today.capital, .term = today.term}};
    for (int month = 0; month < months; ++month) {
      const double traffic = growth_.after(month);
      if (key.second == OptionKind::kApi) {  // Tokens cost in proportion; nothing is rounded.
        named.way.months.push_back({.tokens = today.month.tokens * traffic});
        continue;
      }
      const Ways& then = at(rounded_up(traffic));
      const auto way = then.find(key);
      if (way == then.end()) break;
      named.way.months.push_back(way->second.month);
    }
    const int reached = static_cast<int>(named.way.months.size());
    if (reached < months)
      outgrown.push_back({named.name, reached});
    else
      found.push_back(std::move(named));
  }
  return found;
}

std::vector<ComingChip> delay_announced(const catalog::Catalog& catalog, const std::string& today,
                                        std::vector<NamedWay>& ways) {
  std::vector<ComingChip> coming;
  for (NamedWay& way : ways) {
    const auto chip = catalog.find_accelerator(way.name.accelerator);
    if (!chip || (*chip)->status != catalog::Status::kAnnounced) continue;
    way.from = months_until(**chip, today);
    const bool is_told = std::any_of(coming.begin(), coming.end(), [&](const ComingChip& known) {
      return known.accelerator == way.name.accelerator;
    });
    if (way.from > 0 && !is_told)
      coming.push_back({way.name.accelerator, (*chip)->released, way.from});
  }
  return coming;
}

}  // namespace loadfactor::engine
