#include "loadfactor/result.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/display_width.h"
#include "base/wrap.h"

namespace loadfactor {
namespace {

constexpr int kMaxColumns = 80;
constexpr int kGutter = 4;  // The blanks and the bar around the line number.
constexpr std::size_t kMaxErrors = 50;
constexpr std::size_t kMaxMessage = 1000;  // Characters of a message, note or hint.
constexpr std::string_view kEllipsis = "…";

// `text` made safe to print and cut after kMaxMessage characters.
std::string visible_message(std::string_view text) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t i = 0; i < kMaxMessage && at < text.size(); ++i) {
    const CodePoint c = decode_utf8(text, at);
    result += visible(c);
    at += c.size;
  }
  return at < text.size() ? result + std::string(kEllipsis) : result;
}

// One character of the source line as it will be printed.
struct Glyph {
  std::string text;
  int width = 0;
};

// The part of a source line around the marked character, which may be all of it. Only this part
// is looked at closely, so that a line of many megabytes costs little.
struct Excerpt {
  std::vector<Glyph> glyphs;
  std::size_t mark = 0;  // Index of the marked character; glyphs.size() if it is past the end.
  bool cut_before = false;
  bool cut_after = false;
};

Excerpt excerpt_of(std::string_view line, std::size_t mark) {
  constexpr std::size_t kReach = 160;  // Twice the columns printed.
  Excerpt excerpt;
  const std::size_t first = mark > kReach ? mark - kReach : 0;
  std::size_t at = 0;
  for (std::size_t index = 0; at < line.size() && index < mark + kReach; ++index) {
    const CodePoint c = decode_utf8(line, at);
    at += c.size;
    if (index < first) continue;
    std::string text = visible(c);
    const int width = display_width(text);
    excerpt.glyphs.push_back({std::move(text), width});
  }
  excerpt.cut_before = first > 0;
  excerpt.cut_after = at < line.size();
  excerpt.mark = std::min(mark - first, excerpt.glyphs.size());
  return excerpt;
}

int width_of(const std::vector<Glyph>& glyphs, std::size_t begin, std::size_t end) {
  int width = 0;
  for (std::size_t i = begin; i < end; ++i) width += glyphs[i].width;
  return width;
}

// The stretch [begin, end) of an excerpt that is printed.
struct Window {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Grows a window around the mark, right and left in turn, until `columns` are used.
Window window_around(const Excerpt& excerpt, int columns) {
  const std::vector<Glyph>& glyphs = excerpt.glyphs;
  const bool whole = !excerpt.cut_before && !excerpt.cut_after;
  if (whole && width_of(glyphs, 0, glyphs.size()) <= columns) return {0, glyphs.size()};
  Window window{excerpt.mark, excerpt.mark};
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
  const Excerpt excerpt = excerpt_of(line, std::max<std::uint32_t>(error.where.column, 1) - 1);
  const int columns = kMaxColumns - static_cast<int>(number.size()) - kGutter;
  const Window window = window_around(excerpt, columns);

  std::string text;
  if (excerpt.cut_before || window.begin > 0) text = kEllipsis;
  int indent = display_width(text);
  for (std::size_t i = window.begin; i < window.end; ++i) text += excerpt.glyphs[i].text;
  if (excerpt.cut_after || window.end < excerpt.glyphs.size()) text += kEllipsis;
  std::string result = fmt::format(" {} | {}\n", number, text);
  if (error.where.column == 0) return result;

  const std::size_t end =
      std::min(excerpt.mark + std::max<std::size_t>(error.where.length, 1), window.end);
  indent += width_of(excerpt.glyphs, window.begin, excerpt.mark);
  const int carets = std::max(1, width_of(excerpt.glyphs, excerpt.mark, end));
  return result + fmt::format(" {:{}} | {:{}}{:^>{}}\n", "", number.size(), "", indent, "", carets);
}

std::string place_of(const SourceSpan& where) {
  if (where.file.empty() && where.line == 0) return {};
  std::string place = where.file.empty() ? "<input>" : visible_message(where.file);
  if (where.line > 0) place += fmt::format(":{}", where.line);
  if (where.line > 0 && where.column > 0) place += fmt::format(":{}", where.column);
  return place + ": ";
}

// Lines of at most 80 columns; those after the first stand under its text, or by two blanks.
std::string paragraph(std::string_view heading, std::string_view text) {
  const std::size_t indent = std::max<std::size_t>(heading.size(), 2);
  std::string out;
  for (const auto& line : wrap(text, kMaxColumns - static_cast<int>(indent)))
    out += (out.empty() ? std::string(heading) : std::string(indent, ' ')) + line + "\n";
  return out;
}

auto position_of(const Error& error) {
  return std::tie(error.where.file, error.where.line, error.where.column);
}

}  // namespace

std::string render(const Error& error) {
  std::string text = paragraph("", fmt::format("{}error[LF{:03}]: {}", place_of(error.where),
                                               error.code, visible_message(error.message)));
  if (error.where.line > 0 && !error.source_line.empty()) text += render_source(error);
  for (const auto& note : error.notes) text += paragraph("  note: ", visible_message(note));
  if (!error.hint.empty()) text += paragraph("  help: ", visible_message(error.hint));
  return text;
}

std::string render(const Diagnostics& diagnostics) {
  std::vector<const Error*> ordered;
  for (const auto& error : diagnostics.errors()) ordered.push_back(&error);
  std::stable_sort(ordered.begin(), ordered.end(), [](const Error* a, const Error* b) {
    return position_of(*a) < position_of(*b);
  });

  std::string text;
  const std::size_t count = std::min(ordered.size(), kMaxErrors);
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += '\n';
    text += render(*ordered[i]);
  }
  const std::size_t left = ordered.size() - count;
  if (left > 0) text += fmt::format("\n… and {} more error{}\n", left, left == 1 ? "" : "s");
  return text;
}

}  // namespace loadfactor
