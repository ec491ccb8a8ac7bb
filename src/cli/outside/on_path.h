// Programs of others that this one may start.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace loadfactor::cli {

// Where a program that may be run lies on the PATH; nothing where it does not.
std::optional<std::string> find_on_path(std::string_view program);

}  // namespace loadfactor::cli
