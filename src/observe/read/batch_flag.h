// How an engine's command line bounds the requests that it runs at once.
#pragma once

#include <string>
#include <string_view>

namespace loadfactor::observe {

// `--max-num-seqs` of vLLM, from data/integrations/batch_flags.csv; empty where the table has no
// such engine.
std::string batch_flag(std::string_view engine);

}  // namespace loadfactor::observe
