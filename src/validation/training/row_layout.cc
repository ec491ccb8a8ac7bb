#include "validation/training/row_layout.h"

#include <algorithm>
#include <cmath>

#include "training/memory/memory_plan.h"
#include "training/step/layer_time.h"
#include "training/step/step_time.h"
#include "validation/row_text.h"

namespace loadfactor::validation {

namespace {

using training::FabricOverride;
using training::Layout;
using training::RecomputeKind;
using training::Schedule;
using training::Sharding;

bool starts(const std::string& text, std::string_view word) {
  return text.rfind(word, 0) == 0;
}

int at_least_one(const std::optional<double>& value, int otherwise) {
  return value ? std::max(1, static_cast<int>(std::lround(*value))) : otherwise;
}

void read_sharding(const std::string& text, Layout& layout, FabricOverride& fabric) {
  if (starts(text, "FSDP") || starts(text, "ZeRO-3")) layout.sharding = Sharding::kFull;
  if (starts(text, "HSDP")) layout.sharding = Sharding::kHybrid;
  if (starts(text, "ZeRO-2")) layout.sharding = Sharding::kGradients;
  if (starts(text, "ZeRO-1") || starts(text, "dist-opt")) layout.sharding = Sharding::kOptimizer;
  layout.offload.optimizer = mentions(text, "offload");
  layout.reshard_after_forward = !mentions(text, "no reshard") && !mentions(text, "GRAD_OP");
  // Parameters gathered once per step: the traffic of ZeRO-2.
  if (mentions(text, "no reshard") && layout.pp > 1) layout.sharding = Sharding::kGradients;
  if (mentions(text, " x DCN") || mentions(text, " x DP")) {
    auto group = number_after(text, "FSDP-");
    if (!group) group = number_after(text, "FSDP2-");
    if (group) layout.shard_group = static_cast<int>(*group);
  }
  if (const auto group = number_after(text, "(group "))
    layout.shard_group = static_cast<int>(*group);
  for (const std::string_view words : {"DCN-", "DCN-DP-", "DCN-FSDP-"}) {
    if (const auto slices = number_after(text, words)) fabric.slices = static_cast<int>(*slices);
  }
}

void read_precision(const std::string& text, const std::string& notes,
                    training::Precision& precision) {
  using catalog::Dtype;
  precision.compute = Dtype::kBf16;
  if (starts(text, "fp16")) precision.compute = Dtype::kFp16;
  if (starts(text, "fp8")) precision.compute = Dtype::kFp8;
  if (starts(text, "mxfp8")) precision.compute = Dtype::kMxfp8;
  if (starts(text, "int8")) precision.compute = Dtype::kInt8;
  if (mentions(text, "fp4")) precision.compute = Dtype::kNvfp4;
  precision.block_wise = mentions(text, "block");
  // The word alone is that of a mode in which all that travels is narrow and weights rest in fp32;
  // who keeps nothing wider says what is pure.
  precision.pure = mentions(text, "pure") && mentions(notes, "pure bf16");
  if (mentions(text, "pure") && !precision.pure) precision.wire_gradient = training::kBytesOf16Bits;
  precision.row_wise = mentions(notes, "rowwise");
}

void read_recompute(const TrainingRow& row, training::Recompute& recompute) {
  const std::string& notes = row.notes;
  if (row.recompute == "none") recompute.kind = RecomputeKind::kNone;
  if (row.recompute == "full") {
    recompute.kind = RecomputeKind::kFull;
    if (const auto layers = number_after(notes, "block ")) {
      if (mentions(notes, "layers")) recompute.layers_per_stage = static_cast<int>(*layers);
    }
  }
  if (row.recompute != "selective") return;
  recompute.kind = RecomputeKind::kSelective;
  recompute.norms = mentions(notes, "layernorm") || mentions(notes, "norm,act");
  recompute.activation = mentions(notes, "norm,act") || mentions(notes, "\"moe_act\"");
  recompute.mlp = mentions(notes, "\"mlp\"");
  recompute.latent_up = mentions(notes, "\"mla_up_proj\"");
  if (recompute.norms || recompute.activation || recompute.mlp || recompute.latent_up) {
    recompute.kind = RecomputeKind::kModules;
  }
}

Schedule schedule_of(const std::string& text, int pp) {
  if (pp <= 1) return Schedule::kNone;
  if (mentions(text, "DualPipe")) return Schedule::kDualPipe;
  if (mentions(text, "interleaved")) return Schedule::kInterleaved;
  return mentions(text, "gpipe") ? Schedule::kGpipe : Schedule::k1F1B;
}

// Not stated: the most chunks that leave at most two slots empty, where the stack interleaves.
int likely_chunks(const Layout& layout, int num_layers, bool interleaves, double micro_batches) {
  if (!interleaves || micro_batches < layout.pp) return 1;
  int best = 1;
  for (int chunks = 1; chunks <= 6; ++chunks) {
    const int slots = layout.pp * chunks;
    const int spare = (num_layers + slots - 1) / slots * slots - num_layers;
    if (spare <= 2) best = chunks;
  }
  return best;
}

// Not stated: as many tokens as steps usually have, in whole micro-batches on every rank.
double likely_batch(const TrainingRow& row, const Layout& layout) {
  constexpr double kUsualTokens = 4'194'304;
  constexpr double kUsualSequence = 4096;
  const double least = layout.dp * row.micro_batch.value_or(1.0);
  const double wanted = kUsualTokens / row.sequence.value_or(kUsualSequence);
  return least * std::max(1.0, std::round(wanted / least));
}

void read_fabric(const TrainingRow& row, const catalog::AcceleratorSpec& chip,
                 FabricOverride& fabric) {
  const int node = at_least_one(row.gpus_per_node, 8);
  fabric.gpus_per_node = node;
  if (chip.scale_up.domain <= 64) fabric.scale_up_domain = node;
  auto per_node = number_after(row.notes, "inter-node ");
  if (!per_node) per_node = number_before(row.notes, " Gbps node-node");
  if (per_node) fabric.scale_out = BytesPerSecond::from_base(*per_node * 1e9 / 8.0 / node);
  if (mentions(row.notes, "Omni-Path 4x100Gb")) {
    fabric.scale_out = BytesPerSecond::from_base(400e9 / 8.0 / node);
  }
  if (row.scale_out) fabric.scale_out = BytesPerSecond::from_base(*row.scale_out * 1e9 / 8.0);
}

}  // namespace

RowLayout layout_of_row(const TrainingRow& row, const training::StackTraits& stack,
                        const catalog::AcceleratorSpec& chip, int num_layers) {
  RowLayout result;
  Layout& layout = result.layout;
  layout.gpus = at_least_one(row.gpus, 1);
  layout.tp = at_least_one(row.tp, 1);
  layout.pp = at_least_one(row.pp, 1);
  layout.cp = at_least_one(row.cp, 1);
  layout.ep = at_least_one(row.ep, 1);
  layout.dp = at_least_one(row.dp, std::max(1, layout.gpus / (layout.tp * layout.pp * layout.cp)));
  result.complete = row.tp && row.pp && row.global_batch;
  const double batch = row.global_batch.value_or(likely_batch(row, layout));
  result.global_batch = std::max<std::int64_t>(1, std::llround(batch));
  result.micro_batch_known = row.micro_batch.has_value();
  const double most = std::max(1.0, batch / layout.dp);
  layout.micro_batch = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::floor(std::min(row.micro_batch.value_or(1.0), most))));
  read_sharding(row.sharding, layout, result.fabric);
  read_precision(row.precision, row.notes, result.precision);
  read_fabric(row, chip, result.fabric);
  layout.schedule = schedule_of(row.schedule, layout.pp);
  const double micro_batches = batch / (static_cast<double>(layout.micro_batch) * layout.dp);
  const bool interleaves = layout.schedule == Schedule::kInterleaved || stack.interleaves;
  layout.vp =
      layout.pp <= 1
          ? 1
          : at_least_one(row.vp, likely_chunks(layout, num_layers, interleaves, micro_batches));
  const std::string& sp = row.sequence_parallel;
  layout.sequence_parallel =
      layout.tp > 1 && (sp == "yes" || (sp != "no" && stack.sequence_parallel));
  if (layout.sharding == Sharding::kHybrid && layout.shard_group == 0) {
    layout.shard_group = at_least_one(row.gpus_per_node, 8);
  }
  layout.recompute.kind = RecomputeKind::kUnknown;
  read_recompute(row, layout.recompute);
  result.recompute_known = layout.recompute.kind != RecomputeKind::kUnknown;
  return result;
}

namespace {

// Without more recomputation than the job has, or would be guessed to have with less to hold.
bool fits_as_it_is(const training::TrainingJob& job, RecomputeKind guessed) {
  training::MemoryQuestion question = training::memory_question(job);
  if (job.layout.recompute.kind == RecomputeKind::kUnknown) {
    if (likely_recompute(job) != guessed) return false;
    question.layout.recompute.kind = guessed;
  }
  return training::plan_memory(question).verdict != training::Verdict::kDoesNotFit;
}

}  // namespace

std::int64_t likely_micro_batch(const training::TrainingJob& job) {
  if (job.layout.pp > 1) return job.layout.micro_batch;
  training::TrainingJob larger = job;
  const RecomputeKind guessed = likely_recompute(job);
  const std::int64_t sequences = job.global_batch / std::max(1, job.layout.dp);
  std::int64_t best = job.layout.micro_batch;
  while (sequences % (2 * best) == 0) {
    larger.layout.micro_batch = 2 * best;
    if (!fits_as_it_is(larger, guessed)) break;
    best *= 2;
  }
  return best;
}

RecomputeKind likely_recompute(const training::TrainingJob& job) {
  if (job.stack->remats) return RecomputeKind::kFull;
  const Layout& layout = job.layout;
  const auto parameters = training::rank_parameters(job);
  const double held = parameters.dense + parameters.experts + parameters.embedding;
  const double shares = static_cast<double>(layout.dp) * layout.cp;
  double state = held * 18.0;
  if (layout.sharding == Sharding::kFull || layout.sharding == Sharding::kHybrid) {
    state = held * 18.0 / shares;
  } else if (layout.sharding != Sharding::kNone) {
    state = held * (6.0 + 12.0 / shares);
  }
  const bool split = layout.sequence_parallel || job.stack->compiler;
  const double tokens = training::rank_tokens(job) / (split ? layout.tp : 1);
  const auto& layer = job.model->kinds.back();
  const double matrices = layer.mlp.kind == catalog::MlpKind::kGated ? 4.0 : 3.0;
  const double width =
      layer.moe.experts > 0 ? double(layer.moe.top_k) * layer.moe.width : double(layer.mlp.width);
  const bool narrow = training::width_of(job.precision.compute) != training::Width::k16;
  const double per_layer =
      tokens * (job.model->hidden * 10.0 + matrices * width) * 2.0 * (narrow ? 0.75 : 1.0);
  const double batches =
      static_cast<double>(job.global_batch) / (static_cast<double>(layout.micro_batch) * layout.dp);
  double in_flight = static_cast<double>(job.model->num_layers()) / layout.pp;
  if (layout.pp > 1) in_flight *= std::min<double>(std::max(1.0, batches), layout.pp);
  if (layout.vp > 1) in_flight *= 1.0 + (layout.pp - 1.0) / (double(layout.pp) * layout.vp);
  const double kept = per_layer * in_flight;
  const double room = 0.85 * job.chip->memory.nominal.base();
  if (state + kept < room) return RecomputeKind::kNone;
  if (state + 0.65 * kept < room) return RecomputeKind::kModules;
  const bool old =
      job.stack->attention == training::AttentionGeneration::kUnfused || job.year <= 2023;
  return !narrow && old ? RecomputeKind::kFull : RecomputeKind::kSelective;
}

}  // namespace loadfactor::validation
