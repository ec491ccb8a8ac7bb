#include "training/step/step_scene.h"

#include <algorithm>
#include <cmath>

#include "training/step/model_work.h"
#include "workload/layer_weights.h"

namespace loadfactor::training {

namespace {

struct ModelWeights {
  double dense = 0;
  double experts = 0;
  double table = 0;
};

// Embeddings of single layers and the projections around them are left out: the constants of the
// step were fitted without their products and without their update.
ModelWeights model_weights(const catalog::ModelSpec& model) {
  ModelWeights sum;
  for (std::size_t kind = 0; kind < model.kinds.size(); ++kind) {
    const double count = layers_of_kind(model, kind);
    const workload::LayerWeights weights = workload::layer_weights(model, model.kinds[kind]);
    sum.dense += count * (weights.dense() - weights.per_layer);
    sum.experts += count * weights.experts;
  }
  sum.table = workload::table_weights(model);
  return sum;
}

RankParameters share_out(const ModelWeights& weights, bool tied, const Layout& layout) {
  RankParameters p;
  p.dense = weights.dense / layout.tp / layout.pp;
  p.experts = weights.experts / (double(layout.ep) * layout.etp) / layout.pp;
  const double tables = layout.pp == 1 && !tied ? 2.0 : 1.0;
  p.embedding = tables * weights.table / layout.tp;
  return p;
}

// Jitter grows with the number of hosts that must agree before a step ends.
double straggler_share(const Machine& machine, const Constants& constants, int gpus) {
  const double host = machine.family->systolic ? 64.0 : machine.node;
  const double hosts = gpus / host;
  return hosts <= 1 ? 0.0 : constants[Constant::kStraggler] * std::log2(hosts);
}

}  // namespace

int layers_of_kind(const catalog::ModelSpec& model, std::size_t kind) {
  const auto count = std::count(model.layers.begin(), model.layers.end(), kind);
  const bool last = !model.layers.empty() && model.layers.back() == kind;
  return static_cast<int>(count) + (last ? model.mtp_layers : 0);
}

KernelContext StepScene::kernel_context() const {
  KernelContext context;
  context.machine = &machine;
  context.constants = constants;
  context.stack = job.stack;
  context.precision = job.precision;
  context.width = width;
  context.frozen = frozen;
  return context;
}

StepScene make_scene(const TrainingJob& job, const Constants& constants, const ChipConstants& chip,
                     const KernelFamily& family) {
  const catalog::ModelSpec& model = *job.model;
  const ModelWeights weights = model_weights(model);
  StepScene scene;
  scene.job = job;
  scene.machine = make_machine(job, constants, chip, family);
  scene.job.measured = job.measured.of_job(job.layout.gpus, scene.machine.domain);
  scene.constants = &constants;
  scene.frozen = job.trainable_share < 1.0;
  scene.width = native_width(*job.chip, job.precision.compute);
  scene.layers = model.num_layers() + model.mtp_layers;
  for (std::size_t kind = 0; kind < model.kinds.size(); ++kind)
    scene.kind_layers.push_back(layers_of_kind(model, kind));
  scene.heads = 1.0 + model.mtp_layers;
  scene.dense_weights = weights.dense;
  scene.expert_weights = weights.experts;
  scene.table_weights = weights.table;
  scene.attention_per_token =
      forward_attention_per_token(model, job.sequence, AttentionCount::kCausal);
  scene.forward_per_token = forward_products_per_token(model) + scene.attention_per_token;
  scene.peak = peak_rate(*job.chip, job.precision.compute) * job.layout.gpus;
  scene.pace = 1.0 / constants.level(job.stack->family);
  scene.straggler = straggler_share(scene.machine, constants, job.layout.gpus);
  return scene;
}

RankParameters rank_parameters(const StepScene& scene, const Layout& layout) {
  return share_out({scene.dense_weights, scene.expert_weights, scene.table_weights},
                   scene.job.model->embedding.tied, layout);
}

RankParameters rank_parameters(const TrainingJob& job) {
  return share_out(model_weights(*job.model), job.model->embedding.tied, job.layout);
}

}  // namespace loadfactor::training
