// What is known of one chip and of how its ranks meet, beside the class of a deployment.
#pragma once

#include <string>
#include <string_view>

#include "collective/network.h"

namespace loadfactor::serving {

// The group of intervals of one chip, whose results lie further off than those of its class.
inline std::string chip_group(std::string_view chip) {
  return "chip " + std::string(chip);
}

// Whether nobody says over what so many ranks meet: how they lie on a bus, or whether a bridge that
// their cards may have is there.
inline bool is_link_guessed(const collective::Domain& domain, int ranks) {
  const bool may_be_bridged =
      domain.topology == catalog::Topology::kBridge && domain.bus.has_value() && domain.joined == 1;
  return domain.is_guessed(ranks) || (may_be_bridged && ranks > 1);
}

}  // namespace loadfactor::serving
