// A model folder as Hugging Face lays it out, from the texts of its files.
//
// Reading the folder is the caller's; this puts together config.json, the quantisation beside
// it, and the index and headers of the checkpoint.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "catalog/import/hf_config.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

struct FolderFile {
  std::string text;                  // Whole for JSON; for .safetensors at least the header.
  std::optional<std::int64_t> size;  // Bytes of the whole file, if known.
  std::string shown_as = {};         // How to call it in errors; empty: by its name.
};

struct ModelFolder {
  std::string name;  // How the model shall be called, usually the folder's own name.
  std::string date;  // Date of the files.
  std::map<std::string, FolderFile> files;  // By name: "config.json".
};

// A config.json alone is a folder of one file. Nothing exactly when something was reported. A
// folder without config.json is LF504.
std::optional<ImportedModel> import_model_folder(const ModelFolder& folder,
                                                 Diagnostics& diagnostics);

}  // namespace loadfactor::catalog
