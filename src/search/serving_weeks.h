// Which weeks a fleet is tried on, and what becomes of it there.
//
// Weeks of one service differ, and a promise kept in 18 of 20 is decided by the few that are nearly
// as hard as the hardest. Many weeks are ranked by what of them the first fleet tried has late in
// the fluid limit. A fleet that keeps all weeks up to some rank keeps 18 or more of any 20 as
// likely as not if that rank is the line; so weeks next to the line are simulated first, and more
// of them, up to a tenth on either side, as long as they disagree. No single bad week decides, and
// easy weeks, which say nothing, cost nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "search/recorded_weeks.h"
#include "search/serving_fleet.h"
#include "search/serving_sizing.h"

namespace loadfactor::search {

// Weeks of traffic that are ranked before any is simulated.
inline constexpr int kRankedWeeks = 400;

// A fleet that keeps this share of all weeks keeps 18 or more of 20 as likely as not.
inline constexpr double kShareKeptAtLine = 0.8685;

struct WeekRuns {
  WeekCount count;
  FleetRun first;  // The week next to the line, of those in which anyone came.
  FleetRun worst;  // The last week that missed, or the first.
  std::int64_t requests = 0;
};

// Seeds of `count` weeks spread evenly over the fifth of those ranked about the line, from the line
// outwards; hard is what is so for `fleet`. A trace is the only week there is.
std::vector<std::uint64_t> hard_weeks(const SizingProblem& problem, const SizedDeployment& fleet,
                                      double seconds, int count);

// Simulates these weeks two at a time, or as many as the problem's crew has members, until so many
// more are kept than missed, or the other way round, that the rest need not be; a lead beyond their
// number simulates all. A week is left as soon as it is missed for certain. What is counted does
// not depend on who simulates.
WeekRuns try_weeks(RecordedWeeks& weeks, const SimulatedFleet& fleet,
                   const SizedDeployment& deployment, const std::vector<std::uint64_t>& seeds,
                   int lead);

// Whether at least half of the weeks about the line were kept.
bool keeps_enough(const WeekCount& count);

// The weeks of seeds `first_seed` and on, as they come, that this fleet keeps.
WeekCount count_weeks(const SizingProblem& problem, const SizedDeployment& deployment,
                      std::uint64_t first_seed, int count);

// How many weeks may be simulated for one fleet: as many as are asked for, or what takes a quarter
// of a minute or so; more where a week has only a few requests.
int weeks_to_run(const SizingProblem& problem, const SimulatedFleet& fleet);

// How much of a week is simulated: all of it, or what an engine of many steps can do in seconds.
double simulated_seconds(const SizingProblem& problem, const SimulatedFleet& fleet);

// A fleet's own ask of the problem's demand.
FleetQuestion ask_of(const SizingProblem& problem, const SizedDeployment& deployment,
                     double seconds);

}  // namespace loadfactor::search
