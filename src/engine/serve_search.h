// Which deployment serves this demand most cheaply within its SLO?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/serving_world.h"
#include "loadfactor/estimate.h"
#include "search/serving_sizing.h"

namespace loadfactor::engine {

struct SearchQuestion {
  ServingQuestion serving;
  int spares = 0;
  Seconds cold_start = Seconds::from_base(180);
  int confirm = 3;
};

struct DeploymentRow {
  std::string accelerator;
  std::string precision;
  serving::ServingLayout layout;
  std::int64_t max_seqs = 0;
  std::int64_t chunk = 0;
  int replicas = 0;
  int gpus = 0;
  std::optional<Dollars> per_hour;  // Nothing where no rent of the chip is known.
  std::optional<Dollars> per_mtoken;
  double gpu_hours_per_mtoken = 0;
  double load_factor = 0;
  Hertz rate_per_replica;
  double tokens_per_gpu = 0;  // Out, per second, at that rate.
  double autoscaled_gpus = 0;
  Seconds ttft, tpot;
  bool is_calibrated = false;
  bool is_confirmed = false;
  int weeks_kept = 0;
  int weeks_kept_with_fewer = 0;
  double within_slo = 0;
};

// What giving way in one thing saves.
struct RelaxRow {
  std::string change;
  std::optional<Dollars> per_hour;
  double saving = 0;  // Share of the answer's cost.
};

struct SearchAnswer {
  std::string scenario, model_title, demand_words;
  double input = 0, output = 0;
  Hertz mean, peak;
  serving::ServiceAsk ask;
  std::vector<DeploymentRow> rows;  // The answer first.
  std::vector<DeploymentRow> pareto;
  std::vector<RelaxRow> relaxed;
  std::int64_t enumerated = 0, fitting = 0, meeting = 0, simulated_requests = 0;
  int spares = 0;
  bool has_prices = true;  // Of the answer; otherwise deployments are ranked by GPUs.
  double seconds = 0;      // Set by whoever has a clock.
  std::vector<Notice> notices;
};

std::optional<SearchAnswer> search_deployment(const SearchQuestion& question,
                                              const catalog::Catalog& catalog,
                                              Diagnostics& diagnostics);

}  // namespace loadfactor::engine
