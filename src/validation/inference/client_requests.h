// The requests that a published run sends: so many, of lengths as its row says.
#pragma once

#include <cstddef>
#include <vector>

#include "base/random.h"
#include "serving/simulator/client_run.h"
#include "validation/inference/inference_load.h"

namespace loadfactor::validation {

// Their means are those of the load, whatever the seed. Answers of conversations fall off
// exponentially and prompts are lognormal, as people write.
std::vector<serving::ClientRequest> client_requests(const RowLoad& load, std::size_t count,
                                                    RandomStream& random);

// Times of so many arrivals at random, `rate` a second on average.
void send_at_random(std::vector<serving::ClientRequest>& requests, double rate,
                    RandomStream& random);

// Cuts the first `users` answers to any share of their length, so that users who all started at
// once are not in step.
void spread_phases(std::vector<serving::ClientRequest>& requests, std::size_t users,
                   RandomStream& random);

}  // namespace loadfactor::validation
