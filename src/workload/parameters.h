// Exact parameter counts, component by component.
//
// Total: everything stored with the model, extras (a vision tower) included and
// multi-token-prediction modules apart. Active: total without extras and without the routed
// experts a token does not pass through; it includes embedding and head, as most published
// counts do.
#pragma once

#include <array>
#include <cstdint>

#include "catalog/spec/model_spec.h"
#include "workload/sharding.h"
#include "workload/weight_tensor.h"

namespace loadfactor::workload {

struct ParameterCount {
  std::array<std::int64_t, kNumComponents> by_component{};
  std::int64_t extras = 0;
  std::int64_t idle = 0;  // Parameters of the routed experts that one token leaves out.
  std::int64_t mtp = 0;   // Not in the total.

  std::int64_t of(Component component) const {
    return by_component[static_cast<std::size_t>(component)];
  }
  std::int64_t text() const;  // Without extras.
  std::int64_t total() const { return text() + extras; }
  std::int64_t active() const { return text() - idle; }
};

ParameterCount count_parameters(const catalog::ModelSpec& model);

// Active parameters as a publisher counts them who leaves out the input table (a lookup
// multiplies nothing; a tied one stays, it is the head) or both tables.
std::int64_t active_parameters(const catalog::ModelSpec& model, catalog::ActiveExcludes excludes);

// What the fullest tensor-parallel rank of a stage holds. Extras and multi-token prediction
// are left out: nobody shards them alike.
ParameterCount local_parameters(const catalog::ModelSpec& model, const Sharding& sharding,
                                const Stage& stage);

}  // namespace loadfactor::workload
