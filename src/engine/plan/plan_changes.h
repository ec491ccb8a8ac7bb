// What changes would do to a plan, and which machines came after the answer, as figures.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "economics/years.h"
#include "engine/plan/plan_findings.h"

namespace loadfactor::engine {

// The answer of a service after a change.
struct ServiceOutcome {
  PlanDecision decision = PlanDecision::kNotFeasible;
  std::optional<PaidMachines> machines;  // The cheapest of those that have a price.
  int working_gpus = 0;                  // That serve; whole machines may hold more.
  int fewest_gpus = 0;                   // Within the limits, priced or not; 0: none.
  double load_factor = 0;                // Over the hours that are paid for.
  Dollars per_month;
  std::optional<Dollars> api;
  std::string seller;  // Who sells that API, where it is another than today's; otherwise empty.
};

// The cheapest way to have all of one deployment around the clock: filled and priced like the
// answer itself.
struct PricedDeployment {
  Dollars per_month;
  OptionName option;
  double load_factor = 0;
  std::optional<Dollars> api;
};

// One way to pay, of one kind of machine.
struct LongRunWay {
  OptionKind kind = OptionKind::kOnDemand;
  std::string accelerator;  // Empty for the API,
  std::string seller;       // which has one of these.

  friend bool operator==(const LongRunWay&, const LongRunWay&) = default;
};
// A way to have the work done for years, with its books.
struct LongRunPlan {
  LongRunWay first;
  std::optional<LongRunWay> then;  // From a month on; nothing: the first to the end.
  int change = 0;                  // That month, from 0.
  economics::YearsResult money;
  // The lowest and the highest of every figure, over what prices of today and of later may be.
  economics::YearsResult lowest = {};
  economics::YearsResult highest = {};
};
// A way that growth makes impossible, and the month from which on it has too few machines.
struct OutgrownWay {
  LongRunWay way;
  int month = 0;
};
// A chip that is announced, and the month from which on it is counted to be there.
struct ComingChip {
  std::string accelerator;
  int year = 0;   // For which it is announced.
  int month = 0;  // From 0.
};
// The same service for years, while its traffic grows and prices move.
struct PlanYears {
  std::vector<double> traffic;         // Mean of each year over today's.
  std::vector<LongRunPlan> plans;      // Single ways and the best change, the highest NPV first.
  std::vector<OutgrownWay> outgrown;   // Ways that cannot be had in all of these months.
  std::vector<ComingChip> coming;      // Chips that cannot be had yet.
  std::optional<LongRunPlan> buy_now;  // The best way to own, at once,
  std::optional<LongRunPlan> wait;     // and after some months of renting:
  int wait_months = 0;
  double discount = 0;                  // Per year.
  double tax = 0;                       // On profit.
  bool is_macrs = false;                // Books otherwise write off in a straight line.
  int lead = 0;                         // Months until machines that are ordered work.
  std::optional<double> rent_drift;     // Change of rents and used machines a year, as usual.
  DollarsPerJoule electricity;          // Today's, of the scenario or its region.
  std::optional<double> grams_per_kwh;  // The region's; nothing where it is not known.
};

// ---- Users in several regions: a fleet in each of them, or one place that serves all.

// A site for years: the best way to have its machines, its power and its carbon.
struct SiteYears {
  LongRunPlan best;
  DollarsPerJoule electricity;
  std::optional<double> grams_per_kwh;  // Nothing where it is not known.
};

// The machines of one site, and the cheapest way to have them.
struct SiteFleet {
  std::string region;                // Catalogue name,
  std::string title;                 // and as people write it.
  double share = 1;                  // The part of the demand it serves.
  bool is_found = false;             // Whether machines keep the promise there.
  std::string accelerator = {};      // What those machines have,
  int gpus = 0;                      // in whole machines,
  int replicas = 0;                  // with spares.
  std::optional<PaidMachines> paid;  // Nothing where they have no price.
  std::optional<EstimateOf<Dollars>> per_month = std::nullopt;
  bool is_within_limits = true;
  std::optional<SiteYears> years = std::nullopt;  // Where years are asked and some way lasts.
};

// One place for all users.
struct CentralFleet {
  SiteFleet site;  // Not found: the promise cannot be kept so far from its users.
  // To the region that is farthest away and back, before the first token of its users.
  EstimateOf<Seconds> round_trip;
  std::string farthest;  // Its title.
};

struct PlanRegions {
  std::vector<SiteFleet> sites;  // One per region, as written.
  int gpus = 0;                  // All of them together; 0 where some region has none.
  int replicas = 0;
  std::optional<EstimateOf<Dollars>> per_month;  // Nothing where some region has no price.
  bool is_within_limits = true;                  // All of them together.
  std::vector<CentralFleet> places;              // Cheapest first, those that keep no promise last.
};

// A training run on machines of its own.
struct PlannedRun {
  int gpus = 0;
  std::string accelerator;
  TrainLayout layout;
  std::optional<Seconds> time;
  std::optional<Dollars> cost;
  std::optional<OptionKind> option = std::nullopt;  // The way to pay that the cost is of.
  bool has_spares = false;
};

// Training in the hours that serving leaves idle.
struct PooledRun {
  enum class Outcome : std::uint8_t {
    kServedByApi,  // No GPU is there to be idle.
    kNothingIdle,  // No whole GPU that is paid for is ever idle.
    kDoesNotFit,   // The run does not fit on what is ever idle.
    kCounted,      // It does; what follows says whether it ends in time and for how much.
  };
  Outcome outcome = Outcome::kCounted;
  bool fits = false;      // In time, and for less than machines of its own.
  bool is_close = false;  // The idle hours may be just what it needs.
  std::string accelerator;
  int idle_gpus = 0;         // At most, together.
  int gpus = 0;              // That the run holds at once.
  GpuTime needed;            // What the run takes.
  GpuTime idle;              // What hours give in which so many are idle.
  GpuTime lost;              // What is lost of it when GPUs are taken back.
  Dollars price;             // What the loss costs at the rent of the same chip.
  bool by_deadline = false;  // Otherwise in a month.
  Dollars saved;             // Over machines of its own.
};

// What a node's host must hold when an optimizer moves there.
struct HostRoom {
  Bytes moved;
  Bytes room;
};

// ---- Levers: changes and what each would do.

struct TrafficLever {
  double factor = 1;
  ServiceOutcome then;
};
struct ReplicaLever {
  enum class Pool : std::uint8_t { kAll, kPrefill, kDecode };
  int change = 1;
  Pool pool = Pool::kAll;  // Whose replica it is, where prompts and answers are apart.
  int gpus = 0;
  double load_factor = 0;
  std::optional<double> within_slo;  // Nothing where only a simulation would say.
  std::optional<PricedDeployment> priced;
};
struct RelaxedLever {
  Relaxation what = Relaxation::kFirstToken;
  // Nothing where the closed form sees no saving, and nothing was planned.
  std::optional<ServiceOutcome> then;
};
struct MemoryLever {
  std::string tier;
  double gain = 0;  // In requests of a replica, at most.
  int replicas = 0;
  int gpus = 0;
  int replicas_now = 0;
  int gpus_now = 0;
  std::optional<PricedDeployment> priced;  // Where it takes fewer replicas.
};
// What holds the rate of a replica.
enum class RateLimit : std::uint8_t { kNextToken, kFirstToken, kArithmetic };
// More memory changes nothing: something else holds the rate.
struct MemoryChangesNothing {
  RateLimit limit = RateLimit::kArithmetic;
};
struct SplitPoolsLever {
  int gpus = 0;
  int prompt_replicas = 0;
  int answer_replicas = 0;
  int gpus_together = 0;  // In closed form, as `gpus` is.
  int gpus_now = 0;       // GPUs in the fleet that was settled on.
};
struct OtherChipLever {
  DeploymentRow machines;
  Dollars per_month;
};
struct ApiPriceLever {
  PaidMachines option;
  double times = 1;  // Today's price, at which both cost the same.
};
struct OwnOrRentLever {
  Dollars own;
  OptionKind rented = OptionKind::kOnDemand;
  Dollars rent;
  bool is_run = false;   // Otherwise by the month.
  bool if_busy = false;  // The owned price holds if they are as busy for the rest of their life.
};
struct PoolLever {
  PooledRun pooled;
};
struct ObjectiveLever {
  std::vector<FrontFigure> best_in;  // What nothing else beats it in.
  PlannedRun run;
};
struct FleetSizeLever {
  int gpus = 0;
  int gpus_now = 0;
  Seconds time;
  std::optional<Dollars> cost;
  double times = 1;  // The cost over today's, or the GPU-time where there is no price.
  bool misses_deadline = false;
  bool is_within_error = false;
};
struct OffloadLever {
  TrainLayout layout;
  Seconds time;
  double more = 0;  // Time over today's, less one.
  std::optional<HostRoom> host;
};
using LeverDetail =
    std::variant<TrafficLever, ReplicaLever, RelaxedLever, MemoryLever, MemoryChangesNothing,
                 SplitPoolsLever, OtherChipLever, ApiPriceLever, OwnOrRentLever, PoolLever,
                 ObjectiveLever, FleetSizeLever, OffloadLever>;

// A change, and what it would do.
struct PlanLever {
  LeverDetail detail;
  std::vector<std::string> sets = {};  // Each a `--set`, to be made together; empty: no key does.
  std::optional<PlanOutcome> then = std::nullopt;  // The plan of the scenario with these.
};

// ---- Runner-ups: machines that were weighed and not chosen.

// Another accelerator's cheapest deployment.
struct DearerDeployment {
  DeploymentRow machines;
  OptionKind cheapest = OptionKind::kOnDemand;
  Dollars above;  // The answer, by the month.
};
// Another deployment of the same accelerator.
struct OtherDeployment {
  DeploymentRow machines;
  int gpus_of_answer = 0;
};
// A deployment that a limit of power rules out.
struct PowerExcluded {
  DeploymentRow machines;
  PowerObjection objection;
};
// Another plan of the search for a run.
struct SlowerRun {
  PlannedRun run;
  double behind = 0;  // Time, dollars or joules over the best, less one.
  LayoutReasons why;
};
// A machine that the search for a run left out.
struct LeftOutMachine {
  ExcludedMachine machine;
};
// The run on machines of its own, where idle hours of the service do.
struct RunOfItsOwn {
  Dollars more;
};
using RunnerUpReason = std::variant<DearerDeployment, OtherDeployment, PowerExcluded, SlowerRun,
                                    LeftOutMachine, RunOfItsOwn>;

struct RunnerUp {
  RunnerUpReason reason;
  Dollars cost;  // Zero: not known.
  std::string accelerator = {};
  int gpus = 0;  // 0: not known.
  std::optional<double> load_factor = std::nullopt;
};

}  // namespace loadfactor::engine
