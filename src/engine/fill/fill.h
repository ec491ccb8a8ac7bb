// Can I keep N GPUs full? The load factor of a fleet over its demand, and what would change it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "demand/describe/cluster_use.h"
#include "engine/fill/serving_prices.h"
#include "loadfactor/cost.h"
#include "loadfactor/estimate.h"
#include "loadfactor/fit.h"
#include "resolve/demand/demand.h"
#include "resolve/serve/serving_world.h"
#include "serving/load_factor.h"

namespace loadfactor::engine {

enum class Simulating : std::uint8_t {
  kNever,
  kWhereQuick,  // A week of at most a few million requests.
  kAlways,
};

struct FillInputs {
  ServingInputs serving;
  std::string gpu;  // Instead of the scenario's candidates.
  Simulating simulating = Simulating::kNever;
  int gpus = 0;  // The fleet's; 0: as the scenario says, else the cheapest that keeps the SLO.
  Seconds think_time =
      Seconds::from_base(60);  // Between an answer and the same user's next request.
  bool load_only = false;      // Not what other crowds, pools, replicas and chips would do.
};

// How far from known a figure is, over its value, nine times in ten.
struct RelativeEnds {
  double low = 1;
  double high = 1;

  template <typename Q>
  EstimateOf<Q> of(const EstimateOf<Q>& figure) const {
    return {figure.value(), figure.value() * low, figure.value() * high, figure.basis(),
            figure.source()};
  }
};

// A fleet of one size.
struct FillPoint {
  int units = 0;     // Replicas, or units of both pools where prompts are apart.
  int replicas = 0;  // Those that write answers, where prompts are apart.
  int gpus = 0;
  double load_factor = 0;
  double within_slo = 1;  // Share of requests.
  Dollars per_mtoken;     // Per million tokens served, in and out; 0 without a price.
  bool is_knee = false;
  std::optional<RelativeEnds> token_ends = {};  // The price's.
};

// k services like this one, on one fleet or each on its own.
struct PoolingRow {
  int services = 1;
  int gpus_apart = 0;
  int gpus_pooled = 0;
  double load_apart = 0;
  double load_pooled = 0;
  Dollars per_mtoken_apart;
  Dollars per_mtoken_pooled;
  std::optional<RelativeEnds> token_ends = {};  // Ends of both prices, for one fleet.
};

// Crowds whose size is asked for.
enum class Crowd : std::uint8_t {
  kToday,
  kBreakEven,
  kHalf,
  kFourFifths,
  kFullest,  // As many as shape and SLO allow.
};

// The traffic at which the fleet is this full.
struct CrowdRow {
  Crowd what = Crowd::kToday;
  double load_factor = 0;
  Hertz requests;
  double users = 0;
  bool is_reachable = true;                    // With this shape and SLO.
  std::optional<RelativeEnds> load_ends = {};  // Where it is a break-even.
};

// The smallest crowd that pays for a replica, and whether shape and SLO let it come that far.
struct ThresholdRow {
  enum class Change : std::uint8_t { kAsItIs, kPrecision, kEngine, kSplit, kLooserSlo, kPooled };
  Change change = Change::kAsItIs;
  std::string to;   // The precision, or the engine.
  int prompts = 0;  // Replicas of a unit that is split:
  int answers = 0;
  int gpus = 0;           // One replica's.
  double break_even = 0;  // Load factor at which it costs as much as the API.
  double fullest = 0;     // As full as shape and SLO let it be.
  Hertz requests;         // From which it pays.
  double users = 0;
  std::optional<RelativeEnds> even_ends = {};  // The break-even's.

  bool pays() const { return break_even <= fullest; }
};

// One way to pay for the fleet, as `cost` prices it.
struct WayToPay {
  OptionKind way = OptionKind::kOnDemand;
  DollarsPerGpuSecond price;  // A GPU's, at the fleet's load.
  double break_even = 0;      // Load factor; infinite where it never pays.
  Hertz requests;             // At which the fleet breaks even,
  double users = 0;
  bool pays = false;  // At the load it has.
  std::optional<RelativeEnds> price_ends = {}, even_ends = {};
};

// The fleet with one replica more or fewer.
struct Neighbour {
  FillPoint point;
  Dollars per_month;  // More, or less where negative.
};

// The same fleet over the same demand, request by request.
struct SimulatedFill {
  double load_factor = 0;
  double within_slo = 0;
  Seconds ttft, tpot;  // At their quantiles.
  bool kept = false;
  std::int64_t requests = 0;
  double share_of_demand = 1;
};

// The cheapest deployment that an API cannot undercut once it is full.
struct WorthHaving {
  std::string accelerator;
  ServeLayout layout;
  Hertz requests;  // From which it pays.
  double break_even = 0;
};

struct FillAnswer {
  std::string scenario, model_title, accelerator, accelerator_title, precision, engine_title;
  std::string kv_format;  // Format of keys and values.
  std::string demand_words;
  serving::ServingLayout layout;
  std::int64_t chunk = 0;                // Tokens of one step.
  std::int64_t max_seqs = 0;             // Requests of one step.
  serving::ServingLayout prompt_layout;  // The prompt pool's, where it is apart.
  int prompt_replicas = 0;               // Prompt replicas of a unit.
  int answer_replicas = 1;               // Answer replicas of a unit.
  int units = 0;                         // Such units; replicas where prompts are not apart.
  int replicas = 0;                      // Those that write answers, where prompts are apart.
  int gpus = 0;
  int gpus_left = 0;  // Too few for one more replica; paid for all the same.
  bool fleet_chosen = false;
  serving::CapacityFigures replica;  // One replica's, or one unit's.
  EstimateOf<double> load_factor;
  double variation = 0;  // Coefficient of what a replica delivers.
  std::optional<EstimateOf<double>> break_even;
  serving::FluidLoad load;
  EstimateOf<double> within_slo;  // Share of requests, by the fluid limit.
  Hertz mean, peak;
  double input = 0, output = 0;
  demand::WeekProfile week;  // Load factor by hour of the week.
  std::vector<FillPoint> curve;
  std::optional<Neighbour> one_fewer, one_more;
  std::optional<SimulatedFill> simulated;
  std::vector<WayToPay> ways;
  std::vector<PoolingRow> pooling;
  std::vector<CrowdRow> crowd;
  std::vector<ThresholdRow> thresholds;
  std::optional<WorthHaving> smallest;
  OptionKind priced = OptionKind::kOnDemand;  // The way to pay of every single price.
  Dollars rent_per_month;                     // What it costs in that way.
  double gpus_paid = 0;                       // In that way: machines are sold whole.
  // The share of draws of what is uncertain in which the fleet, so paid, is cheaper than the API.
  std::optional<double> cheaper;
  std::int64_t draws = 0;
  std::optional<Dollars> api_per_month;
  std::string api_provider;
  Seconds think_time;
  // The answer with each uncertain input at its low and then at its high end, for the intervals of
  // the other figures. Empty where none were asked for.
  std::vector<FillAnswer> ends;
  std::vector<Notice> notices;
  std::vector<UsedFact> facts;

  // Load factor over the GPUs that are paid for, which the break-even is held against.
  double paid_load() const {
    return gpus_paid > gpus ? load_factor.value() * gpus / gpus_paid : load_factor.value();
  }
};

// Rates by hour of the week as shares of what a fleet can do; < 0 stays: nothing is known.
demand::WeekProfile week_load(demand::WeekProfile rates, double full);
// GPUs that must be on, hour by hour: whole replicas that keep the SLO, and never none.
std::vector<double> busy_hours(const demand::WeekProfile& load,
                               const serving::ReplicaCapacity& capacity, int replicas);

std::optional<FillAnswer> fill_fleet(const FillInputs& question, const catalog::Catalog& catalog,
                                     Diagnostics& diagnostics);

// The same for a training cluster: what was allocated, busy and useful of `gpus` (0: the most
// ever allocated).
struct ClusterFill {
  std::string file;
  int gpus = 0;
  bool gpus_assumed = false;
  demand::ClusterUse use;
  double allocated = 0;
  std::optional<double> busy;    // Where metrics were given.
  std::optional<double> useful;  // Nothing where no job is known to be over.
  demand::WeekProfile week;
  std::vector<FillPoint> curve;  // Share of the GPU-hours asked that fit; `within_slo`.
  std::vector<Notice> notices;
};
Result<ClusterFill> fill_cluster(const DemandAnswer& jobs, int gpus,
                                 std::optional<double> gpu_busy);

// Another replica, or another promise, whose smallest crowd is asked for.
struct Alternative {
  ThresholdRow row;
  serving::CapacityFigures figures;
};

// The parts that make FillAnswer, in files of their own.
struct FillContext {
  ServingWorld* world = nullptr;
  serving::ReplicaPlan plan;                    // The answer pool's, where prompts are apart.
  std::optional<serving::ReplicaPlan> prompts;  // Then a unit has so many of each:
  int prompt_replicas = 0;
  int answer_replicas = 1;
  serving::CapacityFigures figures;    // One replica's, or those of a unit of both pools.
  int units = 1;                       // Such replicas or units, as written or chosen.
  bool is_sized = false;               // Chosen as the cheapest, not written.
  std::vector<Notice::Argument> size;  // How the search comes to so many.
  std::unique_ptr<CostSetup> cost;     // Terms of this chip; nothing where none can be had.
  Seconds think_time;
  std::vector<std::vector<double>> copies;  // Rates of like services; `find_copies` makes them.
  std::vector<std::vector<double>> pooled;  // Rates of the first k of them together, k from 1 on.
  std::vector<Alternative> alternatives;    // `find_alternatives` makes them.

  int gpus_each() const { return figures.capacity.gpus; }
  // What one GPU costs in the leading way to pay, and one request at the API.
  std::optional<GpuPrice> price() const;
  std::optional<Dollars> api_per_request() const;
  // GPUs that are paid for where so many are needed: machines are sold whole.
  double gpus_paid(int gpus) const;
  // Dollars per million tokens of a fleet that serves so many requests per second.
  Dollars per_mtoken(int gpus, Hertz served) const;
  // Full-plane cost over the API's price of the same work; nothing without both prices.
  std::optional<double> break_even(const serving::CapacityFigures& figures) const;
  double users(Hertz requests, const serving::CapacityFigures& figures) const;

  // How far what is measured of such a deployment lies from what is predicted, nine cases of ten.
  serving::IntervalWidth width(serving::Metric metric) const;
  double speed = 1;  // That of every replica over what is predicted.
};

// A replica that is so many times as quick.
serving::CapacityFigures at_speed(serving::CapacityFigures figures, double speed);

// The replica, or unit of two pools, that the scenario writes, or the fleet that serves its demand
// most cheaply; nothing, and the reasons, where there is none.
std::optional<FillContext> choose_context(const FillInputs& question, ServingWorld& world,
                                          Diagnostics& diagnostics);
// As many prompt and answer replicas as waste least; nothing where neither keeps the SLO.
struct SplitUnit {
  int prompts = 1;
  int answers = 1;
  serving::CapacityFigures figures;
};
std::optional<SplitUnit> best_split_unit(const ServingWorld& world,
                                         const serving::ReplicaPlan& prompts,
                                         const serving::ReplicaPlan& answers);
SplitUnit split_unit(const ServingWorld& world, const serving::ReplicaPlan& prompts,
                     const serving::ReplicaPlan& answers, int prompt_replicas, int answer_replicas);

void add_money(FillContext& context, FillAnswer& answer);
void add_ways(const FillContext& context, FillAnswer& answer);
void add_curve(const FillContext& context, FillAnswer& answer);
// The figures of a curve whose sizes are there.
void fill_curve(const FillContext& context, FillAnswer& answer);
// Sixteen like services, each with its own rates.
void find_copies(FillContext& context);
void add_pooling(const FillContext& context, FillAnswer& answer);
void add_crowd(const FillContext& context, FillAnswer& answer);
void find_alternatives(FillContext& context);
void add_thresholds(const FillContext& context, FillAnswer& answer);
void add_smallest(const FillInputs& question, FillContext& context, FillAnswer& answer);
void add_simulated(const FillInputs& question, const FillContext& context, FillAnswer& answer);
void add_load(const FillContext& context, FillAnswer& answer);
// The answer with replicas as slow and as quick as measured ones may be, and with every price at
// its ends.
void add_ends(FillContext& context, FillAnswer& answer);
// What the fleet of an answer is to `cost`.
CostInputs cost_question(const ServingInputs& question, const FillAnswer& fleet);
// Prices and break-evens of the ways to pay with the intervals that `cost` draws for them.
void add_draws(const FillInputs& question, const FillContext& context, FillAnswer& answer);

}  // namespace loadfactor::engine
