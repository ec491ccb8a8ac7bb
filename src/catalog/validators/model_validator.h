// The rules a model must keep: heads that divide, experts that can be chosen, blocks that are
// whole.
#pragma once

#include "catalog/spec/model_spec.h"
#include "catalog/validators/entry_check.h"

namespace loadfactor::catalog {

void validate(const ModelSpec& spec, const EntryCheck& check);

}  // namespace loadfactor::catalog
