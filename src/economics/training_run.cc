#include "economics/training_run.h"

namespace loadfactor::economics {
namespace {

constexpr double kFlopsPerParameterAndToken = 6.0;

TokensPerSecond rate_of(const TrainingRun& run) {
  const FlopsPerSecond useful = run.peak * (run.gpus * run.mfu * run.goodput);
  const auto per_token =
      Flops::from_base(kFlopsPerParameterAndToken * run.parameters) / Tokens::from_base(1.0);
  return useful / per_token;
}

}  // namespace

Tokens tokens_trained(const TrainingRun& run, Seconds time) {
  return rate_of(run) * time;
}

Seconds time_to_train(const TrainingRun& run, Tokens tokens) {
  return tokens / rate_of(run);
}

Bytes state_per_gpu(double parameters, Bytes per_parameter, double ways) {
  return per_parameter * (parameters / ways);
}

double replicas(double gpus, double gpus_per_replica) {
  return gpus / gpus_per_replica;
}

}  // namespace loadfactor::economics
