// A page as one file of HTML: web/report.html filled with its data, style and script inside.
#pragma once

#include <string>

#include "loadfactor/value.h"

namespace loadfactor::report {

// Changes when the keys of docs/page.md do.
inline constexpr int kPageContract = 3;

std::string page_html(const Value& page);

}  // namespace loadfactor::report
