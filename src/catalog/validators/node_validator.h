// The rules a node must keep: its parts exist, its figures agree with those of its accelerators.
#pragma once

#include "catalog/spec/node_spec.h"
#include "catalog/validators/entry_check.h"

namespace loadfactor::catalog {

void validate(const NodeSpec& spec, const EntryCheck& check);

}  // namespace loadfactor::catalog
