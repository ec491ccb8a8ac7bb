// Prompts and answers in pools of their own: what a replica of each can do.
#pragma once

#include "serving/replica_plan.h"

namespace loadfactor::serving {

// The rate of a replica that only computes prompts, within what the SLO leaves of the time to the
// first token once keys and values have moved.
CapacityFigures measure_prompts(const ReplicaPlan& plan, const ServicePromise& ask,
                                const Constants& constants);

// The rate of a replica that only decodes: the largest batch whose step keeps the bound.
CapacityFigures measure_answers(const ReplicaPlan& plan, const ServicePromise& ask,
                                const Constants& constants);

// So many replicas of prompts and of answers together: they serve what the closed form of both
// serves, within the SLO as much as the weaker pool keeps.
CapacityFigures measure_unit(const ReplicaPlan& prompts, int prompt_replicas,
                             const ReplicaPlan& answers, int answer_replicas,
                             const ServicePromise& ask, const Constants& constants);

// What both pools serve together when nothing is ever idle.
Hertz saturated_rate(const ReplicaPlan& prompts, int prompt_replicas, const ReplicaPlan& answers,
                     int answer_replicas, const ServicePromise& ask, const Constants& constants);

// Mean time per token of such a replica at this rate of requests.
Seconds mean_answer_tpot(const ReplicaPlan& plan, const ServicePromise& ask,
                         const Constants& constants, Hertz rate);

// Time to move the keys and values of a prompt.
Seconds transfer_time(const ReplicaPlan& plan, double tokens, const Constants& constants);

}  // namespace loadfactor::serving
