// CSV as RFC 4180 has it: CRLF, quotes doubled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadfactor {

// In quotes where it has to be.
std::string csv_field(std::string_view text);

std::string csv_line(const std::vector<std::string>& fields);

}  // namespace loadfactor
