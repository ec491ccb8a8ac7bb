// What `observe` answers.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "loadfactor/estimate.h"
#include "observe/account.h"
#include "observe/straggler.h"

namespace loadfactor::engine {

// A leaf of the tree of losses.
struct LossLeaf {
  observe::Cause cause = observe::Cause::kLoad;
  double share = 0;  // Its part of the bill.
  double gpu_hours = 0;
  Dollars cost;
};

enum class GroupBy : std::uint8_t { kTeam, kWorkload, kModel, kAccelerator };

struct LoadRange {
  double low = 0, high = 0;
};

struct UseGroup {
  GroupBy by = GroupBy::kTeam;
  std::string name;
  double gpu_hours = 0;
  double load_factor = 0;
  LoadRange load_range;   // As wide as what was not seen, and as what its full rates rest on.
  bool is_bound = false;  // Its work may have been less full than it is counted.
  Dollars cost;
  Dollars empty;                             // What of it paid for nothing.
  std::optional<double> busy, tensor, dram;  // While it worked; nothing where no sensor tells.
};

struct StragglerRow {
  std::string gpu, node, workload;
  observe::StragglerSign sign = observe::StragglerSign::kTensor;
  double ratio = 1;
  double statistic = 0;
  double probability = 1;
  Dollars per_month;  // What is lost at its pace, its own and that of those that wait for it.
};

struct FaultRow {
  enum class Kind : std::uint8_t {
    kXid,
    kEcc,
    kRemappedRows,
    kRemapFailure,
    kNvlink,
    kThermal,
    kPower,
  };
  std::string gpu, node;
  Kind kind = Kind::kXid;
  double value = 0;  // A code, a count, or a share of the time.
};

// Busy by the counter that most people watch, and idle by those that see work.
struct LyingRow {
  std::string team, workload;
  double busy = 0, tensor = 0;
  std::optional<double> dram;
  Dollars cost;
  std::string counter;  // The metric that shows it busy.
};

// Nothing for one that lies above the last bound that the engine counts up to.
struct LatencyPair {
  std::optional<double> p50, p95;
  double last_bound = 0;
};

struct PredictedService {
  std::string scenario;
  EstimateOf<TokensPerSecond> full_rate;  // Output tokens when full, of all replicas.
  // Means; nothing where more arrives than it can do: they grow.
  std::optional<EstimateOf<Seconds>> ttft, tpot;
  double running = 0;
  EstimateOf<double> load_factor;
  bool is_feasible = true;
};

struct ServiceRow {
  std::string team, name, model, engine, accelerator;
  std::string known_model;      // The catalogue's name of the model; empty where it has none.
  bool is_known_engine = true;  // Whether the catalogue has it.
  int replicas = 0;             // Copies of the model that stood at once, on average.
  int gpus_each = 0;
  bool has_rates = true;       // False: its counters were seen once, which tells no rate.
  bool knows_requests = true;  // False: nothing counts them.
  bool knows_tokens = true;
  double requests_rate = 0;  // Per second.
  double tokens_in = 0;      // What a request brings, on average.
  double tokens_out = 0;
  double tokens_in_rate = 0, tokens_out_rate = 0;
  double running = 0;           // At once, all replicas, while any runs.
  std::optional<double> cache;  // Share of it in use, on average.
  std::optional<double> prefix_hit_rate;
  double preemptions = 0;
  std::optional<LatencyPair> ttft, tpot;  // Seconds.
  double load_factor = 0;
  // The full rate that load factors are of may be so many times the one taken.
  LoadRange full_range{.low = 1, .high = 1};
  double busiest_hour = 0;      // Load factor of it,
  double busiest_replicas = 0;  // and the copies that stood then.
  Dollars cost;
  std::optional<Dollars> api_cost;  // What an API takes for the same tokens,
  std::string api_name;             // and whose it is: the one that `plan` compares with.
  std::optional<PredictedService> predicted;
  std::optional<double> error;  // Measured over predicted rate of steps, less one.

  bool tells_load() const { return has_rates && knows_tokens; }
  // Whether nothing was asked of it.
  bool is_unasked() const {
    return tells_load() && tokens_in_rate + tokens_out_rate <= 0 && requests_rate <= 0;
  }
  LoadRange range_of(double load) const { return {load / full_range.high, load / full_range.low}; }
  bool tells_requests() const { return has_rates && knows_requests; }
  // What a request brings and gets, on average.
  bool tells_lengths() const { return knows_requests && knows_tokens; }
};

// What the model says of a run.
struct PredictedRun {
  Seconds step;
  double mfu = 0;
  double hfu = 0;  // The same with operations that are done again, which tensor cores do, too.
  double tokens_rate = 0;  // Tokens per second of a GPU.
  double goodput = 0;
  Seconds save_every;
  Seconds save_stall;
};

// A rank of a run, or a node of it, that is slower than its peers.
struct SlowRankRow {
  std::string name;
  bool is_node = false;
  double ratio = 1;
  double statistic = 0;
  double probability = 1;
  double gpus_lost = 0;  // As many GPUs less would do the same.
};

// A training run by its log, or by counters of the GPUs that it holds.
struct TrainingRow {
  std::string log, framework, scenario, accelerator;
  int gpus = 0;
  std::int64_t steps = 0;     // Steps that count,
  std::int64_t repeated = 0;  // and those that were done again.
  int restarts = 0;
  Seconds step;  // The usual one.
  Seconds wall;
  bool has_stamps = false;  // Otherwise stops between steps are not seen.
  double goodput = 0;
  double lost = 0;                    // Share of the time in steps that were done again.
  std::optional<double> mfu;          // By its steps and the operations of the model,
  std::optional<double> logged_mfu;   // by the operations that its log counts,
  std::optional<double> tensor;       // and at most, by the cycles in which tensor cores worked.
  std::optional<double> tokens_rate;  // Tokens per second of a GPU.
  int ranks_tested = 0;
  std::vector<SlowRankRow> slow_ranks;
  std::optional<Seconds> mtbf;        // Between two stops,
  std::optional<Seconds> save_every;  // two checkpoints,
  std::optional<Seconds> save_stall;
  std::optional<Seconds> best_save_every;  // and two checkpoints as those stops ask for.
  double save_gain = 0;                    // What that would add to the goodput.
  std::optional<double> last;              // When the last step was logged, seconds since 1970.
  std::optional<PredictedRun> predicted;
  std::optional<double> error;  // Measured step over the predicted, less one.
};

struct AdviceRow {
  enum class Kind : std::uint8_t {
    kGiveBack,     // GPUs that nobody ever held.
    kReclaim,      // A workload that holds GPUs and hardly uses them.
    kShrink,       // Replicas that the busiest hour does not need.
    kMoveToApi,    // Tokens that cost less bought.
    kRaiseBatch,   // Requests wait while the cache has room.
    kMendNode,     // A slow GPU that others wait for.
    kMendRank,     // A slow rank of a run.
    kConsolidate,  // Two workloads that the GPUs of one could carry.
    kSaveEvery,    // Checkpoints at the distance that the stops seen ask for.
  };
  Kind kind = Kind::kGiveBack;
  std::string whom;    // A workload, a node.
  std::string edit;    // A change of the scenario that --to writes; may be empty.
  double count = 0;    // GPUs, or replicas.
  double figure = 0;   // What it rests on.
  Dollars saves;       // Per month.
  std::string other;   // The workload that takes it in, or the cluster that gives back.
  std::string seller;  // Whose tokens are bought instead; empty: at a price that is written.
  double of = 0;       // What the figure is out of, or what it is today.
  std::string flag;    // The option of the engine to change, as it calls it; may be empty.
};

// Requests in an hour, or in what the window has of it, and their tokens.
struct TrafficHour {
  double time = 0;
  double seconds = 0;  // How much of the hour it is.
  double requests = 0, tokens_in = 0, tokens_out = 0;
};

// How a price was found.
struct PaidPrice {
  std::string accelerator;  // As exporters call it,
  int gpus = 0;             // of which so many were seen,
  std::string chip;         // and the catalogue; empty where it has none like it.
  DollarsPerGpuSecond price;
  std::optional<DollarsPerGpuSecond> on_demand;
  std::string from;      // `stated`, or a term,
  std::string scenario;  // and whose: that of a scenario, else the catalogue's.
};

struct ObserveAnswer {
  std::vector<std::string> sources;
  double from = 0, to = 0;  // Seconds since 1970.
  double step = 60;
  int gpus = 0;
  int nodes = 0;
  double seen_share = 1;  // The part of the paid time that samples tell of.
  EstimateOf<double> load_factor;
  std::optional<EstimateOf<double>> load_now;  // The same over the last hour.
  bool is_load_known = true;  // False: the load factor is only known to be between 0 and 1.
  std::optional<EstimateOf<double>> break_even;
  EstimateOf<Dollars> bill;
  Dollars per_hour;
  Dollars idle_per_hour;                          // What of it pays for nothing.
  std::array<double, observe::kLosses> losses{};  // Shares of the bill, the load factor first.
  std::vector<LossLeaf> leaves;
  std::vector<UseGroup> groups;
  std::vector<std::vector<std::optional<double>>> week;
  std::vector<StragglerRow> stragglers;
  int stragglers_tested = 0;  // GPUs,
  int ranks_tested = 0;       // and ranks of runs, that were compared.
  double false_alarms = 0.01;
  std::vector<FaultRow> faults;
  std::vector<LyingRow> lying;
  std::vector<ServiceRow> services;
  std::vector<TrainingRow> training;
  std::vector<TrafficHour> traffic;  // The traffic of the largest service.
  std::vector<AdviceRow> advice;
  std::vector<PaidPrice> prices;
  std::vector<Notice> notices;
};

}  // namespace loadfactor::engine
