// Why a layout is the best, or what another one loses against it, in words.
#pragma once

#include <string>

#include "loadfactor/search.h"

namespace loadfactor::report {

std::string reason_words(const LayoutReasons& reasons);

}  // namespace loadfactor::report
