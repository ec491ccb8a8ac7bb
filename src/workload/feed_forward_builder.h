// Dense feed-forward parts, and the collectives around a tensor-parallel part of a layer.
#pragma once

#include <cstdint>
#include <string_view>

#include "catalog/spec/model_spec.h"
#include "workload/op_writer.h"

namespace loadfactor::workload {

// What the collectives of one part are called.
struct PartNames {
  std::string_view gather, regather, scatter_gradient;  // Before it, under sequence parallelism.
  std::string_view scatter, gather_gradient;            // After it.
  std::string_view reduce, reduce_gradient;             // After it, without.
};
inline constexpr PartNames kAttentionPart{"attention.gather",           "attention.regather",
                                          "attention.scatter_gradient", "attention.scatter",
                                          "attention.gather_gradient",  "attention.reduce",
                                          "attention.reduce_gradient"};
inline constexpr PartNames kMlpPart{
    "mlp.gather",          "mlp.regather", "mlp.scatter_gradient", "mlp.scatter",
    "mlp.gather_gradient", "mlp.reduce",   "mlp.reduce_gradient"};

// Brings all tokens of sequence-parallel ranks together before a part.
void write_gather(OpWriter& out, const PartNames& names);
// Sums what the tensor-parallel ranks computed, onto all of them or each its own tokens.
void write_reduce(OpWriter& out, const PartNames& names);

void write_mlp(OpWriter& out, const catalog::MlpSpec& mlp);

// The activation function between two products, over `rows` × `width`.
struct ActivationNames {
  std::string_view op, input, output;
};
void write_activation(OpWriter& out, const ActivationNames& names, catalog::MlpKind kind,
                      double elements);

}  // namespace loadfactor::workload
