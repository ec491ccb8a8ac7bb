// The head of a request, read strictly: what two programs could read differently is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "web/wire/call.h"

namespace loadfactor::web {

struct Head {
  std::string method;
  std::string target;  // As it was sent.
  std::string path;    // Decoded, without `.` and `..`.
  Pairs query;         // Decoded.
  Pairs headers;       // Names in lower case, values without blanks around them.
  std::optional<std::uint64_t> length;
  bool is_chunked = false;
};

struct HeadFault {
  int status = 400;
  std::string message;
};

inline constexpr std::size_t kLargestHead = std::size_t{16} << 10U;
inline constexpr std::size_t kLongestTarget = 4096;
inline constexpr std::size_t kMostHeaders = 64;

// The text ends with the empty line.
std::variant<Head, HeadFault> parse_head(std::string_view text);

// Percent signs resolved; nothing where one is broken or a control byte comes out.
std::optional<std::string> decode(std::string_view text, bool plus_is_blank);

}  // namespace loadfactor::web
