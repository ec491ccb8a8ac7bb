// Numbers with their nouns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace loadfactor {

// "1 replica", "0 replicas", "12,000 replicas"; for nouns that take an s.
std::string counted(std::int64_t count, std::string_view noun);

}  // namespace loadfactor
