/// Which layouts train a model best, and how far does it scale?
#pragma once

#include <atomic>
#include <cstddef>
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

struct SearchInputs {
  TrainInputs train;
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

/// How the step of a layout stands to that of the best.
struct LayoutReasons {
  /// A part of the step that takes longer than the best's.
  struct Loss {
    std::string part;  ///< As `StepPart::key` names it.
    double more = 0;   ///< Share of the best's step.
  };
  bool is_best = false;
  int gpus = 0;
  int best_gpus = 0;
  int tp = 1;
  int pp = 1;
  int dp = 1;
  int domain = 1;              ///< GPUs that share scale-up links.
  bool leaves_domain = false;  ///< Its tp does, and that of the best does not.
  bool is_tight = false;       ///< Its memory is, and that of the best is not.
  double bubble = 0;           ///< Share of its own step.
  double memory_share = 0;
  std::vector<Loss> losses;  ///< The largest first.
};

/// What plans on the front are compared by.
enum class FrontFigure : std::uint8_t { kDays, kDollars, kGpus, kPower, kHeadroom };

/// One plan, as `train` describes it, and how it stands to the best.
struct SearchPlan {
  TrainAnswer train;
  EstimateOf<Joules> step_energy;                ///< At the wall of the nodes.
  std::optional<EstimateOf<Joules>> run_energy;  ///< That of all paid time, where tokens are said.
  Watts power;                                   ///< At most, of all nodes.
  double memory_share = 0;
  double behind = 0;                 ///< Score over the best, less one.
  LayoutReasons why;                 ///< Why it is the best, or why not.
  std::vector<FrontFigure> best_in;  ///< On the front: what nothing else beats it in.
};

/// What speaks against a machine.
struct MachineObjection {
  enum class Kind : std::uint8_t {
    kNoArithmetic,
    kNoAbility,  ///< The software cannot run the precision.
    kGpuLimit,
    kNoRent,   ///< Nobody rents it out.
    kNoPrice,  ///< No way to pay that is asked for has one.
    kStalls,
    kPower,
    kUnkept,     ///< No layout keeps what is written.
    kUndivided,  ///< No layout makes so many GPUs of the batch.
    kStage,      ///< A later stage of the run fits in no layout.
  };
  Kind kind = Kind::kUndivided;
  std::string precision;           ///< That it has no arithmetic for, or the software cannot run.
  std::string stack;               ///< The software, by its title.
  std::int64_t limit = 0;          ///< GPUs that are allowed.
  std::vector<std::string> ways;   ///< To pay, with why they have no price.
  std::string refusal;             ///< What the keys ask for that are not kept.
  std::vector<std::string> fixed;  ///< Keys of the layout with their values, as written.
  std::int64_t global_batch = 0;   ///< Sequences.
  std::int64_t sequence = 0;       ///< Tokens of a sequence of the stage that fits nowhere.
  std::optional<RunStall> stall;
  std::optional<PowerObjection> power;
};

/// A machine that was not searched, and why.
struct ExcludedMachine {
  std::string what;
  MachineObjection why;
  std::string accelerator;
  int gpus = 0;
  bool by_power = false;
};

/// A run of a search by one way to pay, whatever the limits.
struct OpenRun {
  std::string machine;               ///< As it is called.
  std::optional<OptionKind> option;  ///< Nothing where nothing has a price.
  Seconds time;
  std::optional<Dollars> cost;
};

/// Why no run keeps deadline and budget.
struct UnmetLimits {
  std::vector<MissedLimit> limits;  ///< Those that no run keeps; both where each is kept alone.
  bool is_each_kept = false;        ///< By another run; then they are not kept together.
  bool has_deadline = false;        ///< Whether the scenario writes one.
  bool has_budget = false;
  OpenRun soonest;                   ///< Without these limits.
  std::optional<OpenRun> cheapest;   ///< Where it is another one and has a price.
  bool is_soonest_cheapest = false;  ///< Where there are several.
};

/// The layout that lacks the least memory where none fits.
struct ClosestLayout {
  std::string machine;
  int tp = 1;
  int pp = 1;
  int dp = 1;
  Bytes needed;
  Bytes there;
};

struct SearchAnswer {
  std::string scenario;
  std::string model;
  std::string title;
  Objective objective = Objective::kTime;
  std::int64_t sequence = 0;
  std::vector<SearchPlan> plans;  ///< The best first.
  std::vector<SearchPlan> front;  ///< Nothing is better in days, dollars, GPUs, power and headroom.
  std::vector<ExcludedMachine> excluded;
  std::vector<MissedLimit> missed;   ///< By all plans that fit, or by the first one that is shown.
  std::optional<UnmetLimits> unmet;  ///< Where limits leave no plan.
  std::optional<ClosestLayout> closest;  ///< Where nothing fits.
  std::int64_t enumerated = 0;
  std::int64_t evaluated = 0;
  std::int64_t machines = 0;
  std::int64_t machines_searched = 0;  ///< Fewer where it was stopped.
  double seconds = 0;                  ///< CPU seconds of the search.
  bool exhaustive = false;
  bool stopped = false;
  bool several_precisions = false;     ///< Searched; then the first line names the plan's.
  double headroom = 0;                 ///< Share of the memory that stays free, as asked.
  std::optional<MethodAnswer> method;  ///< Where the run is more than training on text.
  std::vector<Notice> notices;
  std::vector<UsedFact> facts;
};

struct ScaleInputs {
  SearchInputs search;               ///< Its `gpus` are the sizes; empty: doubling up to the limit.
  double efficiency = 0.8;           ///< The line that "how far" asks about.
  std::optional<Dollars> day_value;  ///< What a day earlier is worth.
};

/// What holds back a size.
enum class ScaleLimit : std::uint8_t {
  kNothing,
  kKernels,
  kNetwork,
  kBubble,
  kMemory,
  kStragglers,
  kFailures,
  kBatch,
  kPower,
};

/// The best layout at one size.
struct ScalePoint {
  TrainAnswer train;
  double efficiency = 0;  ///< Useful tokens per GPU-second, over those of the smallest size that
                          ///< fits; both counted as that one is paid.
  double weak_efficiency = 0;  ///< The same with a batch that grows with the GPUs; 0: not known.
  double communication = 0;    ///< Share of the step: traffic that is not hidden.
  ScaleLimit binding = ScaleLimit::kNothing;  ///< What costs most against the smallest size.
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
  int cheapest = 0;    ///< The cheapest in time and within the budget, where any is.
  bool priced = true;  ///< Else the cheapest is the one that takes the fewest GPU-hours.
  std::optional<OptionKind>
      counted_as;  ///< The option whose goodput efficiencies are of: the first point's.
};

enum class MachineChange : std::uint8_t {
  kTwiceTheGpus,
  kTwiceTheNetwork,
  kHalfMoreMemory,
};

/// A change to the machine, and what it brings.
struct ScaleOption {
  MachineChange what = MachineChange::kTwiceTheGpus;
  double gain = 0;                           ///< In useful tokens per second.
  std::optional<DollarsPerGpuSecond> worth;  ///< Rent up to which it pays; where priced.
  LayoutReasons why;                         ///< What the machine loses without it.
};

/// One size of one curve.
struct ScaleSize {
  std::size_t curve = 0;
  std::size_t point = 0;
};

/// What a budget makes of a size.
struct Purchase {
  ScaleSize size;
  Seconds time;   ///< For the tokens asked, or until the money is gone.
  Tokens tokens;  ///< That the budget pays for.
};

/// Two ways to spend a budget.
struct BudgetDecision {
  enum class Between : std::uint8_t {
    kOneLargeAndSeveralSmaller,
    kOneAndSeveral,
    kOneNodeAndSeveral,
    kFastLinksAndNone,
  };
  Between between = Between::kOneAndSeveral;
  Purchase better;
  Purchase other;
};

/// The cheapest single accelerator and the cheapest that are several.
struct OneOrSeveral {
  ScaleSize one;
  ScaleSize several;
};

/// A machine that wins against what its size lets one expect.
struct SizeSurprise {
  ScaleSize smaller;
  ScaleSize larger;
  bool larger_wins = false;  ///< Though its links are worse; else the smaller does.
};

/// The same machine in larger scale-up domains.
struct TallerDomain {
  int domain = 1;
  int instead_of = 1;
  double gain = 0;    ///< In useful tokens per second.
  LayoutReasons why;  ///< What the machine as it is loses.
};

/// The same machine without its scale-up links.
struct WithoutLinks {
  std::string link;  ///< What it goes without; empty where the catalogue has no name for it.
  int tp = 1;
  std::string sharding;
  double gain = 0;  ///< In useful tokens per second; below zero.
  LayoutReasons why;
};

struct ScaleAnswer {
  std::string scenario;
  std::string model;
  std::string title;
  std::int64_t sequence = 0;
  double line = 0.8;
  std::vector<ScaleCurve> curves;
  std::vector<ScaleOption> next_dollar;  ///< At one machine, the best first.
  std::string next_of;                   ///< Which one: that the budget buys, or the largest.
  std::optional<Dollars> budget;
  std::optional<Purchase> bought;  ///< What the budget should buy, or the cheapest beyond it.
  std::vector<BudgetDecision> budget_decisions;
  std::optional<OneOrSeveral> one_or_several;
  std::optional<SizeSurprise> surprise;
  std::optional<TallerDomain> taller_domain;
  std::optional<WithoutLinks> without_links;
  std::optional<Dollars> day_value;  ///< As asked.
  bool stopped = false;              ///< Interrupted: sizes are missing.
  double headroom = 0;               ///< Share of the memory that stays free, as asked.
  std::vector<Notice> notices;
  std::vector<UsedFact> facts;
};

}  // namespace loadfactor
