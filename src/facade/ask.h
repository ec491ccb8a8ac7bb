// All errors of an input in one.
#pragma once

#include "loadfactor/result.h"

namespace loadfactor::facade {

// The first error, with one note for each of the others. There must be one.
Error as_one(const Diagnostics& diagnostics);

}  // namespace loadfactor::facade
