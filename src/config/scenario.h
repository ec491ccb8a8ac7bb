// A scenario as it was written: what is asked, what is fixed, what is left to the planner.
//
// Names of models, chips, shapes, frameworks and number formats are kept as text with their
// place; the engine resolves them and reports at that place. Everything that may be left blank
// is optional, and every value remembers where it stood.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "config/document.h"
#include "loadfactor/quantity.h"
#include "loadfactor/result.h"

namespace loadfactor::config {

// A value and the place in the file that a complaint about it points at.
template <typename T>
struct Placed {
  T value{};
  Position position;
};
template <typename T>
using Given = std::optional<Placed<T>>;
using Name = Placed<std::string>;

// `model: llama-3.3-70b`
struct CatalogModel {
  Name name;
};
// `model: {config: ./config.json}`, a file or folder of Hugging Face.
struct ModelConfigFile {
  Name path;
};
// `model: {params: 500 B}`; `active` for a mixture of experts.
struct ModelSize {
  Placed<double> params;
  Given<double> active;
};
// `model: {layers: 80, hidden: 8192, heads: 64, …}`
struct ModelDimensions {
  Placed<std::int64_t> layers;
  Placed<std::int64_t> hidden;
  Placed<std::int64_t> heads;
  Placed<std::int64_t> vocab;
  Given<std::int64_t> kv_heads;
  Given<std::int64_t> head_dim;
  Given<std::int64_t> mlp;  // Width of the dense MLP.
  Given<bool> gated;
  Given<bool> tied;
  Given<std::int64_t> experts;
  Given<std::int64_t> top_k;
  Given<std::int64_t> expert_width;
  Given<std::int64_t> shared_width;
};
struct ModelAsk {
  std::variant<CatalogModel, ModelConfigFile, ModelSize, ModelDimensions> model;
  Position position;
};

// Traffic, either described or recorded.
struct Demand {
  Given<Hertz> requests;  // Mean rate, from whichever period was written.
  Given<Tokens> tokens_in;
  Given<Tokens> tokens_out;
  Given<std::string> shape;
  Given<std::string> trace;
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
  Position position;
};

// One pool of replicas that all look alike.
struct Pool {
  Given<std::string> gpu;
  Given<int> tp;
  Given<int> pp;
  Given<int> ep;
  Given<int> dp;
  Given<int> replicas;
  Given<std::int64_t> max_seqs;
  Given<std::int64_t> chunk;  // Prefill tokens per step.
  Given<std::string> kv;      // Number format of the KV cache.
  Given<int> cp;              // Ranks over which prompts and caches are split.
};
// Tokens proposed ahead and checked in one step, by a draft model or by heads of the model.
struct SpeculationAsk {
  int tokens = 1;
  double acceptance = 0;  // Chance that a proposed token is right, given those before it are.
  double draft = 0;       // Time to propose one, as a share of a plain step.
};
struct AdapterAsk {
  int rank = 16;
  int active = 1;  // Different adapters in one batch.
};
enum class PreemptionWord : std::uint8_t { kRecompute, kSwap };
struct ScalingAsk {
  int most = 1;
  int least = 1;  // 0: to zero.
  Given<int> target;
  Given<int> above;  // Threshold scaling: one replica more above,
  Given<int> below;  // and one fewer below, requests per replica.
  Given<Seconds> interval, seen_after, cooldown;
  Given<Seconds> start;            // From the decision to a replica that serves, or
  Given<Seconds> provision, load;  // its two parts: a machine, and the model on it.
  Position position;
};
struct ReplicaFailure {
  Seconds at;
  Seconds repair;
  int replica = 1;  // From 1.
};
// How KV blocks reach the decode pool: out of and into each replica, and over what all share.
struct TransferAsk {
  Given<BytesPerSecond> link;
  Given<BytesPerSecond> shared;
  Given<Seconds> latency;
};
// What an operator sets beside the layout.
struct Operations {
  Given<double> memory_fraction;
  Given<double> prefix_hits;  // Share of the prompt tokens that are in the cache already.
  Given<double> urgent;       // Share of the requests that go first.
  std::optional<SpeculationAsk> speculation;
  std::optional<AdapterAsk> lora;
  Given<PreemptionWord> preemption;
  Given<Bytes> swap_space;  // Host memory for one GPU's cache.
  Given<std::string> router;
  Given<Seconds> timeout;
  Given<Seconds> first_token_timeout;
  Given<std::int64_t> max_waiting;
  std::optional<ScalingAsk> scaling;
  std::optional<TransferAsk> transfer;   // With prefill and decode apart.
  std::vector<ReplicaFailure> failures;  // Ascending in time.
};
struct Deployment {
  Pool pool;  // What holds for all pools, or the only pool.
  Given<std::string> engine;
  Given<std::string> release;
  Operations operations;
  std::optional<Pool> prefill;  // Both or neither: prefill and decode apart.
  std::optional<Pool> decode;
  Position position;
};

struct ServeAsk {
  ModelAsk model;
  Given<std::string> precision;
  std::optional<Demand> demand;
  std::optional<Slo> slo;
  std::optional<Deployment> deployment;
  std::vector<ServeAsk> others;  // Further models on the same pool of GPUs; these have none.
  Position position;
};

enum class RecomputeWord : std::uint8_t { kNone, kModules, kSelective, kFull };
// What `recompute: [norms, mlp]` may list.
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

// gpus = tp · pp · cp · dp where all of them are given.
struct Layout {
  Given<int> gpus;
  Given<int> tp;
  Given<int> pp;
  Given<int> vp;
  Given<int> first_layers;  // Of the first and of the last stage; those between hold equally many.
  Given<int> last_layers;
  Given<int> cp;
  Given<int> ep;
  Given<int> etp;
  Given<int> dp;
  Given<int> zero;         // 0 to 3.
  Given<int> shard_group;  // With zero 3: ranks that share one copy.
  Given<std::int64_t> micro_batch;
  Given<RecomputeWord> recompute;
  std::vector<ModuleWord> recompute_modules;  // With kModules; empty: norms and activations.
  int recompute_layers = 0;                   // With kFull: of each stage; 0: all.
  Given<ScheduleWord> schedule;
  Given<bool> sequence_parallel;
  Given<std::vector<OffloadWord>> offload;  // Empty: nothing may be offloaded.
  Given<int> offload_layers;                // Of each stage, whose activations leave.
  Given<BytesPerSecond> offload_link;       // Per GPU, to the host or CXL memory.
  Given<GradientWord> gradients;            // As they travel.
  Position position;
};

struct Stack {
  Given<std::string> framework;
  Given<std::string> release;
  Given<int> year;
  Position position;
};

// Where checkpoints go, and what stops and mends a job, where it differs from the fleet's average.
enum class CheckpointWord : std::uint8_t { kSynchronous, kAsynchronous, kInMemory };
struct FailureAsk {
  Given<CheckpointWord> checkpoint;
  Given<Seconds> interval;  // Else the best one.
  Given<BytesPerSecond> storage;
  Given<Seconds> restart;
  Given<Seconds> detection;
  Given<Seconds> repair;
  Given<int> spares;  // Nodes; else as many as pay for themselves.
};

struct TrainAsk {
  ModelAsk model;
  Given<std::string> precision;  // The first, where several are open.
  std::vector<Name> precisions;  // All that a search may choose from; empty: the first alone.
  Given<Tokens> critical_batch;  // Beyond it more tokens a step teach no more.
  FailureAsk failures;
  Given<Tokens> tokens;
  Given<Seconds> deadline;
  Given<std::int64_t> sequence;
  Given<std::int64_t> global_batch;  // In sequences.
  Given<int> lora;                   // Rank of the adapters; the model itself is frozen.
  Given<TokensPerSecond> data_rate;  // That storage and loaders deliver.
  std::optional<Layout> layout;
  std::optional<Stack> stack;
  Position position;
};

struct ScenarioLimits {
  Given<std::int64_t> gpus;  // The most that may be used.
  Given<Watts> rack_power;
  Given<Watts> site_power;
  Given<Dollars> budget;
  Given<double> headroom;  // Share of the memory of every GPU that stays free.
};

enum class MoneyOption : std::uint8_t {
  kOnDemand,
  kReserved1y,
  kReserved3y,
  kSpot,
  kOwn,
  kApi,
};
// Who buys the hours of the machine, which decides what its debt costs.
enum class Offtake : std::uint8_t {
  kInvestmentGrade,
  kSpeculative,
  kMerchant,
};
// Where the money comes from; its cost is the discount.
struct FinancingAsk {
  Placed<double> debt_share;
  Given<double> debt_rate;  // Per year; by `offtake` unless said.
  Given<Offtake> offtake;
  Placed<double> equity_rate;  // Per year.
  Given<double> tax;
};
// Owning the hardware; money is of one GPU with its share of node, network and site.
struct Ownership {
  Given<Seconds> life;
  Given<double> residual;                 // Share of the price that is left at the end.
  Given<double> discount;                 // Per year.
  std::optional<FinancingAsk> financing;  // Instead of the discount.
  Given<Dollars> price;
  Given<DollarsPerGpuSecond> all_in;  // Instead of the parts.
  Given<Watts> power;                 // Rated.
  Given<double> electrical_load;      // Of the rating, when it works.
  Given<double> idle_power;           // Of the working draw, when it does not.
  Given<double> pue;
  Given<DollarsPerJoule> space;  // USD/kW/month.
  Given<bool> build;             // The site is built, not rented.
  Given<double> maintenance;     // Of the price, per year.
  Given<double> insurance;       // Of the price, per year.
  Given<DollarsPerGpuSecond> staff;
  Given<DollarsPerGpuSecond> software;
  Given<double> availability;
  Given<DollarsPerGpuSecond> resale;  // Of idle hours.
  Given<std::int64_t> most;           // GPUs that can be owned.
  Given<std::string> as_of;
};
// Renting; prices that are not written come from the catalogue.
struct RentAsk {
  Given<DollarsPerGpuSecond> on_demand;
  Given<DollarsPerGpuSecond> reserved_1y;
  Given<DollarsPerGpuSecond> reserved_3y;
  Given<DollarsPerGpuSecond> spot;
  Given<std::string> provider;
  Given<std::string> as_of;
  Given<double> commit;     // Share billed at least.
  Given<double> support;    // Share on top.
  Given<double> goodput;    // Share of hours lost to the provider.
  Given<double> surcharge;  // Of a managed platform.
  Given<std::string> platform;
  Given<DollarsPerSecond> storage;
  Given<DollarsPerSecond> egress;
  Given<DollarsPerSecond> debugging;
  Given<Dollars> setup;
};
struct SpotAsk {
  Given<double> interrupted;  // Share of nodes, in 30 days.
  Given<Seconds> loss;        // Per interruption.
  Given<Seconds> wait;        // For capacity.
  Given<std::int64_t> gang;   // Nodes that stop together.
};
// Paying per token, by a model of the catalogue or by prices.
struct ApiAsk {
  Given<std::string> model;
  Given<std::string> provider;
  Given<DollarsPerToken> price;  // Of any token.
  Given<DollarsPerToken> input;
  Given<DollarsPerToken> cached;
  Given<DollarsPerToken> output;
  Given<double> input_share;   // Of all tokens.
  Given<double> cached_share;  // Of the input.
  Given<Seconds> half_life;
  Given<TokensPerSecond> limit;
  Given<std::string> as_of;
};
// Moving to another chip.
struct PortingAsk {
  Given<Dollars> cost;
  Given<double> engineers;
  Given<Seconds> effort;  // Of each.
  Given<DollarsPerSecond> salary;
  Given<Dollars> validation;
  Given<DollarsPerSecond> upkeep;
  Given<Seconds> delay;
  Given<DollarsPerSecond> delay_cost;
};
struct AlternativeAsk {
  Name name;
  Given<std::string> hardware;
  Given<Dollars> price;               // Of one GPU, bought on the terms of `own`.
  Given<DollarsPerGpuSecond> all_in;  // Or all in.
  Given<std::int64_t> gpus;
  Given<double> performance;  // Of one GPU, over ours.
  Given<double> load_factor;
  Given<Seconds> life;     // Where bought; as ours unless said.
  Given<double> residual;  // The same.
  Given<Watts> power;      // The same: rated, with its share of the node.
  Given<std::string> as_of;
  std::optional<PortingAsk> porting;
};
// A run whose length costs money.
struct TrainingSizeAsk {
  Placed<Quantity<Dimension{.time = 1, .gpu = 1}>> work;
  Placed<double> serial;
  Placed<DollarsPerSecond> delay_cost;
};
struct WaitingAsk {
  Placed<double> gain;  // Work per dollar of the next generation over today's.
  Placed<Seconds> wait;
};
// How rents may move; what is not written comes from their history or the catalogue.
struct RentProcessAsk {
  Given<double> drift;       // Per year.
  Given<double> volatility;  // Per square root of a year.
  Given<double> reversion;   // To the drifting mean, per year.
  Given<double> jumps;       // Per year.
  Given<double> jump_down;   // Relative change.
  Given<double> jump_up;     // Relative change.
};
// Coefficients of variation.
struct UncertaintyAsk {
  Given<double> rent;
  Given<double> capital;
  Given<double> residual;
  Given<double> electricity;
  Given<double> pue;
  Given<double> rate;
  Given<double> load_factor;
  Given<double> api;
};
struct Money {
  std::vector<Placed<MoneyOption>> options;  // Empty: all of them.
  Ownership own;
  RentAsk rent;
  SpotAsk spot;
  std::optional<ApiAsk> api;
  Given<std::string> region;
  Given<DollarsPerJoule> electricity;
  Given<DollarsPerSecond> people;
  Given<Seconds> horizon;
  std::vector<double> path;  // Rent after 1, 2, … years over today's.
  RentProcessAsk rent_process;
  Given<std::string> as_of;          // Of every price that says nothing else.
  Given<double> claimed_break_even;  // That somebody states and we examine.
  std::optional<TrainingSizeAsk> training;
  std::optional<WaitingAsk> waiting;
  std::vector<AlternativeAsk> alternatives;
  UncertaintyAsk uncertainty;
};

// What the machine can do, where it is known instead of modelled.
struct CapacityAsk {
  Given<std::int64_t> gpus;
  Given<Quantity<Dimension{.time = -1, .token = 1, .gpu = -1}>> rate;  // Full plane.
  Given<double> load_factor;
  Given<TokensPerSecond> demand;     // Mean; instead of the load factor.
  Given<double> most_load;           // That can be reached at all.
  Given<std::vector<double>> hours;  // GPUs kept busy, by hour.
  Given<double> mean;                // GPUs kept busy, on average…
  Given<double> deviation;           // …and how much they vary.
  Given<std::int64_t> node;          // GPUs that come together.
  Position position;
};

// The building.
struct NetworkAsk {
  Given<std::string> topology;
  Given<std::int64_t> radix;
  Given<double> oversubscription;
};
// What the hosts must keep and write.
struct HostAsk {
  Given<Bytes> checkpoint;           // Of the whole job; by the model unless said.
  Given<Seconds> checkpoint_within;  // How long a write may take.
  Given<std::int64_t> checkpoints_kept;
  Given<Bytes> bytes_per_token;  // Of training data, as stored.
};
struct FacilityAsk {
  Given<std::string> node;  // Of the catalogue.
  Given<Watts> gpu_power;   // Of the chip alone.
  Given<Watts> power_cap;
  Given<std::string> cooling;  // Instead of the cheapest that is legal.
  NetworkAsk network;
  HostAsk host;
  Position position;
};

struct Scenario {
  Name name;
  std::optional<ServeAsk> serve;
  std::optional<TrainAsk> train;
  std::optional<CapacityAsk> capacity;
  std::optional<FacilityAsk> facility;
  std::vector<Name> hardware;  // Candidates; empty: whatever the catalogue has.
  ScenarioLimits limits;
  Money money;
};

inline constexpr int kScenarioVersion = 1;

// Reads the whole document and reports everything that is wrong with it; nothing is returned if
// anything is. The document must outlive complaints of the engine about its places.
std::optional<Scenario> read_scenario(const Document& document, Diagnostics& diagnostics);

}  // namespace loadfactor::config
