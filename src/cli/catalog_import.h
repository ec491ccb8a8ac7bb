// `loadfactor catalog import`: files of other people become entries of ours.
#pragma once

#include <string>

#include "cli/session/session.h"

namespace loadfactor::cli {

struct ImportFlags {
  std::string save;  // Folder of an overlay; empty: print what would be saved.
  std::string name;
  std::string kind;  // model | litellm | skypilot; empty: by the look of the file.
};

void import_file(Session& session, const std::string& path, const ImportFlags& flags);

}  // namespace loadfactor::cli
