// Simulation of candidates: the rate that one replica keeps, and whole weeks of the fleet.
#pragma once

#include <vector>

#include "search/candidates.h"
#include "search/recorded_weeks.h"
#include "search/serving_fleet.h"
#include "search/serving_sizing.h"

namespace loadfactor::search {

// How far a search is when all candidates are sized in closed form, and when the first of them have
// their rate simulated.
inline constexpr double kShareInClosedForm = 0.2;
inline constexpr double kShareWithRates = 0.4;

// Whether a fleet has so many replicas that it rests on the closed form alone.
bool is_beyond_simulation(const SizedDeployment& deployment);

// Finds by simulation of a few replicas under random arrivals the most requests per second each
// keeps within the SLO, and sizes the candidate by it.
void calibrate_rate(const SizingProblem& problem, const Weeks& weeks, SizedDeployment& deployment,
                    SizingAnswer& answer);

// The same for several, two at a time.
void calibrate_rates(const SizingProblem& problem, const Weeks& weeks,
                     std::vector<SizedDeployment>& deployments, SizingAnswer& answer);

// Simulates whole weeks that were not among the trial weeks (or the trace) until the cheapest of
// `answer.best`, and of the candidates that might be cheaper, that keeps the SLO in 18 of 20 is
// known, and puts it first. Those simulated without success follow, at the size not yet known to
// miss.
void settle(RecordedWeeks& recorded, const Weeks& weeks, Candidates& candidates,
            SizingAnswer& answer);

// Replicas that come and go with the requests outstanding, at most as many as the fleet has.
void simulate_scaling(RecordedWeeks& recorded, SizedDeployment& deployment, SizingAnswer& answer);

}  // namespace loadfactor::search
