// Writes JSON in order, with no library, so that the probe builds where only a compiler is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::probe {

class JsonWriter {
 public:
  JsonWriter& begin_object(std::string_view key = {}) { return open('{', '}', key); }
  JsonWriter& begin_array(std::string_view key = {}) { return open('[', ']', key); }
  JsonWriter& end();
  JsonWriter& text(std::string_view key, std::string_view value);
  // Shortest form that reads back as the same number; null when it is not finite.
  JsonWriter& number(std::string_view key, double value);
  JsonWriter& whole(std::string_view key, std::int64_t value);
  JsonWriter& truth(std::string_view key, bool value);
  // Closes what is open and returns the text.
  std::string finish();

 private:
  JsonWriter& open(char bracket, char closing, std::string_view key);
  void place(std::string_view key);
  void quote(std::string_view value);

  struct Level {
    char closing = '}';
    bool empty = true;
  };
  std::string out_;
  std::vector<Level> levels_;
};

}  // namespace loadfactor::probe
