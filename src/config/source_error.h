// Errors that point at a value that a file or an assignment of --set holds.
#pragma once

#include <span>
#include <string>

#include "config/source_text.h"
#include "loadfactor/result.h"

namespace loadfactor::config {

// A place of the planner's own is the file as a whole.
Error written_error(const SourceView& source, std::span<const std::string> assignments, int code,
                    Position position, std::string message, std::string hint);

}  // namespace loadfactor::config
