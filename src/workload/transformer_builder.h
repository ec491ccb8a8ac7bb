// A whole layer, and the ends of the model, as ops.
#pragma once

#include "catalog/spec/model_spec.h"
#include "workload/op_writer.h"

namespace loadfactor::workload {

void write_layer(OpWriter& out, const catalog::LayerSpec& layer);

// Tables to hidden states.
void write_embedding(OpWriter& out);

// Final norm, head, and the loss or the gathering of logits.
void write_head(OpWriter& out);

// The hidden states that cross a pipeline boundary: forward at the end of a stage, gradients
// back at its start.
void write_send(OpWriter& out, Pass pass);

}  // namespace loadfactor::workload
