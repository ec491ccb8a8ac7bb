// The text of a file: whether it may be read at all, and where in it a byte stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/origin.h"
#include "loadfactor/result.h"

namespace loadfactor::config {

// How much input is believed before it is refused.
struct Limits {
  std::size_t bytes = std::size_t{64} << 20U;
  int depth = 64;
  std::size_t nodes = 4'000'000;
  std::size_t scalar_bytes = std::size_t{1} << 20U;
};

// YAML is written by people and its parser takes up to 0.4 s for 1 MB, hence a tighter bound.
inline constexpr Limits kYamlLimits{.bytes = std::size_t{2} << 20U, .nodes = 250'000};

// The number of characters (code points) in UTF-8 text.
std::uint32_t count_characters(std::string_view text);

// Finds lines in a text in O(log n) after one pass over it.
class LineIndex {
 public:
  LineIndex() = default;
  explicit LineIndex(std::string_view text);

  // The line (from 1) that holds the byte at `offset`.
  std::uint32_t line_of(std::size_t offset) const;
  // The offset of the first byte of a line (from 1).
  std::size_t start_of(std::uint32_t line) const { return starts_[line - 1]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(starts_.size()); }
  // The text of a line without its line break; empty if there is no such line.
  std::string_view line(std::string_view text, std::uint32_t number) const;

 private:
  std::vector<std::size_t> starts_;
};

// Turns byte offsets into positions. Offsets that never fall cost O(length of the text) in all,
// even when the whole text is one line.
class PositionCursor {
 public:
  PositionCursor(std::string_view text, const LineIndex& lines) : text_(text), lines_(&lines) {}

  // The position of the bytes [begin, end); the length stops at the end of the first line.
  Position at(std::size_t begin, std::size_t end);

 private:
  std::string_view text_;
  const LineIndex* lines_;
  std::size_t offset_ = 0;
  Position here_{.line = 1, .column = 1};
};

// A file as an error needs it.
struct SourceView {
  std::string_view file;
  std::string_view text;
  const LineIndex* lines;
};

// An error that points into the source, with the line filled in. A long line is clipped; where
// the place lies beyond the clip, a note shows the words around it instead.
Error error_at(const SourceView& source, int code, Position position, std::string message,
               std::string hint = {});

// Drops a byte-order mark, then refuses what no reader of ours should see: LF508 more than
// `limits.bytes`, LF509 a control byte or broken UTF-8, LF512 nothing but blanks.
std::optional<Error> refuse_unreadable(std::string_view file, std::string& text,
                                       const Limits& limits);

}  // namespace loadfactor::config
