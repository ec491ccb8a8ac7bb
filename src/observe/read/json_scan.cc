#include "observe/read/json_scan.h"

#include <array>
#include <cstdint>

namespace loadfactor::observe {
namespace {

constexpr int kDeepest = 64;

int hex_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void append_utf8(std::uint32_t point, std::string& out) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0 | (point >> 6));
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | (point >> 12));
    out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  }
}

// Four hexadecimal digits; surrogates are kept apart, for labels are compared and shown only.
bool take_escape(std::string_view& rest, std::string& out) {
  const char mark = rest.front();
  rest.remove_prefix(1);
  switch (mark) {
    case 'n':
      out += '\n';
      return true;
    case 't':
      out += '\t';
      return true;
    case 'r':
    case 'b':
    case 'f':
      out += ' ';
      return true;
    case 'u':
      break;
    default:
      out += mark;
      return true;
  }
  if (rest.size() < 4) return false;
  std::uint32_t point = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_of(rest[static_cast<std::size_t>(i)]);
    if (digit < 0) return false;
    point = point * 16 + static_cast<std::uint32_t>(digit);
  }
  rest.remove_prefix(4);
  append_utf8(point, out);
  return true;
}

// A number without an exponent, of so few digits that the nearest double follows from one division.
bool take_plain(const char*& at, const char* end, double& out) {
  constexpr int kExactDigits = 15;
  constexpr std::array<double, kExactDigits + 1> kTens{
      1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  std::uint64_t digits = 0;
  int count = 0;
  std::size_t decimals = 0;
  bool is_fraction = false;
  for (; at != end; ++at) {
    if (*at == '.' && !is_fraction && count > 0) {
      is_fraction = true;
      continue;
    }
    if (*at < '0' || *at > '9') break;
    digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
    decimals += is_fraction ? 1U : 0U;
    if (++count > kExactDigits) return false;
  }
  if (count == 0 || (is_fraction && decimals == 0)) return false;
  out = static_cast<double>(digits) / kTens[decimals];
  return true;
}

}  // namespace

bool JsonScan::take_sample(double& time, double& value) {
  const char* at = rest_.data();
  const char* const end = at + rest_.size();
  const auto take_mark = [&](char mark) { return at != end && *at++ == mark; };
  if (!take_mark('[') || !take_plain(at, end, time) || !take_mark(',') || !take_mark('"') ||
      !take_plain(at, end, value) || !take_mark('"') || !take_mark(']'))
    return false;
  rest_ = {at, static_cast<std::size_t>(end - at)};
  return true;
}

char JsonScan::peek() {
  while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n' ||
                            rest_.front() == '\t' || rest_.front() == '\r'))
    rest_.remove_prefix(1);
  return rest_.empty() ? '\0' : rest_.front();
}

bool JsonScan::take(char mark) {
  if (peek() != mark || rest_.empty()) return false;
  rest_.remove_prefix(1);
  return true;
}

bool JsonScan::take_string(std::string& out) {
  out.clear();
  if (!take('"')) return false;
  while (!rest_.empty()) {
    const auto plain = rest_.find_first_of("\"\\");
    if (plain == std::string_view::npos) return false;
    out.append(rest_.substr(0, plain));
    const char mark = rest_[plain];
    rest_.remove_prefix(plain + 1);
    if (mark == '"') return true;
    if (rest_.empty() || !take_escape(rest_, out)) return false;
  }
  return false;
}

bool JsonScan::take_word(std::string_view& out) {
  peek();
  const auto end = rest_.find_first_of(" \t\r\n,]}:\"[{");
  out = rest_.substr(0, end);
  rest_.remove_prefix(out.size());
  return !out.empty();
}

bool JsonScan::skip_value(int depth) {
  if (depth > kDeepest) return false;
  std::string text;
  std::string_view word;
  switch (peek()) {
    case '"':
      return take_string(text);
    case '{':
    case '[':
      break;
    default:
      return take_word(word);
  }
  const bool is_object = peek() == '{';
  const char close = is_object ? '}' : ']';
  rest_.remove_prefix(1);
  if (take(close)) return true;
  while (true) {
    if (is_object && (!take_string(text) || !take(':'))) return false;
    if (!skip_value(depth + 1)) return false;
    if (take(close)) return true;
    if (!take(',')) return false;
  }
}

}  // namespace loadfactor::observe
