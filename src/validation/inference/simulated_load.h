// Published loads in the simulator: bursts, users in a loop and arrivals at a rate, request by
// request, as the client that measured them sees them.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "serving/closed_form.h"
#include "serving/simulator/client_run.h"
#include "sim/step_table.h"
#include "validation/inference/inference_run.h"

namespace loadfactor::validation {

// Step times are tabulated once for each deployment, and rows that were measured in one run (first
// token, time per token, throughput) share it.
class LoadSimulator {
 public:
  // The constants outlive it.
  explicit LoadSimulator(const serving::Constants& constants) : constants_(&constants) {}

  // Nothing where the load is none that the simulator knows: batches that nobody joins, pools of
  // their own for prompts, models that write nothing, loads without a client.
  std::optional<serving::LoadFigures> figures(const InferenceRun& run);

 private:
  struct Means;
  struct Table {
    sim::StepTable steps;
    double stage_delay = 0;  // Seconds that a first token takes through the stages beyond a step.
  };
  // How many requests are sent, and how many of them count.
  struct Window {
    std::size_t users = 1;  // Users of a loop, or requests of a burst.
    std::size_t sent = 1;
    std::size_t counted = 1;
    double opening = 1;  // Share of the run's requests that start together.
  };
  using RunKey = std::vector<double>;

  const Table& table_of(const serving::Pool& pool, const serving::SchedulerRules& rules,
                        double prompt);
  Window window_of(const InferenceRun& run) const;
  serving::SchedulerRules scheduler_of(const InferenceRun& run,
                                       const std::vector<serving::ClientRequest>& requests) const;
  serving::LoadFigures simulate(const InferenceRun& run);
  void run_once(const InferenceRun& run, const Window& window, std::uint64_t seed, Means& means);
  serving::LoadFigures figures_of(const InferenceRun& run, const Window& window,
                                  const Means& means) const;
  double constant(const serving::Pool& pool, serving::EngineConstant which) const;

  const serving::Constants* constants_;
  std::map<const serving::StepModel*, Table> tables_;
  std::map<RunKey, serving::LoadFigures> known_;
};

// Whether the simulator scores a row, or the closed form: that which was more accurate on sources
// that the constants had not seen. Times of closed loops, those of arrivals at 70 % of saturation
// and more, and first tokens of bursts are simulated. The mean over a burst's requests, what a
// finite run drains, and rates below that are the closed form's.
bool is_simulated(const InferenceRun& run, const serving::Constants& constants);

// Predicts rows one way or the other.
class RowPredictor {
 public:
  explicit RowPredictor(const serving::Constants& constants)
      : constants_(&constants), simulator_(constants) {}
  double predict(const InferenceRun& run);
  int simulated() const { return simulated_; }  // Rows that the simulator scored.

 private:
  const serving::Constants* constants_;
  LoadSimulator simulator_;
  int simulated_ = 0;
};

}  // namespace loadfactor::validation
