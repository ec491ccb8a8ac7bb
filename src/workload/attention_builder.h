// The mixer of a layer as ops: standard, latent and recurrent.
//
// Each starts from the normed residual stream and ends with the out-projection, before the
// sum over tensor-parallel ranks. The caller has gathered the tokens of sequence-parallel
// ranks, except where the mixer gathers what it has compressed.
#pragma once

#include "catalog/spec/model_spec.h"
#include "workload/op_writer.h"

namespace loadfactor::workload {

void write_attention(OpWriter& out, const catalog::AttentionSpec& attention);

// Whether the mixer itself gathers over sequence-parallel ranks.
bool gathers_compressed(const catalog::AttentionSpec& attention);

void write_latent_attention(OpWriter& out, const catalog::AttentionSpec& attention);
void write_recurrent_mixer(OpWriter& out, const catalog::AttentionSpec& attention);

// Chooses the keys of sparse attention; writes nothing for dense.
void write_indexer(OpWriter& out, const catalog::AttentionSpec& attention,
                   const LocalTensors& tensors);

}  // namespace loadfactor::workload
