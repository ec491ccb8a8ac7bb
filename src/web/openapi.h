// The contract of the HTTP interface as OpenAPI 3.1, made of the descriptions that answers and
// options are written by.
#pragma once

#include "loadfactor/value.h"

namespace loadfactor::web {

Value openapi();

}  // namespace loadfactor::web
