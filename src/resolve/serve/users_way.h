// How far the users of a service are from the machines, and what the way takes from its promise.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "loadfactor/estimate.h"
#include "loadfactor/scenario.h"

namespace loadfactor::engine {

struct WayToUsers {
  std::string farthest;            // Title of the region that is farthest away.
  EstimateOf<Seconds> round_trip;  // There and back, in cables along the great circle.
  std::vector<UsedFact> facts;     // Speed and length of cables.
};

// Nothing where the catalogue does not say where a region is, or how quick cables are.
std::optional<WayToUsers> way_to_users(const catalog::Catalog& catalog,
                                       const catalog::RegionSpec& place,
                                       const std::vector<const catalog::RegionSpec*>& regions);

// Bounds on the first token and on whole requests, less the time of the way. Nothing where a bound
// is not longer than that.
std::optional<std::vector<config::Edit>> earlier_by(const config::ServeSection& serve,
                                                    Seconds time);

}  // namespace loadfactor::engine
