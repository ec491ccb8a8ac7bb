// The tree of plain data that answers are shown as; public, since other programs read it.
#pragma once

#include "loadfactor/value.h"  // IWYU pragma: export
