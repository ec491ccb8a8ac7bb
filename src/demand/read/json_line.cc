#include "demand/read/json_line.h"

namespace loadfactor::demand {

void JsonLine::skip_blanks() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r'))
    ++at_;
}

bool JsonLine::read_string(std::string_view& inner) {
  if (at_ >= text_.size() || text_[at_] != '"') return mistake();
  const std::size_t first = ++at_;
  while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
  if (at_ >= text_.size()) return mistake();
  inner = text_.substr(first, at_++ - first);
  return true;
}

// Leaves the cursor behind the value: a text, a bracketed value however deep, or a bare word.
bool JsonLine::skip_value() {
  std::size_t depth = 0;
  std::string_view ignored;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      if (!read_string(ignored)) return false;
      if (depth == 0) return true;
      continue;
    }
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') {
      if (depth == 0) return true;
      ++at_;
      if (--depth == 0) return true;
      continue;
    }
    if (c == ',' && depth == 0) return true;
    ++at_;
  }
  return mistake();
}

bool JsonLine::next(std::string_view& key, std::string_view& value) {
  if (!is_sound_) return false;
  skip_blanks();
  if (!is_open_) {
    if (at_ >= text_.size() || text_[at_] != '{') return mistake();
    is_open_ = true;
    ++at_;
    skip_blanks();
  } else if (at_ < text_.size() && text_[at_] == ',') {
    ++at_;
    skip_blanks();
  } else if (at_ < text_.size() && text_[at_] != '}') {
    return mistake();
  }
  if (at_ >= text_.size()) return mistake();
  if (text_[at_] == '}') {
    ++at_;
    skip_blanks();
    return at_ == text_.size() ? false : mistake();
  }
  if (!read_string(key)) return false;
  skip_blanks();
  if (at_ >= text_.size() || text_[at_] != ':') return mistake();
  ++at_;
  skip_blanks();
  const std::size_t first = at_;
  if (!skip_value()) return false;
  value = text_.substr(first, at_ - first);
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
  return value.empty() ? mistake() : true;
}

std::string_view unquoted(std::string_view value) {
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
    return value.substr(1, value.size() - 2);
  return value;
}

}  // namespace loadfactor::demand
