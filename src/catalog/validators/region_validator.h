// The rules a region must keep.
#pragma once

#include "catalog/spec/region_spec.h"
#include "catalog/validators/entry_check.h"

namespace loadfactor::catalog {

void validate(const RegionSpec& spec, const EntryCheck& check);

}  // namespace loadfactor::catalog
