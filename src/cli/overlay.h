// The files of an answer, written below a folder: all of them or none.
#pragma once

#include <string>
#include <vector>

#include "loadfactor/ask.h"
#include "loadfactor/result.h"

namespace loadfactor::cli {

// Rows of a SOURCES.md are added to one that is there. LF603 where another file of other content
// is there already and is not to be replaced: then nothing is written. LF602 where the system
// refuses.
Result<bool> write_overlay(const std::string& folder, const std::vector<OutputFile>& files,
                           bool replace);

}  // namespace loadfactor::cli
