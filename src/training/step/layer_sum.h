// What the parts of a layer leave behind while it is summed up; private to layer_*.cc.
#pragma once

#include "catalog/spec/model_spec.h"
#include "training/step/layer_time.h"

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
  double constant(Constant c) const { return (*context.constants)[c]; }
  PassTimes linear(double rows, double columns, double inner, double groups = 1) const {
    return linear_time(context, {rows, columns, inner, groups}, context.width);
  }
};

// Attention of any kind, or what stands in its place: products, scores, traffic.
void add_mixer(LayerSum& sum, const catalog::AttentionSpec& spec);

}  // namespace loadfactor::training
