// The files that a calibration proposes for a folder of --catalog.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "loadfactor/ask.h"

namespace loadfactor::facade {

class Overlay {
 public:
  // A file below the folder, in place of one of the same name.
  void add(const std::string& path, std::string text) { files_[path] = std::move(text); }

  std::vector<OutputFile> files() const {
    std::vector<OutputFile> all;
    for (const auto& [path, text] : files_) all.push_back({path, text});
    return all;
  }

 private:
  std::map<std::string, std::string> files_;
};

}  // namespace loadfactor::facade
