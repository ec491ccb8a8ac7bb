// Seconds of a collective operation: the fastest of the algorithms that its network allows.
//
// Inside a domain: rings, trees, sums in the switch, direct exchange, rings along the axes of a
// torus. Across domains: rings over all rails, or a hierarchy that reduces inside first. Groups
// that run at the same time share their node's NICs. See docs/models/collectives.md.
#pragma once

#include "collective/network.h"
#include "collective/protocol.h"
#include "loadfactor/quantity.h"

namespace loadfactor::collective {

struct Group {
  int ranks = 1;
  int per_domain = 0;  // Ranks of the group in one domain; 0: as many as fit.
  // Ranks of a node that send to other nodes at the same time, their groups together; 0: all.
  int senders = 0;
};

struct CollectiveTime {
  Seconds duration;
  Algorithm algorithm = Algorithm::kNone;
};

CollectiveTime estimate(Operation operation, Bytes bytes, const Group& group,
                        const Network& network);

// Inside one domain, for tests and fits.
CollectiveTime estimate_inside(Operation operation, Bytes bytes, int ranks, const Domain& domain);

}  // namespace loadfactor::collective
