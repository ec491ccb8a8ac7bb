#include "training/step/block_time.h"

#include <algorithm>

#include "training/memory/memory_plan_layer.h"

namespace loadfactor::training {

namespace {

// A job whose layout says what the key says and nothing else.
TrainingJob job_of(const StepScene& scene, const BlockKey& key) {
  TrainingJob job = scene.job;
  Layout layout;
  layout.gpus = scene.job.layout.gpus;
  for (std::size_t i = 0; i < kDegrees.size(); ++i)
    if (kDegrees[i].cuts_block) layout.*kDegrees[i].degree = key.degrees[i];
  layout.micro_batch = key.micro_batch;
  layout.sequence_parallel = key.sequence_parallel;
  layout.recompute = key.recompute;
  layout.schedule = key.two_directions ? Schedule::kDualPipe : Schedule::k1F1B;
  job.layout = layout;
  return job;
}

ChunkTimes chunk_times(Seconds forward, Seconds backward, Seconds weight) {
  return {forward, backward - weight, weight};
}

void set_layers(const StepScene& scene, const TrainingJob& job, const BlockKernels& kernels,
                BlockTime& block) {
  const catalog::ModelSpec& model = *job.model;
  KernelContext context = scene.kernel_context();
  context.recomputed = block.key.recomputed;
  for (std::size_t kind = 0; kind < model.kinds.size(); ++kind) {
    const double count = scene.kind_layers[kind];
    if (count == 0) continue;
    const LayerTime one = with_recompute(job, context, model.kinds[kind], kernels.kinds[kind]);
    block.layer.add(one, count / scene.layers);
    block.kinds[std::min(kind, kMostKinds - 1)] =
        chunk_times(one.forward(), one.backward(), one.gemm.weight);
  }
  const LayerTime& mean = block.layer;
  const Seconds device = mean.gemm.forward + mean.attention.forward + mean.pointwise.forward;
  block.again = std::min(1.0, mean.recompute / device);
}

void set_head(const StepScene& scene, const HeadTime& head, BlockTime& block) {
  block.head = head;
  PassTimes tail = block.head.gemm;
  tail += block.head.loss;
  tail = tail * scene.heads;
  block.embedding = chunk_times(block.head.embedding.forward, block.head.embedding.backward,
                                block.head.embedding.weight);
  block.tail = chunk_times(tail.forward, tail.backward, tail.weight);
}

// A stage boundary is split over the tensor-parallel ranks, which gather it on the other side, or
// every one of them sends all of it.
void set_sends(const StepScene& scene, const TrainingJob& job, BlockTime& block) {
  const StackTraits& stack = *job.stack;
  const Machine& machine = scene.machine;
  const double bytes =
      rank_tokens(job) * job.model->hidden * 2.0 / (stack.splits_sends ? job.layout.tp : 1);
  const bool leaves = job.layout.gpus > machine.domain;
  const BytesPerSecond link = leaves ? machine.scale_out * scene.constant(Constant::kNicEfficiency)
                                     : machine.rate_inside(2, job.layout.gpus);
  block.hop =
      Bytes::from_base(bytes) / link + Seconds::from_base(scene.constant(Constant::kStartUp));
  const double chunks = stack.p2p_overlap ? scene.constant(Constant::kP2pBehindChunks) : 1.0;
  // Copies through the host are kernels of both chips, from the first byte to the last.
  const double fitted = scene.constant(Constant::kP2p);
  const double shown = machine.staged ? std::max(1.0, fitted) : fitted;
  block.occupied = block.hop * shown;
  block.occupied_chunks = block.hop * (shown * chunks);
}

// What would travel if activations lived on the host.
void set_kept(const StepScene& scene, const TrainingJob& job, BlockTime& block) {
  const catalog::ModelSpec& model = *job.model;
  const MemoryQuestion question = memory_question(job);
  const MemoryScale scale(question);
  for (std::size_t kind = 0; kind < model.kinds.size(); ++kind) {
    const double count = scene.kind_layers[kind];
    if (count == 0) continue;
    const LayerActivations one = layer_activations(question, scale, model.kinds[kind]);
    const double share = block.key.recomputed;
    const double weight = count / scene.layers;
    block.kept += (total(one.kept) * share + total(one.saved) * (1.0 - share)) * weight;
    block.input += one.saved[static_cast<std::size_t>(SavedTensor::kLayerInput)] * weight;
  }
}

}  // namespace

BlockKey block_key(const StepScene& scene, const Layout& layout) {
  BlockKey key;
  for (std::size_t i = 0; i < kDegrees.size(); ++i)
    if (kDegrees[i].cuts_block) key.degrees[i] = layout.*kDegrees[i].degree;
  key.micro_batch = layout.micro_batch;
  key.sequence_parallel = layout.sequence_parallel;
  key.two_directions = layout.schedule == Schedule::kDualPipe;
  key.recompute = layout.recompute;
  key.recompute.layers_per_stage = 0;
  const int covered = layout.recompute.layers_per_stage;
  if (layout.recompute.kind == RecomputeKind::kFull && covered > 0) {
    const double chunk =
        double(scene.job.model->num_layers()) / (layout.pp * std::max(1, layout.vp));
    key.recomputed = std::min(1.0, covered / chunk);
  }
  return key;
}

BlockKey without_recompute(BlockKey key) {
  key.recompute = {};
  key.recomputed = 1;
  return key;
}

BlockWork block_work(const StepScene& scene, const BlockKey& key) {
  const TrainingJob job = job_of(scene, key);
  const KernelContext context = scene.kernel_context();
  BlockWork out;
  out.kinds.reserve(job.model->kinds.size());
  for (const auto& kind : job.model->kinds) out.kinds.push_back(layer_work(job, context, kind));
  out.head = head_time(job, context);
  return out;
}

BlockKernels block_kernels(const StepScene& scene, const BlockKey& key, const BlockWork& work) {
  const TrainingJob job = job_of(scene, key);
  const KernelContext context = scene.kernel_context();
  const auto& kinds = job.model->kinds;
  BlockKernels out;
  out.key = key;
  out.kinds.reserve(kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i)
    out.kinds.push_back(layer_kernels(job, context, kinds[i], work.kinds[i]));
  out.head = work.head;
  return out;
}

BlockKernels block_kernels(const StepScene& scene, const BlockKey& key) {
  return block_kernels(scene, key, block_work(scene, key));
}

BlockTime block_time(const StepScene& scene, const BlockKernels& kernels, const BlockKey& key) {
  const TrainingJob job = job_of(scene, key);
  BlockTime block;
  block.key = key;
  set_layers(scene, job, kernels, block);
  set_head(scene, kernels.head, block);
  set_sends(scene, job, block);
  set_kept(scene, job, block);
  return block;
}

BlockTime block_time(const StepScene& scene, const BlockKey& key) {
  return block_time(scene, block_kernels(scene, without_recompute(key)), key);
}

Seconds caught_up(const BlockTime& block, int layers) {
  const ChunkTimes& tail = block.tail;
  const Seconds lead = tail.forward + tail.input_gradient + tail.weight_gradient;
  return std::min(lead, block.layer.late * static_cast<double>(layers));
}

}  // namespace loadfactor::training
