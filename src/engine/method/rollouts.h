// How long an engine writes the answers of a step, by simulation: the slowest one ends it.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "engine/core.h"
#include "engine/method/answers.h"
#include "loadfactor/result.h"
#include "loadfactor/scenario.h"
#include "resolve/serve/simulate_setup.h"

namespace loadfactor::engine {

// How far the time of a sample is from that of all answers.
inline constexpr double kSampledWithin = 0.05;

struct RolloutTime {
  Seconds time;     // Until the last answer.
  Seconds half;     // Until half of them are written.
  double busy = 1;  // Share of the replicas' time in which they write.
  double low = 1;   // The interval of the time, as shares of it.
  double high = 1;
  std::int64_t simulated = 0;  // Answers that were; fewer than all where those are too many.
};

// Replicas of one degree of tensor parallelism. The scenario's own `serve` section is not read: the
// engine is that of `train.method.rollout`, the model and the chip are those of the run.
class RolloutBench {
 public:
  // Nothing, and the reasons, where such a replica does not exist or does not hold an answer.
  static std::unique_ptr<RolloutBench> make(const Core& core, const config::Scenario& scenario,
                                            const std::vector<ModelFile>& model_files,
                                            const Answers& answers, int tp,
                                            Diagnostics& diagnostics);

  // So many steps' answers, all asked at once, on so many replicas; kept once it is known. Of more
  // than the most to simulate a sample is: fewer replicas with as many answers each, and where that
  // is one of them, as many waves of answers as show its pace.
  RolloutTime write(int replicas, int batches = 1);
  void simulate_at_most(std::int64_t answers) { most_simulated_ = std::min(answers, kMostDrawn); }
  int gpus() const { return setup_->pools.front()->layout().gpus(); }
  Bytes weights() const;  // What one GPU holds.
  const SimulateSetup& setup() const { return *setup_; }

 private:
  // A run of the simulator, with the pace at which a replica ends answers in its middle.
  struct Run {
    RolloutTime written;
    Hertz pace;
  };

  RolloutBench() = default;
  Run simulate(int replicas, sim::ArrivalBatch requests) const;
  RolloutTime write_sample(int replicas, double answers);
  sim::ArrivalBatch drawn(std::int64_t count) const;

  std::unique_ptr<SimulateSetup> setup_;
  Answers answers_;
  std::int64_t most_simulated_ = kMostDrawn;
  std::map<std::pair<int, int>, RolloutTime> known_;
  std::map<std::pair<int, std::int64_t>, Run> samples_;  // By replicas and answers.
};

// The scenario that `serve --simulate` answers with the same time: a service of the run's model on
// so many replicas (0: left open), its demand the trace `answers.csv`.
config::Scenario rollout_scenario(const config::Scenario& scenario, const Answers& answers, int tp,
                                  int replicas);

}  // namespace loadfactor::engine
