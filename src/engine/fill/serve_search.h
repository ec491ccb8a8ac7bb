// Which deployment serves this demand most cheaply within its SLO?
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "loadfactor/estimate.h"
#include "resolve/serve/serving_world.h"
#include "search/serving_sizing.h"

namespace loadfactor::engine {

// Deployments that verbs simulate where nobody says how many.
inline constexpr int kConfirmed = 2;

struct SizingInputs {
  ServingInputs serving;
  std::string gpu;  // Instead of the scenario's candidates.
  int spares = -1;  // Replicas that stand by for failures; -1: as many as those of GPUs ask for.
  Seconds cold_start = Seconds::from_base(180);
  Seconds maintenance = Seconds::from_base(7200);  // Every replica's, once a month.
  int confirm = 3;
  int weeks = 1;         // Simulated for each fleet at most; 0: what is quick, up to 20.
  int gpus = 0;          // Also: the most that so many GPUs can carry.
  bool scaling = false;  // Simulates how the answer's replicas come and go,
  bool frugal = false;   // and only where that may be the cheapest way; no week where an API is
                         // cheaper than any fleet that may keep the SLO.
  bool simulates_weeks = true;  // Otherwise fleets have the least size that may.
  bool thorough = false;        // Prompts and answers apart, fleets below the answer, autoscaling.
  bool every_chip = false;      // Fleets of chips that cannot be the cheapest to rent too.
  bool relaxed = true;          // Also: what a looser SLO, a shorter context or fewer bits save.
  std::shared_ptr<search::WeekShapes> shapes = nullptr;   // Weeks that other questions share,
  std::shared_ptr<search::FleetMemory> memory = nullptr;  // and fleets, at another mean rate.
  Crew* crew = nullptr;  // Processes that ask the same and simulate with us.
};

struct DeploymentRow {
  std::string accelerator;
  std::string precision;
  std::string kv_format;  // Format of keys and values.
  serving::ServingLayout layout;
  std::int64_t max_seqs = 0;
  std::int64_t chunk = 0;
  serving::ServingLayout prompt_layout;  // The prompt pool's.
  int prompt_replicas = 0;               // 0: prompts and answers share replicas.
  int replicas = 0;                      // With spares, as all of these.
  int spares = 0;
  double enough = 1;  // Share of the time in which no more replicas are out than stand by.
  int gpus = 0;
  int paid_gpus = 0;  // With what whole machines have beyond them, in the way below.
  std::string way;  // The cheapest way to pay for it the whole time; empty where none has a price.
  std::optional<Dollars> per_hour;  // In that way.
  std::optional<Dollars> per_mtoken;
  double gpu_hours_per_mtoken = 0;
  double load_factor = 0;
  Hertz rate_per_replica;
  double tokens_per_gpu = 0;                  // Out, per second, at that rate.
  std::optional<double> goodput_per_dollar;   // Tokens out within the SLO; nothing without a rent.
  Hertz most_mean;                            // What the fleet could take on average.
  double autoscaled_gpus = 0;                 // Fluid limit,
  search::ReplicasOn on;                      // with how many replicas are on then,
  std::optional<search::ScaledFleet> scaled;  // and simulated, of the answer alone.
  Seconds ttft, tpot;  // At the quantiles where simulated, else of the closed form.
  Seconds mean_tpot;   // Closed form, of every row: what rows are compared by.
  bool is_calibrated = false;
  bool is_confirmed = false;
  int weeks_kept = 0;
  int weeks_kept_with_fewer = 0;
  search::WeekCount simulated;
  double within_slo = 0;
  Bytes weights;  // Those on the GPU that holds the most.
};

// `tp 2 pp 2`.
std::string layout_words(const serving::ServingLayout& layout);

// `3 × h100-sxm (3 × tp 1, fp8)`, `8 × h100-sxm (decode 2 × tp 2, prefill 4 × tp 1, fp8)`.
std::string row_words(const DeploymentRow& row);

// The dearest fleet below the answer's cost that was tried.
struct CheaperRow {
  DeploymentRow row;
  search::WeekCount simulated;
  bool is_fluid = false;  // Weeks of the fluid limit: none was simulated.
};

// What is promised of the time, and the cheapest fleet without that promise.
struct PromisedTime {
  std::optional<double> asked;         // Availability, as a share of the time.
  int zones = 0;                       // 0: not spread over any.
  int deployed = 0;                    // Replicas that a deploy may take out at once.
  std::optional<DeploymentRow> plain;  // Nothing where it was not looked for.
};

// What can give way.
enum class Relaxation : std::uint8_t { kFirstToken, kNextToken, kContext, kPrecision };

// What giving way in one thing saves, by the closed form.
struct RelaxRow {
  Relaxation what = Relaxation::kFirstToken;
  std::string accelerator, precision;  // The cheapest deployment that it allows:
  int gpus = 0;
  double load_factor = 0;
  std::optional<Dollars> per_hour;
  double saving = 0;  // Share of the answer's cost.
};

// The cheapest fleet of one accelerator for other traffic.
struct ResizedRow {
  std::string accelerator;
  int gpus = 0;
  double load_factor = 0;
  TokensPerSecond full_plane;        // In and out, of all of them.
  std::vector<double> busy_by_hour;  // GPUs that must be on, hour by hour.
  int replica = 1;                   // GPUs that come and go together.
  search::ReplicasOn on;             // How many of those; empty where none comes and goes.
};

struct SizeAnswer {
  std::string scenario, model_title, demand_words;
  double input = 0, output = 0;
  Hertz mean, peak;
  serving::ServicePromise ask;
  std::vector<DeploymentRow> rows;  // By what they cost the whole time, the cheapest first.
  std::size_t chosen = 0;           // The answer (engine/fill/sizing.h).
  std::vector<DeploymentRow> pareto;
  std::vector<RelaxRow> relaxed;
  std::optional<CheaperRow> next_cheaper;  // Nothing where there is none, or none was tried.
  bool is_smallest = false;                // Nothing cheaper exists.
  std::optional<DeploymentRow> most;       // The best on the GPUs that were asked about.
  std::int64_t enumerated = 0, fitting = 0, meeting = 0, simulated_requests = 0;
  int spares = 0;
  std::optional<PromisedTime> promised;  // Where an availability, zones or deploys are promised.
  bool has_prices = true;                // Otherwise deployments are ranked by GPUs.
  bool is_replayed = false;              // Requests of a trace, not of weeks made.
  double seconds = 0;                    // Set by whoever has a clock.
  // Fleets for a multiple of this demand, of every accelerator, the cheapest to rent first.
  std::function<std::vector<ResizedRow>(double)> at_traffic = nullptr;
  // Simulates the replicas of a row as they come and go; nothing where there is nothing to scale.
  std::function<std::optional<search::ScaledFleet>(std::size_t row)> scale_row = nullptr;
  std::vector<Notice> notices;
};

std::optional<SizeAnswer> search_deployment(const SizingInputs& question,
                                            const catalog::Catalog& catalog,
                                            Diagnostics& diagnostics);

}  // namespace loadfactor::engine
