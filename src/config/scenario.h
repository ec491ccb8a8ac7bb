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

enum class SloMetric : std::uint8_t { kTimeToFirstToken, kTimePerOutputToken };
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
};
struct Deployment {
  Pool pool;  // What holds for all pools, or the only pool.
  Given<std::string> engine;
  Given<std::string> release;
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
enum class OffloadWord : std::uint8_t { kOptimizer, kParameters, kActivations };

// gpus = tp · pp · cp · dp where all of them are given.
struct Layout {
  Given<int> gpus;
  Given<int> tp;
  Given<int> pp;
  Given<int> vp;
  Given<int> cp;
  Given<int> ep;
  Given<int> etp;
  Given<int> dp;
  Given<int> zero;  // 0 to 3.
  Given<std::int64_t> micro_batch;
  Given<RecomputeWord> recompute;
  std::vector<ModuleWord> recompute_modules;  // With kModules; empty: norms and activations.
  int recompute_layers = 0;                   // With kFull: of each stage; 0: all.
  Given<ScheduleWord> schedule;
  Given<bool> sequence_parallel;
  Given<std::vector<OffloadWord>> offload;  // Empty: nothing may be offloaded.
  Position position;
};

struct Stack {
  Given<std::string> framework;
  Given<std::string> release;
  Given<int> year;
  Position position;
};

struct TrainAsk {
  ModelAsk model;
  Given<std::string> precision;
  Given<Tokens> tokens;
  Given<Seconds> deadline;
  Given<std::int64_t> sequence;
  Given<std::int64_t> global_batch;  // In sequences.
  std::optional<Layout> layout;
  std::optional<Stack> stack;
  Position position;
};

struct ScenarioLimits {
  Given<std::int64_t> gpus;  // The most that may be used.
  Given<Watts> rack_power;
  Given<Watts> site_power;
  Given<Dollars> budget;
};

enum class MoneyOption : std::uint8_t {
  kOnDemand,
  kReserved1y,
  kReserved3y,
  kSpot,
  kOwn,
  kApi,
};
struct Ownership {
  Given<Seconds> life;
  Given<double> residual;  // Share of the price that is left at the end.
  Given<double> discount;  // Per year.
};
struct Money {
  std::vector<Placed<MoneyOption>> options;  // Empty: all of them.
  Ownership own;
  Given<DollarsPerJoule> electricity;
};

struct Scenario {
  Name name;
  std::optional<ServeAsk> serve;
  std::optional<TrainAsk> train;
  std::vector<Name> hardware;  // Candidates; empty: whatever the catalogue has.
  ScenarioLimits limits;
  Money money;
};

inline constexpr int kScenarioVersion = 1;

// Reads the whole document and reports everything that is wrong with it; nothing is returned if
// anything is. The document must outlive complaints of the engine about its places.
std::optional<Scenario> read_scenario(const Document& document, Diagnostics& diagnostics);

}  // namespace loadfactor::config
