// One measured run, from a JSON file of a benchmark or from words.
#pragma once

#include <string>

#include "loadfactor/result.h"
#include "loadfactor/serve.h"

namespace loadfactor::facade {

// `tpot_ms=12.5,concurrency=16,tokens_in=1024`. LF415 where no figure is found.
Result<ServeAnchor> parse_anchor(const std::string& words);

// A JSON file: ours, with the same keys, or that of `vllm bench serve`.
Result<ServeAnchor> parse_anchor_file(const std::string& name, const std::string& text);

}  // namespace loadfactor::facade
