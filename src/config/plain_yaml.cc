#include "config/plain_yaml.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace loadfactor::config {
namespace {

constexpr std::size_t kLongestKey = 256;

bool is_key_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_of_key(char c) {
  return is_key_start(c) || c == '-' || c == '.' || c == '/' || c == '+';
}

// Words that mean that there is no value.
bool is_null(std::string_view word) {
  constexpr std::array<std::string_view, 4> kNulls{"~", "null", "Null", "NULL"};
  return std::find(kNulls.begin(), kNulls.end(), word) != kNulls.end();
}

class PlainYaml {
 public:
  PlainYaml(std::string_view text, TreeBuilder& builder) : text_(text), builder_(builder) {}

  bool read() {
    if (text_.find_first_of("\t\r") != std::string_view::npos) return false;
    return to_content() && !is_over() && block(column_) && is_over();
  }

 private:
  bool is_over() const { return at_ >= text_.size(); }
  char here() const { return is_over() ? '\n' : text_[at_]; }
  char after() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\n'; }
  bool is_line_over() const { return here() == '\n'; }
  void skip_blanks() {
    while (!is_over() && text_[at_] == ' ') ++at_;
  }
  bool is_dash() const { return here() == '-' && (after() == ' ' || after() == '\n'); }

  // From the start of a line to the next word that is no comment.
  bool to_content() {
    while (!is_over()) {
      const std::size_t line = at_;
      skip_blanks();
      if (is_over()) return true;
      if (here() != '#' && here() != '\n') {
        column_ = at_ - line;
        const std::string_view rest = text_.substr(at_);
        return column_ > 0 ||
               !(rest.starts_with("---") || rest.starts_with("...") || here() == '%');
      }
      at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
    }
    return true;
  }

  // What is left of a line is blank or a comment; goes on to the next word.
  bool end_line() {
    skip_blanks();
    if (!is_line_over() && (here() != '#' || text_[at_ - 1] != ' ')) return false;
    at_ = std::min(text_.find('\n', at_), text_.size());
    if (!is_over()) ++at_;
    return to_content();
  }

  // The end of the key that begins here; 0 where none does.
  std::size_t end_of_key() const {
    if (!is_key_start(here())) return 0;
    std::size_t end = at_ + 1;
    while (end < text_.size() && end - at_ < kLongestKey && is_of_key(text_[end])) ++end;
    if (end >= text_.size() || text_[end] != ':') return 0;
    if (end + 1 < text_.size() && text_[end + 1] != ' ' && text_[end + 1] != '\n') return 0;
    return is_null(text_.substr(at_, end - at_)) ? 0 : end;
  }

  // Reads a key with its colon.
  bool key() {
    const std::size_t end = end_of_key();
    if (end == 0) return false;
    if (!builder_.add_key(std::string(text_.substr(at_, end - at_)), {at_, end})) return false;
    at_ = end + 1;
    return true;
  }

  // A map or a list whose first word stands here, in this column.
  bool block(std::size_t column) {
    if (is_dash()) return list(column);
    return map(column);
  }

  // Whether a block of this column goes on at the word that was reached.
  bool goes_on(std::size_t column) const { return !is_over() && column_ == column; }
  bool is_deeper(std::size_t column) const { return !is_over() && column_ > column; }

  bool map(std::size_t column) {
    if (!builder_.open(NodeKind::kMap, {at_, at_ + 1})) return false;
    do {
      if (!key()) return false;
      skip_blanks();
      const bool is_below = is_line_over() || here() == '#';
      if (!(is_below ? value_below(column) : value(column))) return false;
      if (is_deeper(column)) return false;
    } while (goes_on(column));
    return builder_.close();
  }

  // The value of a key that is alone on its line.
  bool value_below(std::size_t column) {
    if (!end_key_line()) return false;
    if (is_deeper(column)) return block(column_);
    if (goes_on(column) && is_dash()) return list(column);
    return builder_.add_null(builder_.key_position());
  }

  bool end_key_line() {
    at_ = std::min(text_.find('\n', at_), text_.size());
    if (!is_over()) ++at_;
    return to_content();
  }

  bool list(std::size_t column) {
    if (!builder_.open(NodeKind::kList, {at_, at_ + 1})) return false;
    do {
      if (!item(column)) return false;
      if (is_deeper(column)) return false;
    } while (goes_on(column) && is_dash());
    return builder_.close();
  }

  bool item(std::size_t column) {
    const std::size_t dash = at_++;
    skip_blanks();
    if (is_line_over() || here() == '#') {
      if (!end_key_line()) return false;
      return is_deeper(column) && block(column_);
    }
    if (is_dash() || end_of_key() != 0) return block(column + at_ - dash);
    return value(column);
  }

  // A value that begins on the line of its key or dash, which stand in this column, and what is
  // left of its last line.
  bool value(std::size_t column) {
    switch (here()) {
      case '"':
      case '\'':
        return quoted() && end_line();
      case '[':
        return flow_list() && end_line();
      case '{':
        return flow_map() && end_line();
      case '>':
        return folded(column);
      default:
        return words(column);
    }
  }

  bool quoted() {
    const char quote = here();
    const std::size_t end = text_.find_first_of(quote == '"' ? "\"\\\n" : "'\n", at_ + 1);
    if (end == std::string_view::npos || text_[end] != quote) return false;
    if (quote == '\'' && end + 1 < text_.size() && text_[end + 1] == quote) return false;
    const std::size_t begin = at_;
    at_ = end + 1;
    return builder_.add_scalar(std::string(text_.substr(begin + 1, end - begin - 1)),
                               ScalarStyle::kQuoted, {begin, at_});
  }

  bool is_word_start() const {
    if (here() == '-') return after() != ' ' && after() != '\n';
    return std::string_view(",[]{}#&*!|>'\"%@`?:\n").find(here()) == std::string_view::npos;
  }

  // Where the words end that stand from here on in this line: at a comment or at its end. Nothing
  // where a key hides among them.
  std::optional<std::size_t> end_of_words() const {
    std::size_t end = at_;
    for (; end < text_.size() && text_[end] != '\n'; ++end) {
      if (text_[end] == '#' && text_[end - 1] == ' ') break;
      if (text_[end] == ':' && is_blank(end + 1)) return std::nullopt;
    }
    return end;
  }

  // Words of one line, or of that and the deeper ones below, of which it is one text.
  bool words(std::size_t column) {
    if (!is_word_start()) return false;
    const auto end = end_of_words();
    if (!end) return false;
    const std::size_t begin = at_;
    std::string value(trimmed(begin, *end));
    const Extent extent{begin, begin + value.size()};
    const bool has_comment = *end < text_.size() && text_[*end] == '#';
    at_ = *end;
    std::size_t next = *end + 1;
    if (!end_line()) return false;
    const bool is_one_line = !is_deeper(column);
    while (is_deeper(column)) {
      if (has_comment || at_ != next + column_ || !is_word_start()) return false;
      const auto more = end_of_words();
      if (!more || (*more < text_.size() && text_[*more] == '#')) return false;
      value += ' ';
      value += trimmed(at_, *more);
      at_ = *more;
      next = *more + 1;
      if (!end_line()) return false;
    }
    if (value.empty() || (is_one_line && is_null(value))) return false;
    return builder_.add_scalar(std::move(value), ScalarStyle::kPlain, extent);
  }

  std::string_view trimmed(std::size_t begin, std::size_t end) const {
    while (end > begin && text_[end - 1] == ' ') --end;
    return text_.substr(begin, end - begin);
  }

  // The lines below, all of one depth and none of them empty, are one text.
  bool folded(std::size_t column) {
    if (!text_.substr(at_).starts_with(">-\n")) return false;
    const std::size_t begin = at_;
    at_ += 3;
    std::string value;
    std::size_t depth = 0;
    while (!is_over()) {
      const std::size_t line = at_;
      skip_blanks();
      if (is_line_over()) return false;
      const bool is_first = depth == 0;
      if (is_first) depth = at_ - line;
      if (depth <= column || at_ - line > depth) return false;
      if (at_ - line < depth) {
        at_ = line;
        break;
      }
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      if (text_[end - 1] == ' ') return false;
      if (!is_first) value += ' ';
      value += text_.substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
    }
    return !value.empty() && to_content() &&
           builder_.add_scalar(std::move(value), ScalarStyle::kQuoted, {begin, begin + 2});
  }

  bool is_blank(std::size_t at) const {
    return at >= text_.size() || text_[at] == ' ' || text_[at] == '\n';
  }

  bool add_word(std::size_t end) {
    const std::size_t begin = at_;
    const std::string_view found = trimmed(begin, end);
    at_ = end;
    if (found.empty() || is_null(found)) return false;
    return builder_.add_scalar(std::string(found), ScalarStyle::kPlain,
                               {begin, begin + found.size()});
  }

  // Within brackets: blanks and ends of lines. The lines that follow are indented.
  bool skip_flow_blanks() {
    for (; !is_over(); ++at_) {
      if (here() == '#') {
        if (text_[at_ - 1] != ' ') return false;
        at_ = std::min(text_.find('\n', at_), text_.size());
      }
      if (here() == '\n') {
        if (after() != ' ' && after() != '\n') return false;
      } else if (here() != ' ') {
        return true;
      }
    }
    return false;
  }

  bool flow_list() {
    return flow(NodeKind::kList, ']', [this] { return flow_value(); });
  }
  bool flow_map() {
    return flow(NodeKind::kMap, '}', [this] {
      if (!key()) return false;
      skip_blanks();
      return flow_value();
    });
  }

  template <typename Entry>
  bool flow(NodeKind kind, char bracket, const Entry& entry) {
    if (!builder_.open(kind, {at_, at_ + 1})) return false;
    ++at_;
    if (!skip_flow_blanks()) return false;
    while (here() != bracket) {
      if (!entry() || !skip_flow_blanks()) return false;
      if (here() == bracket) break;
      if (here() != ',') return false;
      ++at_;
      if (!skip_flow_blanks() || here() == bracket) return false;
    }
    ++at_;
    return builder_.close();
  }

  bool flow_value() {
    if (here() == '"' || here() == '\'') return quoted();
    if (here() == '[') return flow_list();
    if (here() == '{') return flow_map();
    if (!is_word_start()) return false;
    std::size_t end = at_;
    for (; end < text_.size(); ++end) {
      const char c = text_[end];
      if (c == ',' || c == ']' || c == '}' || c == '\n') break;
      if (c == '[' || c == '{' || c == '?') return false;
      if (c == '#' && text_[end - 1] == ' ') break;
      const bool ends = end + 1 < text_.size() &&
                        std::string_view(",]}").find(text_[end + 1]) != std::string_view::npos;
      if (c == ':' && (ends || is_blank(end + 1))) return false;
    }
    return add_word(end);
  }

  const std::string_view text_;
  TreeBuilder& builder_;
  std::size_t at_ = 0;
  std::size_t column_ = 0;  // Of the last word that a line was begun with.
};

}  // namespace

bool read_plain_yaml(std::string_view text, TreeBuilder& builder) {
  return PlainYaml(text, builder).read();
}

}  // namespace loadfactor::config
