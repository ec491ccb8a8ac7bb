// What a probe should measure for one plan: its own shapes, and what would narrow it most.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "loadfactor/serve.h"
#include "loadfactor/train.h"

namespace loadfactor::engine {

// What one can measure to learn of a term.
enum class Measurement : std::uint8_t {
  kProducts,          // The plan's matrix products.
  kAttention,         // At the plan's lengths.
  kMemory,            // Bandwidth, and the optimizer.
  kCollectives,       // Over the plan's GPUs.
  kMoreMicroBatches,  // A step with twice as many.
  kSmallStep,         // On one GPU at a small batch.
  kStepLog,           // The log of a run at the plan's size.
  kMixtureRun,        // Serving at the plan's batch.
  kDecoding,          // Over the plan's context.
  kPromptRun,         // Serving long prompts and single tokens.
  kSingleRun,         // Serving one request at a time.
};

struct ProbeAdvice {
  Measurement measurement = Measurement::kProducts;
  double share = 0;     // The part of the step's time that it speaks of.
  double narrows = 0;   // The step's doubt, as a share of the step, that it would settle.
  double variance = 0;  // Share of the variance of all terms.
};

struct ProbePlan {
  std::vector<std::string> shapes;  // Lines of `loadfactor-probe --shapes`.
  std::vector<ProbeAdvice> advice;  // The three that narrow most, the most first.
};

// The shapes of one prompt step and one decode step under the scenario's load, and what would
// narrow its time per token and rate most.
std::optional<ProbePlan> plan_serving_probe(const catalog::Catalog& catalog,
                                            const ServeInputs& request, Diagnostics& diagnostics);

// The shapes of the training step that `answer` predicts for the request, and what would narrow it.
ProbePlan plan_training_probe(const catalog::Catalog& catalog, const TrainInputs& request,
                              const TrainAnswer& answer, Diagnostics& diagnostics);

}  // namespace loadfactor::engine
