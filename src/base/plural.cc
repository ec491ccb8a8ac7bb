#include "base/plural.h"

#include "base/quantity_text.h"

namespace loadfactor {

std::string counted(std::int64_t count, std::string_view noun) {
  std::string text = format_count(count) + " " + std::string(noun);
  if (count != 1) text += "s";
  return text;
}

}  // namespace loadfactor
