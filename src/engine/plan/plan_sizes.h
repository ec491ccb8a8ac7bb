// A training layout on other numbers of GPUs: the curve, the levers, and whether fewer would do.
#pragma once

#include <vector>

#include "engine/plan/plan.h"
#include "engine/plan/plan_replan.h"

namespace loadfactor::engine {

// The layout itself and the same one narrower and wider in data parallelism, rising GPUs; only
// those that fit.
std::vector<TrainAnswer> other_sizes(const Core& engine, const TrainInputs& request,
                                     const TrainAnswer& best);

// The knee is the largest size at which a GPU does nearly as much as on the best size.
void add_size_curve(const catalog::Catalog& catalog, const std::vector<TrainAnswer>& sizes,
                    PlanAnswer& answer);

// The smaller fleet that meets the deadline with surely less GPU-time; nullptr where none does or
// the interval of the difference contains zero.
const TrainAnswer* smaller_that_pays(const std::vector<TrainAnswer>& sizes,
                                     const TrainAnswer& best);

// The best layout of the same machines whose optimizer lives in host memory, beside the chosen one.
void add_offload_lever(const Core& engine, const Replanner& replans, SearchInputs request,
                       const TrainAnswer& best, PlanAnswer& answer);

// Half and twice the GPUs of the same chip, planned as such.
void add_size_levers(const Replanner& replans, const config::Scenario& scenario,
                     const std::vector<TrainAnswer>& sizes, const TrainAnswer& best,
                     PlanAnswer& answer);

}  // namespace loadfactor::engine
