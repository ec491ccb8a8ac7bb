/// What does a deployment deliver, how fast is it under a load, and what limits it?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loadfactor/answer.h"
#include "loadfactor/estimate.h"
#include "loadfactor/fit.h"
#include "loadfactor/quantity.h"

namespace loadfactor {

/// One measured run of the same deployment, by which the prediction is scaled.
struct ServeAnchor {
  std::string metric;  ///< tpot_ms, ttft_ms, total_output_tok_s, tok_s_per_gpu, req_s, latency_ms.
  double value = 0;
  double concurrency = 0;  ///< Requests in the system; 0: as many as fit.
  double tokens_in = 0;    ///< 0: as the scenario says.
  double tokens_out = 0;
  std::string source;  ///< Where it was read.
};

/// A scenario with a `serve` section. What its deployment leaves blank is chosen, and a notice
/// says so.
struct ServeRequest {
  std::string file;  ///< How to call the scenario in errors; `.json` is read as JSON, else YAML.
  std::string text;
  std::vector<ModelFile> model_files;      ///< Where the scenario says `model: {config: …}`.
  std::optional<double> concurrency;       ///< Requests in the system, instead of the demand's rate.
  std::optional<std::int64_t> kv_tokens;   ///< As the engine's log says, per replica.
  std::optional<ServeAnchor> anchor;
  std::vector<std::int64_t> batches;  ///< Fixed batches to compare, one row each.
};

/// One row of a step. The rows sum to the device's time.
struct ServePart {
  std::string name;
  Seconds decode;  ///< In a step that only decodes,
  Seconds prompt;  ///< and in one that computes a prompt as well.
};

/// One fixed batch from first to last token.
struct ServeBatch {
  std::int64_t batch = 0;
  EstimateOf<TokensPerSecond> output_rate;
  EstimateOf<Seconds> tpot;
  double mfu = 0;      ///< Of decode steps.
  double mbu = 0;      ///< Share of the peak bandwidth that weights and cache need.
  double speedup = 1;  ///< Over the first row.
};

struct ServeAnswer {
  std::string scenario;
  std::string model;
  std::string title;
  std::string accelerator;
  std::string accelerator_title;
  std::string engine;      ///< Generation, as the calibration names it.
  std::string precision;
  std::string kv_format;
  int tp = 1;
  int pp = 1;
  int ep = 1;
  int dp = 1;
  int replicas = 1;
  int gpus = 1;  ///< Of all replicas.
  std::int64_t chunk = 0;
  std::int64_t max_sequences = 0;

  EstimateOf<Bytes> weights_per_gpu;
  EstimateOf<Bytes> kv_per_gpu;
  EstimateOf<Tokens> kv_tokens;  ///< Of one replica.
  double sequences = 0;          ///< Of the asked lengths that run at a time, per replica.

  double tokens_in = 0;
  double tokens_out = 0;
  std::string load;  ///< `16 requests at a time`, `3.7 requests per second`, `saturated`.
  std::optional<double> utilisation;  ///< Of the saturated rate.
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
  std::string limit;                ///< What binds, in words.
  std::vector<std::string> slo;     ///< One line per objective.
  std::vector<ServePart> parts;
  Seconds decode_step;
  Seconds prompt_step;
  double pace = 1;  ///< Factor on every step, from an anchor.
  std::vector<ServeBatch> batches;
  std::vector<Notice> notices;
  std::vector<UsedFact> facts;
};

}  // namespace loadfactor
