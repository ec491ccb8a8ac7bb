// One replica of a service, complete: layout, memory, settings and the time of its steps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "catalog/catalog.h"
#include "serving/closed_form.h"
#include "serving/hardware.h"
#include "serving/load_factor.h"
#include "serving/memory.h"
#include "serving/precision.h"
#include "serving/step.h"

namespace loadfactor::serving {

// What is chosen about a replica. Pointers outlive the plan.
struct ReplicaChoice {
  const catalog::ModelSpec* model = nullptr;
  const catalog::AcceleratorSpec* chip = nullptr;
  const catalog::EngineSpec* engine = nullptr;
  const EngineTraits* traits = nullptr;
  std::string precision;  // The format of the weights, by name.
  PrecisionChoice formats;
  ServingLayout layout;
  std::int64_t max_seqs = 0;   // 0: the engine's.
  std::int64_t chunk = 0;      // 0: the engine's.
  double memory_fraction = 0;  // 0: the engine's.
  Speculation speculation;
  Adapters adapters;
  ExpertUse experts_used;
  double seen = 0;  // Share of the tokens of prompts that come from the model's encoder.
};

// Traffic in means, and what must be kept.
struct ServicePromise {
  double input = 1000;
  double output = 200;
  Seconds ttft;  // 0: no bound.
  double ttft_quantile = 0.95;
  Seconds tpot;  // 0: no bound.
  double tpot_quantile = 0.95;
  double cached = 0;  // Share of a prompt that the prefix cache holds.
};

struct ReplicaPlan {
  ReplicaChoice choice;
  ServingSetup memory_setup;
  DeploymentMemory memory;
  std::int64_t kv_tokens = 0;               // What one copy of the attention holds, by our count.
  std::optional<std::int64_t> kv_measured;  // The same as an engine's log says.
  std::int64_t max_seqs = 0;
  std::int64_t chunk = 0;
  Bytes kv_per_token;  // Keys and values of one token, all ranks.
  // What of it one pool sends to another: a compressed cache, which every rank holds, goes once.
  Bytes moved_per_token() const;
  std::shared_ptr<const StepModel> step;

  bool fits() const { return kv_tokens > 0; }
  int gpus() const { return choice.layout.gpus(); }
  // Tokens that one copy holds in sequences of this length.
  double room(double tokens_each) const;
  // So many of these replicas for the closed forms, with room for requests of these lengths.
  Pool pool(const ServicePromise& ask, int replicas = 1) const;
};

// The plan without a step model where it does not fit. LF4xx where the chip has no kernels.
// Adapters take their weights out of what is left for keys and values.
Result<ReplicaPlan> plan_replica(const ReplicaChoice& choice, HardwareShelf& hardware);

// What holds the rate of a replica.
enum class RateBinding : std::uint8_t { kThroughput, kFirstToken, kNextToken };

struct CapacityFigures {
  ReplicaCapacity capacity;
  Seconds ttft;       // The SLO's quantile at the rate within the SLO.
  Seconds tpot;       // The mean at that rate.
  double batch = 0;   // Sequences that run at that rate.
  Seconds idle_ttft;  // This and `idle_tpot`: a lone request.
  Seconds idle_tpot;
  Seconds latency;  // Mean time of a whole request at that rate.
  RateBinding binding = RateBinding::kThroughput;
};

// The mean time per token over the bound when just `quantile` of the requests keep it: below 1 by
// as much as measured runs are.
double mean_share(double quantile, const Constants& constants);
// Share of the requests that are slower than the bound per token when the mean is this.
double slow_share(Seconds tpot, const ServicePromise& ask, const Constants& constants);
AllowedMisses allowed_by(const ServicePromise& ask);

// Saturated by the closed form of a full batch; within the SLO by halving the rate of random
// arrivals. Waiting is taken as exponential, so that its quantile is -ln(1 - q) means.
CapacityFigures measure_capacity(const ReplicaPlan& plan, const ServicePromise& ask,
                                 const Constants& constants);
CapacityFigures measure_capacity(const Pool& replica, const ServicePromise& ask,
                                 const Constants& constants);
// Mean time per token of a replica at this rate of requests; 0 for answers of one token.
Seconds mean_tpot(const ReplicaPlan& plan, const ServicePromise& ask, const Constants& constants,
                  Hertz rate);

}  // namespace loadfactor::serving
