/// How long does a training step take in one layout, does it fit, and why is it not faster?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/estimate.h"
#include "loadfactor/fit.h"
#include "loadfactor/quantity.h"
#include "loadfactor/scenario.h"

namespace loadfactor {

using GpuTime = Quantity<Dimension{.time = 1, .gpu = 1}>;

/// A scenario with a `train` section. What its layout leaves blank is chosen, and a notice says so.
struct TrainInputs {
  config::Scenario scenario;
  std::vector<ModelFile> model_files;  ///< Where the scenario says `model: {config: …}`.
  bool trace = false;                  ///< Whether the answer shall hold the events of a step.
  std::string accelerator;             ///< Instead of the first of the scenario's hardware.
  std::string precision;               ///< Instead of the first of the scenario's.
  bool as_shipped = false;             ///< Without what the user's site measured of steps.
};

/// One row of the step. The rows sum to the step.
struct StepPart {
  std::string key;  ///< The model's own word for it, as a site's file uses it.
  EstimateOf<Seconds> time;
  double share = 0;  ///< Share of the step.
};

/// A fitted number that took part.
struct UsedConstant {
  std::string name;
  double value = 0;
  double prior = 0;
  std::string unit;
  std::string source;
  std::string what;  ///< As the calibration file says it; empty: the sustained share of a peak,
  std::string chip = {};  ///< and whose.
};

/// One thing that one track of the step does; times from the start of the step.
struct TraceSpan {
  enum class Kind : std::uint8_t {
    kForward,
    kBackward,
    kWeightGradient,
    kGradientReduction,  ///< What is not hidden of it.
    kOptimizer,
    kStraggler,  ///< Waiting for the slowest host.
  };
  int track = 0;  ///< Pipeline stage.
  Kind kind = Kind::kForward;
  std::int64_t micro_batch = -1;
  int chunk = 0;
  Seconds start;
  Seconds duration;
};

struct GoodputLoss {
  enum class Cause : std::uint8_t {
    kRestarts,
    kLostWork,
    kCheckpoints,
    kDetection,
    kRepairs,
    // Losses of runs as they are paid for, beside those:
    kRareCheckpoints,  ///< Written as seldom as people do, instead of at the best interval.
    kEvaluations,
    kSlowNodes,
    kTakenAgain,  ///< Steps, after the loss went up.
    kWarmUp,
    kUnexplained,
  };
  Cause cause = Cause::kRestarts;
  double share = 0;  ///< Share of the paid time.
};
constexpr std::string_view name_of(GoodputLoss::Cause cause) {
  constexpr std::string_view kNames[] = {"restarts",    "lost work",  "checkpoints",
                                         "detection",   "repairs",    "rare checkpoints",
                                         "evaluations", "slow nodes", "steps taken again",
                                         "warm-up",     "unexplained"};
  return kNames[static_cast<std::size_t>(cause)];
}

/// How well a run fits into the memory.
enum class MemoryVerdict : std::uint8_t { kFits, kTight, kDoesNotFit };

/// The GPU that is fullest, and when it is.
struct FullestStage {
  enum class Moment : std::uint8_t { kLoss, kBackwardLast, kBackwardFirst, kOptimizerStep };
  Moment moment = Moment::kLoss;
  int stage = 0;  ///< From 0.
  int layers = 0;
  double in_flight = 0;  ///< Micro-batches.
};

/// What failures, checkpoints and repairs leave of the paid time.
struct TrainGoodput {
  EstimateOf<double> value;
  Seconds mtbf;                     ///< The whole job's.
  Seconds interval;                 ///< Between two checkpoints: the best one.
  std::int64_t interval_steps = 0;  ///< The same in steps, whole ones; 0: not known.
  Seconds stall;                    ///< One checkpoint's.
  Bytes checkpoint;
  int spare_nodes = 0;
  std::vector<GoodputLoss> losses;  ///< The largest first; with the value they sum to one.
};

/// The run as it is paid for, beside the steady step that benchmarks report.
struct WholeRun {
  EstimateOf<double> share;         ///< Steady steps' part of the paid time.
  std::vector<GoodputLoss> losses;  ///< The largest first; with the share they sum to one.
  EstimateOf<GpuTime> steady;       ///< GPU time of a trillion tokens at the steady step,
  EstimateOf<GpuTime> paid;         ///< and as it is paid for, spares included.
  Seconds usual_interval;           ///< Between the checkpoints that people write; 0: not counted.
  double unexplained = 1;           ///< Factor on the time with all names.
  Seconds known_from;  ///< Length from which on whole runs are known; below, the factor is a part.
};

/// A limit of power that so many GPUs break.
struct PowerObjection {
  bool is_of_rack = false;  ///< Otherwise of the site.
  Watts drawn;              ///< By all GPUs, or by the one node that a rack has to feed.
  Watts limit;
  double gpus = 0;          ///< In all,
  bool has_spares = false;  ///< and whether spares are among them.
  std::int64_t fed = 0;     ///< GPUs that the site can feed.
};

/// Why failures leave no time to train, and what would help.
struct RunStall {
  enum class Cause : std::uint8_t {
    kPlannedStops,  ///< With their restarts they take all of the time.
    kStops,         ///< Each costs more than the time between two.
    kCheckpoints,   ///< They stop everybody for longer than is between two.
    kRepairs,       ///< The job waits for nodes in repair.
    kTogether,      ///< None alone.
  };
  enum class Remedy : std::uint8_t {
    kFasterRestart,
    kSoonerDetection,
    kLessLost,
    kMoreCheckpoints,
    kFewerCheckpoints,
    kFasterCheckpoints,
    kMoreSpares,
    kSoonerRepairs,
    kKeptMachines,  ///< Those that are not taken away.
    kFewerGpus,
  };
  Cause cause = Cause::kTogether;
  Seconds every;             ///< Between two stops, or two checkpoints.
  Seconds each;              ///< What one of them takes.
  double in_repair = 0;      ///< Nodes, on average.
  int spares = 0;            ///< Nodes.
  double waiting = 0;        ///< Share of the time for repairs,
  double lost = 0;           ///< for restarts and work done again,
  double checkpointing = 0;  ///< and for checkpoints.
  int best_spares = 0;       ///< Nodes that would leave the most,
  double with_spares = 0;    ///< and the goodput with those.
  std::vector<Remedy> remedies;
};

/// A part of the step that is above the dense peak's time.
struct StepLoss {
  std::string part;  ///< The model's own word for it; `gemm`: all products and attention.
  double share = 0;  ///< Share of the step.
  int domain = 0;    ///< GPUs of the scale-up domain, where tp leaves it.
};

/// A limit that the scenario writes and that this run does not keep, with what is asked of it.
struct MissedLimit {
  enum class Key : std::uint8_t { kDeadline, kBudget, kSitePower, kRackPower, kHeadroom };
  Key key = Key::kDeadline;
  Seconds deadline;
  Dollars budget;
  Watts power;               ///< That the site or a rack has.
  PowerObjection objection;  ///< What the machines draw of it.
  double headroom = 0;       ///< Share of the memory that shall stay free.
  double memory_needed = 0;  ///< Share of the memory that the run needs.
};

/// What the run takes and costs by one option: machines that can be taken away have a goodput of
/// their own, and with it days and spares.
struct RunOption {
  OptionKind kind = OptionKind::kOnDemand;
  EstimateOf<DollarsPerGpuSecond> rate;
  double gpus = 0;  ///< Paid, spares included.
  EstimateOf<double> goodput;
  EstimateOf<double> share;                     ///< Steady steps' part of the paid time.
  std::optional<EstimateOf<Seconds>> duration;  ///< Where the tokens are said.
  std::optional<EstimateOf<Dollars>> cost;
  Seconds commitment;  ///< Paid to its end, however short the run; zero where hours are paid.
};

/// One thing that GPUs do in a step of post-training.
struct MethodPhase {
  enum class Kind : std::uint8_t {
    kRollout,    ///< Answers are written, until the last one is.
    kReward,     ///< A model judges them.
    kReference,  ///< The frozen copy reads them.
    kLogProbs,   ///< The model that is trained reads them, before it learns from them.
    kValues,     ///< The value model reads them.
    kTeacher,    ///< The teacher reads them.
    kTraining,
    kValueTraining,  ///< The value model learns.
    kTransfer,       ///< New weights go to the engine.
    kSwap,           ///< State leaves the GPUs for the host and comes back.
  };
  Kind kind = Kind::kTraining;
  EstimateOf<Seconds> time;
  int gpus = 0;         ///< That work on it.
  double busy = 1;      ///< Share of their time that they do; the rest they wait for the slowest.
  bool beside = false;  ///< Answers of the next step, written while this one is learned from.
};
constexpr std::string_view name_of(MethodPhase::Kind kind) {
  constexpr std::string_view kNames[] = {"rollout",  "reward",  "reference", "log_probs",
                                         "values",   "teacher", "training",  "value_training",
                                         "transfer", "swap"};
  return kNames[static_cast<std::size_t>(kind)];
}
/// One way to share GPUs between writing and learning.
struct MethodSplit {
  int rollout_gpus = 0;
  int training_gpus = 0;
  int tp = 1;                 ///< That of a replica of the engine,
  std::int64_t max_seqs = 0;  ///< which writes so many answers at once.
  Seconds rollout;            ///< Until the last answer.
  Seconds learning;           ///< All phases but that one.
  Seconds step;
};
/// A step of post-training and the run of such steps.
struct MethodAnswer {
  std::string method;  ///< The word of the scenario.
  bool colocated = false;
  int gpus = 0;
  int rollout_gpus = 0;
  int training_gpus = 0;
  int rollout_tp = 1;
  std::int64_t rollout_max_seqs = 0;  ///< Sequences that a replica of the engine writes at once.
  std::string engine;
  std::string rollout_precision;
  std::int64_t prompts = 0;
  std::int64_t group = 1;
  std::int64_t answers = 0;            ///< In a step.
  std::int64_t simulated_answers = 0;  ///< A sample, where a step has too many.
  Tokens prompt_tokens;
  Tokens answer_tokens;   ///< In the mean, after the cut.
  Tokens longest_answer;  ///< In a step.
  Tokens step_tokens;     ///< Prompts and answers that are learned from.
  int off_policy = 0;
  std::vector<MethodPhase> phases;
  EstimateOf<Seconds> step;
  Bytes beside;                         ///< Held by each of the trainer's GPUs for other models,
  Bytes on_host;                        ///< and by the host for each of them.
  double idle = 0;                      ///< Share of all GPU time in which nothing is computed,
  double idle_tail = 0;                 ///< of that, waiting for the last answers,
  double idle_pool = 0;                 ///< and waiting for the other pool.
  Seconds longest_wait;                 ///< From the middle answer to the last.
  std::vector<MethodSplit> splits;      ///< That were tried, the best first.
  std::optional<Seconds> one_step_off;  ///< A step with answers one step older.
  std::optional<std::int64_t> steps;
  std::optional<EstimateOf<Seconds>> duration;
  std::optional<EstimateOf<Dollars>> cost;
  std::optional<double> idle_gpu_hours;
};

/// One stage of a run: its sequences, its tokens and the layout that it runs in.
struct RunStage {
  std::int64_t sequence = 0;
  std::int64_t global_batch = 0;
  Tokens tokens;
  TrainLayout layout;
  std::string layout_keys;
  EstimateOf<Seconds> step_time;
  EstimateOf<TokensPerSecond> tokens_per_s_per_gpu;
  EstimateOf<double> mfu;
  EstimateOf<Seconds> work;  ///< Time of its steps, nothing lost.
  double share = 0;          ///< The part of the run's work.
};

struct TrainAnswer {
  std::string scenario;
  std::string model;
  std::string title;
  std::string accelerator;
  std::string accelerator_title;
  std::string stack;
  std::string stack_title;
  std::string precision;
  std::int64_t parameters_total = 0;
  std::int64_t parameters_active = 0;
  std::int64_t sequence = 0;
  std::int64_t global_batch = 0;
  TrainLayout layout;
  std::string layout_keys;  ///< The whole of it as keys of a scenario: read back, it is the same.
  std::vector<config::Edit> layout_edits;  ///< What makes it the layout of the scenario.

  bool fits = false;
  MemoryVerdict verdict = MemoryVerdict::kFits;
  Bytes memory_needed;          ///< By the fullest GPU, to tell whether it fits,
  double memory_fill = 0;       ///< as a share of what it has,
  double tight_from = 0;        ///< and the share from which on it is tight.
  std::string nearest;          ///< The closest that fits, as keys of a layout.
  std::string nearest_changes;  ///< Which written keys that changes, or what it would take.
  Bytes memory_per_gpu;
  EstimateOf<Bytes> memory;       ///< The fullest GPU's.
  std::vector<MemoryLine> lines;  ///< They sum to it, with what is left free last.
  Bytes optimizer;                ///< Master copy and moments alone, on the same GPU.
  FullestStage fullest;

  // From here on only where it fits.
  std::vector<StepPart> parts;
  EstimateOf<Seconds> step_time;
  EstimateOf<TokensPerSecond> tokens_per_s;
  EstimateOf<TokensPerSecond> tokens_per_s_per_gpu;
  EstimateOf<double> mfu;
  EstimateOf<double> hfu;
  FlopsPerSecond peak;           ///< Dense, per GPU, that both are of.
  std::optional<Tokens> tokens;  ///< All stages together.
  std::vector<RunStage> stages;  ///< In order, the first one included; none where it is the only.
  std::optional<TrainGoodput> goodput;
  std::optional<WholeRun> whole;                ///< Where it ends.
  std::optional<RunStall> stalled;              ///< Then it has no days and no cost.
  std::optional<EstimateOf<Seconds>> duration;  ///< Paid time for the tokens asked.
  std::optional<EstimateOf<Dollars>> cost;      ///< Rent of it, spare nodes included.
  std::optional<EstimateOf<DollarsPerToken>> cost_per_token;
  std::optional<OptionKind> option;  ///< That goodput, days and cost are of; nothing: unpriced.
  Seconds commitment;                ///< How long that one is paid for at least.
  double paid_gpus = 0;              ///< Spares included.
  std::vector<RunOption> options;    ///< All that have a price.
  std::optional<Seconds> deadline;
  std::vector<MissedLimit> missed;  ///< By the way to pay above; then it is no feasible answer.
  std::vector<StepLoss> reasons;    ///< Why it is not faster, the largest first.
  std::vector<UsedConstant> constants;
  std::vector<TraceSpan> trace;
  int trace_chunks = 1;  ///< That each stage of the trace has.
  double trace_stretch =
      1;  ///< Factor on the stages' times that makes the trace end with the step.
  std::optional<MethodAnswer> method;  ///< Where the run is more than training on text.
  std::vector<Notice> notices;
  std::vector<UsedFact> facts;

  /// Share of the paid time that steady steps take.
  double paid_share() const { return whole ? whole->share.value() : 1.0; }

  /// Tokens over the time of the steps, over all stages.
  TokensPerSecond rate_of_run() const {
    if (stages.empty()) return tokens_per_s.value();
    Seconds work;
    for (const RunStage& stage : stages) work += stage.work.value();
    return *tokens / work;
  }
};

}  // namespace loadfactor
