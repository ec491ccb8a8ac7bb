#include "base/display_width.h"

#include <algorithm>
#include <array>
#include <span>

namespace loadfactor {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr int kTabWidth = 4;

struct Range {
  char32_t first;
  char32_t last;
};

// Characters two columns wide: East Asian Wide and Fullwidth of Unicode 14, neighbouring ranges
// merged where only unassigned characters lie between them.
constexpr std::array kWide{
    Range{0x1100, 0x115F},   Range{0x231A, 0x231B},   Range{0x2329, 0x232A},
    Range{0x23E9, 0x23EC},   Range{0x23F0, 0x23F0},   Range{0x23F3, 0x23F3},
    Range{0x25FD, 0x25FE},   Range{0x2614, 0x2615},   Range{0x2648, 0x2653},
    Range{0x267F, 0x267F},   Range{0x2693, 0x2693},   Range{0x26A1, 0x26A1},
    Range{0x26AA, 0x26AB},   Range{0x26BD, 0x26BE},   Range{0x26C4, 0x26C5},
    Range{0x26CE, 0x26CE},   Range{0x26D4, 0x26D4},   Range{0x26EA, 0x26EA},
    Range{0x26F2, 0x26F3},   Range{0x26F5, 0x26F5},   Range{0x26FA, 0x26FA},
    Range{0x26FD, 0x26FD},   Range{0x2705, 0x2705},   Range{0x270A, 0x270B},
    Range{0x2728, 0x2728},   Range{0x274C, 0x274C},   Range{0x274E, 0x274E},
    Range{0x2753, 0x2755},   Range{0x2757, 0x2757},   Range{0x2795, 0x2797},
    Range{0x27B0, 0x27B0},   Range{0x27BF, 0x27BF},   Range{0x2B1B, 0x2B1C},
    Range{0x2B50, 0x2B50},   Range{0x2B55, 0x2B55},   Range{0x2E80, 0x303E},
    Range{0x3041, 0x3247},   Range{0x3250, 0x4DBF},   Range{0x4E00, 0xA4C6},
    Range{0xA960, 0xA97C},   Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},
    Range{0xFE10, 0xFE19},   Range{0xFE30, 0xFE6B},   Range{0xFF01, 0xFF60},
    Range{0xFFE0, 0xFFE6},   Range{0x16FE0, 0x1B2FB}, Range{0x1F004, 0x1F004},
    Range{0x1F0CF, 0x1F0CF}, Range{0x1F18E, 0x1F18E}, Range{0x1F191, 0x1F19A},
    Range{0x1F200, 0x1F320}, Range{0x1F32D, 0x1F335}, Range{0x1F337, 0x1F37C},
    Range{0x1F37E, 0x1F393}, Range{0x1F3A0, 0x1F3CA}, Range{0x1F3CF, 0x1F3D3},
    Range{0x1F3E0, 0x1F3F0}, Range{0x1F3F4, 0x1F3F4}, Range{0x1F3F8, 0x1F43E},
    Range{0x1F440, 0x1F440}, Range{0x1F442, 0x1F4FC}, Range{0x1F4FF, 0x1F53D},
    Range{0x1F54B, 0x1F567}, Range{0x1F57A, 0x1F57A}, Range{0x1F595, 0x1F596},
    Range{0x1F5A4, 0x1F5A4}, Range{0x1F5FB, 0x1F64F}, Range{0x1F680, 0x1F6C5},
    Range{0x1F6CC, 0x1F6CC}, Range{0x1F6D0, 0x1F6D2}, Range{0x1F6D5, 0x1F6DF},
    Range{0x1F6EB, 0x1F6EC}, Range{0x1F6F4, 0x1F6FC}, Range{0x1F7E0, 0x1F7F0},
    Range{0x1F90C, 0x1F93A}, Range{0x1F93C, 0x1F945}, Range{0x1F947, 0x1F9FF},
    Range{0x1FA70, 0x1FAF6}, Range{0x20000, 0x3FFFD},
};

// Characters that take no column: combining marks and joiners of the scripts in common use.
constexpr std::array kZeroWidth{
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD},   Range{0x05BF, 0x05BF},
    Range{0x05C1, 0x05C2}, Range{0x05C4, 0x05C5}, Range{0x0610, 0x061A},   Range{0x064B, 0x065F},
    Range{0x0670, 0x0670}, Range{0x06D6, 0x06DC}, Range{0x06DF, 0x06E4},   Range{0x0900, 0x0902},
    Range{0x093C, 0x093C}, Range{0x0941, 0x0948}, Range{0x094D, 0x094D},   Range{0x0E31, 0x0E31},
    Range{0x0E34, 0x0E3A}, Range{0x0E47, 0x0E4E}, Range{0x1160, 0x11FF},   Range{0x1AB0, 0x1AFF},
    Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200F}, Range{0x202A, 0x202E},   Range{0x2060, 0x206F},
    Range{0x20D0, 0x20F0}, Range{0x302A, 0x302D}, Range{0x3099, 0x309A},   Range{0xFE00, 0xFE0F},
    Range{0xFE20, 0xFE2F}, Range{0xFEFF, 0xFEFF}, Range{0xE0100, 0xE01EF},
};

bool contains(std::span<const Range> ranges, char32_t c) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), c,
                       [](char32_t wanted, const Range& range) { return wanted < range.first; });
  return after != ranges.begin() && c <= std::prev(after)->last;
}

// How long the sequence started by this byte claims to be; 0 if no sequence starts with it.
std::size_t sequence_size(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

// Direction marks and invisible formatting can make a line read as what it is not.
bool is_deceptive(char32_t c) {
  return (c >= 0x200E && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

}  // namespace

CodePoint decode_utf8(std::string_view text, std::size_t position) {
  const CodePoint broken{kReplacement, 1, false};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[position + i]); };
  const std::size_t size = sequence_size(byte(0));
  if (size == 0 || position + size > text.size()) return broken;
  if (size == 1) return {byte(0), 1, true};
  char32_t value = byte(0) & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return broken;
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[size] || value > 0x10FFFF || surrogate) return broken;
  return {value, size, true};
}

void append_utf8(std::string& text, char32_t c) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0U | (c >> 6U));
    put(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    put(0xE0U | (c >> 12U));
    put(0x80U | ((c >> 6U) & 0x3FU));
    put(0x80U | (c & 0x3FU));
  } else {
    put(0xF0U | (c >> 18U));
    put(0x80U | ((c >> 12U) & 0x3FU));
    put(0x80U | ((c >> 6U) & 0x3FU));
    put(0x80U | (c & 0x3FU));
  }
}

int code_point_width(char32_t c) {
  if (is_control(c) || contains(kZeroWidth, c)) return 0;
  return contains(kWide, c) ? 2 : 1;
}

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode_utf8(text, i);
    width += code_point_width(c.value);
    i += c.size;
  }
  return width;
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++count) i += decode_utf8(text, i).size;
  return count;
}

std::string visible(CodePoint c) {
  std::string text;
  if (c.value == '\t') {
    text.assign(kTabWidth, ' ');
  } else if (c.value < 0x20) {
    append_utf8(text, 0x2400 + c.value);  // The control pictures.
  } else if (c.value == 0x7F) {
    append_utf8(text, 0x2421);
  } else if (is_control(c.value) || is_deceptive(c.value)) {
    append_utf8(text, kReplacement);
  } else {
    append_utf8(text, c.value);
  }
  return text;
}

std::string visible(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode_utf8(text, i);
    result += visible(c);
    i += c.size;
  }
  return result;
}

std::string pad_right(std::string_view text, int width) {
  const auto missing = static_cast<std::size_t>(std::max(0, width - display_width(text)));
  return std::string(text) + std::string(missing, ' ');
}

}  // namespace loadfactor
