// The rules an accelerator must keep: dense rates, one direction of a link, memory that a program
// can have, power a board can draw, and names that exist.
#pragma once

#include "catalog/spec/accelerator_spec.h"
#include "catalog/validators/entry_check.h"

namespace loadfactor::catalog {

void validate(const AcceleratorSpec& spec, const EntryCheck& check);

}  // namespace loadfactor::catalog
