// Rows as bytes, for checksums and for the way from one process to another.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sweep/store/results.h"

namespace loadfactor::sweep {

// 16 hexadecimal digits of everything that a row holds.
std::string checksum(const CaseRow& row);

// As zlib has it; the same bytes for the same text. Nothing where bytes are no such thing, or of
// more than 64 MiB.
std::string deflated(std::string_view text);
std::optional<std::string> inflated(std::string_view bytes);

}  // namespace loadfactor::sweep
