#include "loadfactor/result.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "base/display_width.h"

namespace loadfactor {
namespace {

constexpr int kMaxColumns = 80;
constexpr std::size_t kMaxErrors = 50;
constexpr std::string_view kEllipsis = "…";

// One character of the source line as it will be printed.
struct Glyph {
  std::string text;
  int width = 0;
};

std::vector<Glyph> glyphs_of(std::string_view line) {
  std::vector<Glyph> glyphs;
  for (std::size_t i = 0; i < line.size();) {
    const CodePoint c = decode_utf8(line, i);
    std::string text = visible(c);
    const int width = display_width(text);
    glyphs.push_back({std::move(text), width});
    i += c.size;
  }
  return glyphs;
}

int width_of(const std::vector<Glyph>& glyphs, std::size_t begin, std::size_t end) {
  int width = 0;
  for (std::size_t i = begin; i < end; ++i) width += glyphs[i].width;
  return width;
}

// The stretch [begin, end) of the line that is printed, and whether something was cut.
struct Window {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Grows a window around the marked word, right and left in turn, until `columns` are used.
Window window_around(const std::vector<Glyph>& glyphs, std::size_t mark, int columns) {
  if (width_of(glyphs, 0, glyphs.size()) <= columns) return {0, glyphs.size()};
  Window window{std::min(mark, glyphs.size()), std::min(mark, glyphs.size())};
  int used = 2 * display_width(kEllipsis);
  const auto take = [&](std::size_t index) {
    if (used + glyphs[index].width > columns) return false;
    used += glyphs[index].width;
    return true;
  };
  bool right = true;
  bool left = true;
  while (right || left) {
    right = right && window.end < glyphs.size() && take(window.end);
    if (right) ++window.end;
    left = left && window.begin > 0 && take(window.begin - 1);
    if (left) --window.begin;
  }
  return window;
}

// The source line with its number, and under it the carets.
std::string render_source(const Error& error) {
  const std::string number = std::to_string(error.where.line);
  std::string_view line = error.source_line;
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  const std::vector<Glyph> glyphs = glyphs_of(line);

  const std::size_t mark = std::max<std::uint32_t>(error.where.column, 1) - 1;
  const int columns = kMaxColumns - static_cast<int>(number.size()) - 4;
  const Window window = window_around(glyphs, mark, columns);

  std::string shown = window.begin > 0 ? std::string(kEllipsis) : std::string();
  int before = display_width(shown);
  for (std::size_t i = window.begin; i < window.end; ++i) shown += glyphs[i].text;
  if (window.end < glyphs.size()) shown += kEllipsis;

  const std::size_t caret_begin = std::clamp(mark, window.begin, window.end);
  const std::size_t caret_end =
      std::clamp(mark + std::max<std::uint32_t>(error.where.length, 1), caret_begin, window.end);
  before += width_of(glyphs, window.begin, caret_begin);
  const int carets = std::max(1, width_of(glyphs, caret_begin, caret_end));

  const std::string gutter(number.size(), ' ');
  std::string text = fmt::format(" {} | {}\n", number, shown);
  if (error.where.column == 0) return text;
  text += fmt::format(" {} | {}{}\n", gutter, std::string(static_cast<std::size_t>(before), ' '),
                      std::string(static_cast<std::size_t>(carets), '^'));
  return text;
}

std::string place_of(const SourceSpan& where) {
  if (where.file.empty() && where.line == 0) return {};
  std::string place = where.file.empty() ? "<input>" : visible(where.file);
  if (where.line > 0) place += fmt::format(":{}", where.line);
  if (where.line > 0 && where.column > 0) place += fmt::format(":{}", where.column);
  return place + ": ";
}

auto position_of(const Error& error) {
  return std::tie(error.where.file, error.where.line, error.where.column);
}

}  // namespace

std::string render(const Error& error) {
  std::string text = fmt::format("{}error[LF{:03}]: {}\n", place_of(error.where), error.code,
                                 visible(error.message));
  if (error.where.line > 0 && !error.source_line.empty()) text += render_source(error);
  for (const auto& note : error.notes) text += fmt::format("  note: {}\n", visible(note));
  if (!error.hint.empty()) text += fmt::format("  help: {}\n", visible(error.hint));
  return text;
}

std::string render(const Diagnostics& diagnostics) {
  std::vector<const Error*> ordered;
  for (const auto& error : diagnostics.errors()) ordered.push_back(&error);
  std::ranges::stable_sort(
      ordered, [](const Error* a, const Error* b) { return position_of(*a) < position_of(*b); });

  std::string text;
  const std::size_t shown = std::min(ordered.size(), kMaxErrors);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += '\n';
    text += render(*ordered[i]);
  }
  const std::size_t left = ordered.size() - shown;
  if (left > 0) text += fmt::format("\n… and {} more error{}\n", left, left == 1 ? "" : "s");
  return text;
}

}  // namespace loadfactor
