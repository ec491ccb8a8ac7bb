// What a plan found out, as figures: why its verdict is close, which limits nothing keeps, what
// changes would do and which machines came after the answer. `report` says them in words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "engine/fill/serve_search.h"
#include "loadfactor/cost.h"
#include "loadfactor/search.h"
#include "resolve/model/node_power.h"

namespace loadfactor::engine {

enum class PlanDecision : std::uint8_t {
  kScaleUp,
  kHold,
  kShrink,
  kUseApi,
  kOneBiggerGpu,
  kSplit,
  kNotFeasible,
};
// `scale up`, `use the API`, …: as JSON writes it.
std::string_view name_of(PlanDecision decision);

// The answer after a change, as far as it was computed.
struct PlanOutcome {
  PlanDecision decision = PlanDecision::kHold;
  int gpus = 0;
  std::optional<EstimateOf<double>> load_factor;
  std::optional<EstimateOf<Dollars>> per_month;
  std::optional<EstimateOf<Dollars>> cost;  // What a month costs, or the run.
};

// Machines and how they are paid for.
struct PaidMachines {
  OptionKind kind = OptionKind::kOnDemand;
  OptionName name;
  std::string accelerator;  // Empty for the API.
  int gpus = 0;             // At the busiest hour.
  double paid = 0;          // GPUs, on average.
  double owned = 0;         // The owned part of a mix.
  double reserved = 0;      // The reserved part of a mix.

  // Whether GPUs are let go when they are not needed.
  bool lets_go() const;
};

// ---- Why a verdict is close. Each names a difference that cannot be told from zero.

// The load factor may be the break-even.
struct EvenLoadFactor {};
// Another number of GPUs would do if a replica took so many more requests.
struct OtherReplicaRate {
  double change = 0;
  int gpus = 0;
};
// Even idle, a replica takes nearly the time that is promised.
struct BarelyKeptPromise {
  bool is_first_token = false;  // Otherwise of each next token.
  Seconds idle;
  Seconds promised;
  bool writes = true;  // Else a request is answered once it is read, and has no first token.
};
// A promise that is a little looser can be kept.
struct BarelyMissedPromise {
  double looser = 0;
};
struct SameCostElsewhere {
  int gpus = 0;
  std::string accelerator;
};
struct NearDeadline {
  Seconds soonest;
  Seconds latest;
  Seconds deadline;
};
struct NearBudget {
  Dollars least;
  Dollars most;
  Dollars budget;
  bool is_run = false;  // Otherwise by the month.
};
// A smaller fleet may do the run for less GPU-time.
struct NearlySmaller {
  int gpus = 0;
  Seconds time;
  bool is_surely_less = false;
};
struct NearGpuLimit {
  int fewest = 0;
  int most = 0;
  int limit = 0;
};
struct NearSitePower {
  Watts drawn;
  Watts limit;
};
// Idle hours of the service may be just what the run needs.
struct NearIdleHours {};

using CloseCall = std::variant<EvenLoadFactor, OtherReplicaRate, BarelyKeptPromise,
                               BarelyMissedPromise, SameCostElsewhere, NearDeadline, NearBudget,
                               NearlySmaller, NearGpuLimit, NearSitePower, NearIdleHours>;

// ---- Which limits nothing keeps.

// Time and cost of a run; nothing where they are not known.
struct RunFigures {
  std::optional<Seconds> time;
  std::optional<Dollars> cost;
};
// No deployment is within `limits.gpus`.
struct TooFewGpus {
  int needed = 0;  // By the fleet that comes nearest.
  int limit = 0;
};
// The nearest deployment draws more than the site or a rack has.
struct TooLittlePower {
  DeploymentRow machines;
  PowerObjection objection;
};
// The cheapest option costs more than the budget.
struct TooSmallBudget {
  PaidMachines option;
  Dollars cost;
  Dollars budget;
  bool is_run = false;  // Otherwise by the month.
};
// The cheapest run at the rent costs more than the budget.
struct RunOverBudget {
  bool by_deadline = false;  // The cheapest of those that meet it.
  RunFigures cheapest;
  Dollars budget;
  std::optional<RunFigures> soonest_within;  // The budget, whatever the deadline.
};
struct RunTooLate {
  RunFigures soonest;
  Seconds deadline;
  std::optional<Dollars> budget;  // Missed as well.
};
// The run that is answered takes longer than it may.
struct DeadlineMissed {
  Seconds takes;
  Seconds deadline;
};
// Every candidate draws more than the limits of power allow.
struct EverythingDrawsTooMuch {};

using BrokenLimit = std::variant<TooFewGpus, TooLittlePower, TooSmallBudget, RunOverBudget,
                                 RunTooLate, DeadlineMissed, EverythingDrawsTooMuch>;

// What comes nearest to a service that no machines within its limits can serve.
struct PartOnMachines {
  double share = 0;  // The traffic is one.
  int gpus = 0;
  std::string accelerator;
};
struct AllByApi {
  Dollars per_month;
};
struct PartByApi {
  double share = 0;  // The traffic is one.
};
struct LargerBudget {
  Dollars per_month;
};
struct WithoutLimit {
  int gpus = 0;
  std::string accelerator;
  std::string key;  // `limits.gpus`.
  std::optional<Dollars> per_month =
      std::nullopt;  // Budget that it takes too, where one is broken.
};
using NearestWay = std::variant<PartOnMachines, AllByApi, PartByApi, LargerBudget, WithoutLimit>;

}  // namespace loadfactor::engine
