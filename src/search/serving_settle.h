// Simulation of candidates: the rate that one replica keeps, and whole weeks of the fleet.
#pragma once

#include "search/serving_fleet.h"
#include "search/serving_sizing.h"

namespace loadfactor::search {

// Finds by simulation of a few replicas under random arrivals the most requests per second each
// keeps within the SLO, and sizes the candidate by it.
void calibrate_rate(const SizingProblem& problem, const Weeks& weeks, SizedDeployment& deployment,
                    SizingAnswer& answer);

// Simulates whole weeks that were not among the trial weeks (or the trace) until the cheapest of
// `answer.best` that keeps the SLO is known, and puts it first.
void settle(const SizingProblem& problem, const Weeks& weeks, SizingAnswer& answer);

// The weeks of `seeds` first..first + count - 1 that this fleet keeps, two at a time; stops when
// more than `most_missed` are missed.
WeekCount count_weeks(const SizingProblem& problem, const SizedDeployment& fleet,
                      std::uint64_t first_seed, int count, int most_missed);

// Replicas that come and go with the requests outstanding, at most as many as the fleet has.
void simulate_scaling(const SizingProblem& problem, SizedDeployment& deployment,
                      SizingAnswer& answer);

// How much of a week is simulated: all of it, or what an engine of many steps can do in seconds.
double simulated_seconds(const SizingProblem& problem, const SimulatedFleet& fleet);

}  // namespace loadfactor::search
