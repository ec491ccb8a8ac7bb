// What a slice came to, on its way from one process to another of the same program.
#pragma once

#include <string>
#include <string_view>

#include "search/layout_search.h"

namespace loadfactor::search {

std::string packed_part(const SearchResult& part);
// Nothing found where the bytes are none: the slice was stopped.
SearchResult unpacked_part(std::string_view bytes);

}  // namespace loadfactor::search
