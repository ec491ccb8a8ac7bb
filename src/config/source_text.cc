#include "config/source_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/byte_order_mark.h"
#include "base/error_codes.h"

namespace loadfactor::config {
namespace {

constexpr std::uint32_t kShownCharacters = 2000;
constexpr std::size_t kExcerptBytes = 60;

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The byte offset of the `count`-th character of `text`, or its size.
std::size_t offset_of_character(std::string_view text, std::uint32_t count) {
  std::size_t offset = 0;
  for (; offset < text.size(); ++offset) {
    if (is_continuation(text[offset])) continue;
    if (count == 0) return offset;
    --count;
  }
  return offset;
}

std::string excerpt(std::string_view line, std::size_t offset) {
  std::size_t begin = offset > kExcerptBytes / 2 ? offset - kExcerptBytes / 2 : 0;
  while (begin < offset && is_continuation(line[begin])) ++begin;
  std::size_t end = std::min(line.size(), offset + kExcerptBytes / 2);
  while (end < line.size() && is_continuation(line[end])) ++end;
  return "around: …" + std::string(line.substr(begin, end - begin)) +
         (end < line.size() ? "…" : "");
}

struct Utf8Form {
  unsigned char mask;
  unsigned char lead;
  std::size_t length;
  std::uint32_t least;  // The smallest code point that needs this length.
};
constexpr std::array kForms{Utf8Form{0xE0, 0xC0, 2, 0x80}, Utf8Form{0xF0, 0xE0, 3, 0x800},
                            Utf8Form{0xF8, 0xF0, 4, 0x10000}};

// The length of the valid multi-byte character at `offset`, or 0.
std::size_t character_length(std::string_view text, std::size_t offset) {
  const auto lead = static_cast<unsigned char>(text[offset]);
  for (const Utf8Form& form : kForms) {
    if ((lead & form.mask) != form.lead) continue;
    if (offset + form.length > text.size()) return 0;
    std::uint32_t code = lead & static_cast<unsigned char>(~form.mask);
    for (std::size_t i = 1; i < form.length; ++i) {
      if (!is_continuation(text[offset + i])) return 0;
      code = (code << 6U) | (static_cast<unsigned char>(text[offset + i]) & 0x3FU);
    }
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    const bool control = code < 0xA0;
    return code < form.least || surrogate || control || code > 0x10FFFF ? 0 : form.length;
  }
  return 0;
}

bool is_plain_ascii(std::string_view text, std::size_t offset) {
  const char c = text[offset];
  if (c >= ' ' && c != '\x7F') return static_cast<unsigned char>(c) < 0x80;
  if (c == '\n' || c == '\t') return true;
  return c == '\r' && offset + 1 < text.size() && text[offset + 1] == '\n';
}

// The offset of the first byte that is neither printable text nor a line break.
std::optional<std::size_t> first_bad_byte(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    const std::size_t length = is_plain_ascii(text, offset) ? 1 : character_length(text, offset);
    if (length == 0) return offset;
    offset += length;
  }
  return std::nullopt;
}

std::string describe_byte(std::string_view text, std::size_t offset) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(text[offset]);
  const std::string hex = {'0', 'x', kDigits[byte >> 4U], kDigits[byte & 0xFU]};
  if (byte == 0) return "a NUL byte";
  if (byte == '\r') return "a carriage return without a line feed";
  if (byte < 0x20 || byte == 0x7F) return "the control byte " + hex;
  return "the byte " + hex + ", which is not UTF-8 text";
}

std::string encoding_hint(std::string_view text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return "the file looks like UTF-16; save it as UTF-8";
  if (text.starts_with("PK\x03\x04") || text.starts_with("\x1F\x8B"))
    return "the file looks compressed; unpack it first";
  return "save the file as UTF-8 text with LF or CRLF line ends";
}

}  // namespace

std::uint32_t count_characters(std::string_view text) {
  return static_cast<std::uint32_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !is_continuation(byte); }));
}

LineIndex::LineIndex(std::string_view text) : starts_{0} {
  for (std::size_t i = text.find('\n'); i != std::string_view::npos; i = text.find('\n', i + 1))
    starts_.push_back(i + 1);
}

std::uint32_t LineIndex::line_of(std::size_t offset) const {
  return static_cast<std::uint32_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) -
                                    starts_.begin());
}

std::string_view LineIndex::line(std::string_view text, std::uint32_t number) const {
  if (number == 0 || number > starts_.size()) return {};
  const std::size_t begin = starts_[number - 1];
  std::size_t end = number < starts_.size() ? starts_[number] - 1 : text.size();
  if (end > begin && text[end - 1] == '\r') --end;
  return text.substr(begin, end - begin);
}

Position PositionCursor::at(std::size_t begin, std::size_t end) {
  begin = std::min(begin, text_.size());
  const std::uint32_t line = lines_->line_of(begin);
  if (line != here_.line || begin < offset_) {
    offset_ = lines_->start_of(line);
    here_ = {.line = line, .column = 1};
  }
  here_.column += count_characters(text_.substr(offset_, begin - offset_));
  offset_ = begin;
  const std::string_view rest =
      lines_->line(text_, line)
          .substr(std::min(begin - lines_->start_of(line), lines_->line(text_, line).size()));
  Position found = here_;
  const std::size_t length = end > begin ? end - begin : 0;
  found.length = std::max(1U, count_characters(rest.substr(0, std::min(length, rest.size()))));
  return found;
}

Error error_at(const SourceView& source, int code, Position position, std::string message,
               std::string hint) {
  Error error{.code = code, .message = std::move(message), .hint = std::move(hint)};
  error.where = {std::string(source.file), position.line, position.column, position.length};
  const std::string_view line = source.lines->line(source.text, position.line);
  const std::size_t shown = offset_of_character(line, kShownCharacters);
  if (shown == line.size()) {
    error.source_line = line;
  } else if (position.column + 20 < kShownCharacters) {
    error.source_line = std::string(line.substr(0, shown)) + "…";
    error.where.length = std::min(position.length, kShownCharacters - position.column);
  } else {
    error.notes.push_back(excerpt(line, offset_of_character(line, position.column - 1)));
  }
  return error;
}

std::optional<Error> refuse_unreadable(std::string_view file, std::string& text,
                                       const Limits& limits) {
  text.erase(0, text.size() - without_mark(text).size());
  Error error{.where = {std::string(file), 0, 0, 1}};
  if (text.size() > limits.bytes) {
    error.code = lf::kTooLarge;
    error.message = "the file has " + std::to_string(text.size()) + " bytes; at most " +
                    std::to_string(limits.bytes) + " are read";
    error.hint = "is this the right file?";
    return error;
  }
  if (const auto bad = first_bad_byte(text)) {
    const LineIndex lines(std::string_view(text).substr(0, *bad));
    const std::string_view before = std::string_view(text).substr(
        lines.start_of(lines.size()), *bad - lines.start_of(lines.size()));
    error.code = lf::kBadEncoding;
    error.message = "the file holds " + describe_byte(text, *bad);
    error.hint = encoding_hint(text);
    error.where = {std::string(file), lines.size(), count_characters(before) + 1, 1};
    return error;
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    error.code = lf::kEmptyFile;
    error.message = "the file is empty";
    error.where.line = 1;
    error.where.column = 1;
    return error;
  }
  return std::nullopt;
}

}  // namespace loadfactor::config
