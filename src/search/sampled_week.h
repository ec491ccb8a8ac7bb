// What a fleet makes of a week, told from a part of the week.
//
// Whether 95 of 100 requests of a week are in time can mostly be seen long before the last of them.
// The week's windows of ten minutes are put in order of how much of the fleet they take, and cut
// into groups; some of each group are simulated, each after some minutes of what comes before it,
// with requests drawn along the week's own path of rates. Where the fleet is all but full, a queue
// outlives a window: such stretches are simulated whole. More windows are taken until the shares
// that are late are surely within what may be late, or one of them surely beyond it. Where the
// better part of the week does not decide, only all of it can tell.
//
// A sample depends on the fleet, the demand and the seed, and on nothing else.
#pragma once

#include <cstdint>
#include <optional>

#include "search/serving_fleet.h"
#include "search/serving_sizing.h"

namespace loadfactor::search {

struct SampledWeek {
  FleetRun run;
  SampledShare first;     // Late with the first token,
  SampledShare each;      // and with the next.
  SampledShare replicas;  // Mean copies of the replica that were paid for.
};

// The fleet of the question, its outages and its scaling, on the week of this seed. Nothing where
// only the whole week can tell, or where the problem wants no samples.
std::optional<SampledWeek> sample_week(const SizingProblem& problem, const SimulatedFleet& fleet,
                                       const SizedDeployment& deployment, const FleetQuestion& ask,
                                       std::uint64_t seed);

}  // namespace loadfactor::search
