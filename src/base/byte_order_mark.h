// The mark that editors and programs of Windows put before the first byte of a text.
#pragma once

#include <string_view>

namespace loadfactor {

inline std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

}  // namespace loadfactor
