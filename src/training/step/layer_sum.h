// What the parts of a layer leave behind while it is summed up; private to layer_*.cc.
#pragma once

#include "catalog/spec/model_spec.h"
#include "training/step/layer_time.h"
#include "workload/sharding.h"

namespace loadfactor::training {

struct LayerSum {
  const TrainingJob& job;
  const KernelContext& context;
  double tokens;  // The micro-batch's tokens on this rank.
  LayerTime time;
  double pointwise = 0;  // This and `unscaled` as in LayerWork.
  double unscaled = 0;

  double hidden() const { return job.model->hidden; }
  double tp() const { return job.layout.tp; }
  bool composite() const { return context.stack->pointwise == PointwiseClass::kComposite; }
  double constant(Constant c) const { return (*context.constants)[c]; }
};

// How tensors and experts are cut over the ranks of a layout.
workload::Sharding ranks_of(const Layout& layout);

// How many tokens the experts of a rank are given.
struct ExpertRows {
  double sent = 0;    // Tokens this rank owns before they are sent to their experts.
  double rows = 0;    // Rows of this rank's experts in the mean.
  double uneven = 1;  // Rows of the busiest rank over the mean.
};
ExpertRows expert_rows(const LayerSum& sum, const catalog::MoeSpec& moe);

// Every product of the layer that is worth its time.
void add_products(LayerSum& sum, const catalog::LayerSpec& layer);
// Scores and traffic of an attention of any kind, or of what stands in its place.
void add_mixer(LayerSum& sum, const catalog::AttentionSpec& spec);

}  // namespace loadfactor::training
