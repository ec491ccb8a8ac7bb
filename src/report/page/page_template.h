// A template filled with the data of a page.
//
// It knows four marks: {{name}} is the text, escaped; {{#name}}…{{/name}} is there once for an
// object, a text, a number or true, once per row for a list, and not at all for false, null, an
// empty text or an empty list; {{^name}}…{{/name}} is the opposite. An object or a row becomes the
// place where names are looked up. `a.b` goes down, `../a` one place up. Nothing else.
#pragma once

#include <string>
#include <string_view>

#include "loadfactor/value.h"

namespace loadfactor::report {

// Marks that are not closed, or closed in the wrong order, end the text where they stand.
std::string fill_template(std::string_view text, const Value& page);

// `&`, `<`, `>`, `"` and `'` as HTML writes them.
std::string escape_html(std::string_view text);

}  // namespace loadfactor::report
