// A page on paper: an installed browser prints it.
#pragma once

#include <string>

#include "loadfactor/result.h"

namespace loadfactor::cli {

// Writes the page as PDF. An error where no browser is installed, or where it fails.
Result<bool> print_page(const std::string& page, const std::string& path);

}  // namespace loadfactor::cli
