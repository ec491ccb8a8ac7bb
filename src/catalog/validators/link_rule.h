// Tells the rate of one direction of a link from the sum of both that vendors quote (LF204).
#pragma once

#include <string_view>

#include "catalog/spec/provenance.h"
#include "catalog/validators/entry_check.h"
#include "loadfactor/quantity.h"

namespace loadfactor::catalog {

// Holds a bandwidth of an entry against that of the fabric it names. Fabrics that do not exist
// are reported elsewhere.
void check_one_direction(const Provenance& at, std::string_view fabric, BytesPerSecond bandwidth,
                         const EntryCheck& check);

}  // namespace loadfactor::catalog
