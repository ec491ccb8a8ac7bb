// One measured run, from a JSON file of a benchmark or from words on the command line.
#pragma once

#include <string>

#include "loadfactor/result.h"
#include "loadfactor/serve.h"

namespace loadfactor::cli {

// `tpot_ms=12.5,concurrency=16,tokens_in=1024`, or the path of a JSON file: ours (the same keys)
// or that of `vllm bench serve`. LF415 where no figure is found.
Result<ServeAnchor> read_anchor(const std::string& words);

// The same from the text of a file.
Result<ServeAnchor> parse_anchor(const std::string& name, const std::string& text, bool json);

}  // namespace loadfactor::cli
