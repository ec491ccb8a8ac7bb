// Walks JSON of any length without building a tree, plain or unpacked from gzip on the way.
//
// A mistake ends everything: from then on nothing is found, and error() says what was wrong. What
// is skipped is only followed to its end, not checked: profilers write texts of other programs into
// their files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "demand/read/byte_blocks.h"
#include "loadfactor/result.h"

namespace loadfactor::calibrate {

class JsonScanner {
 public:
  // The bytes must outlive the scanner.
  JsonScanner(std::string file, std::string_view bytes);

  // The first character of the next value; 0 at the end or after a mistake.
  char peek();

  // Members of an object: enter, then next_key() until it is false.
  bool enter_object() { return expect('{'); }
  bool next_key(std::string& key);
  // Items of a list: enter, then next_item() until it is false.
  bool enter_list() { return expect('['); }
  bool next_item();

  // The text of a string, number or word, cut at kMostText bytes; anything else is a mistake.
  void read_scalar(std::string& text);
  void skip();

  const std::optional<Error>& error() const { return error_; }
  static constexpr std::size_t kMostText = 4096;

 private:
  int get();   // The next character, consumed; -1 at the end.
  int look();  // The next character, kept; -1 at the end.
  bool refill();
  void skip_blanks();
  bool expect(char wanted);
  bool separated(char closing);
  void read_string(std::string& text);
  void read_escape(std::string& text);
  void refuse(std::string message);

  std::string file_;
  demand::ByteBlocks blocks_;
  std::string_view block_;
  std::size_t at_ = 0;
  std::uint64_t seen_ = 0;  // Bytes of earlier blocks.
  std::uint32_t line_ = 1;
  bool fresh_ = false;  // An object or list was entered and nothing of it was read.
  std::optional<Error> error_;
};

}  // namespace loadfactor::calibrate
