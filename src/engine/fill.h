// Can I keep N GPUs full? The load factor of a fleet over its demand, and what would change it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "demand/cluster_use.h"
#include "engine/demand.h"
#include "engine/serving_world.h"
#include "loadfactor/estimate.h"
#include "serving/load_factor.h"

namespace loadfactor::engine {

struct FillQuestion {
  ServingQuestion serving;
  int gpus = 0;  // Of the fleet; 0: as the scenario says, else the least that keeps the SLO.
  Seconds think_time =
      Seconds::from_base(60);  // Between an answer and the same user's next request.
};

// A fleet of one size.
struct FillPoint {
  int replicas = 0;
  int gpus = 0;
  double load_factor = 0;
  double within_slo = 1;  // Share of requests.
  Dollars per_mtoken;     // Per million tokens served, in and out; 0 without a price.
  bool is_knee = false;
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
};

// The traffic at which the fleet is this full.
struct CrowdRow {
  std::string what;
  double load_factor = 0;
  Hertz requests;
  double users = 0;
  bool is_reachable = true;  // With this shape and SLO.
};

// The smallest crowd that pays for a replica, and whether shape and SLO let it come that far.
struct ThresholdRow {
  std::string change;
  int gpus = 0;           // Of one replica.
  double break_even = 0;  // Load factor at which it costs as much as the API.
  double fullest = 0;     // As full as shape and SLO let it be.
  Hertz requests;         // From which it pays.
  double users = 0;

  bool pays() const { return break_even <= fullest; }
};

// The cheapest deployment that an API cannot undercut once it is full.
struct WorthHaving {
  std::string accelerator;
  int gpus = 0;
  int tp = 1;
  Hertz requests;  // From which it pays.
  double break_even = 0;
};

struct FillAnswer {
  std::string scenario, model_title, accelerator, accelerator_title, precision, engine_title;
  std::string demand_words;
  serving::ServingLayout layout;
  int replicas = 0;
  int gpus = 0;
  int gpus_left = 0;  // Of those given, too few for one more replica; paid for all the same.
  bool fleet_chosen = false;
  serving::CapacityFigures replica;
  EstimateOf<double> load_factor;
  std::optional<EstimateOf<double>> break_even;
  serving::FluidLoad load;
  Hertz mean, peak;
  double input = 0, output = 0;
  demand::WeekProfile week;  // Load factor by hour of the week.
  std::vector<FillPoint> curve;
  std::vector<PoolingRow> pooling;
  std::vector<CrowdRow> crowd;
  std::vector<ThresholdRow> thresholds;
  std::optional<WorthHaving> smallest;
  Dollars rent_per_month;
  std::optional<Dollars> api_per_month;
  std::string api_provider;
  Seconds think_time;
  std::vector<Notice> notices;
  std::vector<UsedFact> facts;
};

std::optional<FillAnswer> fill_fleet(const FillQuestion& question, const catalog::Catalog& catalog,
                                     Diagnostics& diagnostics);

// The same for a training cluster: what was allocated, busy and useful of `gpus` (0: the most
// ever allocated).
struct ClusterFill {
  std::string file;
  int gpus = 0;
  bool gpus_assumed = false;
  demand::ClusterUse use;
  double allocated = 0;
  std::optional<double> busy;  // Where metrics were given.
  double useful = 0;
  demand::WeekProfile week;
  std::vector<FillPoint> curve;  // Share of the GPU-hours asked that fit; `within_slo`.
  std::vector<Notice> notices;
};
Result<ClusterFill> fill_cluster(const DemandAnswer& jobs, int gpus,
                                 std::optional<double> gpu_busy);

// The parts that make FillAnswer, in files of their own.
struct FillContext {
  ServingWorld* world = nullptr;
  serving::ReplicaPlan plan;
  serving::CapacityFigures figures;
  std::optional<DollarsPerGpuSecond> rent;  // The median quote,
  double rent_low = 1;                      // and the lowest and highest over it.
  double rent_high = 1;
  std::optional<Dollars> api_per_request;
  Seconds think_time;

  // Dollars per million tokens of a fleet that serves so many requests per second.
  Dollars per_mtoken(int gpus, Hertz served) const;
  // Full-plane rent over the API's price of the same work; nothing without both prices.
  std::optional<double> break_even(const serving::CapacityFigures& figures) const;
  double users(Hertz requests, const serving::CapacityFigures& figures) const;
};
void add_curve(const FillContext& context, FillAnswer& answer);
void add_pooling(const FillContext& context, FillAnswer& answer);
void add_crowd(const FillContext& context, FillAnswer& answer);
void add_thresholds(FillContext& context, FillAnswer& answer);
void add_smallest(FillContext& context, FillAnswer& answer);

}  // namespace loadfactor::engine
