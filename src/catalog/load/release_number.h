// Reads the number of an engine's release.
#pragma once

#include <optional>
#include <string_view>

#include "catalog/spec/engine_generation.h"

namespace loadfactor::catalog {

// 0.19 of `0.19.0rc1` or `v0.19`; nothing of `25.02-py3`, which is no release of an engine.
std::optional<ReleaseNumber> parse_release(std::string_view text);

}  // namespace loadfactor::catalog
