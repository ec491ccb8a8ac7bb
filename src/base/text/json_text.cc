#include "base/text/json_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/display_width.h"

namespace loadfactor {
namespace {

void append_escaped(std::string& text, char32_t c) {
  switch (c) {
    case '"':
      text += "\\\"";
      return;
    case '\\':
      text += "\\\\";
      return;
    case '\b':
      text += "\\b";
      return;
    case '\f':
      text += "\\f";
      return;
    case '\n':
      text += "\\n";
      return;
    case '\r':
      text += "\\r";
      return;
    case '\t':
      text += "\\t";
      return;
    default:
      break;
  }
  // The last two end a line in JavaScript, so that a page may embed the text as it is.
  const bool must_escape = c < 0x20 || c == 0x7F || c == 0x2028 || c == 0x2029;
  if (must_escape) {
    text += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  } else {
    append_utf8(text, c);
  }
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode_utf8(text, i);
    append_escaped(result, c.value);
    i += c.size;
  }
  return result + "\"";
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 64> buffer{};
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), written.ptr};
}

}  // namespace loadfactor
