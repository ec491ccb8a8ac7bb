// The rules a serving engine must keep.
#pragma once

#include "catalog/spec/engine_spec.h"
#include "catalog/validators/entry_check.h"

namespace loadfactor::catalog {

void validate(const EngineSpec& spec, const EntryCheck& check);
// What the generations of all engines must keep together: names, and whom they are like.
void validate_generations(const EntryCheck& check);

}  // namespace loadfactor::catalog
