#include "resolve/serve/users_way.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "catalog/used_fact.h"
#include "config/scenario/scenario_words.h"

namespace loadfactor::engine {
namespace {

// Along the great circle, in km.
double distance(const catalog::RegionLocation& a, const catalog::RegionLocation& b) {
  constexpr double kEarthRadius = 6371;
  constexpr double kRadian = std::numbers::pi / 180;
  const double north = std::sin((b.latitude - a.latitude) * kRadian / 2);
  const double east = std::sin((b.longitude - a.longitude) * kRadian / 2);
  const double chord =
      north * north + std::cos(a.latitude * kRadian) * std::cos(b.latitude * kRadian) * east * east;
  return 2 * kEarthRadius * std::asin(std::min(1.0, std::sqrt(chord)));
}

const catalog::Fact* find_fact(const catalog::Catalog& catalog, std::string_view name) {
  for (const catalog::Fact& fact : catalog.facility())
    if (fact.name == name) return &fact;
  return nullptr;
}

// Light in a cable of this speed (km/s) that is so much longer than the great circle.
EstimateOf<Seconds> round_trip(double km, const catalog::Fact& speed, const catalog::Fact& route) {
  const auto time = [&](double detour, double pace) {
    return Seconds::from_base(2 * km * detour / pace);
  };
  std::string sources;
  for (const catalog::Fact* fact : {&speed, &route})
    for (const std::string& source : fact->provenance.sources)
      sources = merged_sources(sources, source);
  return {time(route.value, speed.value),
          time(route.low.value_or(route.value), speed.high.value_or(speed.value)),
          time(route.high.value_or(route.value), speed.low.value_or(speed.value)), Basis::kAssumed,
          std::move(sources)};
}

}  // namespace

std::optional<WayToUsers> way_to_users(const catalog::Catalog& catalog,
                                       const catalog::RegionSpec& place,
                                       const std::vector<const catalog::RegionSpec*>& regions) {
  const catalog::Fact* const speed = find_fact(catalog, "network_speed");
  const catalog::Fact* const route = find_fact(catalog, "network_route");
  if (speed == nullptr || route == nullptr || !place.location) return std::nullopt;
  WayToUsers way;
  double farthest = -1;
  for (const catalog::RegionSpec* region : regions) {
    if (!region->location) return std::nullopt;
    const double km = distance(*place.location, *region->location);
    if (km <= farthest) continue;
    farthest = km;
    way.farthest = region->title;
  }
  way.round_trip = round_trip(std::max(0.0, farthest), *speed, *route);
  for (const catalog::Fact* fact : {speed, route}) way.facts.push_back(catalog::used_fact(*fact));
  return way;
}

std::optional<std::vector<config::Edit>> earlier_by(const config::ServeSection& serve,
                                                    Seconds time) {
  std::vector<config::Edit> edits;
  if (!serve.slo) return edits;
  for (const auto& bound : serve.slo->bounds) {
    if (bound.metric == config::SloMetric::kTimePerOutputToken) continue;
    const auto key = std::find_if(
        config::kSloKeys.begin(), config::kSloKeys.end(), [&](const config::SloKey& row) {
          return row.metric == bound.metric && row.quantile == bound.quantile;
        });
    const Seconds left = bound.most.value - time;
    if (key == config::kSloKeys.end() || left <= Seconds()) return std::nullopt;
    edits.push_back({fmt::format("serve.slo.{}", key->key), any(left)});
  }
  return edits;
}

}  // namespace loadfactor::engine
