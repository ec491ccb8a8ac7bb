/// What does a deployment deliver, how fast is it under a load, and what limits it?
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/estimate.h"
#include "loadfactor/fit.h"
#include "loadfactor/quantity.h"
#include "loadfactor/scenario.h"

namespace loadfactor {

/// One measured run of the same deployment, by which the prediction is scaled.
struct ServeAnchor {
  std::string metric;  ///< tpot_ms, ttft_ms, total_output_tok_s, tok_s_per_gpu, req_s, latency_ms.
  double value = 0;
  double concurrency = 0;  ///< Requests in the system,
  double rate = 0;         ///< or arrivals per second; neither: as many as fit.
  double tokens_in = 0;    ///< 0: as the scenario says.
  double tokens_out = 0;
  std::string model;   ///< As the run names it; empty: it does not.
  std::string source;  ///< Where it was read.
};

/// A scenario with a `serve` section. What its deployment leaves blank is chosen, and a notice
/// says so.
struct ServeInputs {
  config::Scenario scenario;
  std::vector<ModelFile> model_files;     ///< Where the scenario says `model: {config: …}`.
  std::string_view trace_bytes;           ///< The file that `demand: {trace: …}` names.
  std::optional<double> concurrency;      ///< Requests in the system, instead of the demand's rate.
  std::optional<std::int64_t> kv_tokens;  ///< A data-parallel rank's, as the engine's log says.
  std::optional<ServeAnchor> anchor;
  std::vector<std::int64_t> batches;  ///< Fixed batches to compare, one row each.
  bool seeks_others = true;  ///< Whether a search says where another deployment does it better.
};

/// One row of a step. The rows sum to the device's time.
struct ServePart {
  enum class Kind : std::uint8_t {
    kProducts,
    kExperts,
    kAttention,
    kElementwise,  ///< Norms, rotations, activations.
    kCollectives,
    kGaps,  ///< Between kernels.
    kHead,
    kTower,  ///< Images or sound, in the encoder before the layers.
    kHost,   ///< Work of the host, partly hidden.
  };
  Kind kind = Kind::kProducts;
  Seconds decode;  ///< In a step that only decodes,
  Seconds prompt;  ///< and in one that computes a prompt as well.
};

/// One fixed batch from first to last token.
struct ServeBatch {
  std::int64_t batch = 0;
  EstimateOf<TokensPerSecond> output_rate;
  EstimateOf<Seconds> tpot;
  double mfu = 0;      ///< Model FLOP utilisation of decode steps.
  double mbu = 0;      ///< Share of the peak bandwidth that weights and cache need.
  double speedup = 1;  ///< Over the first row.
};

/// The load that figures are of.
struct ServeLoad {
  enum class Kind : std::uint8_t { kSaturated, kConcurrent, kArriving };
  Kind kind = Kind::kSaturated;
  double requests = 0;  ///< At a time, or per second.
};

/// What ends growth first when the deployment is full.
struct ServeLimit {
  enum class Kind : std::uint8_t { kPrefillPool, kPrompts, kMaxSequences, kKvMemory };
  Kind kind = Kind::kKvMemory;
  Hertz prompts;              ///< That the prefill pool finishes.
  double tokens_in = 0;       ///< Fresh ones of a prompt,
  double tokens_out = 0;      ///< for so many answered,
  double step_tokens = 0;     ///< in steps of so many.
  double sequences = 0;       ///< That run at once,
  double tokens_each = 0;     ///< each of so many tokens,
  bool on_each_rank = false;  ///< on each of several ranks.
};

/// One objective beside the mean that the load gives.
struct SloOutlook {
  enum class Kind : std::uint8_t {
    kMean,
    kNoSuchTime,  ///< Answers of one token have no time between tokens.
    kOutOfReach,  ///< More arrives than finishes.
  };
  Kind kind = Kind::kMean;
  config::SloMetric metric = config::SloMetric::kTimeToFirstToken;
  double quantile = 0.95;
  Seconds bound;
  EstimateOf<Seconds> mean;
};

struct ServeAnswer {
  std::string scenario;
  std::string model;
  std::string title;
  std::string accelerator;
  std::string accelerator_title;
  std::string engine;  ///< Generation, as the calibration names it.
  std::string engine_title;
  std::string precision;
  std::string kv_format;
  ServeLayout layout;   ///< The replicas that answer, where prompts are apart.
  int prompt_gpus = 0;  ///< GPUs that only compute prompts, where they are apart.
  std::int64_t chunk = 0;
  std::int64_t max_sequences = 0;

  EstimateOf<Bytes> weights_per_gpu;
  EstimateOf<Bytes> kv_per_gpu;
  EstimateOf<Tokens> kv_tokens;  ///< One replica's.
  double sequences = 0;          ///< As many of the asked lengths run at a time, per replica.

  double tokens_in = 0;
  double tokens_out = 0;
  std::optional<Hertz> demand_rate;  ///< Requests that the scenario's demand sends, on average.
  std::vector<double> busy_by_hour;  ///< GPUs that they keep busy, by hour of the week.
  ServeLoad load;
  std::optional<double> utilisation;  ///< Share of the saturated rate.
  bool feasible = true;               ///< The load is below saturation.
  int replicas_needed = 0;            ///< Where it is not.

  EstimateOf<TokensPerSecond> saturated;  ///< Output tokens of all replicas.
  EstimateOf<TokensPerSecond> saturated_per_gpu;
  EstimateOf<Hertz> saturated_requests;
  EstimateOf<Seconds> ttft;  ///< Means under the load.
  EstimateOf<Seconds> tpot;
  EstimateOf<Seconds> latency;
  EstimateOf<TokensPerSecond> output_rate;
  double running = 0;  ///< Mean sequences in a batch.
  EstimateOf<double> mfu;
  EstimateOf<double> mbu;
  EstimateOf<Joules> energy_per_token;
  ServeLimit limit;
  std::vector<SloOutlook> slo;  ///< One for each objective.
  std::vector<ServePart> parts;
  Seconds decode_step;
  Seconds prompt_step;
  double pace = 1;  ///< Factor on every step, from an anchor.
  std::vector<ServeBatch> batches;
  std::vector<Notice> notices;
  std::vector<UsedFact> facts;
};

/// The files that one model of a scenario names.
struct SimulateFiles {
  std::vector<ModelFile> model_files;  ///< Where it says `model: {config: …}`.
  std::string trace_text;              ///< The file that `demand: {trace: …}` names.
};

/// A scenario with a `serve` section, and how to run it.
struct SimulateInputs {
  config::Scenario scenario;
  SimulateFiles files;
  std::vector<SimulateFiles> other_files;  ///< Those of the models under `others`, in their order.
  std::uint64_t seed = 1;
  std::int64_t requests = 0;       ///< 0: a day of the demand, within bounds.
  std::int64_t kv_tokens = 0;      ///< A data-parallel rank's; 0: as the memory allows.
  std::string router;              ///< round-robin, least-loaded, cache-aware, session.
  std::optional<Seconds> timeout;  ///< The longest that a whole request may take.
  std::optional<Seconds> first_token_timeout;
  std::int64_t max_waiting = 0;  ///< Requests that may wait at a rank; 0: any number.
  int most_replicas = 0;         ///< Scales between `replicas` and this many; 0: does not scale.
  std::int64_t target_load = 0;  ///< Requests per replica that scaling aims at; 0: chosen.
  Seconds start_time = Seconds::from_base(180);  ///< From the decision to a ready replica.
  bool plain = false;                            ///< Forces the token-by-token engine.
  bool keeps_trace = false;                      ///< Whether the answer shall hold the steps.
  double pace = 1;          ///< Factor on every step, from a measured run of the deployment,
  std::string pace_source;  ///< read here,
  std::vector<Notice> pace_notices;         ///< and what is to be said of that run.
  std::function<double()> cpu_seconds;      ///< A clock to time the simulation by; none: it is not.
  const std::atomic<bool>* stop = nullptr;  ///< Set from outside: ends soon, without an answer.
  std::function<void(double share)> progress;  ///< Called now and then, from one thread.
};

struct LatencyFigures {
  EstimateOf<Seconds> p50, p90, p95, p99, mean;
  std::int64_t count = 0;  ///< Values that they are of; 0: there are no figures.
};

/// One bound of the scenario's SLO. A request that was not served counts as one that is late.
struct SloVerdict {
  std::string name;  ///< "ttft_p95".
  Seconds bound;
  std::optional<EstimateOf<Seconds>> reached;  ///< None: too few were served, or there is no such
                                               ///< time, as between the tokens of one.
  bool met = false;
};

/// Shares of the capacity paid for. They and the load factor sum to 1.
struct LoadLosses {
  EstimateOf<double> demand;    ///< Replicas that even the peak does not need.
  EstimateOf<double> shape;     ///< Hours below the busiest hour.
  EstimateOf<double> headroom;  ///< Kept for the peak inside the busiest hour.
  EstimateOf<double> slo;       ///< Batches kept small for latency.
  EstimateOf<double> rounding;  ///< Whole replicas.
  EstimateOf<double> downtime;  ///< Replicas that had failed, until they were repaired.
};

/// Tokens per second of the deployment, and shares of it.
struct TokenRates {
  EstimateOf<TokensPerSecond> all, per_replica, per_gpu;
};

/// The state of the deployment at an instant.
struct LoadPoint {
  Seconds time;
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  double kv_share = 0;
  std::int64_t replicas = 0;
  EstimateOf<TokensPerSecond> throughput;  ///< Out, since the point before.
};

/// Work delivered in one interval.
struct DeliveredPoint {
  Seconds start;
  std::int64_t requests = 0;
  std::int64_t tokens_in = 0;
  std::int64_t tokens_out = 0;
  double load_factor = 0;
};

/// One step, or a run of like steps, of one rank.
struct SimulatedSpan {
  int replica = 0;  ///< Into `replica_names`.
  Seconds start;
  Seconds duration;
  std::int64_t steps = 0;
  int sequences = 0;
  std::int64_t prompt_tokens = 0;
};

struct HistogramBar {
  Seconds upto;
  double share = 0;  ///< Share of the requests between the bar before and this one.
};

struct LatencyHistograms {
  std::vector<HistogramBar> ttft, tpot, e2e;
};

/// Replicas that look alike.
struct PoolShape {
  std::string name;  ///< "prefill" or "decode"; empty where there is only one pool.
  std::string accelerator;
  std::string accelerator_title;
  ServeLayout layout;
  std::int64_t max_seqs = 0, chunk = 0;  ///< Limits of one of the dp ranks.
  EstimateOf<Tokens> kv_tokens;          ///< A replica's.
  double busy = 0;                       ///< Share of its paid time that was in steps.
};

/// Why a simulation runs token by token.
enum class WhyPlain : std::uint8_t {
  kNothing,  ///< It does not.
  kAsked,
  kSplitPools,       ///< Prefill and decode are apart.
  kPromptsAlone,     ///< Prompts run in steps of their own.
  kSwapping,         ///< KV blocks are swapped to host memory.
  kVictimsByTokens,  ///< Victims are chosen by the tokens they generated.
  kPriorities,       ///< Requests have priorities.
  kForeseenAnswers,  ///< Admission foresees a share of the answers to come.
  kTimeouts,         ///< Requests time out.
  kClientsLeave,
};

/// What limits a simulated deployment.
struct SimulateBinding {
  enum class Kind : std::uint8_t {
    kDemand,       ///< Nothing else: replicas are free.
    kFailures,     ///< Replicas that broke, and the queue that they left.
    kQueueBound,   ///< Requests are turned away by the bound on the queue, or by the context.
    kTooLong,      ///< Requests are turned away, as they exceed the context or the cache.
    kTimeouts,     ///< Requests are cancelled with next to nobody waiting.
    kPreemptions,  ///< The cache: requests are preempted and computed again.
    kSlots,        ///< max_seqs: every slot is taken.
    kKvCache,      ///< The cache is full, and requests wait for room.
    kPrefillGpus,  ///< Prompts wait for the prefill pool.
    kLatency,      ///< The SLO is missed though replicas are not full.
    kGpus,         ///< Steps run back to back.
  };
  enum class Pool : std::uint8_t { kOnly, kPrefill, kDecode };
  Kind kind = Kind::kDemand;
  Pool pool = Pool::kOnly;  ///< Where requests wait.
  std::int64_t count = 0;   ///< Replicas that broke; requests turned away or cancelled.
  Seconds time;             ///< That replicas were down, in all.
  double peak = 0;          ///< Work of the busiest ten minutes, of what replicas could deliver.
  std::string model;        ///< Whose it is, where several share the pool.
};

/// Batch requests of a lower class beside a service: what they get of its replicas, and what the
/// service is like meanwhile.
struct FillerFigures {
  std::int64_t tokens_in = 0, tokens_out = 0;  ///< Those of one request.
  EstimateOf<Hertz> rate;                      ///< Requests that end.
  EstimateOf<TokensPerSecond> tokens;          ///< Their tokens, in and out.
  EstimateOf<double> taken;                    ///< Share of the capacity paid for that they take.
  bool is_bounded = false;                     ///< More of them would break the service's promise.
  bool is_part = false;  ///< Only the first part of the demand was simulated with them.
  Seconds span;          ///< That of the demand that was.
  std::int64_t requests = 0,
               preemptions = 0;  ///< The service's requests; both classes' preemptions.
  LatencyFigures ttft, tpot;     ///< The service's.
  std::vector<SloVerdict> slo;   ///< The service's.
};

/// The answer for a deployment or, where `models` is not empty, for several on one pool of GPUs.
struct SimulateAnswer {
  std::string scenario, model, title, accelerator, accelerator_title, engine_title, precision;
  std::string kv_format;         ///< Format of keys and values.
  ServeLayout layout;            ///< At the start; that of decode where prefill is apart.
  bool is_split = false;         ///< Prefill and decode are apart.
  std::vector<PoolShape> pools;  ///< One, or prefill and decode.
  bool scales = false;           ///< Replicas come and go:
  double mean_replicas = 1;      ///< paid for on average,
  int most_replicas = 1;         ///< and at once.
  double mean_gpus = 1;
  std::string router;
  std::int64_t max_seqs = 0, chunk = 0;  ///< Those of one dp rank of a replica.
  EstimateOf<Tokens> kv_tokens;          ///< A replica's.
  double demand_rate = 0;                ///< Requests per second that came.

  std::string engine;  ///< skip_ahead or plain,
  WhyPlain why_plain = WhyPlain::kNothing;
  double engine_seconds = 0;  ///< CPU seconds of the simulation, by the clock of the request.
  double seconds = 0;         ///< CPU seconds of everything; set by whoever has a clock.
  std::int64_t requests = 0, served = 0, turned_away = 0, cancelled = 0, dropped_rows = 0;
  std::int64_t steps = 0, events = 0, preemptions = 0, most_live = 0;
  Seconds duration;  ///< Simulated, to the end of the last request.

  LatencyFigures ttft, tpot, itl, e2e;
  std::optional<LatencyFigures> urgent_ttft, other_ttft;  ///< Where some requests go first.
  std::vector<SloVerdict> slo;
  std::optional<FillerFigures> filler;
  double goodput = 1;  ///< Share of the requests that were served within every bound.
  EstimateOf<Hertz> request_rate;
  TokenRates rate_in, rate_out, rate_total;
  double busy = 0;  ///< Share of the paid replica time that was in steps.
  double cache_hit_share = 0;
  EstimateOf<double> mfu, mbu;
  EstimateOf<Joules> energy;
  EstimateOf<Joules> energy_per_token;  ///< Out; in, where none is written.
  EstimateOf<double> load_factor;
  LoadLosses losses;
  EstimateOf<Hertz> saturated_rate;           ///< Requests of one replica that is never idle.
  std::optional<EstimateOf<Hertz>> slo_rate;  ///< The most one replica takes within the SLO.
  Seconds paid_replica_time;
  Seconds paid_gpu_time;
  SimulateBinding binding;
  std::vector<LoadPoint> series;
  std::vector<DeliveredPoint> delivered;
  LatencyHistograms histograms;
  std::vector<std::string> replica_names;  ///< By the numbers that the spans have.
  std::vector<SimulatedSpan> spans;
  std::vector<SimulateAnswer> models;  ///< Each on its own, where several share the pool.
  std::vector<Notice> notices;
  std::vector<UsedFact> facts;
};

}  // namespace loadfactor
