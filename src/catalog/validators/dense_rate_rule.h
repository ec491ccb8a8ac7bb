// Tells a rate quoted with sparsity, which is twice the dense one, from a dense rate (LF201).
//
// Inside one entry the dtypes are held against one another; across a family, what one compute
// unit does in one clock is: chips of one family share their units.
#pragma once

#include <vector>

#include "catalog/spec/accelerator_spec.h"
#include "catalog/validators/entry_check.h"

namespace loadfactor::catalog {

void check_dense_rates(const AcceleratorSpec& spec, const std::vector<AcceleratorSpec>& all,
                       const EntryCheck& check);

}  // namespace loadfactor::catalog
