// A page as one file of HTML: web/report.html filled with its data, style and script inside.
#pragma once

#include <string>
#include <string_view>

#include "loadfactor/value.h"

namespace loadfactor::report {

// Changes when the keys of docs/page.md do.
inline constexpr int kPageContract = 3;

std::string page_html(const Value& page);

// Another page of web/ that is filled and styled alike and has no script.
std::string plain_page_html(std::string_view name, const Value& page);

}  // namespace loadfactor::report
