// What a benchmark's client sees of one replica: requests that come at times of their own, or so
// many users who each send the next request when the last is answered.
#pragma once

#include <cstdint>
#include <vector>

#include "serving/simulator/policy.h"
#include "serving/simulator/recorder.h"

namespace loadfactor::serving {

struct ClientRequest {
  Ticks sent = 0;  // That of a request with a time of its own.
  std::int32_t prompt = 1;
  std::int32_t output = 1;
};

struct ClientLoad {
  std::vector<ClientRequest> requests;  // By time, or in the order in which users send them.
  std::int64_t users = 0;               // 0: every request has a time of its own.
  // From an answer to the next request of its user.
  Ticks between = 0;
  // The front end takes requests one after the other, each for so long.
  Ticks admission = 0;
  // What a request travels from the front end to the scheduler, beside others.
  Ticks front = 0;
};

struct ClientRun {
  // By request. `arrival` is when it was sent; first and end are -1 where it was turned away.
  std::vector<RequestOutcome> outcomes;
  double mean_gap = 0;  // Ticks between two tokens of a request, over all tokens.
  Ticks end = 0;        // When the last answer ended.
};

// The first group of the rules with one replica; the rules must be sound (find_fault).
ClientRun run_clients(const ClusterRules& rules, const ClientLoad& load);

}  // namespace loadfactor::serving
