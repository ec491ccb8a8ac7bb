// The files that `calibrate` writes for --catalog: all of them at the end, or none.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "loadfactor/result.h"

namespace loadfactor::cli {

class Overlay {
 public:
  // A file below the folder, in place of one of the same name.
  void add(const std::string& path, std::string text) { files_[path] = std::move(text); }

  // LF603 where a file of other content is there already and is not to be replaced: then nothing
  // is written. LF602 where the system refuses. `today` dates the source that the files name.
  Result<bool> write(const std::string& folder, const std::string& today, bool replace) const;

 private:
  std::map<std::string, std::string> files_;
};

}  // namespace loadfactor::cli
