// Which layers of a model have experts, as `--moe-layer-freq` of Megatron-LM says it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace loadfactor::launch {

// One entry a layer, true where it has experts: `[1]*32`, `([0]*3+[1]*29)` or `[0,1,1,1]`. Nothing
// where the text is no such list.
std::optional<std::vector<bool>> layer_pattern(std::string_view text);

}  // namespace loadfactor::launch
