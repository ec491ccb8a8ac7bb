// How many operations training takes per token, by the conventions in which people count them.
#pragma once

#include <cstdint>

#include "catalog/spec/model_spec.h"
#include "loadfactor/quantity.h"

namespace loadfactor::training {

enum class AttentionCount : std::uint8_t {
  kCausal,  // What the mask leaves: what a good kernel computes. Windows count.
  kFull,    // The whole s × s matrix, as most papers count.
};

// Forward operations of the matrix products of one token, without attention scores.
Flops forward_products_per_token(const catalog::ModelSpec& model);
// Forward operations of attention scores and their product with the values, per token.
Flops forward_attention_per_token(const catalog::ModelSpec& model, std::int64_t sequence,
                                  AttentionCount count);

// Forward and backward, no recomputation: three times the forward pass.
Flops training_work_per_token(const catalog::ModelSpec& model, std::int64_t sequence,
                              AttentionCount count);

// What has adapters: the products of the attention, or all of a layer.
enum class Adapted : std::uint8_t { kAttention, kLayer };

// What LoRA trains: parameters of adapters of this rank over all parameters. Below 1.
double adapter_share(const catalog::ModelSpec& model, int rank,
                     Adapted adapted = Adapted::kAttention);

// Inputs and outputs of all products that have adapters, of one token: what these read and write.
double adapted_widths(const catalog::ModelSpec& model, Adapted adapted);

}  // namespace loadfactor::training
