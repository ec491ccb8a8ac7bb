// The page of a plan with the engine inside, so that it plans anew without a network.
#pragma once

#include <string>
#include <vector>

#include "loadfactor/engine.h"
#include "loadfactor/result.h"

namespace loadfactor::cli {

// The file of scripts that hold the engine, as `make wasm` wrote it: beside this program, in its
// share folder, or in the build folder beside its own. Empty where it is nowhere.
std::string find_page_engine();
// LF601 where there is none, saying what makes it.
Result<std::string> read_page_engine();

// The page with the engine at its end, the question that it answers, and the files that lie over
// the engine's catalogue.
std::string with_engine(std::string page, const std::string& engine, const std::string& question,
                        const std::vector<OverlayFile>& overlays);

}  // namespace loadfactor::cli
