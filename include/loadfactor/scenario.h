/// A scenario as it was written: what is asked, what is fixed, what is left to the planner.
///
/// It is a value. Names of models, chips, shapes, frameworks and number formats are kept as text
/// with their place; the engine resolves them and reports at that place. Everything that may be
/// left blank is optional, and every value remembers who gave it and where. A what-if is a copy
/// with edits.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "loadfactor/origin.h"
#include "loadfactor/quantity.h"
#include "loadfactor/result.h"
#include "loadfactor/scenario_money.h"

namespace loadfactor::config {

/// No value: the key is left to us, or its section is taken out.
using Blank = std::monostate;

/// A value of any key. A word of a closed set (`fp8`, `1f1b`) is a text; a ratio or a count of
/// things without a unit is a number.
using AnyValue = std::variant<Blank, bool, std::int64_t, double, std::string,
                              std::vector<std::string>, std::vector<double>, AnyQuantity>;

/// The text of a value, as a file or a --set would have it; empty for a blank.
std::string to_text(const AnyValue& value);

/// A key by its path and what it becomes. Items of lists go by number: `serve.others.0.precision`.
struct Edit {
  std::string path;
  AnyValue value = Blank();

  friend bool operator==(const Edit&, const Edit&) = default;
};

/// The argument of --set that makes the edit: `money.electricity=0.1 USD/kWh`.
std::string to_set_text(const Edit& edit);

/// `model: llama-3.3-70b`
struct CatalogModel {
  Name name;
};
/// `model: {config: ./config.json}`, a file or folder of Hugging Face.
struct ModelConfigFile {
  Name path;
};
/// `model: {params: 500 B}`; `active` for a mixture of experts.
struct ModelSize {
  Placed<double> params;
  Given<double> active;
};
/// `model: {layers: 80, hidden: 8192, heads: 64, …}`
struct ModelDimensions {
  Placed<std::int64_t> layers;
  Placed<std::int64_t> hidden;
  Placed<std::int64_t> heads;
  Placed<std::int64_t> vocab;
  Given<std::int64_t> kv_heads;
  Given<std::int64_t> head_dim;
  Given<std::int64_t> mlp;  ///< Width of the dense MLP.
  Given<bool> gated;
  Given<bool> tied;
  Given<std::int64_t> experts;
  Given<std::int64_t> top_k;
  Given<std::int64_t> expert_width;
  Given<std::int64_t> shared_width;
};
struct ModelSection {
  std::variant<CatalogModel, ModelConfigFile, ModelSize, ModelDimensions> model;
  Position position;
};

/// How traffic moves over the week, in numbers or from a file instead of by a name.
struct ShapeSection {
  Given<double> daily_peak;  ///< The busiest moment of a day over the day's mean.
  Given<double> peak_hour;   ///< When that is, UTC.
  Given<double> weekend;     ///< Traffic of Saturday and Sunday over that of other days.
  Given<std::string> file;   ///< Rates of a week, or a model that `demand --fit` wrote.
};
/// How traffic grows from today on.
struct Growth {
  std::string text;            ///< `8 %/month` as it was written; empty where a table is.
  double per_month = 0;        ///< A share of the month before.
  std::vector<double> months;  ///< Traffic after 1, 2, … months over today's; it stays at the last.
  Position position;

  /// Traffic after so many months over today's.
  double after(int month) const;
};
/// `8 %/month` or `60 %/year` as growth; nothing for any other text.
std::optional<Growth> parse_growth(std::string_view text);

/// Traffic, either described or recorded.
struct Demand {
  Given<Hertz> requests;  ///< Mean rate, from whichever period was written.
  Given<Tokens> tokens_in;
  Given<Tokens> tokens_out;
  Given<std::string> shape;
  std::optional<ShapeSection> shape_figures;  ///< Instead of a name.
  std::optional<Growth> growth;
  Given<std::string> trace;
  Given<double> scale;   ///< Requests over those of the trace.
  Given<double> images;  ///< Per request, in the mean, beside `tokens_in`.
  Position position;
};

enum class SloMetric : std::uint8_t { kTimeToFirstToken, kTimePerOutputToken, kWholeRequest };
struct SloBound {
  SloMetric metric = SloMetric::kTimeToFirstToken;
  double quantile = 0.95;
  Placed<Seconds> most;
};
struct Slo {
  std::vector<SloBound> bounds;
  Given<double> availability;  ///< Share of the time that the bounds are kept in.
  Given<int> zones;            ///< The service outlives the loss of any one of so many.
  Given<int> spare;  ///< Replicas that a deploy takes out while the others hold the bounds.
  Position position;
};

/// One pool of replicas that all look alike.
struct Pool {
  Given<std::string> gpu;
  Given<int> tp;
  Given<int> pp;
  Given<int> ep;
  Given<int> dp;
  Given<int> replicas;
  Given<std::int64_t> max_seqs;
  Given<std::int64_t> chunk;  ///< Prefill tokens per step.
  Given<std::string> kv;      ///< Number format of the KV cache.
  Given<int> cp;              ///< Ranks over which prompts and caches are split.
};
/// Tokens proposed ahead and checked in one step, by a draft model or by heads of the model.
struct SpeculationSection {
  int tokens = 1;
  double acceptance = 0;  ///< Chance that a proposed token is right, given those before it are.
  double draft = 0.05;    ///< Time to propose one, as a share of a plain step.
};
struct AdapterSection {
  int rank = 16;
  int active = 1;  ///< Different adapters in one batch.
};
enum class PreemptionWord : std::uint8_t { kRecompute, kSwap };
struct ScalingSection {
  int most = 1;
  int least = 1;  ///< 0: to zero.
  Given<int> target;
  Given<int> above;  ///< Threshold scaling: one replica more above,
  Given<int> below;  ///< and one fewer below, requests per replica.
  Given<Seconds> interval, seen_after, cooldown;
  Given<Seconds> start;            ///< From the decision to a replica that serves, or
  Given<Seconds> provision, load;  ///< its two parts: a machine, and the model on it.
  Position position;
};
struct ReplicaFailure {
  Seconds at;
  Seconds repair;
  int replica = 1;    ///< From 1.
  Position position;  ///< The replica's number where it is written, else the failure.
};
/// How KV blocks reach the decode pool: out of and into each replica, and over what all share.
struct TransferSection {
  Given<BytesPerSecond> link;
  Given<BytesPerSecond> shared;
  Given<Seconds> latency;
};
enum class DispatchWord : std::uint8_t { kBf16, kFp8 };
/// How uneven the experts of a replica are used, and how tokens travel to them.
struct ServedExperts {
  Given<double> imbalance;  ///< Tokens of the busiest rank over the mean; else as skew says.
  /// The i-th most popular expert is chosen i^-skew as often as the first; else all alike.
  Given<double> skew;
  Given<DispatchWord> dispatch;  ///< As tokens travel to the experts; else as the engine does.
};
/// Batch requests that take what the service leaves of its replicas.
struct FillerSection {
  Given<std::int64_t> tokens_in, tokens_out;  ///< Those of each; both are given.
  Position position;
};
/// What an operator sets beside the layout.
struct Operations {
  Given<double> memory_fraction;
  Given<double> prefix_hits;  ///< Share of the prompt tokens that are in the cache already.
  Given<double> urgent;       ///< Share of the requests that go first.
  std::optional<SpeculationSection> speculation;
  std::optional<FillerSection> filler;
  std::optional<AdapterSection> lora;
  std::optional<ServedExperts> moe;
  Given<PreemptionWord> preemption;
  Given<Bytes> swap_space;  ///< Host memory for one GPU's cache.
  Given<std::string> router;
  Given<Seconds> timeout;
  Given<Seconds> first_token_timeout;
  Given<std::int64_t> max_waiting;
  std::optional<ScalingSection> scaling;
  std::optional<TransferSection> transfer;  ///< With prefill and decode apart.
  std::vector<ReplicaFailure> failures;     ///< Ascending in time.
};
struct Deployment {
  Deployment();
  Deployment(const Deployment&);
  Deployment(Deployment&&) noexcept;
  Deployment& operator=(const Deployment&);
  Deployment& operator=(Deployment&&) noexcept;
  ~Deployment();

  Pool pool;  ///< What holds for all pools, or the only pool.
  Given<std::string> engine;
  Given<std::string> release;
  Operations operations;
  std::optional<Pool> prefill;  ///< Both or neither: prefill and decode apart.
  std::optional<Pool> decode;
  Position position;
};

/// A region that is served, and its part of the demand.
struct ServedRegion {
  Name name;             ///< One of the catalogue's regions.
  Placed<double> share;  ///< The part of the demand; all regions sum to 1.
};

struct ServeSection {
  ServeSection();
  ServeSection(const ServeSection&);
  ServeSection(ServeSection&&) noexcept;
  ServeSection& operator=(const ServeSection&);
  ServeSection& operator=(ServeSection&&) noexcept;
  ~ServeSection();

  ModelSection model;
  Given<std::string> precision;
  std::optional<Demand> demand;
  std::optional<Slo> slo;
  Given<Seconds> deadline;  ///< How long a request of batch work may take, with its wait.
  std::optional<Deployment> deployment;
  std::vector<ServeSection> others;   ///< Further models on the same pool of GPUs; these have none.
  std::vector<ServedRegion> regions;  ///< Where users are; empty: it is not said.
  Position position;
};

enum class RecomputeWord : std::uint8_t { kNone, kModules, kSelective, kFull };
/// What `recompute: [norms, mlp]` may list.
enum class ModuleWord : std::uint8_t { kNorms, kActivations, kMlp, kLatentUp, kExperts };
enum class ScheduleWord : std::uint8_t {
  kGpipe,
  kOneForwardOneBackward,
  kInterleaved,
  kZeroBubble,
  kZeroBubbleV,
  kDualPipe,
};
enum class GradientWord : std::uint8_t { kFp32, kBf16, kFp16, kFp8, kInt8 };
enum class OffloadWord : std::uint8_t { kOptimizer, kParameters, kActivations };
enum class MomentWord : std::uint8_t { kFp32, kBf16 };
enum class KeptWord : std::uint8_t { kBf16, kFp8 };
enum class CompressionWord : std::uint8_t { kPowerSgd, kOneBit };

/// How uneven routing is, and what is done about it.
struct ExpertSection {
  Given<double> imbalance;  ///< Tokens of the busiest rank over the mean, on average over layers.
  Given<double> spread;     ///< Standard deviation of its logarithm over layers and steps.
  Given<double> capacity_factor;  ///< Tokens that an expert takes over the mean; more are dropped.
  Given<bool> padded;             ///< Experts are filled up to their capacity.
  Given<DispatchWord> dispatch;   ///< As tokens travel to the experts.
  Position position;
};

/// Gradients that lose something on their way.
struct CompressionSection {
  Given<CompressionWord> kind;
  Given<int> rank;  ///< That of PowerSGD's factors.
  Position position;
};

/// gpus = tp · pp · cp · dp where all of them are given.
struct Layout {
  Given<int> gpus;
  Given<int> tp;
  Given<int> pp;
  Given<int> vp;
  Given<int> first_layers;  ///< Layers of the first stage; stages between hold equally many.
  Given<int> last_layers;   ///< Layers of the last stage.
  Given<int> cp;
  Given<int> ep;
  Given<int> etp;
  Given<int> dp;
  Given<int> zero;         ///< 0 to 3.
  Given<int> shard_group;  ///< With zero 3: ranks that share one copy.
  Given<std::int64_t> micro_batch;
  Given<RecomputeWord> recompute;
  std::vector<ModuleWord> recompute_modules;  ///< With kModules; empty: norms and activations.
  int recompute_layers = 0;                   ///< With kFull: of each stage; 0: all.
  Given<ScheduleWord> schedule;
  Given<bool> sequence_parallel;
  Given<std::vector<OffloadWord>> offload;  ///< Empty: nothing may be offloaded.
  Given<int> offload_layers;                ///< Layers of each stage whose activations leave.
  Given<BytesPerSecond> offload_link;       ///< Per GPU, to the host or CXL memory.
  Given<GradientWord> gradients;            ///< As they travel.
  Given<MomentWord> moments;                ///< The optimizer's.
  Given<KeptWord> kept;                     ///< Inputs of products, for the backward pass.
  std::optional<ExpertSection> moe;
  std::optional<CompressionSection> compression;
  Position position;
};

struct Stack {
  Given<std::string> framework;
  Given<std::string> release;
  Given<int> year;
  Position position;
};

/// Where checkpoints go, and what stops and mends a job, where it differs from the fleet's average.
enum class CheckpointWord : std::uint8_t { kSynchronous, kAsynchronous, kInMemory };
struct FailureSection {
  Given<CheckpointWord> checkpoint;
  Given<Seconds> interval;  ///< Else the best one.
  Given<BytesPerSecond> storage;
  Given<Seconds> restart;
  Given<Seconds> detection;
  Given<Seconds> repair;
  Given<int> spares;    ///< Nodes; else as many as pay for themselves.
  Given<bool> elastic;  ///< Goes on with fewer nodes instead of waiting for repairs.
};

/// What is trained of a model, and on what.
/// Which products have adapters beside them.
enum class LoraTargets : std::uint8_t {
  kAttention,  ///< Those of the attention.
  kAllLinear,  ///< Those of the attention, the MLP, its router and its experts; not the head.
};

enum class MethodWord : std::uint8_t {
  kFull,   ///< All weights, on text.
  kLora,   ///< Adapters beside frozen weights.
  kQlora,  ///< The same, with the frozen weights in 4 bits.
  kDpo,    ///< Pairs of a better and a worse answer.
  kDistillation,
  kGrpo,  ///< Own answers, in groups that are compared with each other.
  kPpo,   ///< Own answers, judged by a value model that is trained as well.
};
/// Whether answers are written on the GPUs that train, in turns, or on others.
enum class PlacementWord : std::uint8_t { kColocated, kSplit };
/// A model that judges or teaches.
struct JudgeSection {
  ModelSection model;
  Given<std::string> precision;
  Position position;
};
/// The engine that writes the answers.
struct RolloutSection {
  Given<int> gpus;
  Given<int> tp;
  Given<std::string> engine;
  Given<std::string> release;
  Given<std::string> precision;
  Given<std::string> kv;
  Given<std::int64_t> max_seqs;
  Position position;
};
struct MethodSection {
  MethodSection();
  MethodSection(const MethodSection&);
  MethodSection(MethodSection&&) noexcept;
  MethodSection& operator=(const MethodSection&);
  MethodSection& operator=(MethodSection&&) noexcept;
  ~MethodSection();

  Placed<MethodWord> kind;
  Given<std::int64_t> prompts;  ///< In a step.
  Given<std::int64_t> group;    ///< Answers to each prompt.
  Given<std::int64_t> steps;    ///< In the run.
  Given<Tokens> prompt_tokens;
  Given<Tokens> answer_tokens;         ///< In the mean, as they end by themselves.
  Given<double> answer_spread;         ///< Standard deviation of the logarithm of their length.
  Given<Tokens> answer_most;           ///< Where they are cut.
  Given<std::int64_t> epochs;          ///< Times that the trainer goes over the answers of a step.
  Given<bool> reference;               ///< A frozen copy that the model may not move far from.
  std::optional<JudgeSection> reward;  ///< None: a rule, which takes no GPU.
  std::optional<JudgeSection> teacher;
  std::optional<JudgeSection> value;  ///< The value model of PPO; none: as large as the policy.
  Given<PlacementWord> placement;
  Given<int> off_policy;  ///< Steps by which answers may be older than the weights they train.
  std::optional<RolloutSection> rollout;
  Position position;
};
/// Texts shorter than `sequence`.
struct ExampleSection {
  Placed<Tokens> tokens;  ///< In the mean.
  Given<bool> packing;    ///< Several in one sequence; else each is filled up.
  Position position;
};

/// A stage of a run that follows the first: longer sequences, other batches.
struct StageSection {
  Given<std::int64_t> sequence;
  Given<Tokens> tokens;
  Given<std::int64_t> global_batch;  ///< In sequences; as many tokens a step as usual unless said.
  Position position;
};

struct TrainSection {
  TrainSection();
  TrainSection(const TrainSection&);
  TrainSection(TrainSection&&) noexcept;
  TrainSection& operator=(const TrainSection&);
  TrainSection& operator=(TrainSection&&) noexcept;
  ~TrainSection();

  ModelSection model;
  Given<std::string> precision;  ///< The first, where several are open.
  std::vector<Name> precisions;  ///< All that a search may choose from; empty: the first alone.
  Given<Tokens> critical_batch;  ///< Beyond it more tokens a step teach no more.
  FailureSection failures;
  Given<Tokens> tokens;
  Given<Seconds> deadline;
  Given<std::int64_t> sequence;
  Given<std::int64_t> global_batch;  ///< In sequences.
  Given<int> lora;                   ///< Rank of the adapters; the model itself is frozen.
  Given<LoraTargets> lora_targets;   ///< What has adapters; the attention unless said.
  std::optional<MethodSection> method;
  std::optional<ExampleSection> examples;
  std::vector<StageSection> stages;  ///< That follow the one of `sequence` and `tokens`.
  Given<TokensPerSecond> data_rate;  ///< That storage and loaders deliver.
  std::optional<Layout> layout;
  std::optional<Stack> stack;
  Position position;
};

struct ScenarioLimits {
  Given<std::int64_t> gpus;  ///< The most that may be used.
  Given<Watts> rack_power;
  Given<Watts> site_power;
  Given<Dollars> budget;
  Given<double> headroom;  ///< Share of the memory of every GPU that stays free.
};

/// A value as it was written: `serve.demand.tokens_in`, `2000` and its place.
struct WrittenValue {
  std::string path;
  std::string text;
  Position position;
};

/// What a scenario was read from, for complaints and for showing it again.
struct ScenarioSource {
  std::string file;                      ///< As the user named it.
  std::string text;                      ///< The file's.
  std::vector<std::string> assignments;  ///< Arguments of --set, in order.
  std::vector<WrittenValue> values;      ///< Every leaf, after the assignments.
};

struct Scenario {
  Scenario();
  Scenario(const Scenario&);
  Scenario(Scenario&&) noexcept;
  Scenario& operator=(const Scenario&);
  Scenario& operator=(Scenario&&) noexcept;
  ~Scenario();

  Name name;
  std::optional<ServeSection> serve;
  std::optional<TrainSection> train;
  std::optional<CapacitySection> capacity;
  std::optional<FacilitySection> facility;
  std::vector<Name> hardware;  ///< Candidates; empty: whatever the catalogue has.
  ScenarioLimits limits;
  Money money;
  Position position;  ///< The file as a whole.
  std::shared_ptr<const ScenarioSource> source;

  /// A copy with one key or section changed; what-ifs never go through text. The path must be one
  /// of scenario_keys() and the value of its type. A section that is missing on the way is made,
  /// unless the value is blank.
  Scenario with(const Edit& edit) const;
  Scenario with(std::span<const Edit> edits) const;
  Scenario with(std::initializer_list<Edit> edits) const {
    return with(std::span<const Edit>(edits.begin(), edits.size()));
  }
  /// The value of a key; blank where it is not given.
  AnyValue value(std::string_view path) const;

  /// How the user called it; empty for a scenario that was read from nowhere.
  const std::string& file() const;
  Origin origin(Position at) const;
  /// Who gave the value of a key; kDefault where nobody did, so that it is left to us.
  Origin origin(std::string_view path) const;
  /// An error that points at a value, with its source line.
  Error error(int code, Position at, std::string message, std::string hint = {}) const;
};

/// A key of a scenario. `#` in a path stands for the number of an item, from 0.
struct ScenarioKey {
  std::string path;
  std::string meaning;
  bool is_section = false;  ///< It can be taken out as a whole, and has no value of its own.
};
std::vector<ScenarioKey> scenario_keys();

}  // namespace loadfactor::config
