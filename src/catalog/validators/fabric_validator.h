// The rules a fabric must keep: one direction carries what is left of the figure it is sold by.
#pragma once

#include "catalog/spec/fabric_spec.h"
#include "catalog/validators/entry_check.h"

namespace loadfactor::catalog {

void validate(const FabricSpec& spec, const EntryCheck& check);

}  // namespace loadfactor::catalog
