// A mixture of experts as ops: routing, dispatch, experts, combination, shared experts.
#pragma once

#include <cstdint>

#include "catalog/spec/model_spec.h"
#include "workload/op_writer.h"

namespace loadfactor::workload {

// How tokens meet their experts.
enum class Dispatch : std::uint8_t {
  kSum,       // Every rank has all tokens and works for its own experts; one sum over tp.
  kGather,    // Sequence-parallel ranks gather all tokens, and scatter the sum.
  kAllToAll,  // Each rank sends its own tokens to the ranks that hold their experts.
};
Dispatch dispatch_of(const Sharding& sharding);

// Everything after the norm, collectives included.
void write_moe(OpWriter& out, const catalog::MoeSpec& moe);

// The rows that reach one rank's experts under even routing.
Routed routed_rows(const catalog::MoeSpec& moe, const StepContext& step);

}  // namespace loadfactor::workload
