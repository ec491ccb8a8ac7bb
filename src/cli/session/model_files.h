// The files of a model on disk, read as far as an import needs them.
#pragma once

#include <string>

#include "loadfactor/fit.h"
#include "loadfactor/result.h"

namespace loadfactor::cli {

// Whether a word on the command line names a file or folder rather than an entry.
bool names_a_file(const std::string& word);

// A config.json alone, or a folder: config.json, the quantisation and the index beside it, and
// the headers of its .safetensors files (never their tensors). LF601 if unreadable.
Result<std::vector<ModelFile>> read_model_files(const std::string& path);

// YYYY-MM-DD of the last change of a file, or an empty text.
std::string date_of_file(const std::string& path);

}  // namespace loadfactor::cli
