// Strings and numbers as JSON writes them.
#pragma once

#include <string>
#include <string_view>

namespace loadfactor {

// `text` in quotation marks with everything escaped that must be. Bytes that are not UTF-8
// become U+FFFD, for JSON is UTF-8.
std::string json_string(std::string_view text);

// The shortest text that reads back as the same double, without a locale; `null` for what is
// not finite, which JSON cannot write.
std::string json_number(double value);

}  // namespace loadfactor
