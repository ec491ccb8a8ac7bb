/// Which layouts train a model best, and how far does it scale?
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "loadfactor/estimate.h"
#include "loadfactor/train.h"

namespace loadfactor {

/// What a plan is judged by. All are per token, so that batches may differ.
enum class Objective : std::uint8_t {
  kTime,
  kCost,
  kEnergy,
  kCostByDeadline,  ///< The cheapest of those that meet `train.deadline`.
};

/// Where the GPUs of a job sit.
enum class Placement : std::uint8_t {
  kPacked,      ///< Whole nodes, side by side.
  kRail,        ///< Whole nodes, every NIC on its own rail: what the network model assumes.
  kSpread,      ///< Whole nodes over many racks: traffic crosses an oversubscribed spine.
  kFragmented,  ///< Half of each node is somebody else's.
};

struct SearchRequest {
  TrainRequest train;
  std::optional<Objective> objective;  ///< Else the cost by the deadline, or without one the time.
  Placement placement = Placement::kPacked;
  std::vector<int> gpus;          ///< Instead of the scenario's number.
  std::int64_t global_batch = 0;  ///< Where the scenario has none; 0: the usual one of a size.
  std::vector<std::string> precisions;  ///< Instead of the scenario's.
  double headroom = 0;                  ///< Share of the memory that must stay free.
  bool exhaustive = false;              ///< Evaluate every legal layout; dismiss none by a bound.
  std::size_t keep = 40;
  int threads = 1;
  const std::atomic<bool>* stop = nullptr;     ///< When set from outside, the best so far.
  std::function<void(double share)> progress;  ///< Called now and then, from one thread.
  std::function<double()> cpu_seconds;         ///< A clock; the library has none.
};

/// One plan, as `train` describes it, and how it stands to the best.
struct SearchPlan {
  TrainAnswer train;
  EstimateOf<Joules> step_energy;                ///< At the wall of the nodes.
  std::optional<EstimateOf<Joules>> run_energy;  ///< That of all paid time, where tokens are said.
  Watts power;                                   ///< At most, of all nodes.
  double memory_share = 0;
  double behind = 0;    ///< Score over the best, less one.
  std::string why;      ///< Why it is the best, or why not.
  std::string best_in;  ///< On the front: what nothing else beats it in.
};

/// A machine that was not searched, and why.
struct ExcludedMachine {
  std::string what;
  std::string why;
  std::string accelerator;
  int gpus = 0;
  bool by_power = false;
};

struct SearchAnswer {
  std::string scenario;
  std::string model;
  std::string title;
  std::string verdict;  ///< One sentence.
  Objective objective = Objective::kTime;
  std::string objective_words;
  std::int64_t sequence = 0;
  std::vector<SearchPlan> plans;  ///< The best first.
  std::vector<SearchPlan> front;  ///< Nothing is better in days, dollars, GPUs, power and headroom.
  std::vector<ExcludedMachine> excluded;
  std::vector<MissedLimit> missed;  ///< By all plans that fit, or by the first one that is shown.
  std::string nearest;              ///< Where there is no plan: what comes closest.
  std::int64_t enumerated = 0;
  std::int64_t evaluated = 0;
  std::int64_t machines = 0;
  std::int64_t machines_searched = 0;  ///< Fewer where it was stopped.
  double seconds = 0;                  ///< CPU seconds of the search.
  bool exhaustive = false;
  bool stopped = false;
  bool several_precisions = false;  ///< Searched; then the first line names the plan's.
  double headroom = 0;              ///< Share of the memory that stays free, as asked.
  std::vector<Notice> notices;
  std::vector<UsedFact> facts;
};

struct ScaleRequest {
  SearchRequest search;              ///< Its `gpus` are the sizes; empty: doubling up to the limit.
  double efficiency = 0.8;           ///< The line that "how far" asks about.
  std::optional<Dollars> day_value;  ///< What a day earlier is worth.
};

/// The best layout at one size.
struct ScalePoint {
  TrainAnswer train;
  double efficiency = 0;  ///< Useful tokens per GPU-second, over those of the smallest size that
                          ///< fits; both counted as that one is paid.
  double weak_efficiency = 0;  ///< The same with a batch that grows with the GPUs; 0: not known.
  double communication = 0;    ///< Share of the step: traffic that is not hidden.
  std::string binding;         ///< What costs most compared with the smallest size.
  std::optional<Dollars> day_break_even;  ///< Value of a day from which this size pays, over the
                                          ///< next smaller one.
  bool affordable = true;                 ///< Within the budget, where tokens and a rent are known.
  bool in_time = true;                    ///< By the deadline, where there is one.
  std::optional<Dollars> marginal;  ///< Saved days × their value − added cost, per added GPU.
};

struct ScaleCurve {
  std::string accelerator;
  std::string title;
  std::vector<ScalePoint> points;  ///< Rising GPUs; only sizes that fit.
  std::vector<int> too_small;      ///< Sizes on which nothing fits.
  std::vector<ExcludedMachine> excluded;
  int domain = 1;   ///< Accelerators that share scale-up links.
  int largest = 0;  ///< Largest size above the line.
  int fastest = 0;
  int cheapest = 0;     ///< The cheapest in time and within the budget, where any is.
  bool priced = true;   ///< Else the cheapest is the one that takes the fewest GPU-hours.
  std::string payment;  ///< Which way to pay its costs are of, and how long that binds.
  std::optional<OptionKind>
      counted_as;  ///< The option whose goodput efficiencies are of: the first point's.
};

/// A change to the machine, and what it brings.
struct ScaleOption {
  std::string what;
  double gain = 0;                           ///< In useful tokens per second.
  std::optional<DollarsPerGpuSecond> worth;  ///< Rent up to which it pays; where priced.
  std::string why;
};

struct ScaleAnswer {
  std::string scenario;
  std::string model;
  std::string title;
  std::int64_t sequence = 0;
  double line = 0.8;
  std::string verdict;  ///< Says first when a smaller machine is better.
  std::vector<ScaleCurve> curves;
  std::vector<ScaleOption> next_dollar;  ///< At one machine, the best first.
  std::string next_of;                   ///< Which one: that the budget buys, or the largest.
  std::vector<std::string> decisions;    ///< One against several, taller against wider, links.
  std::optional<Dollars> budget;
  std::optional<Dollars> day_value;  ///< As asked.
  bool stopped = false;              ///< Interrupted: sizes are missing.
  double headroom = 0;               ///< Share of the memory that stays free, as asked.
  std::vector<Notice> notices;
  std::vector<UsedFact> facts;
};

}  // namespace loadfactor
