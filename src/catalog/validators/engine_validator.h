// The rules a serving engine must keep.
#pragma once

#include "catalog/spec/engine_spec.h"
#include "catalog/validators/entry_check.h"

namespace loadfactor::catalog {

void validate(const EngineSpec& spec, const EntryCheck& check);

}  // namespace loadfactor::catalog
