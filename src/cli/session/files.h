// Reading and writing the files a user names.
#pragma once

#include <string>
#include <vector>

#include "loadfactor/engine.h"
#include "loadfactor/result.h"

namespace loadfactor::cli {

// The whole file; `-` is standard input. LF601 if it cannot be read, LF508 if it is larger than
// any file we read.
Result<std::string> read_file(const std::string& path);

// LF602 if it cannot be written.
Result<bool> write_file(const std::string& path, const std::string& text);

// Every .yaml, .csv and .md file below a catalogue folder, in name order.
Result<std::vector<OverlayFile>> read_catalog_folder(const std::string& folder);

}  // namespace loadfactor::cli
