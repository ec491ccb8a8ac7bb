// A page on paper: an installed browser prints it.
#pragma once

#include <optional>
#include <string>

#include "loadfactor/result.h"

namespace loadfactor::cli {

// Where a browser that prints lies; nothing where none is on the PATH.
std::optional<std::string> find_browser();

// Writes the page as PDF. An error where no browser is installed, or where it fails.
Result<bool> print_page(const std::string& page, const std::string& path);

}  // namespace loadfactor::cli
