#include "base/wrap.h"

#include <algorithm>

#include "base/display_width.h"

namespace loadfactor {
namespace {

// Collects words into lines.
class LineBreaker {
 public:
  explicit LineBreaker(int width) : width_(std::max(width, 1)) {}

  void add_word(std::string_view word) {
    const int wide = display_width(word);
    const int blank = line_.empty() ? 0 : 1;
    if (used_ + blank + wide <= width_) {
      if (blank == 1) line_ += ' ';
      line_ += word;
      used_ += blank + wide;
      return;
    }
    if (!line_.empty()) end_line();
    if (wide <= width_) {
      line_ = word;
      used_ = wide;
    } else {
      break_word(word);
    }
  }

  void end_line() {
    lines_.push_back(std::move(line_));
    line_.clear();
    used_ = 0;
  }

  std::vector<std::string> finish() { return std::move(lines_); }

 private:
  void break_word(std::string_view word) {
    for (std::size_t i = 0; i < word.size();) {
      const CodePoint c = decode_utf8(word, i);
      const int wide = code_point_width(c.value);
      if (used_ + wide > width_ && !line_.empty()) end_line();
      line_ += word.substr(i, c.size);
      used_ += wide;
      i += c.size;
    }
  }

  int width_;
  int used_ = 0;
  std::string line_;
  std::vector<std::string> lines_;
};

// Calls `visit` with each word of `text`.
template <typename Visit>
void for_each_word(std::string_view text, Visit visit) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    if (end > begin) visit(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

// As above, but a number and its per cent sign are one word.
template <typename Visit>
void for_each_unbroken(std::string_view text, Visit visit) {
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin && text.substr(end, 2) == " %")
      end = std::min(text.find(' ', end + 1), text.size());
    if (end > begin) visit(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::vector<std::string> wrap(std::string_view text, int width) {
  LineBreaker breaker(width);
  for (const std::string_view line : lines_of(text)) {
    if (display_width(line) <= width) {
      breaker.add_word(line);
    } else {
      for_each_unbroken(line, [&](std::string_view word) { breaker.add_word(word); });
    }
    breaker.end_line();
  }
  return breaker.finish();
}

int widest_word(std::string_view text) {
  int widest = 0;
  for_each_word(text,
                [&](std::string_view word) { widest = std::max(widest, display_width(word)); });
  return widest;
}

}  // namespace loadfactor
