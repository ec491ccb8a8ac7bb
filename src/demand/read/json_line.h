// Walks the members of a flat JSON object without building a tree, for files of one per line.
#pragma once

#include <cstddef>
#include <string_view>

namespace loadfactor::demand {

// A cursor over one object. next() steps to each member; nested values are handed over as text.
class JsonLine {
 public:
  explicit JsonLine(std::string_view text) : text_(text) {}

  // The next member's key and the raw text of its value; false at the end or on a mistake.
  // Escapes in keys and texts are left as they are.
  bool next(std::string_view& key, std::string_view& value);

  // Whether what was walked so far is JSON and, after next() said false, came to its end.
  bool is_sound() const { return is_sound_; }

 private:
  void skip_blanks();
  bool read_string(std::string_view& inner);
  bool skip_value();
  bool mistake() {
    is_sound_ = false;
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool is_open_ = false;
  bool is_sound_ = true;
};

// A quoted text without its quotes; any other value as it is.
std::string_view unquoted(std::string_view value);

}  // namespace loadfactor::demand
