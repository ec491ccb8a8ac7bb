// Many workloads on pools of GPUs: who runs where and when, how full the pools are, what sharing
// saves, and what each workload costs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/scenario/fleet.h"
#include "engine/core.h"
#include "loadfactor/cost.h"
#include "loadfactor/estimate.h"

namespace loadfactor::engine {

// What a workload reads beside the fleet.
struct FleetWork {
  std::optional<config::Scenario> scenario;  // With the money of the fleet; none where reserved.
  std::vector<ModelFile> model_files;
  std::string_view trace_bytes;
  std::string_view jobs_bytes;
};

struct FleetInputs {
  config::Fleet fleet;
  std::vector<FleetWork> works;  // By workload.
  bool are_limits = false;  // `gpus` of pools need not be whole machines: those within it are used.
  std::uint64_t seed = 1;
  std::string today;
  int threads = 1;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(double share)> progress;

  bool is_stopped() const { return stop != nullptr && stop->load(); }
};

enum class FleetDecision : std::uint8_t {
  kRun,     // On a pool.
  kApi,     // Tokens are bought.
  kDrop,    // Its value is less than what it costs.
  kNoRoom,  // The pools cannot hold it, and nothing takes its place.
};
std::string_view name_of(FleetDecision decision);

// The ends of an interval over its middle: of money, what is not known of the prices in it.
struct FleetSpread {
  double low = 1;
  double high = 1;
};

// How full machines are.
struct FleetFullness {
  int gpus = 0;              // Paid for at the busiest hour.
  double load_factor = 0;    // Work done over what the GPUs that are paid for could do,
  FleetSpread of_load = {};  // and how sure that is.
  double allocated = 0;      // Share of the hours paid for that somebody holds the GPU.
  Dollars per_month;
  FleetSpread spread = {};
  Joules energy;  // At the grid, in a month; nothing where no rating of the chip is known.
  FleetSpread of_energy = {};
};

struct FleetWay {
  OptionKind kind = OptionKind::kOwn;
  int gpus = 0;          // Committed to, or rented at the busiest hour.
  double gpu_hours = 0;  // Paid for in a month.
  Dollars per_month;
  FleetSpread spread = {};
};

// What hours that nobody needs are worth.
struct FleetIdle {
  double gpu_hours = 0;    // Committed to and not needed, in a month.
  double share = 0;        // Share of the committed hours.
  Dollars next_idle_hour;  // What working costs beyond what is paid anyway: one GPU's.
  std::optional<Dollars> next_full_hour;  // One more GPU-hour when all are busy.
  std::optional<Dollars> committed_hour;  // What a GPU-hour costs all the time.
  FleetSpread of_power = {};              // The spreads of these three.
  FleetSpread of_rent = {};
  FleetSpread of_committed = {};
};

struct FleetPoolAnswer {
  std::string name;
  std::string accelerator;
  std::string title;
  std::string region;  // Catalogue name; empty where it is not said.
  bool is_shared = true;
  int machine = 8;
  std::optional<std::int64_t> most;  // GPUs that there can be.
  FleetFullness after;
  FleetFullness before;  // The same workloads, each with machines of its own.
  std::vector<FleetWay> ways;
  FleetIdle idle;
  DollarsPerJoule electricity;          // What its region's, or the fleet's, costs,
  std::optional<double> grams_per_kwh;  // and its carbon; nothing where it is not known.
  std::vector<double> load;  // GPUs needed by hour of the week, on average over the horizon.
};

// What every start of a gang loses.
struct FleetReload {
  EstimateOf<Seconds> load;   // The model, or the last checkpoint.
  EstimateOf<Seconds> drain;  // Requests in flight, or the checkpoint to be written.
  Seconds all() const { return load.value() + drain.value(); }
};

struct FleetWorkloadAnswer {
  std::string name;
  config::WorkloadKind kind = config::WorkloadKind::kOnline;
  std::int64_t priority = config::kUsualPriority;
  FleetDecision decision = FleetDecision::kRun;
  std::string pool;    // Empty where it is on none.
  std::string layout;  // A replica or a run, in words.
  int gpus = 0;        // At its busiest hour,
  double mean_gpus = 0;
  double gpu_hours = 0;      // in the horizon.
  double load_factor = 0;    // The part of its own GPU-hours that is work,
  FleetSpread of_load = {};  // and how sure that is.
  FleetReload reload;
  int starts = 0;         // In the horizon.
  double lost_hours = 0;  // GPU-hours that starts lose.
  bool is_preemptible = false;
  Dollars per_month;              // Fair share.
  Dollars alone;                  // By itself,
  Dollars marginal;               // and what the bill falls by without it; both per month.
  FleetSpread spread = {};        // How sure its share and its saving are,
  FleetSpread alone_spread = {};  // and how sure its cost by itself is.
  std::optional<Dollars> api;     // What tokens would cost per month,
  FleetSpread api_spread = {};
  std::optional<Dollars> value;      // and what is lost without it.
  std::optional<double> within_slo;  // Share of requests, simulated with its hours of the schedule,
  FleetSpread of_within = {};        // and how sure that is.
  std::optional<bool> keeps_slo;
  std::int64_t requests = 0;                      // Simulated.
  std::optional<EstimateOf<Seconds>> round_trip;  // To its farthest users and back,
  std::string farthest;                           // who are here.
  std::optional<Seconds> first, last;             // When jobs begin and end.
  std::vector<double> week;  // GPUs by hour of the week, on average over the horizon.
  std::vector<double> days;  // GPUs by day of the year, on average; empty for a week.
};

struct FleetAnswer {
  std::string fleet;
  config::FleetHorizon horizon = config::FleetHorizon::kWeek;
  std::vector<FleetPoolAnswer> pools;
  std::vector<FleetWorkloadAnswer> workloads;
  Dollars per_month;
  Dollars separate;  // Every workload that has room, by itself.
  Dollars saving;
  FleetSpread spread = {};           // How sure the sum and the bound are,
  FleetSpread separate_spread = {};  // and how sure the cost apart is.
  Dollars bound;                     // No schedule costs less,
  double gap = 0;                    // which is so much of the cost away.
  bool are_shares_sampled = false;
  std::optional<double> within_slo;  // Share of all simulated requests; none where none was.
  FleetSpread of_within = {};
  double seconds = 0;  // CPU, set by whoever has a clock.
  std::vector<Notice> notices;
};

// Nothing, and the reasons, where the fleet has errors or some workload cannot be resolved.
std::optional<FleetAnswer> plan_fleet(const Core& engine, const FleetInputs& inputs,
                                      Diagnostics& diagnostics);

}  // namespace loadfactor::engine
