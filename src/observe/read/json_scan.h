// A scanner over JSON text that keeps nothing: the bodies of a metrics server are large, and only
// their samples are wanted.
#pragma once

#include <string>
#include <string_view>

namespace loadfactor::observe {

class JsonScan {
 public:
  explicit JsonScan(std::string_view text) : begin_(text.data()), rest_(text) {}

  // The next mark that is no blank; 0 at the end.
  char peek();
  // Takes the mark if it stands next.
  bool take(char mark);
  bool take_string(std::string& out);
  // A number, true, false or null as it is written.
  bool take_word(std::string_view& out);
  // `[1700000000.1,"0.5"]` as servers write a sample, in plain numbers and without blanks; nothing
  // is taken where it stands there in another way.
  bool take_sample(double& time, double& value);
  // Any value, without keeping it; false where it is broken or nested too deep.
  bool skip_value(int depth = 0);
  bool is_done() { return peek() == 0; }
  std::size_t offset() const { return static_cast<std::size_t>(rest_.data() - begin_); }

 private:
  const char* begin_;
  std::string_view rest_;
};

}  // namespace loadfactor::observe
