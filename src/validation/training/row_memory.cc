#include "validation/training/row_memory.h"

#include <array>
#include <string_view>

#include "training/memory/memory_plan_resolve.h"
#include "validation/row_text.h"

namespace loadfactor::validation {

namespace {

using training::AttentionGeneration;
using training::MemoryQuestion;
using training::RecomputeKind;
using training::Sharding;

// Nine of ten published figures lie within this of the count; recomputation that had to be
// guessed adds to it.
constexpr double kCountedDoubt = 0.12;
constexpr double kGuessedDoubt = 0.25;

// Recipes on top of a library keep gradients in 16 bit and shard the optimizer; those who run the
// library itself keep its defaults.
bool from_recipe(const PublishedRun& run) {
  constexpr std::array<std::string_view, 2> kLibraries{"Megatron-Core", "HAI-LLM"};
  const std::string& framework = run.row.framework;
  for (const auto library : kLibraries) {
    if (mentions(framework, library)) return false;
  }
  return run.job.stack->memory.narrow_inputs && framework != "Megatron-LM";
}

bool is_latent(const catalog::ModelSpec& model) {
  return !model.kinds.empty() &&
         model.kinds.front().attention.kind == catalog::AttentionKind::kLatent;
}

void set_sharding(const PublishedRun& run, training::Layout& layout) {
  const std::string& words = run.row.sharding;
  const bool whole_axis = run.job.stack->memory.pipeline_gradient > 0;
  if (words.empty() && from_recipe(run)) layout.sharding = Sharding::kOptimizer;
  if (words.rfind("FSDP", 0) == 0 || words.rfind("ZeRO-3", 0) == 0)
    layout.sharding = Sharding::kFull;
  if (mentions(run.row.notes, "FSDP on")) layout.sharding = Sharding::kFull;
  const bool full = layout.sharding == Sharding::kFull;
  if (full && layout.pp > 1) layout.reshard_after_forward = false;
  if (full && !whole_axis) {
    auto group = number_after(words, "FSDP-");
    if (!group) group = number_after(words, "FSDP2-");
    if (group) layout.shard_group = static_cast<int>(*group);
  }
  if (full && whole_axis) layout.shard_group = 0;
  if (run.job.stack->compiler) {
    const int slices = static_cast<int>(number_after(words, "DCN-FSDP-").value_or(1));
    layout.shard_group = (layout.shard_group > 0 ? layout.shard_group : layout.dp) * slices;
  }
}

// What the remarks name as recomputed beyond what a step's time depends on.
void set_recompute(const PublishedRun& run, training::Layout& layout) {
  const std::string& notes = run.row.notes;
  training::Recompute& recompute = layout.recompute;
  if (!run.recompute_known) recompute = {.kind = RecomputeKind::kUnknown};
  if (run.row.recompute == "selective") {
    recompute.experts = mentions(notes, "layernorm,moe") && !mentions(notes, "layernorm,moe_act");
    recompute.latent_up = mentions(notes, "mla_up_proj");
    recompute.activation = recompute.norms || mentions(notes, "moe_act") || recompute.experts;
    const bool named =
        recompute.latent_up || recompute.mlp || recompute.norms || recompute.activation;
    recompute.kind = named ? RecomputeKind::kModules : RecomputeKind::kSelective;
    const auto& stack = *run.job.stack;
    const bool policy = stack.selective == training::SelectiveMeaning::kCompilerPolicy ||
                        (stack.selective == training::SelectiveMeaning::kCoreAttention &&
                         stack.memory.ladder == training::RecomputeLadder::kLayers &&
                         stack.attention != AttentionGeneration::kUnfused);
    if (policy) recompute = {.kind = RecomputeKind::kUnknown};
  }
  layout.offload.activations =
      mentions(notes, "cpu_offloading=True") || mentions(notes, "remat_policy custom/offload");
}

}  // namespace

std::optional<MemoryPrediction> predict_memory(const PublishedRun& run) {
  if (!run.row.sequence || !run.row.global_batch) return std::nullopt;
  MemoryQuestion question = training::memory_question(run.job);
  catalog::ModelSpec model = run.model;
  const auto attention = run.job.stack->attention;
  model.embedding.tied =
      attention == AttentionGeneration::kUnfused || attention == AttentionGeneration::kFlash1;
  question.model = &model;
  question.precision.short_gradients = from_recipe(run);
  question.precision.short_moments = question.precision.short_gradients && is_latent(model);
  set_sharding(run, question.layout);
  set_recompute(run, question.layout);
  const bool guessed = question.layout.recompute.kind == RecomputeKind::kUnknown;
  const Bytes used = training::resolve_memory(question).plan.peak().used();
  const double doubt = guessed ? kGuessedDoubt : kCountedDoubt;
  return MemoryPrediction{used, used * (1.0 - doubt), used * (1.0 + doubt)};
}

}  // namespace loadfactor::validation
