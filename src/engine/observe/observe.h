// How full is a cluster now, who flies empty, and what would mend it?
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/calendar.h"
#include "engine/core.h"
#include "engine/observe/observe_answer.h"
#include "observe/read/readers.h"

namespace loadfactor::engine {

struct ObserveInputs {
  std::vector<observe::TextFile> files;
  std::shared_ptr<MetricFeed> feed;
  std::vector<ServeInputs> services;  // Scenarios with a service.
  std::vector<TrainInputs> runs;      // Scenarios with a training run.
  std::vector<CostInputs> money;      // The same, and those without one, for their prices.
  double since = kWeek.base();
  bool is_since_said = false;  // Rather than the usual length.
  std::optional<double> now;
  std::optional<double> step;
  bool is_live = false;      // The window ends now, whatever the last job or sample is.
  bool is_end_said = false;  // `now` is the end of the window, and not only the time it is.
  double interval = 60;
  double checkpoint = 0;
  std::optional<DollarsPerGpuSecond> price;
  std::string today;
  std::function<bool(double share)> go_on;  // Told how far it is; false: it was cancelled.
};

std::optional<ObserveAnswer> observe_cluster(const ObserveInputs& inputs, const Core& engine,
                                             Diagnostics& diagnostics);

// The parts of it.
std::unique_ptr<observe::Cluster> read_cluster(const ObserveInputs& inputs,
                                               std::vector<Notice>& notices,
                                               Diagnostics& diagnostics);
// Jobs that held GPUs before the window, or after it, and the options that show them; empty where
// none do.
struct JobsOutside {
  std::size_t before = 0, after = 0;
  std::string first_before, first_after;
  std::string since, now;
};
JobsOutside jobs_outside(const observe::Cluster& cluster, const ObserveInputs& inputs);
// The files among those given that are logs of training runs.
std::vector<observe::TextFile> step_logs(std::span<const observe::TextFile> files);
// What each log says of its run. LF5xx where a log has no steps.
Result<std::vector<TrainingRow>> measure_runs(std::span<const observe::TextFile> logs,
                                              const ObserveInputs& inputs, const Core& engine,
                                              Diagnostics& diagnostics);
// What the model says of a run, as it stands beside what was measured.
PredictedRun predicted_run(const TrainAnswer& predicted);
// Runs by counters of their GPUs: in the row of their log, or in one of their own.
void add_counters(const observe::Account& account, const ObserveInputs& inputs, const Core& engine,
                  ObserveAnswer& answer);
// Where the GPU time of runs went, where logs are all that is known.
observe::Account account_of(std::span<const TrainingRow> runs);
// Asks a server for everything that the window holds, in pieces that it and we can hold.
Result<observe::ReadCount> read_feed(const ObserveInputs& inputs, observe::Cluster& cluster);

// What one service did, and what was predicted of it.
struct ObservedServices {
  std::vector<ServiceRow> rows;
  std::vector<double> full_rates;  // By replica: tokens per second when full; 0: not predicted.
  // By replica: how many times the full rate it may be as predicted; 1 where it is not.
  std::vector<LoadRange> full_ranges;
  std::vector<TrafficHour> traffic;
};
ObservedServices measure_services(const observe::Cluster& cluster, const ObserveInputs& inputs,
                                  const Core& engine, std::vector<Notice>& notices);

// The scenario that is of what a service serves.
const ServeInputs* scenario_of(const ServiceRow& row, const ObserveInputs& inputs,
                               const Core& engine);

// The deployment of a scenario under the load that was found, and what of it cannot be.
void predict_service(const ServeInputs& planned, const Core& engine, ServiceRow& row,
                     std::vector<Notice>& notices);

void add_money(const observe::Account& account, const ObserveInputs& inputs, const Core& engine,
               ObserveAnswer& answer);
void add_advice(const observe::Account& account, ObserveAnswer& answer);

}  // namespace loadfactor::engine
